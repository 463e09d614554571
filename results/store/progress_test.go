package store

import (
	"strings"
	"testing"
)

// TestCountingPlan: the query plans for counting begin with the new rows, by rowid, and read other tables by key. None reads all verdicts
// of a judge for each planned cell.
func TestCountingPlan(t *testing.T) {
	s, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, k := range counted {
		type step struct {
			ID, Parent, Unused int
			Detail             string
		}
		steps, err := Select[step](s, "EXPLAIN QUERY PLAN "+k.newRows(), 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range steps {
			first := i == 0 && !strings.HasSuffix(p.Detail, "USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)")
			if first || strings.HasPrefix(p.Detail, "SCAN") || strings.Contains(p.Detail, "AUTOMATIC") {
				t.Errorf("counting %s, step %d: %s", k.View, i+1, p.Detail)
			}
		}
		t.Logf("%s: %v", k.View, steps)
	}
}
