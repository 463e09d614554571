package results

import (
	"os"
	"path/filepath"
	"runtime/debug"
)

// leastMemory is what a report may take without the garbage collector working
// harder, in bytes; more than enough for a hundred thousand verdicts.
const leastMemory = 220 << 20

// garbagePercent is how much garbage a report lets gather below that bound, in
// percent of what is alive. At 200 it takes a tenth less processor time and a tenth
// more memory: at the end of a run more than the run itself.
const garbagePercent = 140

// besidePercent is the same for what is read ahead, beside a run that still holds
// all it needs: 4 MB less than at 100, in the same time.
const besidePercent = 60

// boundMemory has the garbage collector keep a report of the records in dirs
// near what it must hold, a quarter of the records' size (a million verdicts:
// 160 of 900 MB), in place of twice that. It returns what lifts the bound. One that
// the environment sets lower (GOMEMLIMIT) stays, and so does its GOGC.
func boundMemory(dirs []string) (lift func()) {
	var size int64
	for _, dir := range dirs {
		if info, err := os.Stat(filepath.Join(dir, RecordName)); err == nil {
			size += info.Size()
		}
	}
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, max(leastMemory, size/4)))
	undo := letGather(garbagePercent)
	return func() {
		debug.SetMemoryLimit(before)
		undo()
	}
}

// letGather lets so much garbage gather, in percent of what is alive, unless the
// environment says how much (GOGC), until what it returns is called.
func letGather(percent int) (undo func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(percent)
	return func() { debug.SetGCPercent(before) }
}
