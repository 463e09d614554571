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
