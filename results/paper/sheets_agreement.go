package paper

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// SheetPairs are the score sheets of people and of a judge for the same answers,
// scores in the rubric's order, with the question of each, which is the unit of
// resampling.
type SheetPairs struct {
	People, Judge [][]float64
	Questions     []int
}

// A SheetAgreement is the agreement of a judge with human scores in four figures:
// Krippendorff's interval alpha over all criteria in sequence and over totals,
// Spearman's rho of totals, and the mean of the alphas of single criteria. Bounds
// are those of 95 % of the resamples of questions. Undefined figures are missing.
type SheetAgreement struct {
	N                                       int
	Separate, Final, Spearman, PerCriterion dataset.Margin
}

// Figures are the figures in the order of SheetFigureNames.
func (a SheetAgreement) Figures() []dataset.Margin {
	return []dataset.Margin{a.Separate, a.Final, a.Spearman, a.PerCriterion}
}

// SheetFigureNames name the figures.
var SheetFigureNames = []string{"separate alpha", "final alpha", "final Spearman", "mean alpha of the criteria"}

// Figures are the values without bounds, in the order of SheetFigureNames.
func (p SheetPairs) Figures() ([]float64, error) {
	people, judge := totalsOf(p.People), totalsOf(p.Judge)
	separate, err1 := intervalAlpha(flat(p.People), flat(p.Judge))
	final, err2 := intervalAlpha(people, judge)
	rho, err3 := agreement.Spearman(people, judge)
	mean, err4 := p.meanAlpha()
	return []float64{separate, final, rho.R, mean}, errors.Join(err1, err2, err3, err4)
}

// Agreement computes the figures with their bounds.
func (p SheetPairs) Agreement(o stats.Resampling) (SheetAgreement, error) {
	a := SheetAgreement{N: len(p.People)}
	if a.N == 0 {
		return a, nil
	}
	var c dataset.Calculator
	judge, people := flat(p.Judge), flat(p.People)
	separate, err := agreement.AgreementBootstrap(judge, people, repeated(p.Questions, len(p.People[0])), o)
	if err != nil {
		return a, fmt.Errorf("agreement over all criteria: %w", err)
	}
	a.Separate = margin(&c, c.Alpha(people, judge, agreement.Interval), separate.Alpha)
	judge, people = totalsOf(p.Judge), totalsOf(p.People)
	final, err := agreement.AgreementBootstrap(judge, people, p.Questions, o)
	if err != nil {
		return a, fmt.Errorf("agreement of totals: %w", err)
	}
	a.Final = margin(&c, c.Alpha(people, judge, agreement.Interval), final.Alpha)
	a.Spearman = margin(&c, c.Coefficient(agreement.Spearman(people, judge)), final.Spearman)
	a.PerCriterion.Value = table.FigureOf(c.Value(p.meanAlpha()))
	if a.PerCriterion.Value.Known() {
		d, err := stats.ClusterBootstrap(a.N, p.Questions, o, func(rows []int) (float64, error) {
			drawn := SheetPairs{make([][]float64, len(rows)), make([][]float64, len(rows)), nil}
			for i, row := range rows {
				drawn.People[i], drawn.Judge[i] = p.People[row], p.Judge[row]
			}
			return drawn.meanAlpha()
		})
		a.PerCriterion.Low, a.PerCriterion.High = table.FigureOf(c.Value(d.Low, err)), table.FigureOf(c.Value(d.High, err))
	}
	return a, c.Err
}

// margin is a figure, nil if it is undefined, with its resampled bounds.
func margin(c *dataset.Calculator, value *float64, r agreement.Resampled) dataset.Margin {
	low, high := c.Bounds(r, nil)
	return dataset.Margin{Value: table.FigureOf(value), Low: low, High: high}
}

// meanAlpha is the mean of the criteria's alphas. A criterion without variation
// is left out; ErrNoVariation if this is true of all.
func (p SheetPairs) meanAlpha() (float64, error) {
	sum, n := 0.0, 0
	column := make([]float64, 2*len(p.People))
	people, judge := column[:len(p.People)], column[len(p.People):]
	for k := range p.People[0] {
		for i := range p.People {
			people[i], judge[i] = p.People[i][k], p.Judge[i][k]
		}
		alpha, err := intervalAlpha(people, judge)
		if errors.Is(err, stats.ErrUndefined) {
			continue
		}
		if err != nil {
			return 0, err
		}
		sum += alpha
		n++
	}
	if n == 0 {
		return 0, stats.ErrNoVariation
	}
	return sum / float64(n), nil
}

func intervalAlpha(x, y []float64) (float64, error) {
	ratings, err := agreement.PairedRatings(x, y)
	if err != nil {
		return 0, err
	}
	alpha, err := agreement.Alpha(ratings, agreement.Interval)
	return alpha.Alpha, err
}

func flat(sheets [][]float64) []float64 {
	var all []float64
	for _, s := range sheets {
		all = append(all, s...)
	}
	return all
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

func repeated(labels []int, times int) []int {
	all := make([]int, 0, len(labels)*times)
	for _, l := range labels {
		for range times {
			all = append(all, l)
		}
	}
	return all
}

// A SheetRow is one row of a table of agreement with human scores.
type SheetRow struct {
	Name, Kind string
	SheetAgreement
}

// PrintSheetAgreements prints the rows on the terminal.
func PrintSheetAgreements(w io.Writer, rows []SheetRow) error { return sheetTable(rows).Terminal(w) }

// SheetAgreementsMarkdown is the rows as a table in Markdown.
func SheetAgreementsMarkdown(rows []SheetRow) string { return sheetTable(rows).Markdown() }

func sheetTable(rows []SheetRow) *table.Table {
	t := &table.Table{Words: 2, Header: []string{"judge", "kind", "n", "separate alpha", "final alpha", "final Spearman", "criteria's alpha"}}
	for _, r := range rows {
		cells := []string{r.Name, r.Kind, strconv.Itoa(r.N)}
		for _, f := range r.Figures() {
			cells = append(cells, table.Interval(f.Value, f.Low, f.High, 2))
		}
		t.Add(cells...)
	}
	return t
}

// Resampled are the pairs of as many questions, drawn with replacement.
func (p SheetPairs) Resampled(rng *stats.RNG) SheetPairs {
	rows := map[int][]int{}
	questions := 0
	for i, q := range p.Questions {
		rows[q] = append(rows[q], i)
		questions = max(questions, q+1)
	}
	var drawn SheetPairs
	for range questions {
		for _, i := range rows[rng.Intn(questions)] {
			drawn.People, drawn.Judge = append(drawn.People, p.People[i]), append(drawn.Judge, p.Judge[i])
			drawn.Questions = append(drawn.Questions, p.Questions[i])
		}
	}
	return drawn
}
