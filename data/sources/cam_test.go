package sources

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
)

// TestReadCAM compares the counts with those of the file (commit 7597cbd), which another program counted.
func TestReadCAM(t *testing.T) {
	c, err := ReadCAM(sharedtest.Path(t, "data", "cam-arg-relevance"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Pairs != 112 || c.Arguments != 1770 || c.Empty != 31 || c.Repeated != 88 {
		t.Errorf("%d pairs, %d arguments, %d empty, %d repeated", c.Pairs, c.Arguments, c.Empty, c.Repeated)
	}
	kept := 0
	without := 0
	var lines strings.Builder
	for _, q := range c.Questions {
		kept += len(q.Arguments)
		if len(q.Arguments) == 0 {
			without++
		}
		for _, a := range q.Arguments {
			if a.Relevance == nil || *a.Relevance < 0 || *a.Relevance > 3 || a.Favours != "" {
				t.Errorf("%s: %+v", q.ID, a)
			}
		}
		line, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	if len(c.Questions) != 101 || kept != 1651 || without != 12 {
		t.Errorf("%d questions with %d arguments, %d without", len(c.Questions), kept, without)
	}
	read, err := data.ReadQuestions(write(t, "questions.jsonl", lines.String()))
	if err != nil || len(read) != 101 || *read[0].Arguments[0].Relevance != 2 {
		t.Errorf("%d questions are read again: %v", len(read), err)
	}
}

// TestParseCAM checks how repeated pairs and arguments are combined, and the errors of wrong files.
func TestParseCAM(t *testing.T) {
	c, err := ReadCAM(camFolder(t, `[
{"obj1": "tea", "obj2": "Coffee", "arguments": [{"argument": " Tea is mild. ", "relevance": 3}, {"argument": null, "relevance": 1}]},
{"obj1": "coffee", "obj2": "Tea", "arguments": [{"argument": "Tea is mild.", "relevance": 2}, {"argument": "Coffee wakes.", "relevance": 0}]}]`))
	if err != nil || len(c.Questions) != 1 || c.Pairs != 2 || c.Arguments != 4 || c.Empty != 1 || c.Repeated != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	q := c.Questions[0]
	if q.Object2 != "Coffee" || len(q.Arguments) != 2 || *q.Arguments[0].Relevance != 2.5 || *q.Arguments[1].Relevance != 0 {
		t.Errorf("%+v", q)
	}
	for text, want := range map[string]string{
		"{}":                      `gpt.json:1: obj1 is "" and obj2 is ""`,
		"[]":                      "gpt.json is empty",
		"[\n{\"obj1\": 1}]":       "gpt.json:2: in the item that begins here",
		"[\n\n{\"obj1\": \"a\"}]": `gpt.json:3: obj1 is "a" and obj2 is ""`,
		"[\n{\"obj1\":\"a\",\"obj2\":\"b\",\"arguments\":[{\"argument\":\"x\"}]}]": "gpt.json:2: argument 1 of a | b: the relevance is missing",
	} {
		if _, err := ReadCAM(camFolder(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := ReadCAM(t.TempDir()); err == nil {
		t.Error("an empty folder was read")
	}
}

// camFolder returns a new folder with text as the file of people's judgements.
func camFolder(t *testing.T, text string) string {
	return filepath.Dir(write(t, camFile, text))
}

func FuzzReadCAM(f *testing.F) {
	f.Add([]byte(`[{"obj1": "a", "obj2": "b", "arguments": [{"argument": "x", "relevance": 1}]}]`))
	f.Fuzz(func(t *testing.T, content []byte) {
		c, err := ReadCAM(camFolder(t, string(content)))
		if err == nil && len(c.Questions) == 0 {
			t.Error("no questions and no error")
		}
	})
}
