package data

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOnlyRegularFiles checks that devices, pipes and folders are refused: a device or pipe may have no end.
func TestOnlyRegularFiles(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for path, want := range map[string]string{"/dev/zero": "not a regular file", pipe: "not a regular file", t.TempDir(): "it is a folder"} {
		if _, _, err := ReadText(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		if _, err := ReadQuestions(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("questions from %s: %v, want %q", path, err, want)
		}
	}
}

// TestLongRecords checks that a line of more than 64 MiB is refused before all of it is in memory.
func TestLongRecords(t *testing.T) {
	for name, head := range map[string]string{"q.jsonl": `{"object1": "`, "q.csv": "object1,object2\n\"a"} {
		path := filepath.Join(t.TempDir(), name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString(head)
		chunk := strings.Repeat("a", 1<<20)
		for range MostLine>>20 + 1 {
			f.WriteString(chunk)
		}
		f.Close()
		if _, err := ReadQuestions(path); err == nil || !strings.Contains(err.Error(), "64 MiB") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNamesAreComposed checks that ids are duplicates if they differ only in Unicode form or surrounding space. The error of a JSON key
// that occurs twice must name its line.
func TestNamesAreComposed(t *testing.T) {
	for content, want := range map[string]string{
		"id,object1,object2\ncafé,a,b\ncafe\u0301,c,d\n":                                                         "q.csv:3: duplicate id",
		"id,object1,object2\n1,a,b\n 1 ,c,d\n":                                                                   "q.csv:3: duplicate id",
		"object1,object2\ncafé,tea\ntea,cafe\u0301\n":                                                            "q.csv:3: duplicate object pair",
		"{\"object1\": \"a\", \"object2\": \"b\"}\n{\"object1\": \"c\", \"object2\": \"d\", \"object1\": \"e\"}": `q:2: the key "object1" occurs twice`,
		"{\"object1\": \"a\", \"object2\": \"b\", \"arguments\": [{\"text\": \"x\", \"text\": \"y\"}]}":          `q:1: the key "text" occurs twice`,
	} {
		name := "q.csv"
		if content[0] == '{' {
			name = "q"
		}
		if _, err := ReadQuestions(write(t, name, content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
	if q, err := ReadQuestions(write(t, "q.csv", "object1;object2\ntea;mate\n")); err != nil || q[0].Object2 != "mate" {
		t.Errorf("semicolons: %+v, %v", q, err)
	}
}

// TestNestedJSON checks that deeply nested JSON is refused: without a limit, it would overflow the stack, which ends the process.
func TestNestedJSON(t *testing.T) {
	for _, text := range []string{strings.Repeat("[", 1<<24), strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20)} {
		if err := validJSON("f", []byte(text), 1, true); err == nil {
			t.Error("it is valid JSON")
		}
	}
}
