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

// A FileLock is a locked file. The kernel holds the lock (flock) and releases it when the process ends or is killed.
type FileLock struct{ file *os.File }

// LockFile locks a file, creating it if necessary, and writes this process's number into it. If another process has the lock, l is nil and
// holder names that process. LockFile waits up to 200 ms for the other process to write its number.
func LockFile(path string) (l *FileLock, holder string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, "", err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		if removed(f, path) { // the previous holder removed the file after this process opened it
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

// Release unlocks the file and closes it. Closing alone is not enough: a child process that is just being started keeps the file open
// until its program is loaded.
func (l *FileLock) Release() {
	syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN)
	l.file.Close()
}

// AppendFile adds text to a file, and creates the file with the given permissions if necessary. A lock keeps the texts of several
// processes whole.
func AppendFile(path, text string, permissions os.FileMode) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, permissions)
	if err != nil {
		return err
	}
	syscall.Flock(int(f.Fd()), syscall.LOCK_EX) // ends when the file is closed; a file system without locks appends all the same
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// removed reports whether the path no longer names the open file.
func removed(f *os.File, path string) bool {
	open, err := f.Stat()
	named, missing := os.Stat(path)
	return err != nil || missing != nil || !os.SameFile(open, named)
}

// errReadOnly is the error for a write to a read-only file system.
const errReadOnly = syscall.EROFS

// locksExist says that LockFile really locks on this platform.
const locksExist = true
