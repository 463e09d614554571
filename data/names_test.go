package data

import (
	"strings"
	"testing"
)

// TestCheckName checks that names that look like a built-in name are refused, and that usual names are accepted.
func TestCheckName(t *testing.T) {
	taken := []string{"surface", "rules", "constant", "faithful"}
	for _, name := range []string{"rules", "Surface", "CONSTANT", " surface", "sur face", "surfасe", "ѕurface", "súrface", "ｓｕｒｆａｃｅ", "ruIes",
		"ru1es", "c0nstant", "sur\u200bface", "sur\u00adface", "sur\ufe0fface", "surface\u3164", "a\u202eb", "x\ny", "x\u2028y", "a\u00a0b", strings.Repeat("é", 201)} {
		if CheckName(name, taken) == nil {
			t.Errorf("%q is accepted", name)
		}
	}
	for _, name := range []string{"gpt-4o", "surface-mine", "правила", "κανόνες", "规则", "Zoë", "قواعد", "rules (ours)", "judge 1", strings.Repeat("é", 200)} {
		if err := CheckName(name, taken); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestPairKeyInvisible checks that invisible characters in objects do not change the pair key.
func TestPairKeyInvisible(t *testing.T) {
	if PairKey("tea", "coffee") != PairKey("co\u200bf\u2060fee", "te\ufe0fa") {
		t.Error("invisible characters make another question")
	}
}
