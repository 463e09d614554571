package sources

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// A text of ASCII characters is folded as any other text is.
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
