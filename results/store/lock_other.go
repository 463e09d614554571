//go:build !unix

package store

import (
	"errors"
	"os"
)

// A FileLock does nothing on systems without flock. Two processes that write to one record then wait for each other's transactions.
type FileLock struct{}

// LockFile does nothing on systems without flock.
func LockFile(string) (l *FileLock, holder string, err error) { return &FileLock{}, "", nil }

// Release does nothing.
func (*FileLock) Release() {}

// AppendFile adds text to a file, and creates the file with the given permissions if necessary.
func AppendFile(path, text string, permissions os.FileMode) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, permissions)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// errReadOnly matches no error on these systems.
var errReadOnly = errors.New("read-only file system")

// locksExist says that LockFile does not lock on these platforms.
const locksExist = false
