package bench

import (
	"cmp"
	"errors"

	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/stats"
)

// sheetPairs are the score sheets of people and of a judge on the same answers. The clusters for resampling are the questions.
type sheetPairs struct{ raters.Sheets }

// sheetFigures are the names of the figures that compare a judge with human scores. They are Krippendorff's interval alpha over the scores
// on all criteria together and over totals, Spearman's rho of totals, and the mean of the alphas of single criteria.
var sheetFigures = []string{"separate alpha", "final alpha", "final Spearman", "mean alpha of the criteria"}

// meanAlpha returns the mean of the criteria's alphas. It leaves out criteria without variation, and returns ErrNoVariation if none is
// left.
func meanAlpha(criteria []raters.Table) (float64, error) {
	var alphas []float64
	for _, t := range criteria {
		row := t.Pair(raters.Options{Figures: raters.Alpha, Intervals: raters.NoIntervals})
		if row.Fault() != nil {
			return 0, row.Fault()
		}
		if row.Alpha.Known {
			alphas = append(alphas, row.Alpha.Value)
		}
	}
	if alphas == nil {
		return 0, stats.ErrNoVariation
	}
	return stats.Mean(alphas), nil
}

// rows measure the agreement on the scores of all criteria together (separate), and on totals (final).
func (p sheetPairs) rows(criteria []raters.Table, o raters.Options) (separate, final raters.Row) {
	o.Figures = raters.Alpha | raters.Ranks | raters.RankIntervals
	return raters.Pooled("separate", criteria).Pair(o), raters.Sums("final", criteria).Pair(o)
}

// values returns the sheetFigures without intervals. An undefined figure is an error.
func (p sheetPairs) values() ([]float64, error) {
	criteria := p.Criteria(len(p.Judge[0]))
	separate, final := p.rows(criteria, raters.Options{Intervals: raters.NoIntervals})
	mean, err := meanAlpha(criteria)
	return []float64{separate.Alpha.Value, final.Alpha.Value, final.Spearman.Value, mean},
		errors.Join(err, separate.Alpha.Why, final.Alpha.Why, final.Spearman.Why)
}

// agreement returns the sheetFigures with 95 % intervals from resamples of questions. Undefined figures are missing.
func (p sheetPairs) agreement(o stats.Resampling) ([]stats.Figure, error) {
	if len(p.Judge) == 0 {
		return make([]stats.Figure, len(sheetFigures)), nil
	}
	criteria := p.Criteria(len(p.Judge[0]))
	separate, final := p.rows(criteria, raters.Options{Resampling: o})
	var c dataset.Calculator
	mean := c.Figure(meanAlpha(criteria))
	if mean.Known {
		units, err := stats.Units(len(p.Judge), p.Clusters)
		if err != nil {
			return nil, err
		}
		d, err := units.Bootstrap(o, func(weights []float64) []float64 {
			var drawn sheetPairs
			for row, times := range weights {
				for range int(times) {
					drawn.Add(p.Reference[row], p.Judge[row], row)
				}
			}
			return []float64{stats.Defined(meanAlpha(drawn.Criteria(len(criteria))))}
		}).Distribution(0)
		mean = c.Interval(mean.Point(), d.Low, d.High, err)
	}
	return []stats.Figure{separate.Alpha, final.Alpha, final.Spearman, mean},
		cmp.Or(c.Err, separate.Fault(), final.Fault())
}

// A sheetRow is the agreement of one judge with human scores.
type sheetRow struct {
	name, kind string
	pairs      sheetPairs
	figures    []stats.Figure // the figures that sheetFigures names
}

func sheetTable(rows []sheetRow) *table.Table {
	view := table.New(2, "judge", "kind", "n", "separate alpha (interval)", "final alpha (interval)", "final Spearman",
		"criteria's alpha (interval)")
	for _, r := range rows {
		view.Add(r.name, r.kind, len(r.pairs.Judge), r.figures[0], r.figures[1], r.figures[2], r.figures[3])
	}
	return view
}
