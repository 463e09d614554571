//go:build linux || darwin

package shell

import "syscall"

// descriptors returns the maximum number of open files of this process, or 0 if unknown.
func descriptors() int64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return int64(min(limit.Cur, 1<<30))
}
