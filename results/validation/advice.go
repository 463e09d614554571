package validation

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"compqa/results/table"
	"compqa/results/validation/scales"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A Disagreement is an item on which a judge and people are far apart: a row of disagreements.csv.
type Disagreement struct {
	Judge     string       `csv:"judge"`
	Criterion string       `csv:"criterion"`
	ID        string       `csv:"id"`
	System    string       `csv:"system"`
	Judged    string       `csv:"judged"`
	People    string       `csv:"people"` // each person's value
	Gap       table.Figure `csv:"gap"`    // share of the scale, in [0, 1]
	Question  string       `csv:"question"`
	Text      string       `csv:"text"`
	Reason    string       `csv:"reason"`
}

// A Label is an item that people should label: a row of to_label.csv.
type Label struct {
	ID       string `csv:"id"`
	System   string `csv:"system"`
	Question string `csv:"question"`
	Text     string `csv:"text"`
}

// Worst are the items where a judge is farthest from people, at most n.
func (s *Study) Worst(p *Pairing, n int) (worst []Disagreement) {
	if !p.SameScale {
		return nil
	}
	for i, u := range s.Units {
		if p.judge.Missing[i] || p.mean.Missing[i] {
			continue
		}
		gap := math.Abs(p.judge.Values[i]-p.mean.Values[i]) / max(p.PeopleScale.High-p.PeopleScale.Low, 1e-300)
		if p.PeopleScale.Kind == scales.Nominal {
			gap = 0
			if p.most.Missing[i] || p.most.Values[i] != p.judge.Values[i] {
				gap = 1
			}
		}
		if gap == 0 {
			continue
		}
		d := Disagreement{Judge: p.Judge.By, Criterion: p.Judge.Criterion, ID: u.ID, System: u.System, Judged: p.Judge.Values[i],
			Gap: table.Number(gap), Question: u.Question, Text: u.Text, Reason: p.Judge.Reasons[i]}
		var values []string
		for _, q := range s.People {
			if q.Criterion == p.Criterion && q.Values[i] != "" {
				values = append(values, q.By+" "+q.Values[i])
			}
		}
		d.People = strings.Join(values, ", ")
		worst = append(worst, d)
	}
	slices.SortStableFunc(worst, func(a, b Disagreement) int {
		return cmp.Or(-cmp.Compare(*a.Gap.Number, *b.Gap.Number), strings.Compare(a.ID, b.ID))
	})
	return worst[:min(n, len(worst))]
}

// leastJudged is the number of values from which a judge is called degenerate.
const leastJudged = 20

