package judgequality

import (
	"math"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats/agreement"
)

// A LeniencyRow is the difference judge minus human, in points, on the answers of a system that both scored; AllSystems for
// all systems.
type LeniencyRow struct {
	Judge      string        `csv:"judge"`
	System     string        `csv:"system"`
	N          int           `csv:"n"`                              // answers
	Difference table.Bounded `csv:"mean_difference,ci_low,ci_high"` // clustered by question
}

// panelists are the judges that are neither floors nor people nor degenerate.
func panelists(x *dataset.Dataset) []int {
	return table.Where(x.Scorers(), func(j int) bool { return x.Degenerate[j] == "" })
}

// leniency is in the order of judges and systems.
func leniency(c *dataset.Calculator, x *dataset.Dataset, people dataset.AnswerTotals) (rows []LeniencyRow) {
	if !people.Any() {
		return nil
	}
	for _, j := range x.Scorers() {
		of := make([]dataset.Sample, len(x.Systems)+1)
		x.EachDifference(x.AnswerTotals(j), people, func(answer int, difference float64) {
			system := x.Cells[x.CellOf[answer]].System
			of[system].Add(difference, x.Question[answer])
			of[len(x.Systems)].Add(difference, x.Question[answer])
		})
		for s, system := range append(slices.Clone(x.Systems), store.Participant{Name: dataset.AllSystems}) {
			if e := c.Mean(of[s]); e.N > 0 {
				rows = append(rows, LeniencyRow{x.Judges[j].Name, system.Name, e.N, e.Bounded})
			}
		}
	}
	return rows
}

// fillFamily sets how many points more a judge gives to systems of its declared family, relative to other systems, than
// people do. Answers are compared within a scenario; the preference is the mean over the scenarios in which both groups of
// systems answered.
func (r *JudgeRow) fillFamily(c *dataset.Calculator, x *dataset.Dataset, people dataset.AnswerTotals) {
	for _, system := range x.Systems {
		if r.Family != "" && system.Family == r.Family {
			r.FamilySystems = append(r.FamilySystems, system.Name)
		}
	}
	if r.FamilySystems == nil || !people.Any() {
		return
	}
	scenarios := x.Scenarios()
	of := make([][2]dataset.Sample, len(scenarios)) // others, family
	x.EachDifference(x.AnswerTotals(r.judge), people, func(answer int, difference float64) {
		cell := x.Cells[x.CellOf[answer]]
		kin := int(dataset.Indicator(x.Systems[cell.System].Family == r.Family))
		of[slices.Index(scenarios, cell.Scenario)][kin].Add(difference, x.Question[answer])
	})
	var samples []dataset.Sample
	for _, s := range of {
		if s[0].Values != nil && s[1].Values != nil {
			samples = append(samples, s[1], s[0])
		}
	}
	weight := 2 / float64(len(samples))
	r.FamilyPeople = c.Contrast(samples, slices.Repeat([]float64{weight, -weight}, len(samples)/2)).Bounded
}

// fillLength sets Spearman's rho of a judge's totals and the number of words of an answer, resampled by question.
func (r *JudgeRow) fillLength(c *dataset.Calculator, x *dataset.Dataset) {
	own := x.AnswerTotals(r.judge)
	var words, totals []float64
	var questions []int
	for a, row := range x.Answers {
		if total, ok := own.Of(a); ok && row.Status == data.Valid {
			words, totals, questions = append(words, float64(row.Words)), append(totals, total), append(questions, x.Question[a])
		}
	}
	r.LengthN = len(words)
	if r.Length.Value = table.FigureOf(c.Value(agreement.Spearman(words, totals))); r.Length.Known() {
		i, err := agreement.AgreementBootstrap(words, totals, questions, x.Resampling())
		r.Length.Low, r.Length.High = c.Bounds(i.Spearman, err)
	}
}

// fillRepeats sets the self-agreement of a judge on answers that it scored more than once: the k-th verdict on an answer is
// the k-th rater, and alpha is resampled by question.
func (r *JudgeRow) fillRepeats(c *dataset.Calculator, x *dataset.Dataset) {
	var answers, nths []int
	var totals, same, far []float64
	var questions []int
	sheets := x.Valid(r.judge)
	again := func(i int) bool { return i > 0 && sheets[i-1].Answer == sheets[i].Answer }
	repeated := false
	for i := range sheets {
		repeated = repeated || again(i)
	}
	if !repeated { // most judges score an answer once
		return
	}
	nth := 0
	for i, s := range sheets {
		if again(i) {
			nth++
		} else {
			nth, questions = 0, append(questions, x.Question[s.Answer])
		}
		r.RepeatedAnswers += int(dataset.Indicator(nth == 1))
		for _, earlier := range sheets[i-nth : i] {
			same = append(same, dataset.Indicator(slices.Equal(earlier.Scores, s.Scores)))
			far = append(far, math.Abs(earlier.Total-s.Total))
		}
		answers, nths, totals = append(answers, int(s.Answer)), append(nths, nth), append(totals, s.Total)
	}
	r.SelfEqual, r.SelfDistance = table.FigureOf(c.Moments(same).Mean), table.FigureOf(c.Moments(far).Mean)
	ratings, _, err := agreement.LongRatings(answers, nths, totals)
	if c.Value(0, err); err != nil {
		return
	}
	r.SelfTotals = c.AlphaInterval(ratings, agreement.Interval, questions, x.Resampling())
	r.SelfTotals.Few = r.RepeatedAnswers < dataset.FewQuestions
}

// tauPeople is Kendall's tau-b between the rankings of systems by a judge and by people, over the systems that both scored.
// It uses ranks, so that rounding errors do not break ties.
func (t *Tables) tauPeople(c *dataset.Calculator, judge string) table.Figure {
	who := t.References()
	if who == nil {
		return table.Figure{}
	}
	var own, people []table.Figure
	for s := range t.Systems {
		name := t.Systems[s].Name
		if a, b := t.Overall(judge, name).Mean, t.Overall(t.Judges[who[0]].Name, name).Mean; a.Known() && b.Known() {
			own, people = append(own, a), append(people, b)
		}
	}
	ranks := func(of []table.Figure) []float64 {
		return table.Each(dataset.Ranks(of), func(rank table.Figure) float64 { return *rank.Number })
	}
	return table.FigureOf(c.Value(agreement.KendallTauB(ranks(own), ranks(people))))
}
