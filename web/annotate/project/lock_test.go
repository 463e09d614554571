package project

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestLock: a second server of a project is refused, and the error names the first one.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	unlock, err := Lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(dir); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("already served (process %d)", os.Getpid())) {
		t.Errorf("a second server: %v", err)
	}
	unlock()
	again, err := Lock(dir)
	if err != nil {
		t.Fatalf("after the first has ended: %v", err)
	}
	again()
}
