package preferences

import (
	"maps"
	"slices"
	"strconv"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A RationaleRow is a model's grades of a judge's rationales. Rationales are set apart if the grader's decision on the
// choice contradicts the human label, as in Con-J's paper, because the question may be too hard for the grader. The means
// are over the others. The alphas (ordinal) compare the grader with the median of human grades, over all rationales that
// both graded.
type RationaleRow struct {
	JudgeOn
	Grader          string        `csv:"grader"`
	Planned         int           `csv:"planned"` // valid preferences
	Valid           int           `csv:"valid"`   // graded ones
	SetApart        int           `csv:"set_apart"`
	Correctness     table.Bounded `csv:"correctness"`      // 1 to 5
	Consistency     table.Bounded `csv:"consistency"`      // 1 to 3
	NUnclear        int           `csv:"n_unclear"`        // with consistency 1 or 2
	AccuracyUnclear table.Figure  `csv:"accuracy_unclear"` // accuracy of these choices
	NPeople         int           `csv:"n_people"`
	AlphaCorrect    table.Figure  `csv:"alpha_correctness"`
	AlphaConsistent table.Figure  `csv:"alpha_consistency"`
	AlphaPeople     table.Figure  `csv:"alpha_people_correctness"` // between people
	AlphaPeopleCons table.Figure  `csv:"alpha_people_consistency"`
	AlphaGraderWell table.Figure  `csv:"alpha_correctness_grader_right"` // where the grader chooses as the label does
	AlphaGraderBad  table.Figure  `csv:"alpha_correctness_grader_wrong"`
	PearsonWrong    table.Figure  `csv:"pearson_wrong"` // of correctness and consistency, where the judge chose wrongly
}

func (g group) rationales() (rows []RationaleRow) {
	var people []store.GradeRow
	models := map[string][]store.GradeRow{}
	for _, grade := range g.Grades {
		p := &g.Prefs[grade.Pref]
		switch {
		case g.of[p.Judge] != g.who || !g.within(g.Pairs[p.Pair].Set, g.set) || grade.Status != data.Valid:
		case data.IsHuman(grade.Grader):
			people = append(people, grade)
		default:
			models[grade.Grader] = append(models[grade.Grader], grade)
		}
	}
	for _, grader := range slices.Sorted(maps.Keys(models)) {
		r := RationaleRow{JudgeOn: g.JudgeOn, Grader: grader, Planned: g.tally(data.Orders...).statuses[data.Valid]}
		g.grade(&r, models[grader], people)
		rows = append(rows, r)
	}
	return rows
}

// grade sets the figures of a row from the grades of its grader and of people. It splits their agreement on correctness by
// whether the grader's own decision follows the label, and relates the two grades of wrong choices (Con-J, A.3).
func (b *board) grade(r *RationaleRow, own, people []store.GradeRow) {
	var correct, consistent, unclear dataset.Sample
	right := func(g store.GradeRow) bool { return b.Prefs[g.Pref].Choice == b.Pairs[b.Prefs[g.Pref].Pair].Label }
	decided := table.Where(own, func(g store.GradeRow) bool { return g.Right != nil && b.Pairs[b.Prefs[g.Pref].Pair].Label.Decided() })
	wrong := table.Where(decided, func(g store.GradeRow) bool { return !right(g) })
	follows := table.Where(decided, func(g store.GradeRow) bool { return *g.Right == right(g) })
	differs := table.Where(decided, func(g store.GradeRow) bool { return *g.Right != right(g) })
	for _, g := range own {
		pair := &b.Pairs[b.Prefs[g.Pref].Pair]
		if pair.Label.Decided() && g.Right != nil && *g.Right != right(g) {
			continue
		}
		correct.Add(float64(g.Correctness), pair.Cluster)
		consistent.Add(float64(g.Consistency), pair.Cluster)
		if g.Consistency < 3 && pair.Label.Decided() {
			unclear.Add(dataset.Indicator(right(g)), pair.Cluster)
		}
	}
	r.Valid, r.SetApart, r.NUnclear, r.AccuracyUnclear = len(own), len(differs), len(unclear.Values), b.share(unclear).Value
	r.Correctness, r.Consistency = b.Mean(correct).Bounded, b.Mean(consistent).Bounded
	slices.SortFunc(wrong, func(a, b store.GradeRow) int { return a.Pref - b.Pref })
	r.PearsonWrong = table.FigureOf(b.Value(agreement.Pearson(table.Each(wrong, correctness), table.Each(wrong, consistency))))
	r.AlphaCorrect, r.NPeople = b.withPeople(own, people, correctness)
	r.AlphaConsistent, _ = b.withPeople(own, people, consistency)
	r.AlphaGraderWell, _ = b.withPeople(follows, people, correctness)
	r.AlphaGraderBad, _ = b.withPeople(differs, people, correctness)
	r.AlphaPeople, r.AlphaPeopleCons = b.betweenPeople(people, correctness), b.betweenPeople(people, consistency)
}

type scale func(store.GradeRow) float64

func correctness(g store.GradeRow) float64 { return float64(g.Correctness) }
func consistency(g store.GradeRow) float64 { return float64(g.Consistency) }

// withPeople compares the n grades of the grader that people gave too with the median of human grades.
func (b *board) withPeople(own, people []store.GradeRow, grade scale) (alpha table.Figure, n int) {
	given := map[int][]float64{} // by preference
	for _, g := range people {
		given[g.Pref] = append(given[g.Pref], grade(g))
	}
	var x, y []float64
	for _, g := range own {
		if grades := given[g.Pref]; grades != nil {
			slices.Sort(grades)
			x, y = append(x, grade(g)), append(y, stats.Quantile(grades, 0.5))
		}
	}
	return table.FigureOf(b.Alpha(x, y, agreement.Ordinal)), len(x)
}

func (b *board) betweenPeople(people []store.GradeRow, grade scale) table.Figure {
	units := table.Each(people, func(g store.GradeRow) string { return strconv.Itoa(g.Pref) })
	raters := table.Each(people, func(g store.GradeRow) string { return g.Grader })
	ratings, _, err := agreement.LongRatings(units, raters, table.Each(people, grade))
	return table.FigureOf(b.AlphaOf(ratings, agreement.Ordinal, err))
}
