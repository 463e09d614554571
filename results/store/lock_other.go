//go:build !unix

package store

import (
	"errors"
	"os"
)

// A FileLock does nothing on systems without flock; two processes on one record then wait for each other's transactions.
type FileLock struct{}

// LockFile does nothing on systems without flock.
func LockFile(string) (l *FileLock, holder string, err error) { return &FileLock{}, "", nil }

// Release does nothing.
func (*FileLock) Release() {}

// AppendFile adds text to a file, and creates it with these permissions if it is missing.
func AppendFile(path, text string, permissions os.FileMode) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, permissions)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// errReadOnly is never returned there.
var errReadOnly = errors.New("read-only file system")

// locksExist says that nobody knows there whether another process has a lock.
const locksExist = false
