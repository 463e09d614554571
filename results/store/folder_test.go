package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestFilesOfKilledCommands: a command removes the temporary files of a killed command, but not those of one that is running.
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

// TestAppendFile: lines that several processes append to one file stay whole. Each goroutine opens the file anew, as a process does.
func TestAppendFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	const writers, lines = 8, 20
	line := func(k int) string { return strings.Repeat(strconv.Itoa(k), 3*os.Getpagesize()) + "\n" }
	var writing sync.WaitGroup
	for k := range writers {
		writing.Go(func() {
			for range lines {
				if err := AppendFile(path, line(k), 0o600); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	content, err := os.ReadFile(path)
	for k := range writers {
		if n := strings.Count(string(content), line(k)); n != lines {
			t.Errorf("%d of %d lines of writer %d are whole", n, lines, k)
		}
	}
	if info, missing := os.Stat(path); err != nil || missing != nil || info.Mode().Perm() != 0o600 {
		t.Error(err, missing)
	}
}
