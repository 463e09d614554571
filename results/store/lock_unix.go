//go:build unix

package store

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
)

// A FileLock is a locked file. The lock is the kernel's (flock), so it disappears with a killed process.
type FileLock struct{ file *os.File }

// LockFile locks a file and writes this process's number into it. Where another process has the lock,
// holder names it and the file is nil. A process that has just locked writes its number a moment later.
func LockFile(path string) (l *FileLock, holder string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, "", err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		if removed(f, path) { // by the process that had it, after this one had opened it
			f.Close()
			return LockFile(path)
		}
		if err := f.Truncate(0); err == nil {
			fmt.Fprintf(f, "process %d\n", os.Getpid())
		}
		return &FileLock{f}, "", nil
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

// Release unlocks, and does not only close the file: a process that this one is just starting
// has the file open until its program is loaded.
func (l *FileLock) Release() {
	syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN)
	l.file.Close()
}

// AppendFile adds text to a file that several processes may be writing: one after the other. It creates the file with these
// permissions if it is missing.
func AppendFile(path, text string, permissions os.FileMode) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, permissions)
	if err != nil {
		return err
	}
	syscall.Flock(int(f.Fd()), syscall.LOCK_EX) // ends when the file is closed; a file system without locks appends all the same
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// removed reports whether an open file no longer has its name.
func removed(f *os.File, path string) bool {
	open, err := f.Stat()
	named, missing := os.Stat(path)
	return err != nil || missing != nil || !os.SameFile(open, named)
}

// errReadOnly is the error of a file system that cannot be written.
const errReadOnly = syscall.EROFS

// locksExist says that a process knows whether another one has a lock.
const locksExist = true
