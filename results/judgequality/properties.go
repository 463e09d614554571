package judgequality

import (
	"math"
	"slices"
	"strconv"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A LeniencyRow is the mean of judge minus human, in points, on the answers of a system that both scored. System is AllSystems for all
// systems together.
type LeniencyRow struct {
	Judge      string       `csv:"judge"`
	System     string       `csv:"system"`
	N          int          `csv:"n"`                              // answers
	Difference stats.Figure `csv:"mean_difference,ci_low,ci_high"` // clustered by question
}

// LeniencyTable has judge minus people, by system.
var LeniencyTable = table.Def[LeniencyRow]{File: "leniency.csv"}

// panelists returns the judges that may be members of a panel: no baselines, no people, no degenerate judges.
func panelists(x *dataset.Dataset) []int {
	return data.Where(x.Scorers(), func(j int) bool { return x.Degenerate[j] == "" })
}

// leniency returns the leniency of each judge with each system, then with all systems.
func leniency(c *dataset.Calculator, x *dataset.Dataset, people dataset.AnswerTotals) (rows []LeniencyRow) {
	if !people.Any() {
		return nil
	}
	for _, j := range x.Scorers() {
		samples := make([]dataset.Sample, len(x.Systems)+1)
		x.EachDifference(x.AnswerTotals(j), people, func(answer int, difference float64) {
			system := x.Conditions[x.ConditionOf[answer]].System
			samples[system].Add(difference, x.Question[answer])
			samples[len(x.Systems)].Add(difference, x.Question[answer])
		})
		for s, system := range append(slices.Clone(x.Systems), store.Participant{Name: dataset.AllSystems}) {
			if e := c.Mean(samples[s]); e.N > 0 {
				rows = append(rows, LeniencyRow{x.Judges[j].Name, system.Name, e.N, e})
			}
		}
	}
	return rows
}

// totals returns a table of all answers with three raters: the totals of a judge, the totals of people, and the numbers of words. Totals
// are means over repeats.
func totals(x *dataset.Dataset, judge int, people dataset.AnswerTotals) (t raters.Table, rater, theirs, words raters.Rater) {
	n := len(x.Answers)
	t = raters.Table{Scale: raters.Scale{Level: agreement.Interval}, Units: make([]raters.Unit, n)}
	rater.Values, theirs.Values, words.Values = make([]raters.Value, n), make([]raters.Value, n), make([]raters.Value, n)
	totals := x.AnswerTotals(judge)
	value := func(number float64, given bool) raters.Value {
		if given {
			return raters.Number(number)
		}
		return raters.Missing(raters.NotAsked)
	}
	for a := range x.Answers {
		row := &x.Answers[a]
		t.Units[a] = raters.Unit{ID: row.ID, Cluster: x.Question[a], System: row.System, Words: row.Words}
		rater.Values[a] = value(totals.Of(a))
		total, scored := people.Of(a)
		theirs.Values[a] = value(total, scored && x.ConditionOf[a] >= 0)
		words.Values[a] = value(float64(row.Words), row.Status == data.Valid)
	}
	return t, rater, theirs, words
}

// fillBias sets how a judge's totals depend on the length of answers and on the system's family, compared with people's totals. Systems of
// the judge's family are compared with others within a scenario. The preference is the mean over the scenarios in which both groups of
// systems answered.
func (r *JudgeRow) fillBias(c *dataset.Calculator, x *dataset.Dataset, people dataset.AnswerTotals) {
	t, rater, theirs, words := totals(x, r.judge, people)
	ranks := t.Against(rater, words, raters.Options{Figures: raters.Ranks | raters.RankIntervals,
		Resampling: x.Resampling()})
	c.Value(0, ranks.Fault())
	r.LengthN = ranks.N
	r.Length = ranks.Spearman
	if r.Kind == dataset.KindHuman {
		return
	}
	p := t.Pairs(rater, theirs)
	r.LengthBias = t.LengthBias(p, dataset.Confidence)
	for _, system := range x.Systems {
		if r.Family != "" && system.Family == r.Family {
			r.FamilySystems = append(r.FamilySystems, system.Name)
		}
	}
	if r.FamilySystems == nil {
		return
	}
	scenarios := x.Scenarios()
	inside := make([]bool, len(p.Units))
	strata := make([]int, len(p.Units))
	for i, answer := range p.Units {
		cell := x.Conditions[x.ConditionOf[answer]]
		inside[i], strata[i] = x.Systems[cell.System].Family == r.Family, slices.Index(scenarios, cell.Scenario)
	}
	r.FamilyPeople = p.Contrast(p.JudgeMinusReference(), inside, strata, dataset.Confidence).Figure()
}

// fillRepeats sets the self-agreement of a judge on the answers that it scored more than once. For alpha, the k-th verdict on an answer is
// that of rater k. The interval resamples questions.
func (r *JudgeRow) fillRepeats(c *dataset.Calculator, x *dataset.Dataset) {
	valid := x.Valid(r.judge) // sorted by answer
	for i, s := range valid {
		second := i > 0 && valid[i-1].Item == s.Item
		third := i > 1 && valid[i-2].Item == s.Item
		r.RepeatedAnswers += int(dataset.Indicator(second && !third))
	}
	if r.RepeatedAnswers == 0 { // true for most judges
		return
	}
	answers := table.Grouped(valid, func(s *data.Given) int32 { return s.Item })
	t := raters.Table{}
	for _, sheets := range answers {
		t.Units = append(t.Units, raters.Unit{Cluster: x.Question[sheets[0].Item]})
	}
	var same, far []float64
	for unit, sheets := range answers {
		for nth, s := range sheets {
			for _, earlier := range sheets[:nth] {
				same = append(same, dataset.Indicator(slices.Equal(earlier.Scores, s.Scores)))
				far = append(far, math.Abs(earlier.Total-s.Total))
			}
			t.Put(strconv.Itoa(nth), raters.Judge, unit, s.Total)
		}
	}
	r.SelfEqual, r.SelfDistance = stats.FigureOf(c.Moments(same).Mean), stats.FigureOf(c.Moments(far).Mean)
	among := t.Among(t.Raters, raters.Options{Figures: raters.Alpha, Level: agreement.Interval,
		Resampling: x.Resampling()})
	c.Value(0, among.Fault())
	r.SelfTotals = among.Alpha
	r.SelfTotals.Few = r.RepeatedAnswers < stats.FewClusters
}
