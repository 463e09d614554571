package results

import (
	"errors"
	"math"

	"compqa/stats"
)

// moments are a mean and the sample standard deviation about it, in points.
type moments struct {
	N    int      `json:"n"`
	Mean *float64 `json:"mean"` // nil of none
	SD   *float64 `json:"sd"`   // nil of fewer than two
}

// levelFigures compare two raters' scores; the difference is second minus first.
type levelFigures struct {
	AlphaInterval  *float64 `json:"alpha_interval"`
	AlphaOrdinal   *float64 `json:"alpha_ordinal"`
	AlphaNominal   *float64 `json:"alpha_nominal"`
	Pearson        *float64 `json:"pearson"`
	Spearman       *float64 `json:"spearman"`
	KendallTauB    *float64 `json:"kendall_tau_b"`
	MeanDifference *float64 `json:"mean_difference"`
}

// agreementFigures compare all criteria's scores in one (separate), total
// points (final), and each criterion in the rubric's order.
type agreementFigures struct {
	Separate             levelFigures `json:"separate"`
	Final                levelFigures `json:"final"`
	PerCriterionAlpha    []*float64   `json:"per_criterion_alpha_interval"`
	PerCriterionSpearman []*float64   `json:"per_criterion_spearman"`
}

// A computer computes statistics and keeps the first error that is more than
// "this is undefined here", which is nil.
type computer struct{ err error }

func (c *computer) value(x float64, err error) *float64 {
	if err == nil {
		return &x
	}
	if !errors.Is(err, stats.ErrUndefined) && c.err == nil {
		c.err = err
	}
	return nil
}

func (c *computer) moments(values []float64) moments {
	m := moments{N: len(values)}
	se, err := stats.StandardErrors(values, nil)
	c.value(0, err)
	if m.N > 0 {
		m.Mean = &se.Mean
	}
	if m.N > 1 {
		sd := se.CLT * math.Sqrt(float64(m.N)) // CLT is the sample deviation over √n
		m.SD = &sd
	}
	return m
}

// meanDefined is the mean of figures that are all defined, else nil: the mean of
// the rest would be another figure.
func (c *computer) meanDefined(of []*float64) *float64 {
	values := make([]float64, len(of))
	for i, f := range of {
		if f == nil {
			return nil
		}
		values[i] = *f
	}
	return c.moments(values).Mean
}

func (c *computer) alpha(x, y []float64, level stats.Level) *float64 {
	ratings, err := stats.PairedRatings(x, y)
	if err != nil {
		return c.value(0, err)
	}
	alpha, err := stats.Alpha(ratings, level)
	return c.value(alpha.Alpha, err)
}

func (c *computer) coefficient(r stats.Correlation, err error) *float64 { return c.value(r.R, err) }

func (c *computer) level(x, y []float64) levelFigures {
	return levelFigures{
		AlphaInterval:  c.alpha(x, y, stats.Interval),
		AlphaOrdinal:   c.alpha(x, y, stats.Ordinal),
		AlphaNominal:   c.alpha(x, y, stats.Nominal),
		Pearson:        c.coefficient(stats.Pearson(x, y)),
		Spearman:       c.coefficient(stats.Spearman(x, y)),
		KendallTauB:    c.coefficient(stats.KendallTauB(x, y, stats.KendallNormal)),
		MeanDifference: c.value(stats.MeanDifference(x, y)),
	}
}

func (c *computer) agreement(pairs sheetPairs, criteria int) agreementFigures {
	a := agreementFigures{Separate: c.level(pairs.separate()), Final: c.level(pairs.final())}
	for i := range criteria {
		x, y := pairs.criterion(i)
		a.PerCriterionAlpha = append(a.PerCriterionAlpha, c.alpha(x, y, stats.Interval))
		a.PerCriterionSpearman = append(a.PerCriterionSpearman, c.coefficient(stats.Spearman(x, y)))
	}
	return a
}
