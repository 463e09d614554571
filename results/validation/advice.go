package validation

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"compqa/data"
	"compqa/results/table"
	"compqa/results/validation/scales"
	"compqa/stats"
)

// A Disagreement is an item on which a judge and people are far apart: a row of disagreements.csv.
type Disagreement struct {
	Of
	ID       string       `csv:"id"`
	System   string       `csv:"system"`
	Judged   string       `csv:"judged"`
	People   string       `csv:"people"` // each person's value
	Gap      table.Figure `csv:"gap"`    // share of the scale, in [0, 1]
	Question string       `csv:"question"`
	Text     string       `csv:"text"`
	Reason   string       `csv:"reason"`
}

// worst are the items where a judge is farthest from people, at most n.
func (p *Pairing) worst(n int) (worst []Disagreement) {
	if !p.SameScale {
		return nil
	}
	x := p.t.Pairs(p.judge, p.mean)
	gaps := x.JudgeMinusReference()
	var apart []int // places of pairs
	for k, i := range x.Units {
		gaps[k] = math.Abs(gaps[k]) / max(p.PeopleScale.High-p.PeopleScale.Low, 1e-300)
		same := gaps[k] == 0
		if p.PeopleScale.Kind == scales.Nominal {
			same, gaps[k] = p.most.Values[i] == p.judge.Values[i], 1
		}
		if !same {
			apart = append(apart, k)
		}
	}
	slices.SortStableFunc(apart, func(a, b int) int {
		return cmp.Or(cmp.Compare(gaps[b], gaps[a]), strings.Compare(p.Units[x.Units[a]].ID, p.Units[x.Units[b]].ID))
	})
	for _, k := range apart[:min(n, len(apart))] {
		i := x.Units[k]
		var values []string
		for _, q := range p.peopleOn(p.PeoplesName) {
			if q.Values[i] != "" {
				values = append(values, q.By+" "+q.Values[i])
			}
		}
		u := p.Units[i]
		worst = append(worst, Disagreement{p.Of, u.ID, u.System, p.series.Values[i], strings.Join(values, ", "), table.Number(gaps[k]),
			u.Question, u.Text, p.series.Reasons[i]})
	}
	return worst
}

// degenerate says in words that a judge gives nearly always the same value; "" if it does not.
func (p *Pairing) degenerate() string {
	counts, n := map[string]int{}, 0
	for _, v := range p.series.Values {
		if v != "" {
			counts[strings.ToLower(v)]++
			n++
		}
	}
	for v, count := range counts {
		if n >= leastJudged && float64(count) >= 0.95*float64(n) {
			return fmt.Sprintf("the judge gives %s to %d of %d items, and hardly tells them apart", v, count, n)
		}
	}
	return ""
}

// labels says how many labelled items would give the corrected rate of each judge the width that was asked for, and which to
// label next.
func (r *Result) labels() {
	for _, p := range r.comparable() {
		n, has, judged := p.labelsFor(r.o.LabelsFor)
		switch {
		case p.nominal():
			r.Sentences = append(r.Sentences, r.name(p)+": labels without an order have no rate, so that no number of labels is needed for one")
		case n == 0:
			continue
		case n > len(judged):
			r.Sentences = append(r.Sentences, fmt.Sprintf("%s: ± %v is out of reach: labels for all %s would not give it", r.name(p),
				r.o.LabelsFor, data.Plural(len(judged), "judged item", "judged items")))
		default:
			r.Sentences = append(r.Sentences, fmt.Sprintf("%s: %s labelled would give ± %v; %d are", r.name(p), data.Plural(n,
				"item", "items"), r.o.LabelsFor, has))
		}
		if items := p.toLabel(judged, min(n, len(judged))-has); len(items) > len(r.ToLabel) {
			r.ToLabel = items
		}
	}
}

// labelsFor is the number of labelled items that would give the corrected rate of a judge an interval of ± width. With
// labels it uses the variance of what the judge leaves open; without any, that of the judge's own values, which is the most
// that a judge of no use would need. has is the number of labels that are there, and judged are the items that the judge
// scored; n is more than these where labels for all of them would not suffice.
//
//	n = t² var(Y − λF) / (width² − t² λ² var(F)/N)
func (p *Pairing) labelsFor(width float64) (n, has int, judged []int) {
	const t = 1.96
	var values []float64
	for i, v := range p.judge.Values {
		if v.Given() {
			judged, values = append(judged, i), append(values, p.judge.Values[i].Number)
		}
	}
	if len(values) < 2 || !p.SameScale {
		return 0, 0, nil
	}
	ppi := p.sample("")
	has = len(ppi.Human)
	open, rest := stat.Variance(values, nil), 0.0
	if e, err := stats.PPIMean(ppi, level); err == nil && has >= leastLabels {
		left := floats.AddScaledTo(make([]float64, has), ppi.Human, -e.Lambda, ppi.Judge)
		rest = e.Lambda * e.Lambda * open / float64(len(values))
		open = stat.Variance(left, nil)
		if e.Clusters < has { // clusters make a label worth less, or more
			if se, err := stats.StandardErrors(left, ppi.Clusters); err == nil {
				open = se.CR1 * se.CR1 * float64(has)
			}
		}
	}
	n = len(judged) + 1
	if left := width*width - t*t*rest; left > 0 {
		n = min(n, int(math.Ceil(t*t*open/left)))
	}
	return n, has, judged
}

// toLabel draws items without labels: from each stratum of the judge's value and the system its share.
func (p *Pairing) toLabel(judged []int, n int) (items []Unit) {
	key := func(i int) string { return p.Units[i].System + "\x00" + p.series.Values[i] }
	strata := table.Grouped(table.Where(judged, func(i int) bool { return !p.Units[i].Labelled }), key)
	slices.SortFunc(strata, func(a, b []int) int { return strings.Compare(key(a[0]), key(b[0])) })
	type place struct {
		at    float64 // where in the order of all strata, in [0, 1)
		index int
	}
	var order []place
	rng := stats.NewRNG(p.o.Seed, "labels")
	for _, of := range strata {
		rng.Shuffle(len(of), func(i, k int) { of[i], of[k] = of[k], of[i] })
		start := rng.Float64()
		for k, i := range of {
			order = append(order, place{(float64(k) + start) / float64(len(of)), i})
		}
	}
	slices.SortStableFunc(order, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	for _, at := range order[:max(0, min(n, len(order)))] {
		items = append(items, p.Units[at.index])
	}
	return items
}
