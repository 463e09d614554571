//go:build !unix

package store

import "errors"

// A FileLock does nothing on systems without flock; two processes on one record then wait for each other's transactions.
type FileLock struct{}

// LockFile does nothing on systems without flock.
func LockFile(string) (l *FileLock, holder string, err error) { return &FileLock{}, "", nil }

// Release does nothing.
func (*FileLock) Release() {}

// errReadOnly is never returned there.
var errReadOnly = errors.New("read-only file system")

// locksExist says that nobody knows there whether another process has a lock.
const locksExist = false
