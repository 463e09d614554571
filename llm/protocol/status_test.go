package protocol

import (
	"strings"
	"testing"
)

// Nesting has a limit: JSON without one would fill the stack, which ends the process.
func TestNestedBody(t *testing.T) {
	for _, body := range []string{strings.Repeat("[", 1<<20), strings.Repeat(`{"error":`, 1<<16), strings.Repeat(`{"error":`, 1<<16) + "1" + strings.Repeat("}", 1<<16)} {
		if p := ParseErrorBody(body); len(p.Message) > 2*MaxMessage {
			t.Errorf("a message of %d bytes", len(p.Message))
		}
	}
}

func TestSizeInWords(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 B", 9: "9 B", 999: "999 B", 999_499: "999 kB", 999_500: "1.0 MB", 8_200_000: "8.2 MB",
		9_950_000: "10 MB", 82_854_982: "83 MB", 5e15: "5000 TB"} {
		if got := SizeInWords(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}
