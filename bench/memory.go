package bench

import (
	"os"
	"runtime"
	"runtime/debug"
	"sync"
)

// leanPercent is how much garbage a run lets gather, in percent of what is alive:
// prompts and replies of calls under way. At 70 collecting it takes a tenth more
// processor time, and saves 3 MB; at 200 a run is no faster, and takes 9 MB more
// (BenchmarkRun).
const leanPercent = 120

// firstPercent has the collector begin at 16 MB, which a run holds soon. From Go's
// 4 MB on it would collect five times on the way there, while the first calls go out.
const firstPercent = 400

// lean has the garbage collector work as suits a run, unless the environment says
// how it is to work (GOGC). It returns what undoes that, and gives back what the run
// has held and no longer needs; called again, it waits for that and does no more.
func lean() (over func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(firstPercent)
	var mu sync.Mutex
	ended := false
	runtime.AddCleanup(new(*int), func(int) { // as soon as it has collected once
		mu.Lock()
		defer mu.Unlock()
		if !ended {
			debug.SetGCPercent(leanPercent)
		}
	}, 0)
	return sync.OnceFunc(func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
		debug.SetGCPercent(before)
		debug.FreeOSMemory()
	})
}
