package dataset

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
	"compqa/stats"
)

// TestSpent checks that a preference costs all attempts of its calls, where a repeated call counts once. Figures without tokens or a price
// are unknown.
func TestSpent(t *testing.T) {
	s, err := store.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ids := map[string]int64{"5": 99}
	key := func(n string) int64 { return ids[n] }
	took := func(a llm.Attempt) llm.Attempt { a.Latency = 1500 * time.Millisecond; return a }
	silent := took(costing(-1)) // neither tokens nor a price
	silent.Usage = llm.Usage{}
	err = s.Write(func(b store.Batch) error {
		for n, attempts := range map[string][]llm.Attempt{
			"1": {silent, took(costing(0.5))}, "2": {took(costing(0.25))}, "3": {silent}, "4": {took(costing(0))}, "9": {took(costing(7))},
		} {
			id, err := b.Call(store.Call{Key: n, Provider: "p", Model: "m", Status: data.Valid, Attempts: attempts})
			if err != nil {
				return err
			}
			ids[n] = id
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		calls                 []int64
		tokens, cost, seconds stats.Figure
	}{
		{[]int64{key("1")}, stats.Number(120), stats.Number(0.5), stats.Number(3)},
		{[]int64{key("2"), key("1"), key("2")}, stats.Number(240), stats.Number(0.75), stats.Number(4.5)},
		{[]int64{key("3")}, stats.Figure{}, stats.Figure{}, stats.Number(1.5)},
		{[]int64{key("4")}, stats.Number(120), stats.Number(0), stats.Number(1.5)},
		{[]int64{key("5")}, stats.Figure{}, stats.Figure{}, stats.Figure{}}, // made by an earlier run
		{nil, stats.Figure{}, stats.Figure{}, stats.Figure{}},
	}
	r := pairsReader{Store: s, PairwiseRecord: &PairwiseRecord{}}
	err = s.Write(func(b store.Batch) error {
		for i, test := range tests {
			p := PreferenceRow{PreferenceEnding: &PreferenceEnding{}}
			p.Calls = append(p.Calls, test.calls...)
			r.Prefs = append(r.Prefs, p)
			if err := b.Preference(data.Preference{ID: fmt.Sprint(i), Judge: "j", Status: data.Valid}, store.PreferenceAbout{}, test.calls); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.spent(); err != nil {
		t.Fatal(err)
	}
	for i, test := range tests {
		p := r.Prefs[i]
		var got [3]string
		for k, sum := range []store.Sum{p.Tokens(), p.Cost, p.Seconds} {
			if got[k] = stats.Missing; sum.Known {
				got[k] = stats.Number(sum.Total).Text(2)
			}
		}
		if want := [3]string{test.tokens.Text(2), test.cost.Text(2), test.seconds.Text(2)}; got != want {
			t.Errorf("%d: tokens, cost, seconds %q, want %q", i, got, want)
		}
	}
}

// costing returns an attempt with known tokens. Its cost is unknown if cost is negative.
func costing(cost float64) llm.Attempt {
	prompt := 100
	reply := 20
	a := llm.Attempt{Started: time.Unix(0, 0), HTTPStatus: 200, Outcome: llm.Valid, Usage: llm.Usage{Prompt: &prompt, Completion: &reply}}
	if cost >= 0 {
		a.Cost = &cost
	}
	return a
}

// TestOrderOfPreferences checks that a plan with an unknown order is an error.
func TestOrderOfPreferences(t *testing.T) {
	for order, want := range map[string]string{data.OrderBA: "", "abx": `planned in the order "abx"; it must be one of ab, ba`} {
		s, err := store.Create(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		err = s.Write(func(b store.Batch) error {
			_, begun := b.BeginRun(store.Provenance{Part: store.PartPairs}, time.Unix(0, 0))
			return errors.Join(begun, b.SetPlan(store.FromPairs, nil, []store.Participant{{Name: "longer", Kind: "floor", Method: "longer"}},
				[]store.PlanCell{{Kind: store.KindPreference, Judge: "longer", Method: "longer", Dataset: "d", Order: order, Planned: 1}}))
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := LoadPairs(s, ""); (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", order, err, want)
		}
	}
}
