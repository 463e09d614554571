package bench

import (
	"strings"
	"testing"

	"compqa/bench/escalate"
	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
)

// TestPaidPerVerdict: a run's price of a verdict is what its judge paid for all by their number; judges in the program are free, and those
// with attempts of unknown price, or with imported verdicts, have no price.
func TestPaidPerVerdict(t *testing.T) {
	account := func(judge string, cost float64, unpriced int) store.CostAccount {
		return store.CostAccount{Party: store.Party{Kind: store.KindVerdict, Name: judge}, Cost: cost, Unpriced: unpriced}
	}
	x := &dataset.Dataset{Run: &dataset.Run{
		Judges: []store.Participant{{Name: "paid", Kind: "model"}, {Name: "rules", Kind: dataset.KindEmbedded}, {Name: "unknown", Kind: "model"},
			{Name: "imported", Kind: "imported"}},
		Costs:  []store.CostAccount{account("paid", .03, 0), account("paid", .01, 0), account("unknown", 1, 2)},
		Sheets: []data.Given{{}, {}, {}, {}, {Rater: 1}, {Rater: 2}, {Rater: 3}}}}
	for i := range x.Sheets {
		x.Sheets[i].Ending = &data.Ending{}
	}
	prices := escalate.PaidPerVerdict(x)
	if len(prices) != 2 || prices["paid"] != .01 || prices["rules"] != 0 {
		t.Errorf("%v", prices)
	}
}

// TestTogetherFlags: prices without --together, or that are no prices, are errors of usage.
func TestTogetherFlags(t *testing.T) {
	for flags, want := range map[string]string{
		"--label-price 2":                      "not given",
		"--call-price .1":                      "not given",
		"--together --label-price 0":           "above 0",
		"--together --call-price big=-1":       "dollars are needed",
		"--together --call-price big=free":     "dollars are needed",
		"--together --call-price nope=1":       "no judge nope; judges are big, old, small",
		"--together=nobody --label-price 1.50": "no judge has this name",
	} {
		code, _, stderr := compqa(append([]string{"validate", "--demo", "--out", t.TempDir()}, strings.Fields(flags)...)...)
		if code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q; want %q", flags, code, stderr, want)
		}
	}
}
