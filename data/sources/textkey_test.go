package sources

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// TestFoldedASCII checks that the fast path for ASCII texts folds them as the general path does.
func TestFoldedASCII(t *testing.T) {
	var all strings.Builder
	for c := range byte(128) {
		all.WriteByte(c)
	}
	for _, text := range []string{"", " ", "\t\n", "Word", "  Two \r\n Words\v\f ", "a\x1cb\x1f", all.String(), " Grün ß ", "a\u00a0b", "x\x85y"} {
		want := fold.String(strings.Join(strings.Fields(norm.NFC.String(text)), " "))
		if got := FoldedText(text); got != want {
			t.Errorf("%q is folded to %q, want %q", text, got, want)
		}
	}
	if _, ascii := foldedASCII("Grün"); ascii {
		t.Error("ü is no ASCII")
	}
}
