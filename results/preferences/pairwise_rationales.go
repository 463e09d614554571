package preferences

import (
	"slices"
	"strconv"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A RationaleRow is a model's grades of a judge's rationales. Rationales are set apart if
// the grader's decision on the choice contradicts the human label, as in Con-J's paper,
// because the question may be too hard for the grader. The means are over the others.
// The alphas (ordinal) compare the grader with the median of human grades, over all
// rationales that both graded.
type RationaleRow struct {
	Judge           string       `csv:"judge"`
	Method          string       `csv:"method"`
	Dataset         string       `csv:"dataset"`
	Grader          string       `csv:"grader"`
	Planned         int          `csv:"planned"` // valid preferences
	Valid           int          `csv:"valid"`   // graded ones
	SetApart        int          `csv:"set_apart"`
	Correctness     table.Figure `csv:"correctness"` // 1 to 5
	CorrectnessLow  table.Figure `csv:"correctness_low"`
	CorrectnessHigh table.Figure `csv:"correctness_high"`
	Consistency     table.Figure `csv:"consistency"` // 1 to 3
	ConsistencyLow  table.Figure `csv:"consistency_low"`
	ConsistencyHigh table.Figure `csv:"consistency_high"`
	NUnclear        int          `csv:"n_unclear"`        // with consistency 1 or 2
	AccuracyUnclear table.Figure `csv:"accuracy_unclear"` // accuracy of these choices
	NPeople         int          `csv:"n_people"`
	AlphaCorrect    table.Figure `csv:"alpha_correctness"`
	AlphaConsistent table.Figure `csv:"alpha_consistency"`
	AlphaPeople     table.Figure `csv:"alpha_people_correctness"` // between people
	AlphaPeopleCons table.Figure `csv:"alpha_people_consistency"`
}

// rationales has one row per judge, set and grading model.
func (b *preferenceBoard) rationales() []RationaleRow {
	var graders []string
	for _, g := range b.Grades {
		if !data.IsHuman(g.Grader) && !slices.Contains(graders, g.Grader) {
			graders = append(graders, g.Grader)
		}
	}
	slices.Sort(graders)
	var rows []RationaleRow
	for _, set := range b.setRanges() {
		for j := range b.Judges {
			for _, grader := range graders {
				if r := b.rationale(j, set, grader); r.Valid > 0 {
					rows = append(rows, r)
				}
			}
		}
	}
	return rows
}

func (b *preferenceBoard) rationale(judge, set int, grader string) RationaleRow {
	r := RationaleRow{Judge: b.Judges[judge].Name, Method: b.Judges[judge].Method, Dataset: b.setName(set), Grader: grader}
	for _, j := range b.of(judge, set) {
		for _, p := range []*store.PreferenceRow{j.ab, j.ba} {
			if valid(p) {
				r.Planned++
			}
		}
	}
	var correct, consistent, unclear []float64
	var clusters, unclearClusters []int
	people := map[int][]store.GradeRow{} // by preference
	own := map[int]store.GradeRow{}
	for _, g := range b.Grades {
		p := &b.Prefs[g.Pref]
		if p.Judge != judge || !b.in(p.Pair, set) || g.Status != data.Valid {
			continue
		}
		if data.IsHuman(g.Grader) {
			people[g.Pref] = append(people[g.Pref], g)
		}
		if g.Grader != grader {
			continue
		}
		own[g.Pref] = g
		r.Valid++
		gold := b.Pairs[p.Pair].Label
		if gold.Decided() && g.Right != nil && *g.Right != (p.Choice == gold) {
			r.SetApart++
			continue
		}
		correct, consistent = append(correct, float64(g.Correctness)), append(consistent, float64(g.Consistency))
		clusters = append(clusters, b.Pairs[p.Pair].Cluster)
		if g.Consistency < 3 && gold.Decided() {
			unclear, unclearClusters = append(unclear, one(p.Choice == gold)), append(unclearClusters, b.Pairs[p.Pair].Cluster)
		}
	}
	r.Correctness, r.CorrectnessLow, r.CorrectnessHigh = meanOf(&b.Calculator, correct, clusters)
	r.Consistency, r.ConsistencyLow, r.ConsistencyHigh = meanOf(&b.Calculator, consistent, clusters)
	r.NUnclear = len(unclear)
	r.AccuracyUnclear, _, _ = b.share(unclear, unclearClusters)
	b.agreeWithPeople(&r, own, people)
	return r
}

func meanOf(c *dataset.Calculator, values []float64, clusters []int) (mean, low, high table.Figure) {
	if len(values) == 0 {
		return mean, low, high
	}
	e, err := stats.MeanInterval(values, clusters, dataset.Confidence)
	return table.Number(e.Value), table.FigureOf(c.Value(e.Low, err)), table.FigureOf(c.Value(e.High, err))
}

// agreeWithPeople compares the grader with the median of human grades, and people with
// each other.
func (b *preferenceBoard) agreeWithPeople(r *RationaleRow, own map[int]store.GradeRow, people map[int][]store.GradeRow) {
	var x, y [2][]float64
	var units, raters []string
	var values [2][]float64
	for i := range b.Prefs {
		graded := people[i]
		for _, g := range graded {
			units, raters = append(units, strconv.Itoa(i)), append(raters, g.Grader)
			values[0], values[1] = append(values[0], float64(g.Correctness)), append(values[1], float64(g.Consistency))
		}
		g, ok := own[i]
		if !ok || len(graded) == 0 {
			continue
		}
		x[0], x[1] = append(x[0], float64(g.Correctness)), append(x[1], float64(g.Consistency))
		y[0] = append(y[0], median(graded, func(g store.GradeRow) int { return g.Correctness }))
		y[1] = append(y[1], median(graded, func(g store.GradeRow) int { return g.Consistency }))
	}
	r.NPeople = len(x[0])
	r.AlphaCorrect, r.AlphaConsistent = alphaOf(&b.Calculator, x[0], y[0]), alphaOf(&b.Calculator, x[1], y[1])
	for i, into := range []*table.Figure{&r.AlphaPeople, &r.AlphaPeopleCons} {
		ratings, _, err := agreement.LongRatings(units, raters, values[i])
		if err != nil {
			b.Value(0, err)
			continue
		}
		alpha, err := agreement.Alpha(ratings, agreement.Ordinal)
		*into = table.FigureOf(b.Value(alpha.Alpha, err))
	}
}

func alphaOf(c *dataset.Calculator, x, y []float64) table.Figure {
	if len(x) == 0 {
		return table.Figure{}
	}
	return table.FigureOf(c.Alpha(x, y, agreement.Ordinal))
}

// median is the middle grade, or the mean of the two middle ones.
func median(of []store.GradeRow, grade func(store.GradeRow) int) float64 {
	values := make([]int, len(of))
	for i, g := range of {
		values[i] = grade(g)
	}
	slices.Sort(values)
	n := len(values)
	return float64(values[(n-1)/2]+values[n/2]) / 2
}
