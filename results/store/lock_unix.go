//go:build unix

package store

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A lock prevents a second process from writing the same record. It is the kernel's
// (flock), so it disappears with a killed process.
type lock struct{ file *os.File }

func acquire(dir string) (*lock, error) {
	l, holder, err := flock(filepath.Join(dir, "run.lock"))
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, err)
	}
	if l == nil {
		return nil, fmt.Errorf("%s is in use by another compqa (%s); wait for it, stop it, or use another --out", dir, holder)
	}
	return l, nil
}

// Lock locks a file of its own for this process, until unlock. Where another process has the lock,
// holder names it and unlock is nil.
func Lock(path string) (unlock func(), holder string, err error) {
	l, holder, err := flock(path)
	if l == nil {
		return nil, holder, err
	}
	return l.release, "", nil
}

// flock locks a file and writes this process's number into it. The lock of another process is no
// error, but its holder. A process that has just locked writes its number a moment later.
func flock(path string) (l *lock, holder string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, "", err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		if err := f.Truncate(0); err == nil {
			fmt.Fprintf(f, "process %d\n", os.Getpid())
		}
		return &lock{f}, "", nil
	} else if err != syscall.EWOULDBLOCK {
		f.Close()
		return nil, "", err
	}
	defer f.Close()
	for end := time.Now().Add(200 * time.Millisecond); holder == "" && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		text, _ := io.ReadAll(io.NewSectionReader(f, 0, 100))
		holder = strings.TrimSpace(string(text))
	}
	return nil, cmp.Or(holder, "whose number is not in "+path), nil
}

// release unlocks, and does not only close the file: a process that this one is just starting
// has the file open until its program is loaded.
func (l *lock) release() {
	syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN)
	l.file.Close()
}
