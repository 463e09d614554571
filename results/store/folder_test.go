package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The next command removes what a killed one left beside its file, and leaves what one at work has.
func TestFilesOfKilledCommands(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run.compqa.gz")
	working, err := NewTemporary(dir, beside)
	if err != nil {
		t.Fatal(err)
	}
	defer working.Close()
	killed, err := NewTemporary(dir, beside)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(killed.Dir, "run.compqa.gz"), []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	killed.lock.Release() // as the kernel does when a process ends
	if err := WriteOutput(file, func(w io.Writer) error { _, err := io.WriteString(w, "whole"); return err }); err != nil {
		t.Fatal(err)
	}
	if failed := WriteOutput(file, func(w io.Writer) error { io.WriteString(w, "ha"); return errors.New("no") }); failed == nil {
		t.Error("a file that cannot be written is no error")
	}
	content, err := os.ReadFile(file)
	left, _ := filepath.Glob(filepath.Join(dir, ".*"))
	all, _ := filepath.Glob(filepath.Join(dir, "*"))
	if want := []string{working.Dir, working.Dir + lockSuffix}; err != nil || string(content) != "whole" || !slices.Equal(left, want) || len(all) != 3 {
		t.Errorf("%q, %v; beside it are %v and %v", content, err, left, all)
	}
}
