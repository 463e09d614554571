package replies

import (
	"regexp"
	"testing"
)

// All patterns are valid, as one is compiled only when a reply first needs it.
func TestPatterns(t *testing.T) {
	if len(expressions) < 100 {
		t.Errorf("only %d patterns", len(expressions))
	}
	for _, expression := range expressions {
		if _, err := regexp.Compile(expression); err != nil {
			t.Error(err)
		}
	}
}
