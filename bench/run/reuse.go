package run

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"compqa/bench/config"
	"compqa/results/store"
)

// An earlier run is a record whose replies to identical calls are reused.
type earlier struct {
	dir   string // absolute; the origin of reused calls
	store *store.Store
	taken atomic.Int64
}

// OpenEarlier opens the records of --reuse.
func OpenEarlier(dirs []string, out string) ([]*earlier, error) {
	var runs []*earlier
	for _, dir := range dirs {
		if SameFile(dir, out) {
			return nil, config.Usagef("--reuse %s is the run itself, which repeats no call anyway", dir)
		}
		path, err := filepath.Abs(dir)
		if err != nil {
			return nil, config.Usagef("--reuse %s: %w", dir, err)
		}
		db, err := store.Open(dir)
		if err != nil {
			CloseEarlier(runs, io.Discard)
			return nil, fmt.Errorf("--reuse: %w", err)
		}
		runs = append(runs, &earlier{dir: path, store: db})
	}
	return runs, nil
}

// SameFile reports whether two paths are of one file or folder.
func SameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// CloseEarlier closes the records and prints how many replies were reused.
func CloseEarlier(runs []*earlier, w io.Writer) {
	for _, e := range runs {
		if n := e.taken.Load(); n > 0 {
			fmt.Fprintf(w, "%d replies were reused from %s\n", n, e.dir)
		}
		e.store.Close()
	}
}
