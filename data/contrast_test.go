package data

import (
	"strings"
	"testing"
)

// TestReadSources checks that rows are grouped by their two objects, in either order.
func TestReadSources(t *testing.T) {
	sets, err := ReadSources(write(t, "s.jsonl", `{"id": "1", "entity": "object1", "text": "x", "object1": "Tea", "object2": "milk", "rank": 2}
{"id": "1", "entity": "both", "text": "y", "object1": "a", "object2": "b"}
{"id": 2, "entity": "object1", "text": "z", "object1": "Milk", "object2": "tea", "url": "u", "title": "t"}
`))
	if err != nil || len(sets) != 2 || len(sets[0].Sources) != 2 || sets[0].Sources[0].Rank != 2 || sets[0].Sources[1].Entity != "object2" {
		t.Fatalf("%+v, %v", sets, err)
	}
	for _, q := range []Question{{Object1: "tea", Object2: "Milk"}, {Object1: "milk", Object2: "TEA"}} {
		about := SourcesAbout(q, sets)
		if want := map[string]string{"tea": "object1", "milk": "object2"}[q.Object1]; len(about) != 2 || about[0].Entity != want || about[1].Entity == want {
			t.Errorf("%+v: %+v", q, about)
		}
	}
	if sets[0].Sources[0].Entity != "object1" || SourcesAbout(Question{Object1: "a", Object2: "c"}, sets) != nil {
		t.Errorf("%+v", sets)
	}
	named, err := ReadSources(write(t, "s.csv", "entity,object1,object2,text\nTea,tea,milk,Warm.\nmilk,tea,milk,Cold.\n"))
	if err != nil || len(named) != 1 || named[0].Sources[0].Entity != "object1" || named[0].Sources[1].Entity != "object2" ||
		named[0].Sources[1].ID != "3" {
		t.Errorf("entities by name, without ids: %+v, %v", named, err)
	}
	for row, want := range map[string]string{
		`{"id": "1", "entity": "juice", "text": "x", "object1": "tea", "object2": "milk"}`:              "must be object1, object2 or both",
		`{"id": "1", "entity": "both", "text": " ", "object1": "tea", "object2": "milk"}`:               "text is missing",
		`{"id": "1", "entity": "both", "text": "x", "object1": "tea", "object2": "Tea "}`:               "are the same",
		`{"id": "1", "entity": "both", "text": "x", "object1": "tea"}`:                                  "object2 is missing",
		`{"id": "1", "entity": "both", "text": "x", "object1": "tea", "object2": "milk", "rank": 0.5}`:  "rank is 0.5",
		`{"id": "1", "entity": "both", "text": "x", "object1": "tea", "object2": "milk", "ranking": 1}`: `unknown field "ranking"`,
	} {
		if _, err := ReadSources(write(t, "s.jsonl", row)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", row, err, want)
		}
	}
}
