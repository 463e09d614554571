package sources

import (
	"compqa/data/sharedtest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadCoCoTrip compares the counts with those of the files, which another program counted.
func TestReadCoCoTrip(t *testing.T) {
	pairs, err := ReadCoCoTrip(sharedtest.Path(t, "data", "cocotrip"))
	if err != nil {
		t.Fatal(err)
	}
	bySplit := map[string]int{}
	names := map[string]bool{}
	rows := 0
	both := 0
	common := 0
	cells := 0
	for _, p := range pairs {
		bySplit[p.Split]++
		rows += len(p.Gold)
		for _, r := range p.Gold {
			names[r.Attribute] = true
			if r.Common != "" {
				common++
			}
			filled := 0
			for _, name := range r.Own {
				if name != "" {
					filled++
				}
			}
			if cells += filled; filled == 2 {
				both++
			}
		}
		if len(p.Sources) != 16 || len(p.Summaries[0]) != 3 || len(p.Summaries[1]) != 3 || p.Sources[8].ID != "b1" || p.Sources[8].Entity != "object2" {
			t.Errorf("%s: %d reviews, %d and %d summaries", p.Question.ID, len(p.Sources), len(p.Summaries[0]), len(p.Summaries[1]))
		}
	}
	if len(pairs) != 48 || bySplit["train"] != 20 || bySplit["dev"] != 10 || bySplit["test"] != 18 {
		t.Errorf("%d pairs: %v", len(pairs), bySplit)
	}
	if rows != 378 || len(names) != 49 || both != 160 || common != 209 || cells != 505 {
		t.Errorf("%d rows, %d names, %d with both cells, %d with a common one, %d cells", rows, len(names), both, common, cells)
	}
}

func TestReadCoCoTripFaults(t *testing.T) {
	const people = `{"train": [{"entity_a": "1", "entity_b": "2", "entity_a_summary": ["x"], "entity_b_summary": ["y"]}]}`
	entry := func(rows string) string {
		return `{"0": {"Reviews_info": {"entity_a_id": "1", "entity_b_id": "2", "entity_a_review": ["x"], "entity_b_review": ["y"]}, "Summarization": [` + rows + `]}}`
	}
	for _, c := range []struct{ people, train, want string }{
		{"{", "{}", "human_references.json:1: not JSON"},
		{people, "[\n", "cocotrip_train_bench_dataset.json:2: not JSON"},
		{people, `{"1": {}}`, "pair 0 of 1, or its summaries in human_references.json, is missing"},
		{people, "[]", "cocotrip_train_bench_dataset.json must be one JSON object"},
		{`{"train": {}}`, "{}", "human_references.json:1: in the item that begins here"},
		{strings.Replace(people, `"2"`, "2", 1), entry(""), "human_references.json:1: in the item that begins here"},
		{people, entry(`"room"`), "cocotrip_train_bench_dataset.json:1: in the item that begins here"},
		{people, `{"0": {}}`, `pair 0: the hotels are "" and ""`},
		{strings.Replace(people, `"2"`, `"3"`, 1), entry(""), "the hotels are 1 and 2, in human_references.json 1 and 3"},
		{strings.Replace(people, `["y"]`, `[]`, 1), entry(""), "a hotel has no review or no summary"},
		{people, entry(`{"aspect": "room"}`), `pair 0: a row of the gold table ("room") has no attribute or no text`},
		{people, entry(`{"aspect": "room", "comm": "big"}`), "cannot read"}, // the files of the other splits are missing
	} {
		dir := t.TempDir()
		for name, content := range map[string]string{"human_references.json": c.people, "cocotrip_train_bench_dataset.json": c.train} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := ReadCoCoTrip(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.train, err, c.want)
		}
	}
}
