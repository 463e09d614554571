//go:build unix

package store

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestLockReleased: a released lock can be taken, even while a child process that is being started still has the file open.
func TestLockReleased(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	l, _, err := LockFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if second, holder, err := LockFile(path); err != nil || second != nil || holder == "" {
		t.Errorf("locked twice: %v, holder %q, %v", second, holder, err)
	}
	child, err := syscall.Dup(int(l.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child)
	l.Release()
	again, holder, err := LockFile(path)
	if err != nil || again == nil {
		t.Fatal(holder, err)
	}
	again.Release()
}

// TestLockNamesHolder: LockFile waits for a holder that has not yet written its number, and names it.
func TestLockNamesHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { f.WriteString("process 7\n") })
	if l, holder, err := LockFile(path); err != nil || l != nil || holder != "process 7" {
		t.Errorf("locked: %v, holder %q, %v", l != nil, holder, err)
	}
	f.Truncate(0)
	if _, holder, err := LockFile(path); err != nil || !strings.Contains(holder, path) {
		t.Errorf("holder %q, %v", holder, err)
	}
}
