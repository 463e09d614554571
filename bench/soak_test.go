package bench

import (
	"os"
	"testing"
)

// soakTest skips tests that kill or disturb a program for a long time, unless the
// environment has COMPQA_SOAK=1, as `make soak` sets it. With -short they are smaller.
func soakTest(t *testing.T) {
	t.Helper()
	if os.Getenv("COMPQA_SOAK") == "" {
		t.Skip("SKIPPED: a soak test; `make soak` runs it")
	}
}
