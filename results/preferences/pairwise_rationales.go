package preferences

import (
	"maps"
	"slices"
	"strconv"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats/agreement"
)

// A RationaleRow is a model's grades of a judge's rationales. Rationales are set apart if
// the grader's decision on the choice contradicts the human label, as in Con-J's paper,
// because the question may be too hard for the grader. The means are over the others.
// The alphas (ordinal) compare the grader with the median of human grades, over all
// rationales that both graded.
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
	r := RationaleRow{JudgeOn: b.on(judge, set), Grader: grader}
	for _, j := range b.of(judge, set) {
		r.Planned += len(j.valid())
	}
	var correct, consistent, unclear dataset.Sample
	people := map[int][]store.GradeRow{} // by preference
	own := map[int]store.GradeRow{}
	for _, g := range b.Grades {
		p := &b.Prefs[g.Pref]
		pair := &b.Pairs[p.Pair]
		if p.Judge != judge || !b.within(pair.Set, set) || g.Status != data.Valid {
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
		if pair.Label.Decided() && g.Right != nil && *g.Right != (p.Choice == pair.Label) {
			r.SetApart++
			continue
		}
		correct.Add(float64(g.Correctness), pair.Cluster)
		consistent.Add(float64(g.Consistency), pair.Cluster)
		if g.Consistency < 3 && pair.Label.Decided() {
			unclear.Add(dataset.Indicator(p.Choice == pair.Label), pair.Cluster)
		}
	}
	b.followGrader(&r, own, people)
	r.Correctness, r.Consistency = b.Mean(correct).Bounded, b.Mean(consistent).Bounded
	r.NUnclear, r.AccuracyUnclear = len(unclear.Values), b.share(unclear).Value
	r.AlphaCorrect, r.AlphaPeople, r.NPeople = b.agreeWithPeople(own, people, func(g store.GradeRow) int { return g.Correctness })
	r.AlphaConsistent, r.AlphaPeopleCons, _ = b.agreeWithPeople(own, people, func(g store.GradeRow) int { return g.Consistency })
	return r
}

// followGrader splits the agreement of grader and people on correctness by whether the grader's own
// decision follows the label, and relates the two grades of wrong choices (Con-J, A.3).
func (b *preferenceBoard) followGrader(r *RationaleRow, own map[int]store.GradeRow, people map[int][]store.GradeRow) {
	follows, differs := map[int]store.GradeRow{}, map[int]store.GradeRow{}
	var correct, consistent []float64
	for _, i := range slices.Sorted(maps.Keys(own)) {
		g, p := own[i], &b.Prefs[i]
		label := b.Pairs[p.Pair].Label
		if !label.Decided() || g.Right == nil {
			continue
		}
		wrong := p.Choice != label
		if *g.Right != wrong {
			follows[i] = g
		} else {
			differs[i] = g
		}
		if wrong {
			correct, consistent = append(correct, float64(g.Correctness)), append(consistent, float64(g.Consistency))
		}
	}
	grade := func(g store.GradeRow) int { return g.Correctness }
	r.AlphaGraderWell, _, _ = b.agreeWithPeople(follows, people, grade)
	r.AlphaGraderBad, _, _ = b.agreeWithPeople(differs, people, grade)
	r.PearsonWrong = table.FigureOf(b.Value(agreement.Pearson(correct, consistent)))
}

// agreeWithPeople compares the n grades of the grader that people gave too with the
// median of human grades, and people with each other.
func (b *preferenceBoard) agreeWithPeople(own map[int]store.GradeRow, people map[int][]store.GradeRow,
	grade func(store.GradeRow) int) (alpha, between table.Figure, n int) {
	var x, y, values []float64
	var units, raters []string
	for _, i := range slices.Sorted(maps.Keys(people)) {
		var grades []int
		for _, g := range people[i] {
			units, raters, values = append(units, strconv.Itoa(i)), append(raters, g.Grader), append(values, float64(grade(g)))
			grades = append(grades, grade(g))
		}
		slices.Sort(grades)
		if g, ok := own[i]; ok {
			x = append(x, float64(grade(g)))
			y = append(y, float64(grades[(len(grades)-1)/2]+grades[len(grades)/2])/2)
		}
	}
	if len(x) > 0 {
		alpha = table.FigureOf(b.Alpha(x, y, agreement.Ordinal))
	}
	ratings, _, err := agreement.LongRatings(units, raters, values)
	if err == nil {
		var a agreement.AlphaResult
		a, err = agreement.Alpha(ratings, agreement.Ordinal)
		return alpha, table.FigureOf(b.Value(a.Alpha, err)), len(x)
	}
	return alpha, table.FigureOf(b.Value(0, err)), len(x)
}
