package leaderboard_test

import (
	"slices"
	"strings"
	"testing"

	"compqa/results/recordtest"
)

// By hand: of 20 questions, a has 4 points and b 1 on two, a has 2 and b 3 on one, and both have 2 on the others. So a leads by 5/20.
// Without one of the two questions a still leads, by 2/19; without both, b leads by 1/18. By the other judge, a leads on every question.
func TestFewQuestionsDecide(t *testing.T) {
	a := slices.Repeat([]float64{2}, 20)
	b := slices.Repeat([]float64{2}, 20)
	a[3] = 4
	b[3] = 1
	a[7] = 4
	b[7] = 1
	b[9] = 3
	ahead := slices.Repeat([]float64{3}, 20)
	of := computed(t, recordtest.Of(nil, recordtest.By("j", "a", "1", a...), recordtest.By("j", "b", "1", b...),
		recordtest.By("k", "a", "1", ahead...), recordtest.By("k", "b", "1", b...)))
	if len(of.Fragile) != 1 {
		t.Fatalf("%+v", of.Fragile)
	}
	f := of.Fragile[0]
	if f.What != "rank 1 by j" || f.First != "a" || f.Target != "b" || f.Removed != 2 || f.Of != 20 || len(strings.Fields(f.Items)) != 2 {
		t.Errorf("%+v", f)
	}
	// the same questions decide over two scenarios with equal weight; a fifth of two questions is none
	of = computed(t, recordtest.Of(nil, recordtest.By("j", "a", "1", a...), recordtest.By("j", "b", "1", b...),
		recordtest.By("j", "a", "2", a...), recordtest.By("j", "b", "2", b...)))
	if len(of.Fragile) != 1 || of.Fragile[0].Items != f.Items {
		t.Errorf("%+v", of.Fragile)
	}
	of = computed(t, recordtest.Of(nil, recordtest.By("j", "a", "1", 3, 1), recordtest.By("j", "b", "1", 1, 2)))
	if of.Fragile != nil {
		t.Errorf("%+v", of.Fragile)
	}
}

// By hand: a leads. Without the two questions that put a first, e leads with 38 points; b has 37 and a 36.
func TestWhoIsFirstWithoutThem(t *testing.T) {
	values := map[string][]float64{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		values[name] = slices.Repeat([]float64{2}, 20)
	}
	values["a"][0] = 4
	values["a"][1] = 4
	values["b"][2] = 3
	values["c"][3] = 3
	values["d"][4] = 3
	values["e"][0] = 0
	values["e"][1] = 0
	values["e"][5] = 3
	values["e"][6] = 3
	var of []recordtest.Scored
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		of = append(of, recordtest.By("j", name, "1", values[name]...))
	}
	if rows := computed(t, recordtest.Of(nil, of...)).Fragile; len(rows) != 1 || rows[0].Removed != 2 || rows[0].Target != "e" {
		t.Errorf("%+v", rows)
	}
}
