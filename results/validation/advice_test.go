package validation

import (
	"math/rand/v2"
	"testing"

	"compqa/data/sharedtest"
	"compqa/data/sources"
)

// promised returns the mean half-width of the corrected rate's interval, divided by width, with as many labels as labelsFor says are needed
// for ± width. It simulates some studies with questions that have several answers each. first is the share of items that are labelled at
// first.
func promised(t *testing.T, studies, questions, perQuestion int, first, width float64) (mean float64) {
	t.Helper()
	result := func(judge, people *sources.Log, labelled int) *Pairing {
		some := &sources.Log{Items: people.Items, Values: valuesOf(listed(people)[:labelled])}
		return paired(t, judge, some, Options{})
	}
	for i := range studies {
		rng := rand.New(rand.NewPCG(uint64(questions), uint64(i)))
		judge, people := population(rng, questions, perQuestion, 1)
		list := listed(people)
		rng.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
		people.Values = valuesOf(list)
		n, _, judged := result(judge, people, int(first*float64(people.Values.Len()))).labelsFor(width)
		if n > len(judged) {
			t.Fatalf("study %d: %d of %d items", i, n, len(judged))
		}
		var row Row
		result(judge, people, n).correct(&row)
		mean += (row.Corrected.High - row.Corrected.Low) / 2 / width / float64(studies)
	}
	return mean
}

// TestLabelsNeeded: the number of labels that is said to be needed for ± .05 gives that width, even if answers to one question are alike.
func TestLabelsNeeded(t *testing.T) {
	if got := promised(t, 8, 400, 4, 0.08, 0.05); got > 1.06 || got < 0.9 {
		t.Errorf("%.3f of the width that was promised", got)
	}
}

// TestSoakLabelsNeeded: the same with more studies, and with clusters of other sizes.
func TestSoakLabelsNeeded(t *testing.T) {
	sharedtest.Soak(t)
	for _, c := range []struct {
		questions, perQuestion int
		first, width           float64
	}{{1600, 1, 0.06, 0.05}, {800, 2, 0.06, 0.05}, {400, 4, 0.06, 0.05}, {200, 10, 0.06, 0.06}, {400, 4, 0.15, 0.05}} {
		got := promised(t, 100, c.questions, c.perQuestion, c.first, c.width)
		t.Logf("%d questions of %d, %.0f %% labelled first: %.3f of ± %v", c.questions, c.perQuestion, 100*c.first, got, c.width)
		if got > 1.04 || got < 0.92 {
			t.Errorf("%d questions of %d: %.3f of ± %v", c.questions, c.perQuestion, got, c.width)
		}
	}
}
