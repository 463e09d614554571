package trust

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"compqa/stats"
)

// askedTogether returns judges with noise, and labels, from numbers that look random. People say yes to about six of ten items.
func askedTogether(judges, labels int, noise float64) AllJudges {
	a := AllJudges{Label: stats.Number(1), Item: stats.Number(.01), Sample: stats.TogetherSample{Judges: make([][]float64, judges), Seed: 1}}
	rng := stats.NewRNG(11, "asked together")
	for j := range judges {
		a.Judges = append(a.Judges, fmt.Sprint("judge-", j+1))
	}
	for i := range 1000 {
		quality := rng.Float64()
		for j := range a.Sample.Judges {
			a.Sample.Judges[j] = append(a.Sample.Judges[j], quality+noise*rng.Float64())
		}
		if i < labels {
			human := 0.
			if quality > .4 {
				human = 1
			}
			a.Sample.Labelled = append(a.Sample.Labelled, i)
			a.Sample.Human = append(a.Sample.Human, human)
		}
	}
	return a
}

// TestTogetherRule: the number of labels fixes what counts: at least 60, and 20 for each judge. Then the width must be below .95. A judge
// that was named in advance counts only below that number.
func TestTogetherRule(t *testing.T) {
	named := askedTogether(3, 59, .2)
	named.Named, named.First = "judge-2", Correction{Mean: stats.WithInterval(.6, .5, .7)}
	enough := askedTogether(3, 60, .2)
	enough.Named = named.Named
	enough.First = named.First
	rare := askedTogether(3, 200, .2)
	clusters := askedTogether(3, 100, .2)
	for k := range rare.Sample.Human {
		rare.Sample.Human[k] = 1 - float64(1/(1+k/4))
	}
	for i := range 1000 {
		clusters.Sample.Clusters = append(clusters.Sample.Clusters, i/2)
	}
	doubted := askedTogether(3, 100, .2)
	doubted.Doubt = LabelsByVerdict
	for name, test := range map[string]struct {
		asked  AllJudges
		reason Reason
		basis  string
	}{
		"59 labels":      {askedTogether(3, 59, .2), FewTogether, BasisPeople},
		"60 labels":      {askedTogether(3, 60, .2), "", BasisTogether},
		"named":          {named, FewTogether, BasisBoth},
		"named, enough":  {enough, "", BasisTogether},
		"six, 119":       {askedTogether(6, 119, .2), FewTogether, BasisPeople},
		"six, 120":       {askedTogether(6, 120, .2), "", BasisTogether},
		"noise":          {askedTogether(3, 100, 1000), NotNarrower, BasisPeople},
		"rare":           {rare, Rare, BasisPeople},
		"50 questions":   {clusters, FewTogether, BasisPeople},
		"no label":       {askedTogether(3, 0, .2), Rare, BasisNone},
		"one label":      {askedTogether(3, 1, .2), Rare, BasisPeople},
		"chosen by hand": {doubted, LabelsByVerdict, BasisNone},
	} {
		d := test.asked.Decide()
		if d.Reason != test.reason || d.Basis != test.basis {
			t.Errorf("%s: reason %q, basis %q; want %q, %q", name, d.Reason, d.Basis, test.reason, test.basis)
		}
		if d.Reason == Rare && (d.Mean.Bounded || d.All.Bounded) {
			t.Errorf("%s has an interval: %+v", name, d.Mean)
		}
		if text := d.Finding().Text; strings.Contains(text, "NaN") || strings.Contains(text, "%!") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestTogetherBuys: what the next 100 dollars buy is the best of all possible purchases, which the test tries one by one.
func TestTogetherBuys(t *testing.T) {
	for _, prices := range [][2]float64{{1, .01}, {1, 1}, {5, .001}, {.5, 2}, {100, .1}, {30, 9}, {1e-6, 1e-7}} {
		d := askedTogether(3, 100, .2).Decide()
		d.Label, d.Item = stats.Number(prices[0]), stats.Number(prices[1])
		p := d.buy(100)
		best := math.Inf(1)
		for a := 0.; a*prices[0] <= 100; a++ {
			b := min(1000, math.Floor((100-a*prices[0])/prices[1]))
			if 100+a <= 1000+b {
				best = min(best, (1-d.Explained.Value)/(100+a)+d.Explained.Value/(1000+b))
			}
		}
		a := p.Labels.Value
		b := p.Items.Value
		got := (1-d.Explained.Value)/(100+a) + d.Explained.Value/(1000+b)
		if a*prices[0]+b*prices[1] > 100 || b > 1000 || a > 900+b || got > 1.01*best {
			t.Errorf("prices %v: %v labels, %v items: %v; the best is %v", prices, a, b, got, best)
		}
	}
}

// TestTogetherSentences: each answer has a sentence with the mean, how sure it is, on what it is based, and what is next.
func TestTogetherSentences(t *testing.T) {
	free := askedTogether(3, 60, .2)
	unpriced := askedTogether(3, 60, .2)
	unlabelled := askedTogether(3, 60, .2)
	dear := askedTogether(3, 60, .2)
	free.Item, unpriced.Item, unlabelled.Label, dear.Item = stats.Number(0), stats.Figure{}, stats.Figure{}, stats.Number(50)
	unpriced.Unpriced = []string{"judge-2"}
	people := dear
	some := dear
	dearest := dear
	cheapest := askedTogether(3, 60, .2)
	people.People = 3
	some.People = 2.5
	dearest.Label, dearest.Item = stats.Number(1000), stats.Number(200)
	cheapest.Label, cheapest.Item = stats.Number(1e-6), stats.Number(1e-7)
	verdicts := dearest
	verdicts.Item = stats.Number(30)
	drawn := askedTogether(3, 60, .2)
	rare := askedTogether(3, 2, .2)
	all := askedTogether(3, 1000, .2)
	drawn.Drawn = true
	drawn.Marked = []string{"copy, of which first say which it is"}
	unchecked := askedTogether(3, 60, .2)
	weights := askedTogether(3, 60, .2)
	left := askedTogether(3, 60, .2)
	unchecked.Doubt = Unchecked
	unchecked.Questions = []string{"which is it"}
	weights.Doubt = ByWeights
	left.LeftOut = 2
	left.Criterion = "clear"
	left.Tuned = []string{"rules"}
	named := askedTogether(3, 30, .2)
	named.Named, named.First = "judge-2", Correction{Mean: stats.WithInterval(.6, .5, .7)}
	for name, test := range map[string]struct {
		asked AllJudges
		parts []string
	}{
		"together": {askedTogether(3, 60, .2), []string{"Three judges give 0.", " for items like these (labels alone ± 0.",
			"). Rests on: 60 labels of 1000 items, taken to be random. ", "The next 100 dollars: ", " for all judges (", "; then ± 0."}},
		"dear":         {dear, []string{"The next 100 dollars: 100 labels, no more calls; then ± 0."}},
		"free":         {free, []string{"calls cost nothing"}},
		"no price":     {unpriced, []string{"100 labels, if no more calls, whose price is not known of judge-2 (--call-price JUDGE=DOLLARS)"}},
		"three people": {people, []string{"The next 100 dollars: 33 items labelled by three people, no more calls; "}},
		"2.5 people":   {some, []string{"The next 100 dollars: 40 items labelled by 2.5 people on average, no more calls; "}},
		"dearest":      {dearest, []string{"100 dollars buy nothing: the labels of an item cost $1000.00, the verdicts of all judges on one "}},
		"cheapest":     {cheapest, []string{"100 dollars: 1940 labels, 1000 more items for all judges (3000 calls), $0.0020 in all; then"}},
		"verdicts":     {verdicts, []string{"The next 100 dollars: no more labels, 3 more items for all judges (9 calls); then"}},
		"drawn":        {drawn, []string{"Rests on: 60 labels of 1000 items, drawn at random."}},
		"marked":       {drawn, []string{"Left out: copy, of which first say which it is."}},
		"no interval":  {rare, []string{"Without an interval nothing is said of the next 100 dollars."}},
		"all labelled": {all, []string{"Rests on: 1000 labels of 1000 items. "}},
		"unlabelled":   {unlabelled, []string{"Say what a label costs (--label-price DOLLARS) for what the next 100 dollars buy."}},
		"few": {askedTogether(3, 30, .2), []string{"Labels alone give ",
			": 30 labels are too few for 3 judges together (20 for each, and at least 60).", "100 labels, no more calls"}},
		"named": {named, []string{"judge-2, which was named beforehand, gives 0.600 ± 0.100 (95 %) for items like these (labels alone ± ",
			"Of one judge that was named nothing is said of the next 100 dollars."}},
		"noise":     {askedTogether(3, 100, 1000), []string{"Labels alone give ", ": 3 judges together do not make it narrower (± "}},
		"unchecked": {unchecked, []string{"Nothing is said of all judges together: first say which is it."}},
		"weights":   {weights, []string{"labels have weights", "rate_corrected"}},
		"left out": {left, []string{" on clear for items like these (labels alone",
			"Left out: 2 items without a value of each judge. Left out: rules, tuned on these labels."}},
	} {
		d := test.asked.Decide()
		text := d.Finding().Text
		for _, part := range test.parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in %q", name, part, text)
			}
		}
	}
}
