package cli

import (
	"os"
	"strings"
	"testing"
)

// TestScreenSplitsNoCharacter checks that a character may arrive in several writes.
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

// TestScreenKeepsNotices checks that written text appears above the status lines and stays there.
func TestScreenKeepsNotices(t *testing.T) {
	var out strings.Builder
	s := &Screen{out: &out, terminal: os.Stdin}
	s.Draw([]string{"one", "two\x1b"})
	s.Write([]byte("press Ctrl-C again\n"))
	s.Draw([]string{"three"})
	s.Draw(nil)
	s.Write([]byte("end\n"))
	const up = "\r\x1b[2A\x1b[J"
	if want := "one\ntwo\\u001b\n" + up + "press Ctrl-C again\none\ntwo\\u001b\n" + up + "three\nend\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
