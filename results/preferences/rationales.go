package preferences

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A RationaleRow summarises the grades that a model (the grader) gives to a judge's rationales. The means leave out choices on which the
// grader contradicts the human label, as in Con-J's paper: the question may be too hard for the grader. The alphas (interval) compare the
// grader with the median of human grades, over all rationales that both graded.
type RationaleRow struct {
	JudgeOn
	Grader          string       `csv:"grader"`
	Planned         int          `csv:"planned"`                                      // valid preferences
	Valid           int          `csv:"valid"`                                        // graded ones
	SetApart        int          `csv:"set_apart"`                                    // left out: the grader contradicts the label
	Correctness     stats.Figure `csv:"correctness,correctness_low,correctness_high"` // 1 to 5
	Consistency     stats.Figure `csv:"consistency,consistency_low,consistency_high"` // 1 to 3
	NUnclear        int          `csv:"n_unclear"`                                    // with consistency 1 or 2
	AccuracyUnclear stats.Figure `csv:"accuracy_unclear"`                             // accuracy of the n_unclear choices
	NPeople         int          `csv:"n_people"`
	AlphaCorrect    stats.Figure `csv:"alpha_correctness"`
	AlphaConsistent stats.Figure `csv:"alpha_consistency"`
	AlphaPeople     stats.Figure `csv:"alpha_people_correctness"` // among people
	AlphaPeopleCons stats.Figure `csv:"alpha_people_consistency"`
	AlphaGraderWell stats.Figure `csv:"alpha_correctness_grader_right"` // where the grader decides as the label does
	AlphaGraderBad  stats.Figure `csv:"alpha_correctness_grader_wrong"` // where the grader decides against the label
	PearsonWrong    stats.Figure `csv:"pearson_wrong"`                  // correctness and consistency of wrong choices
}

// rationales returns a row for each model that graded the judge's rationales on the group's sets.
func (g group) rationales() (rows []RationaleRow) {
	var people []dataset.GradeRow
	models := map[string][]dataset.GradeRow{}
	for _, grade := range g.Grades {
		p := &g.Prefs[grade.Pref]
		switch {
		case g.byRound[p.Judge] != g.who || !g.within(g.Pairs[p.Pair].Set, g.set) || grade.Status != data.Valid:
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

// grade sets the figures of a row from the grades of its grader and of people. It splits the agreement on correctness by whether the grader
// decides as the label does. It also correlates the two grades of wrong choices (Con-J, A.3).
func (b *board) grade(r *RationaleRow, grades, people []dataset.GradeRow) {
	var correct, consistent, unclear dataset.Sample
	right := func(g dataset.GradeRow) bool { return b.Prefs[g.Pref].Choice == b.Pairs[b.Prefs[g.Pref].Pair].Label }
	decided := data.Where(grades, func(g dataset.GradeRow) bool { return g.Right != nil && b.Pairs[b.Prefs[g.Pref].Pair].Label.Decided() })
	wrong := data.Where(decided, func(g dataset.GradeRow) bool { return !right(g) })
	follows := data.Where(decided, func(g dataset.GradeRow) bool { return *g.Right == right(g) })
	differs := data.Where(decided, func(g dataset.GradeRow) bool { return *g.Right != right(g) })
	for _, g := range grades {
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
	r.Valid, r.SetApart, r.NUnclear, r.AccuracyUnclear = len(grades), len(differs), len(unclear.Values), b.share(unclear).Point()
	r.Correctness, r.Consistency = b.Mean(correct), b.Mean(consistent)
	wrongly := raters.Points(data.Each(wrong, correctness), data.Each(wrong, consistency), nil)
	row := wrongly.Pair(raters.Options{Figures: raters.Ranks, Intervals: raters.NoIntervals})
	b.Value(0, row.Fault())
	r.PearsonWrong = row.Pearson.Point()
	r.AlphaCorrect, r.AlphaPeople, r.NPeople = b.alphas(grades, people, correctness)
	r.AlphaConsistent, r.AlphaPeopleCons, _ = b.alphas(grades, people, consistency)
	r.AlphaGraderWell, _, _ = b.alphas(follows, people, correctness)
	r.AlphaGraderBad, _, _ = b.alphas(differs, people, correctness)
}

type scale func(dataset.GradeRow) float64

func correctness(g dataset.GradeRow) float64 { return float64(g.Correctness) }
func consistency(g dataset.GradeRow) float64 { return float64(g.Consistency) }

// alphas returns two alphas: of the grader with the median of human grades, and of people with each other. n counts the rationales that
// both the grader and people graded.
func (b *board) alphas(grades, people []dataset.GradeRow, grade scale) (alpha, ofPeople stats.Figure, n int) {
	if len(grades) == 0 {
		return alpha, ofPeople, 0
	}
	var values data.Collector
	give := func(rater data.Rater, g dataset.GradeRow) {
		rationale := values.Item(strconv.Itoa(g.Pref), data.Rated{Cluster: g.Pref})
		values.Give(rater, rationale, data.Measured{ID: "grade", Level: string(agreement.Interval)}, grade(g))
	}
	for _, g := range grades {
		give(data.Rater{Name: "grader", Kind: data.KindJudge}, g) // no person is called grader, as people's names begin with "human"
	}
	for _, g := range people {
		give(data.Rater{Name: g.Grader, Kind: data.KindPerson}, g)
	}
	judgements := values.Judgements()
	t := raters.ByItem(judgements, judgements.Everyone()...)[0]
	persons := t.Kind(raters.Person)
	o := raters.Options{Figures: raters.Alpha, Intervals: raters.NoIntervals}
	row := t.Against(t.Raters[0], t.Median(persons), o)
	among := t.Among(persons, o)
	b.Value(0, cmp.Or(row.Fault(), among.Fault()))
	return row.Alpha.Point(), among.Alpha.Point(), row.N
}
