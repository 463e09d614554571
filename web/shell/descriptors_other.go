//go:build !(linux || darwin)

package shell

// descriptors returns 0: it is not known here.
func descriptors() int64 { return 0 }
