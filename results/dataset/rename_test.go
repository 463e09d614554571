package dataset

import (
	"testing"

	"compqa/results/store"
)

// Names are exchanged all at once and only as whole strings. A person who gets another person's former name stays distinct from that
// person.
func TestRenameAtOnce(t *testing.T) {
	const text = `{"judges":[{"name":"human:a"},{"name":"human:1","about":"asked human:1, not \"human:a\""}],"path":"human:a.csv"}`
	const want = `{"judges":[{"name":"human:1"},{"name":"human:2","about":"asked human:1, not \"human:a\""}],"path":"human:a.csv"}`
	for range 50 { // to meet several orders of a map
		r := &Run{Judges: []store.Participant{{Name: "human:a"}, {Name: "human:1"}}, Made: []store.Provenance{{Config: text}},
			Plan: []store.PlanCell{{Judge: "human:a"}, {Judge: "human:1"}}}
		r.Rename(map[string]string{"human:a": "human:1", "human:1": "human:2"})
		if r.Made[0].Config != want {
			t.Fatal(r.Made[0].Config)
		}
		if r.Judges[0].Name != "human:1" || r.Judges[1].Name != "human:2" || r.Plan[0].Judge != "human:1" || r.Plan[1].Judge != "human:2" {
			t.Fatal(r.Judges, r.Plan)
		}
	}
}
