package calibrate

import (
	"cmp"
	"errors"

	"compqa/judges/surface"
	"compqa/results/dataset"
	"compqa/results/paper"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// sheetPairs are score sheets of people and of a judge for the same answers, with the question of
// each, which is the unit of resampling.
type sheetPairs struct {
	paper.SheetPairs
	questions []int
}

// join pairs people's sheets with scores of the same answers, without the sheets that have none.
func (c *fitting) join(people []surface.PersonSheet, of func(surface.PersonSheet) []float64) (p sheetPairs) {
	var questions []string
	for _, s := range people {
		if scores := of(s); scores != nil {
			p.Add(s.Scores, scores)
			questions = append(questions, c.Answers[s.Answer].Pair())
		}
	}
	p.questions = stats.ClusterLabels(questions)
	return p
}

// sheetFigures compare a judge with human scores: Krippendorff's interval alpha over all criteria in
// sequence and over totals, Spearman's rho of totals, and the mean of the alphas of single criteria.
var sheetFigures = []struct {
	name string
	of   func(paper.SheetPairs) (float64, error)
}{
	{"separate alpha", func(p paper.SheetPairs) (float64, error) { return intervalAlpha(p.Values(paper.AllScores)) }},
	{"final alpha", func(p paper.SheetPairs) (float64, error) { return intervalAlpha(p.Values(paper.TotalOf)) }},
	{"final Spearman", func(p paper.SheetPairs) (float64, error) { return agreement.Spearman(p.Values(paper.TotalOf)) }},
	{"mean alpha of the criteria", meanAlpha},
}

func intervalAlpha(x, y []float64) (float64, error) {
	ratings, err := agreement.PairedRatings(x, y)
	if err != nil {
		return 0, err
	}
	alpha, err := agreement.Alpha(ratings, agreement.Interval)
	return alpha.Alpha, err
}

// meanAlpha is the mean of the criteria's alphas. A criterion without variation
// is left out; ErrNoVariation if this is true of all.
func meanAlpha(p paper.SheetPairs) (float64, error) {
	var c dataset.Calculator
	var alphas []table.Figure
	for k := range p.People[0] {
		alphas = append(alphas, table.FigureOf(c.Value(intervalAlpha(p.Values(paper.ScoreOf(k))))))
	}
	if mean := c.MeanKnown(alphas); mean.Known() {
		return *mean.Number, c.Err
	}
	return 0, cmp.Or(c.Err, stats.ErrNoVariation)
}

// values are the figures without bounds.
func (p sheetPairs) values() (values []float64, err error) {
	for _, f := range sheetFigures {
		value, failed := f.of(p.SheetPairs)
		values, err = append(values, value), errors.Join(err, failed)
	}
	return values, err
}

// agreement is the figures with bounds, those of 95 % of the resamples of questions. Undefined figures are missing.
func (p sheetPairs) agreement(o stats.Resampling) ([]table.Bounded, error) {
	figures := make([]table.Bounded, len(sheetFigures))
	if len(p.People) == 0 {
		return figures, nil
	}
	var c dataset.Calculator
	separate, err1 := p.resampled(paper.AllScores, o)
	final, err2 := p.resampled(paper.TotalOf, o)
	criteria, err3 := stats.ClusterBootstrap(len(p.People), p.questions, o, func(rows []int) (float64, error) {
		drawn := paper.SheetPairs{People: make([][]float64, len(rows)), Judge: make([][]float64, len(rows))}
		for i, row := range rows {
			drawn.People[i], drawn.Judge[i] = p.People[row], p.Judge[row]
		}
		return meanAlpha(drawn)
	})
	for i, of := range []agreement.Resampled{separate.Alpha, final.Alpha, final.Spearman, {Distribution: criteria, Err: err3}} {
		if figures[i].Value = table.FigureOf(c.Value(sheetFigures[i].of(p.SheetPairs))); figures[i].Known() {
			figures[i].Low, figures[i].High = c.Bounds(of, cmp.Or(err1, err2))
		}
	}
	return figures, c.Err
}

// resampled is the agreement of values of the sheets over the resamples.
func (p sheetPairs) resampled(of func(sheet []float64) []float64, o stats.Resampling) (agreement.AgreementIntervals, error) {
	people, judge := p.Values(of)
	questions := make([]int, len(people))
	for i := range questions {
		questions[i] = p.questions[i*len(p.People)/len(people)]
	}
	return agreement.AgreementBootstrap(judge, people, questions, o)
}

// A sheetRow is the agreement of one judge with human scores.
type sheetRow struct {
	name, kind string
	pairs      sheetPairs
	figures    []table.Bounded // of sheetFigures
}

func sheetTable(rows []sheetRow) *table.Table {
	view := table.New(2, "judge", "kind", "n", "separate alpha", "final alpha", "final Spearman", "criteria's alpha")
	for _, r := range rows {
		view.Add(r.name, r.kind, len(r.pairs.People), r.figures[0], r.figures[1], r.figures[2], r.figures[3])
	}
	return view
}
