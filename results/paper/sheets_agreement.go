package paper

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// SheetPairs are the human score sheets and of a judge for the same answers,
// scores in the rubric's order, with the question of each, which is the unit of
// resampling.
type SheetPairs struct {
	People, Judge [][]float64
	Questions     []int
}

func (p *SheetPairs) add(person, judge []float64) {
	p.People, p.Judge = append(p.People, person), append(p.Judge, judge)
}

// separate are the scores of all criteria.
func (p SheetPairs) separate() (people, judge []float64) {
	return slices.Concat(p.People...), slices.Concat(p.Judge...)
}

// final are the totals.
func (p SheetPairs) final() (people, judge []float64) { return totalsOf(p.People), totalsOf(p.Judge) }

// criterion are the scores of one criterion, by its place in the rubric.
func (p SheetPairs) criterion(k int) (people, judge []float64) {
	for i := range p.People {
		people, judge = append(people, p.People[i][k]), append(judge, p.Judge[i][k])
	}
	return people, judge
}

// A SheetAgreement is the agreement of a judge with human scores in four figures:
// Krippendorff's interval alpha over all criteria in sequence and over totals,
// Spearman's rho of totals, and the mean of the alphas of single criteria. Bounds
// are those of 95 % of the resamples of questions. Undefined figures are missing.
type SheetAgreement struct {
	N                                       int
	Separate, Final, Spearman, PerCriterion table.Bounded
}

// Figures are the figures in the order of SheetFigureNames.
func (a SheetAgreement) Figures() []table.Bounded {
	return []table.Bounded{a.Separate, a.Final, a.Spearman, a.PerCriterion}
}

// SheetFigureNames name the figures.
var SheetFigureNames = []string{"separate alpha", "final alpha", "final Spearman", "mean alpha of the criteria"}

// Figures are the values without bounds, in the order of SheetFigureNames.
func (p SheetPairs) Figures() ([]float64, error) {
	separate, err1 := intervalAlpha(p.separate())
	final, err2 := intervalAlpha(p.final())
	rho, err3 := agreement.Spearman(p.final())
	mean, err4 := p.meanAlpha()
	return []float64{separate, final, rho, mean}, errors.Join(err1, err2, err3, err4)
}

// Agreement computes the figures with their bounds.
func (p SheetPairs) Agreement(o stats.Resampling) (SheetAgreement, error) {
	a := SheetAgreement{N: len(p.People)}
	if a.N == 0 {
		return a, nil
	}
	var c dataset.Calculator
	level := func(people, judge []float64) (alpha, rho table.Bounded, err error) {
		questions := make([]int, len(people))
		for i := range questions {
			questions[i] = p.Questions[i/(len(people)/a.N)]
		}
		r, err := agreement.AgreementBootstrap(judge, people, questions, o)
		alpha = c.Interval(table.FigureOf(c.Alpha(people, judge, agreement.Interval)), r.Alpha.Low, r.Alpha.High, cmp.Or(err, r.Alpha.Err))
		rho = c.Interval(table.FigureOf(c.Value(agreement.Spearman(people, judge))), r.Spearman.Low, r.Spearman.High, cmp.Or(err, r.Spearman.Err))
		return alpha, rho, err
	}
	var err error
	if a.Separate, _, err = level(p.separate()); err != nil {
		return a, fmt.Errorf("agreement over all criteria: %w", err)
	}
	if a.Final, a.Spearman, err = level(p.final()); err != nil {
		return a, fmt.Errorf("agreement of totals: %w", err)
	}
	a.PerCriterion.Value = table.FigureOf(c.Value(p.meanAlpha()))
	if a.PerCriterion.Value.Known() {
		d, err := stats.ClusterBootstrap(a.N, p.Questions, o, func(rows []int) (float64, error) {
			drawn := SheetPairs{make([][]float64, len(rows)), make([][]float64, len(rows)), nil}
			for i, row := range rows {
				drawn.People[i], drawn.Judge[i] = p.People[row], p.Judge[row]
			}
			return drawn.meanAlpha()
		})
		a.PerCriterion = c.Interval(a.PerCriterion.Value, d.Low, d.High, err)
	}
	return a, c.Err
}

// meanAlpha is the mean of the criteria's alphas. A criterion without variation
// is left out; ErrNoVariation if this is true of all.
func (p SheetPairs) meanAlpha() (float64, error) {
	var c dataset.Calculator
	var alphas []table.Figure
	for k := range p.People[0] {
		people, judge := p.criterion(k)
		alphas = append(alphas, table.FigureOf(c.Alpha(people, judge, agreement.Interval)))
	}
	if mean := c.MeanKnown(alphas); mean.Known() {
		return *mean.Number, c.Err
	}
	return 0, cmp.Or(c.Err, stats.ErrNoVariation)
}

func intervalAlpha(x, y []float64) (float64, error) {
	ratings, err := agreement.PairedRatings(x, y)
	if err != nil {
		return 0, err
	}
	alpha, err := agreement.Alpha(ratings, agreement.Interval)
	return alpha.Alpha, err
}

func totalsOf(sheets [][]float64) []float64 {
	totals := make([]float64, len(sheets))
	for i, s := range sheets {
		for _, points := range s {
			totals[i] += points
		}
	}
	return totals
}

// A SheetRow is one row of a table of agreement with human scores.
type SheetRow struct {
	Name, Kind string
	SheetAgreement
}

// SheetTable is a table of the rows.
func SheetTable(rows []SheetRow) *table.Table {
	return table.View(2, rows, "Name=judge", "Kind=kind", "N=n", "Separate=separate alpha", "Final=final alpha", "Spearman=final Spearman",
		"PerCriterion=criteria's alpha")
}
