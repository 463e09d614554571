//go:build unix

package store

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A lock prevents a second process from writing the same record. It is the kernel's
// (flock), so it disappears with a killed process.
type lock struct{ file *os.File }

func acquire(dir string) (*lock, error) {
	path := filepath.Join(dir, "run.lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := io.ReadAll(io.LimitReader(f, 100))
		f.Close()
		return nil, fmt.Errorf("%s is in use by another compqa (%s); wait for it, stop it, or use another --out", dir, strings.TrimSpace(string(holder)))
	}
	if err := f.Truncate(0); err == nil {
		fmt.Fprintf(f, "process %d\n", os.Getpid())
	}
	return &lock{f}, nil
}

// release unlocks, and does not only close the file: a process that this one is just starting
// has the file open until its program is loaded.
func (l *lock) release() {
	syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN)
	l.file.Close()
}
