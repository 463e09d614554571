package plan

import (
	"fmt"
	"slices"
	"testing"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/data"
	"compqa/results/store"
)

func TestProportional(t *testing.T) {
	for _, c := range []struct {
		n     int
		sizes []int
		want  []int
	}{
		{0, []int{3, 4}, []int{0, 0}}, {7, []int{3, 4}, []int{3, 4}}, {4, []int{10, 10}, []int{2, 2}}, {3, []int{10, 10}, []int{2, 1}},
		{5, []int{1, 1, 8}, []int{1, 0, 4}}, {1, []int{5}, []int{1}}, {10, []int{33, 33, 34}, []int{3, 3, 4}},
	} {
		if got := config.Proportional(c.n, c.sizes); !slices.Equal(got, c.want) {
			t.Errorf("%d over %v: %v, want %v", c.n, c.sizes, got, c.want)
		}
	}
}

// TestPairwiseLayOut: a sample does not depend on who draws it, and is stratified by set, system and scenario. A larger sample contains a
// smaller one. Imported answers are only for judges that may judge them. A pair with a bias is in the sample if its original pair is.
func TestPairwiseLayOut(t *testing.T) {
	var sets []store.PairSet
	entry := map[string]config.PairSet{}
	for _, name := range []string{"x", "y"} {
		set := store.PairSet{Name: name}
		biased := store.PairSet{Name: name + "+bias", Base: name}
		for i := range 20 {
			p := store.SetPair{Pair: data.Pair{ID: fmt.Sprint(name, i), Question: "Q?", A: "a", B: "b", SystemA: "own", SystemB: []string{"other", "imported"}[i%2], AnswerA: "1", AnswerB: "2"}}
			set.Pairs = append(set.Pairs, p)
			p.Base = p.ID
			p.ID += "+bias"
			biased.Pairs = append(biased.Pairs, p)
		}
		sets = append(sets, set, biased)
		entry[set.Name] = config.PairSet{Name: name, Order: data.OrderAB}
		entry[biased.Name] = config.PairSet{Name: name, Order: data.OrderAB}
	}
	ids := func(j parties.PairJudge, set string) []string {
		var list []string
		r := &pairing{Planner: &Planner{Plan: &Plan{Config: &config.Config{Run: config.Run{Seed: 1}},
			Answers: []*Job{{PlanCell: store.PlanCell{System: "imported"}}}}}, Pairs: Pairs{Sets: sets, entry: entry}}
		for _, w := range r.layOut(&j) {
			for it := range w.items {
				if w.Dataset == set {
					list = append(list, it.pair.ID)
				}
			}
		}
		slices.Sort(list)
		return list
	}
	if n := len(ids(parties.PairJudge{Imported: true}, "x")); n != 20 {
		t.Errorf("all that is asked for: %d of 20", n)
	}
	if n := len(ids(parties.PairJudge{}, "x")); n != 10 {
		t.Errorf("without imported answers: %d of 10", n)
	}
	four := ids(parties.PairJudge{Imported: true, Sample: 4}, "x")
	eight := ids(parties.PairJudge{Imported: true, Sample: 8}, "x")
	if len(four) != 2 || len(eight) != 4 {
		t.Errorf("samples of 4 and 8 over 2 sets: %v, %v", four, eight)
	}
	for _, id := range four {
		if !slices.Contains(eight, id) {
			t.Errorf("the larger sample lacks %s", id)
		}
	}
	biased := ids(parties.PairJudge{Imported: true, Sample: 4}, "x+bias")
	for i, id := range biased {
		if id != four[i]+"+bias" {
			t.Errorf("biased pairs %v do not go with %v", biased, four)
		}
	}
}
