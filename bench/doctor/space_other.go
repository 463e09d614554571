//go:build !(linux || darwin)

package doctor

// freeSpace is not known here.
func freeSpace(string) uint64 { return 0 }
