package bench

import (
	"os"
	"testing"
)

// soaking reports whether long tests are wanted: `make soak` sets COMPQA_SOAK=1.
func soaking() bool { return os.Getenv("COMPQA_SOAK") != "" }

// soakTest skips tests that kill or disturb a program for a long time, unless they
// are wanted. With -short they are smaller.
func soakTest(t *testing.T) {
	t.Helper()
	if !soaking() {
		t.Skip("SKIPPED: a soak test; `make soak` runs it")
	}
}

// thorough reports whether tests try all variants: when soaking, but not under the race detector
// (-short), where they would take an hour.
func thorough() bool { return soaking() && !testing.Short() }
