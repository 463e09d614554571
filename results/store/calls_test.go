package store

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"compqa/data"
	"compqa/llm"
)

// TestAttempts: asking again adds a row with attempts of its own; a call that has ended never changes; the first complete reply is found.
func TestAttempts(t *testing.T) {
	key := strings.Repeat("5", 64)
	other := strings.Repeat("6", 64)
	taken := strings.Repeat("7", 64)
	steps := []struct {
		key      string
		status   data.Status
		origin   string
		outcomes []llm.Kind
	}{
		{key, data.Failed, "", []llm.Kind{llm.Failed, llm.Refused}},
		{other, data.Valid, "", []llm.Kind{llm.Failed, llm.Valid}},
		{key, data.Pending, "", nil},                                // pending in a batch
		{key, data.Failed, "", []llm.Kind{llm.Failed}},              // the pending call fails
		{key, data.Valid, "", []llm.Kind{llm.Failed, llm.Valid}},    // asked again: the second attempt gets a reply
		{key, data.Valid, "", []llm.Kind{llm.Truncated, llm.Valid}}, // asked at the same time by another caller
		{key, data.Valid, "", []llm.Kind{llm.Valid}},                // and by a third one
		{key, data.Pending, "", nil},                                // pending in another batch
		{key, data.Failed, "", []llm.Kind{llm.Failed}},              // the second pending call fails
		{taken, data.Valid, "an earlier run", nil},                  // reused from an earlier run
		{taken, data.Valid, "", []llm.Kind{llm.Valid}},              // also asked for in this run
	}
	want := []string{"1: 1 failed", "1: 2 refused", "3: 1 failed", "4: 1 failed", "4: 2 valid", "5: 1 truncated", "5: 2 valid", "6: 1 valid", "7: 1 failed"}
	dir := t.TempDir()
	for i, step := range steps {
		s, err := Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		c := Call{Key: step.key, Provider: "p", Model: "m", Status: step.status, Origin: step.origin, Reply: fmt.Sprint("reply ", i), Payer: Party{KindAnswer, "s"}}
		for _, outcome := range step.outcomes {
			a := costing(0.25)
			a.Outcome = outcome
			c.Attempts = append(c.Attempts, a)
		}
		if err := s.Write(func(b Batch) error { _, err := b.Call(c); return err }); err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if c, found, err := s.FindCall(key); !found || err != nil || c.Reply != "reply 4" {
		t.Errorf("the reply on record is %q (%v, %v), not the first that came", c.Reply, found, err)
	}
	var got []string
	err = s.Each(`SELECT a.call, a.n, a.status FROM attempts a JOIN calls c ON c.id = a.call WHERE c.key = ? ORDER BY a.id`, []any{key}, func(rows *sql.Rows) error {
		var call, n int
		var status string
		err := rows.Scan(&call, &n, &status)
		got = append(got, fmt.Sprint(call, ": ", n, " ", status))
		return err
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %q, want %q", err, got, want)
	}
	bills, costs, err := s.CostAccounts()
	if err != nil || len(bills) != 1 || bills[0].Calls != 8 || bills[0].Attempts != 12 || bills[0].Cost != 12*0.25 {
		t.Fatalf("%+v, %v", bills, err)
	}
	var rows RowCalls
	rows.Add(7, `[4]`)
	costs.Each(rows, func(row int, cost float64) {
		if rows = nil; row != 7 || cost != 2*0.25 {
			t.Errorf("the call of row %d cost %v, want 0.5 of row 7", row, cost)
		}
	})
	if rows != nil {
		t.Error("the cost of the call is not known")
	}
}

// costing returns an attempt with a cost in US dollars; a negative cost means unknown.
func costing(cost float64) llm.Attempt {
	prompt := 100
	reply := 20
	a := llm.Attempt{Started: time.Unix(0, 0), HTTPStatus: 200, Outcome: llm.Valid, Usage: llm.Usage{Prompt: &prompt, Completion: &reply}}
	if cost >= 0 {
		a.Cost = &cost
	}
	return a
}
