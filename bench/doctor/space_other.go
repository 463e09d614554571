//go:build !(linux || darwin || freebsd)

package doctor

// freeSpace is not known here.
func freeSpace(string) (int64, bool) { return 0, false }
