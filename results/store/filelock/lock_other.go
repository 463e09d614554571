//go:build !unix

package filelock

// A File does nothing on systems without flock; two processes on one record then wait for each other's transactions.
type File struct{}

// Lock does nothing on systems without flock.
func Lock(string) (l *File, holder string, err error) { return &File{}, "", nil }

// Release does nothing.
func (*File) Release() {}