// Degenerate says in words that a judge gives nearly always the same value; "" if it does not.
func (s *Study) Degenerate(p *Pairing) string {
	counts, n := map[string]int{}, 0
	for _, v := range p.Judge.Values {
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

// LengthBias is the change of judge minus people, in people's units, for an answer of twice as many
// words: least squares on log₂ of the words, with standard errors HC3 (MacKinnon and White 1985).
func (s *Study) LengthBias(p *Pairing) (e stats.Estimate, ok bool) {
	var x, y []float64
	for i, u := range s.Units {
		if p.SameScale && p.PeopleScale.Kind != scales.Nominal && !p.judge.Missing[i] && !p.mean.Missing[i] && u.Words > 0 {
			x, y = append(x, math.Log2(float64(u.Words))), append(y, p.judge.Values[i]-p.mean.Values[i])
		}
	}
	n := float64(len(x))
	if n < 10 {
		return e, false
	}
	dx, dy := stats.Deviations(x), stats.Deviations(y)
	sxx := stats.Dot(dx, dx)
	if sxx < 1e-9 {
		return e, false
	}
	e = stats.Estimate{Value: stats.Dot(dx, dy) / sxx, Level: level, N: len(x), DF: n - 2}
	squares := 0.0
	for i := range dx {
		leverage := 1/n + dx[i]*dx[i]/sxx
		residual := (dy[i] - e.Value*dx[i]) / (1 - leverage)
		squares += dx[i] * dx[i] * residual * residual
	}
	e.SE = math.Sqrt(squares) / sxx
	return e, e.SE > 0 && e.SetBounds() == nil
}

// replaces reports against which share of people the judge wins, and whether that is enough to stand in
// for one (the alternative-annotator test, Calderon, Reichart and Dror 2025, at ε = 0.15). It needs
// three people with 30 items in common.
func (s *Study) replaces(p *Pairing) (winning table.Figure, may string) {
	if !p.SameScale {
		return winning, ""
	}
	o := agreement.AltTestOptions{Epsilon: []float64{0.15}}
	if p.PeopleScale.Kind == scales.Ordinal || p.PeopleScale.Kind == scales.Continuous {
		o.Scoring = agreement.NegRMSE
	}
	for _, u := range s.Units {
		o.Clusters = append(o.Clusters, u.Cluster)
	}
	var people []agreement.Rater
	for _, q := range p.people {
		people = append(people, q.Rater)
	}
	r, err := agreement.AltTest(p.judge, people, o)
	if err != nil {
		return winning, ""
	}
	may = "no"
	if r.Verdicts[0].Passes {
		may = "yes"
	}
	return table.Number(r.Verdicts[0].WinningRate), may
}

// MoreLabels is the number of further labelled items after which the interval of alpha would leave
// out a threshold, if alpha stays as it is; 0: it does already, or nothing can be said.
func MoreLabels(row Row, threshold float64) int {
	a := row.Alpha
	if !a.Low.Known() || row.Clusters < leastLabels || *a.Low.Number > threshold || *a.High.Number < threshold {
		return 0
	}
	half := (*a.High.Number - *a.Low.Number) / 2
	gap := math.Abs(*a.Value.Number - threshold)
	if gap < half/30 { // thirty times as precise would not be enough: nobody labels so many
		return 0
	}
	return int(math.Ceil(float64(row.N)*(half*half/(gap*gap)-1))) + 1
}

// LabelsFor is the number of labelled items that would give the corrected rate of a judge an interval
// of ± width, and the items to label next: a sample of those without labels, stratified by the judge's
// value and the system. With labels it uses the variance of what the judge leaves open; without any,
// that of the judge's own values, which is the most that a judge of no use would need. has is the number
// of labels that are there, and most that of the items that the judge scored; n is more than most where
// labels for all of them would not suffice.
//
//	n = t² var(Y − λF) / (width² − t² λ² var(F)/N)
func (s *Study) LabelsFor(judge *Series, p *Pairing, width float64) (n, has, most int, items []Label) {
	const t = 1.96
	var judged []int
	var values []float64
	if p == nil {
		p = &Pairing{Judge: judge, Criterion: judge.Criterion}
		if s.prepare(p) != nil || p.JudgeScale.Kind == scales.Nominal {
			return 0, 0, 0, nil
		}
	}
	for i := range s.Units {
		if !p.judge.Missing[i] {
			judged, values = append(judged, i), append(values, p.inPeoplesUnits(i))
		}
	}
	if len(values) < 2 {
		return 0, 0, 0, nil
	}
	ppi := s.sample(p, everyUnit)
	has = len(ppi.Human)
	d := stats.Deviations(values)
	variance, rest := stats.Dot(d, d)/float64(len(d)-1), 0.0
	if e, err := stats.PPIMean(ppi, level); err == nil && has >= leastLabels {
		open := make([]float64, has)
		for i := range open {
			open[i] = ppi.Human[i] - e.Lambda*ppi.Judge[i]
		}
		o := stats.Deviations(open)
		rest = e.Lambda * e.Lambda * variance / float64(len(values))
		variance = stats.Dot(o, o) / float64(has-1)
		if e.Clusters < has { // clusters make a label worth less, or more
			if se, err := stats.StandardErrors(open, ppi.Clusters); err == nil {
				variance = se.CR1 * se.CR1 * float64(has)
			}
		}
	}
	most = len(judged)
	n = most + 1
	if left := width*width - t*t*rest; left > 0 {
		n = min(n, int(math.Ceil(t*t*variance/left)))
	}
	return n, has, most, s.toLabel(p, judged, min(n, most)-has)
}

// toLabel draws items without labels: from each stratum of the judge's value and the system its share.
func (s *Study) toLabel(p *Pairing, judged []int, n int) (items []Label) {
	strata := map[string][]int{}
	total := 0
	for _, i := range judged {
		if !s.Units[i].Labelled {
			key := s.Units[i].System + "\x00" + p.Judge.Values[i]
			strata[key] = append(strata[key], i)
			total++
		}
	}
	n = min(n, total)
	type place struct {
		at    float64 // where in the order of all strata, in [0, 1)
		index int
	}
	var order []place
	rng := stats.NewRNG(s.o.Seed, "labels")
	for _, key := range slices.Sorted(maps.Keys(strata)) {
		of := strata[key]
		rng.Shuffle(len(of), func(i, k int) { of[i], of[k] = of[k], of[i] })
		start := rng.Float64()
		for k, i := range of {
			order = append(order, place{(float64(k) + start) / float64(len(of)), i})
		}
	}
	slices.SortStableFunc(order, func(a, b place) int { return cmp.Compare(a.at, b.at) })
	for _, at := range order[:max(0, n)] {
		u := s.Units[at.index]
		items = append(items, Label{u.ID, u.System, u.Question, u.Text})
	}
	return items
}
