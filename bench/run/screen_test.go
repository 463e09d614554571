package run

import (
	"strings"
	"testing"
)

// TestScreenSplitsNoCharacter: a character may arrive in several writes.
func TestScreenSplitsNoCharacter(t *testing.T) {
	const text = "a €\x1b 👩 \xff end é"
	for size := 1; size < len(text); size++ {
		var out strings.Builder
		s := NewScreen(&out)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if written, err := s.Write([]byte(rest[:n])); written != n || err != nil {
				t.Fatal(written, err)
			}
			rest = rest[n:]
		}
		if out.String() != "a €\\u001b 👩 \ufffd end é" {
			t.Errorf("in pieces of %d: %q", size, out.String())
		}
	}
}
