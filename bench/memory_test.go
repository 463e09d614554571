package bench

import (
	"os"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// A run leaves the collector as it was, whether it has collected meanwhile or not.
func TestLean(t *testing.T) {
	if os.Getenv("GOGC") != "" {
		t.Skip("GOGC is set")
	}
	percent := func() int {
		p := debug.SetGCPercent(100)
		debug.SetGCPercent(p)
		return p
	}
	before := percent()
	for collected := range 2 {
		over := lean()
		if percent() != firstPercent {
			t.Fatalf("%d %% at first", percent())
		}
		for n := 0; collected == 1 && percent() != leanPercent; n++ {
			if runtime.GC(); n > 1000 {
				t.Fatalf("%d %% after %d collections", percent(), n)
			}
			time.Sleep(time.Millisecond)
		}
		go over()
		over()
		runtime.GC()
		time.Sleep(2 * time.Millisecond)
		if percent() != before {
			t.Errorf("%d %% afterwards, not %d", percent(), before)
		}
	}
}
