package progress

import (
	"strings"
	"testing"

	"compqa/results/store"
)

// The queries that count new rows begin with these rows, by rowid, and read the others by key: none
// reads all verdicts of a judge for each planned cell.
func TestCountingPlan(t *testing.T) {
	s, err := store.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for table, query := range counting {
		type step struct {
			id, parent, unused int
			detail             string
		}
		steps, err := store.Query(s, "EXPLAIN QUERY PLAN "+query, []any{0, 100}, func(p *step) []any {
			return []any{&p.id, &p.parent, &p.unused, &p.detail}
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range steps {
			first := i == 0 && !strings.HasSuffix(p.detail, "USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)")
			if first || strings.HasPrefix(p.detail, "SCAN") || strings.Contains(p.detail, "AUTOMATIC") {
				t.Errorf("counting %s, step %d: %s", table, i+1, p.detail)
			}
		}
		t.Logf("%s: %v", table, steps)
	}
}
