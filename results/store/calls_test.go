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

// TestAttempts: the attempts at a call are numbered on from run to run, beside those
// at others, and its cost is that of all of them.
func TestAttempts(t *testing.T) {
	key, other, taken := strings.Repeat("5", 64), strings.Repeat("6", 64), strings.Repeat("7", 64)
	steps := []struct {
		key      string
		status   data.Status
		origin   string
		outcomes []llm.Kind
	}{
		{key, data.Failed, "", []llm.Kind{llm.Failed, llm.Refused}},
		{other, data.Valid, "", []llm.Kind{llm.Failed, llm.Valid}},
		{key, data.Pending, "", nil},                                // in a batch that came to nothing
		{key, data.Failed, "", []llm.Kind{llm.Failed}},              // so that it was made by itself
		{key, data.Valid, "", []llm.Kind{llm.Failed, llm.Valid}},    // in the end it came
		{key, data.Valid, "", []llm.Kind{llm.Truncated, llm.Valid}}, // twice, to two who asked at once
		{key, data.Valid, "", []llm.Kind{llm.Valid}},                // and to a third
		{key, data.Pending, "", nil},                                // and is in a batch of a fourth,
		{key, data.Failed, "", []llm.Kind{llm.Failed}},              // to whom it does not come
		{taken, data.Valid, "an earlier run", nil},                  // and nobody is to ask for it,
		{taken, data.Valid, "", []llm.Kind{llm.Valid}},              // but somebody had
	}
	want := []string{"1 failed", "2 refused", "3 failed", "4 failed", "5 valid", "6 truncated", "7 valid", "8 valid", "9 failed"}
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
		if err := s.Write(func(b Batch) error { return b.Call(c) }); err != nil {
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
	err = s.Each(`SELECT n, status FROM attempts WHERE call = ? ORDER BY n`, []any{key}, func(rows *sql.Rows) error {
		var n int
		var status string
		err := rows.Scan(&n, &status)
		got = append(got, fmt.Sprint(n, " ", status))
		return err
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %q, want %q", err, got, want)
	}
	paid := NewAccounts()
	err = s.ReadAttempts(paid)
	bills, costs := paid.Sorted(), paid.Costs
	if err != nil || len(bills) != 1 || bills[0].Calls != 3 || bills[0].Attempts != 12 || bills[0].Cost != 12*0.25 {
		t.Fatalf("%+v, %v", bills, err)
	}
	if cost := costs.Of([]callID{idOf(key)}); cost == nil || *cost != 9*0.25 {
		t.Errorf("the call cost %v, want 2.25", cost)
	}
}

// costing is an attempt of this cost; below 0: of unknown cost.
func costing(cost float64) llm.Attempt {
	prompt, reply := 100, 20
	a := llm.Attempt{Started: time.Unix(0, 0), HTTPStatus: 200, Outcome: llm.Valid, Usage: llm.Usage{Prompt: &prompt, Completion: &reply}}
	if cost >= 0 {
		a.Cost = &cost
	}
	return a
}
