package bench

import (
	"os"
	"runtime/debug"
)

// leanPercent is how much garbage a run lets gather, in percent of what is alive:
// prompts and replies of calls under way. At 70 collecting it takes a tenth more
// processor time, and saves 3 MB; at 200 a run is no faster, and takes 9 MB more
// (BenchmarkRun).
const leanPercent = 120

// lean has the garbage collector work as suits a run, unless the environment says
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
