package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
)

// TestTableOfReviews has twelve reviews of two headphones (cases5/papers). Each sentence is one statement, and an attribute that several
// texts mention has a row. A value that disagrees with others is in the row of its attribute. Each row says which object it favours.
func TestTableOfReviews(t *testing.T) {
	t.Parallel()
	in := filepath.Join(sharedtest.Path(t, "cases5", "papers", "B-reviews"), "sources.jsonl")
	out := t.TempDir()
	if code, _, stderr := compqa("strum", "--in", in, "--out", out); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	page := readFile(t, out, "strum.md")
	rows := map[string]string{}
	for line := range strings.Lines(page) {
		if name, _, is := strings.Cut(strings.TrimPrefix(line, "| "), " |"); is {
			rows[strings.TrimSpace(name)] = line
		}
	}
	for name, want := range map[string]string{
		"app":     "The app crashes often [3]",
		"ldac":    "It supports LDAC [8]",
		"battery": "24 hours at most with noise cancellation on [3] (disputed: 2 sources contradict it [1] [2])",
		"weight":  "It weighs 260 g [4]; The weight of 260 g is low [5] ",
		"price":   "I paid 229 euros for the Arvo 3 on sale [2] (disputed: 2 sources contradict it [1] [5])",
	} {
		if !strings.Contains(rows[name], want) {
			t.Errorf("the row %q does not have %q:\n%s", name, want, rows[name])
		}
	}
	if strings.Count(rows["noise cancellation"], "Compared with the Arvo 3") != 1 {
		t.Errorf("a statement about both objects does not stand once:\n%s", rows["noise cancellation"])
	}
	if want := "6 of 10 rows favour one object: 3 for Arvo 3, 3 for Belto X. 20 of 60 sentences of the sources are in no row."; !strings.Contains(page, want) {
		t.Errorf("the table does not say %q:\n%s", want, page)
	}
}

// pricesReply answers the stages of STRUM for three prices (cases5/papers), like the scripted server of the case.
func pricesReply(prompt string) string {
	kind, _ := tableReply(prompt)
	switch {
	case kind == "extract" && strings.Contains(prompt, "about this object: Arvo 3"):
		return `{"values": [
			{"attribute": "price", "value": "249 euros", "quote": "The Arvo 3 costs 249 euros", "source": 1},
			{"attribute": "price", "value": "239 euros", "quote": "The Arvo 3 costs 239 euros", "source": 2},
			{"attribute": "price", "value": "229 euros", "quote": "The Arvo 3 costs 229 euros", "source": 3}]}`
	case kind == "extract":
		return `{"values": [{"attribute": "price", "value": "349 euros", "quote": "The Belto X costs 349 euros", "source": 4}]}`
	case kind == "values":
		return `{"groups": [{"center": 1, "members": [1], "contradicted_by": [2, 3]}, {"center": 2, "members": [2], "contradicted_by": [1, 3]},
			{"center": 3, "members": [3], "contradicted_by": [1, 2]}]}`
	}
	_, reply := tableReply(prompt)
	return reply
}

// TestThreePrices: three sources with three prices leave no empty cell. All three prices are shown and marked as disputed, with the sources
// that disagree. Prompts contain the titles of sources.
func TestThreePrices(t *testing.T) {
	t.Parallel()
	sets, err := data.ReadSources(filepath.Join(sharedtest.Path(t, "cases5", "papers", "B-three-prices"), "three.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	sawTitle := false
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		sawTitle = sawTitle || strings.Contains(prompt, `title\nReview number one\n---`)
		return 200, completion(pricesReply(prompt), "stop")
	})
	var text strings.Builder
	for i, s := range sets[0].Sources {
		title := ""
		if i == 0 {
			title = "Review number one"
		}
		line, err := json.Marshal(map[string]any{"id": s.ID, "entity": s.Entity, "title": title, "text": s.Text, "object1": "Arvo 3",
			"object2": "Belto X"})
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "three.jsonl")
	if err := os.WriteFile(in, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := compqa("strum", "--in", in, "--out", filepath.Join(dir, "out"), "--config", tableFiles(t, server.URL, ", critiques: []"),
		"--model", "tables")
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	page := readFile(t, filepath.Join(dir, "out"), "strum.md")
	for _, want := range []string{"249 euros [1] (disputed: 2 sources contradict it [2] [3])", "239 euros [2] (disputed: 2 sources contradict it [1] [3])",
		"229 euros [3] (disputed: 2 sources contradict it [1] [2])", "349 euros [4]"} {
		if !strings.Contains(page, want) {
			t.Errorf("the table does not have %q:\n%s", want, page)
		}
	}
	if !sawTitle {
		t.Error("no prompt shows a source's title")
	}
}

// TestStrumWithoutJudges: a configuration for tables needs no judges.
func TestStrumWithoutJudges(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) { return 200, completion(pricesReply(prompt), "stop") })
	cfg := tableFiles(t, server.URL, ", critiques: []")
	in := filepath.Join(sharedtest.Path(t, "cases5", "papers", "B-three-prices"), "three.jsonl")
	text, err := os.ReadFile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cfg, []byte(strings.Replace(string(text), "judges: [{name: rules, provider: embedded}]\n", "", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("strum", "--in", in, "--out", t.TempDir(), "--config", cfg, "--model", "tables"); code != exitDone {
		t.Errorf("exit %d: %s", code, stderr)
	}
}
