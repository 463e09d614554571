package calibrate

import (
	"cmp"
	"errors"

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
	questions []string
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
	for i, f := range sheetFigures {
		value := table.FigureOf(c.Value(f.of(p.SheetPairs)))
		if !value.Known() {
			continue
		}
		resampled, err := stats.ClusterBootstrap(len(p.People), stats.ClusterLabels(p.questions), o, func(rows []int) (float64, error) {
			var drawn paper.SheetPairs
			for _, row := range rows {
				drawn.Add(p.People[row], p.Judge[row])
			}
			return f.of(drawn)
		})
		figures[i] = c.Interval(value, resampled.Low, resampled.High, err)
	}
	return figures, c.Err
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
