//go:build unix

package store

import (
	"syscall"
	"testing"
)

// A lock that is released is free, although a process that is being started still has its file
// open.
func TestLockReleased(t *testing.T) {
	dir := t.TempDir()
	l, err := acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := acquire(dir); err == nil {
		t.Error("locked twice")
	}
	child, err := syscall.Dup(int(l.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child)
	l.release()
	again, err := acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	again.release()
}
