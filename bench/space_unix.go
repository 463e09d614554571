//go:build linux || darwin

package bench

import "syscall"

// freeSpace returns the number of free bytes on the disk that has the folder dir, or 0 if it is unknown.
func freeSpace(dir string) uint64 {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return 0
	}
	return s.Bavail * uint64(s.Bsize)
}
