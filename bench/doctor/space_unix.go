//go:build linux || darwin || freebsd

package doctor

import "syscall"

// freeSpace returns the free bytes on the disk of a folder.
func freeSpace(dir string) (int64, bool) {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
