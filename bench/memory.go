package bench

import (
	"os"
	"runtime/debug"
)

// leanPercent is how much garbage a run lets gather, in percent of what is alive:
// prompts and replies of calls under way. Go's own 100 saves a fifteenth of the
// processor time and takes a tenth more memory (BenchmarkRun).
const leanPercent = 120

// lean has the garbage collector keep a run small, unless the environment says
// how it is to work (GOGC). It returns what undoes that, and gives back what the
// run has held: a report begins with little.
func lean() (over func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(leanPercent)
	return func() {
		debug.SetGCPercent(before)
		debug.FreeOSMemory()
	}
}
