package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/results/store"
	"compqa/rubric"
)

// TestFormatOfAnotherVersion: opening a record of another format or program gives an error that says what is wrong and what to do. The
// file is unchanged.
func TestFormatOfAnotherVersion(t *testing.T) {
	for pragma, want := range map[string]string{
		"user_version = 4":   fmt.Sprint("an older compqa made this study: it has format 4, and this compqa reads format ", formatVersion),
		"user_version = 99":  "a newer compqa made this study: it has format 99",
		"application_id = 7": "this is a database of another program",
	} {
		dir := t.TempDir()
		if _, err := Create(dir, Settings{Rubric: rubric.CQA(), People: 2}, items(1, Main)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, FileName)
		s, err := store.Connect(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Run("PRAGMA " + pragma); err != nil {
			t.Fatal(err)
		}
		s.Close()
		before, _ := os.ReadFile(path)
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", pragma, err)
		}
		if after, _ := os.ReadFile(path); string(after[100:]) != string(before[100:]) {
			t.Errorf("%s: the file was changed", pragma)
		}
	}
}

// TestItemsOfUnknownKind: a study with items of an unknown kind gives an error that lists the known kinds.
func TestItemsOfUnknownKind(t *testing.T) {
	dir := t.TempDir()
	list := items(1, Main)
	list[0].Kind = "poem"
	if _, err := Create(dir, Settings{Kind: "poem", Rubric: rubric.CQA(), People: 2}, list); err != nil {
		t.Fatal(err)
	}
	want := `an item has the kind "poem"; this compqa knows answer, table, pair, stages, rationales`
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), FileName) {
		t.Errorf("%v, want %s", err, want)
	}
}
