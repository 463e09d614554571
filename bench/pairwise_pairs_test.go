package bench

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/bench/pairs"
	"compqa/bench/plan"
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
		if got := plan.Proportional(c.n, c.sizes); !slices.Equal(got, c.want) {
			t.Errorf("%d over %v: %v, want %v", c.n, c.sizes, got, c.want)
		}
	}
}

// A sample is the same whoever draws it, in proportion to sets, systems and
// scenarios; a larger one holds the smaller; imported answers are for judges that
// may judge them; a pair with a bias goes with its base.
func TestPairwiseLayOut(t *testing.T) {
	var sets []store.PairSet
	for _, name := range []string{"x", "y"} {
		set, biased := store.PairSet{Name: name}, store.PairSet{Name: name + "+bias", Base: name}
		for i := range 20 {
			p := store.SetPair{Pair: data.Pair{ID: fmt.Sprint(name, i), Question: "Q?", A: "a", B: "b", SystemA: "own", SystemB: []string{"other", "imported"}[i%2], AnswerA: "1", AnswerB: "2"}}
			set.Pairs = append(set.Pairs, p)
			p.Base = p.ID
			p.ID += "+bias"
			biased.Pairs = append(biased.Pairs, p)
		}
		sets = append(sets, set, biased)
	}
	ids := func(j pairs.PairJudge, set string) []string {
		var list []string
		for _, w := range pairs.LayOut([]pairs.PairJudge{j}, sets, []string{data.OrderAB}, map[string]bool{"imported": true}, 1) {
			for _, it := range w.Items {
				if w.Set == set {
					list = append(list, it.Pair.ID)
				}
			}
		}
		slices.Sort(list)
		return list
	}
	if n := len(ids(pairs.PairJudge{Imported: true}, "x")); n != 20 {
		t.Errorf("all that is asked for: %d of 20", n)
	}
	if n := len(ids(pairs.PairJudge{}, "x")); n != 10 {
		t.Errorf("without imported answers: %d of 10", n)
	}
	four, eight := ids(pairs.PairJudge{Imported: true, Sample: 4}, "x"), ids(pairs.PairJudge{Imported: true, Sample: 8}, "x")
	if len(four) != 2 || len(eight) != 4 {
		t.Errorf("samples of 4 and 8 over 2 sets: %v, %v", four, eight)
	}
	for _, id := range four {
		if !slices.Contains(eight, id) {
			t.Errorf("the larger sample lacks %s", id)
		}
	}
	biased := ids(pairs.PairJudge{Imported: true, Sample: 4}, "x+bias")
	for i, id := range biased {
		if id != four[i]+"+bias" {
			t.Errorf("biased pairs %v do not go with %v", biased, four)
		}
	}
}

// Prices make costs, and a budget ends a run in good order: what is affordable is
// done, the rest is pending, and a larger budget goes on from there.
func TestPairwiseMoney(t *testing.T) {
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) { return 200, completion(wellBehaved(prompt), "stop") })
	entry := `pairwise:
  - {method: direct, provider: scripted, model: m, price: {input: 10000, output: 50000}, options: {max_tokens: 20}}
run: {budget: %s}
`
	dir := pairwiseFiles(t, server.URL, manyPairs(4), fmt.Sprintf(entry, "100"))
	// 100 tokens in, 20 out: 1 + 1 dollars a call, 8 calls.
	if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for order, want := range map[string]string{"ab": "2", "both": "4"} {
		r := where(csvTable(t, filepath.Join(dir, "run", "pairwise.csv")), map[string]string{"judge": "direct", "order": order})[0]
		if r["cost_per_pair"] != want {
			t.Errorf("order %s: %s dollars a pair, want %s", order, r["cost_per_pair"], want)
		}
	}
	poor := pairwiseFiles(t, server.URL, manyPairs(4), fmt.Sprintf(entry, "6.5"))
	code, _, stderr := compqa(pairwiseRunArgs(poor)...)
	if code != exitIncomplete || !strings.Contains(stderr, "budget") {
		t.Fatalf("with a small budget: exit %d: %s", code, stderr)
	}
	rows := where(csvTable(t, filepath.Join(poor, "run", "preferences.csv")), map[string]string{"judge": "direct"})
	if len(rows) == 0 || len(rows) >= 8 {
		t.Errorf("%d of 8 preferences with a budget for about 3", len(rows))
	}
	for _, r := range rows {
		if r["status"] != "valid" {
			t.Errorf("%v", r)
		}
	}
}
