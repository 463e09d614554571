package paper

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// SheetPairs are people's sheets and a judge's on the same answers, scores in the
// rubric's order, with the question of each: what is resampled for intervals.
type SheetPairs struct {
	People, Judge [][]float64
	Questions     []int
}

// An Interval is a figure with the bounds of 95 in 100 resamples of questions.
type Interval struct{ Value, Low, High float64 }

// A SheetAgreement says in four figures how far a judge agrees with people:
// Krippendorff's interval alpha over all criteria one after the other and over
// totals, Spearman's rho of totals, and the mean of the criteria's own alphas.
type SheetAgreement struct {
	N                                       int
	Separate, Final, Spearman, PerCriterion Interval
}

// Figures are its parts, in the order of SheetFigureNames.
func (a SheetAgreement) Figures() []Interval {
	return []Interval{a.Separate, a.Final, a.Spearman, a.PerCriterion}
}

// Figures are the values without bounds, in the order of SheetFigureNames.
func (p SheetPairs) Figures() ([]float64, error) {
	people, judge := totalsOf(p.People), totalsOf(p.Judge)
	separate, err1 := intervalAlpha(flat(p.People), flat(p.Judge))
	final, err2 := intervalAlpha(people, judge)
	rho, err3 := agreement.Spearman(people, judge)
	mean, err4 := p.meanAlpha()
	return []float64{separate, final, rho.R, mean}, errors.Join(err1, err2, err3, err4)
}

// SheetFigureNames name the figures.
var SheetFigureNames = []string{"separate alpha", "final alpha", "final Spearman", "mean alpha of the criteria"}

// Agreement computes the figures with their bounds. One that is undefined, as a
// constant judge's correlation is, is nought to nought.
func (p SheetPairs) Agreement(o stats.Resampling) (SheetAgreement, error) {
	a := SheetAgreement{N: len(p.People)}
	if a.N == 0 {
		return a, nil
	}
	separate, err := agreement.AgreementBootstrap(flat(p.Judge), flat(p.People), repeated(p.Questions, len(p.People[0])), o)
	if err != nil {
		return a, fmt.Errorf("agreement over all criteria: %w", err)
	}
	final, err := agreement.AgreementBootstrap(totalsOf(p.Judge), totalsOf(p.People), p.Questions, o)
	if err != nil {
		return a, fmt.Errorf("agreement of totals: %w", err)
	}
	a.Separate, a.Final, a.Spearman = bounded(separate.Alpha), bounded(final.Alpha), bounded(final.Spearman)
	if a.PerCriterion.Value, err = p.meanAlpha(); err != nil {
		return a, ignoreUndefined(err)
	}
	d, err := stats.ClusterBootstrap(a.N, p.Questions, o, func(rows []int) (float64, error) {
		drawn := SheetPairs{make([][]float64, len(rows)), make([][]float64, len(rows)), nil}
		for i, row := range rows {
			drawn.People[i], drawn.Judge[i] = p.People[row], p.Judge[row]
		}
		return drawn.meanAlpha()
	})
	if err != nil {
		return a, ignoreUndefined(err)
	}
	a.PerCriterion.Low, a.PerCriterion.High = d.Low, d.High
	return a, nil
}

func ignoreUndefined(err error) error {
	if errors.Is(err, stats.ErrUndefined) {
		return nil
	}
	return err
}

func bounded(r agreement.Resampled) Interval {
	if r.Err != nil {
		return Interval{Value: r.Value}
	}
	return Interval{r.Value, r.Low, r.High}
}

// meanAlpha is the mean of the criteria's alphas. A criterion on which nobody
// ever differs has none, and is left out; all left out is an error.
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

// A SheetRow is one line of a table of sheets' agreement: who, what that is, and
// its figures.
type SheetRow struct {
	Name, Kind string
	SheetAgreement
}

// PrintSheetAgreements shows rows for people to read.
func PrintSheetAgreements(w io.Writer, rows []SheetRow) error { return sheetTable(rows).Terminal(w) }

// SheetAgreementsMarkdown is the rows as a table in Markdown.
func SheetAgreementsMarkdown(rows []SheetRow) string { return sheetTable(rows).Markdown() }

func sheetTable(rows []SheetRow) *table.Table {
	t := &table.Table{Words: 2, Header: []string{"judge", "kind", "n", "separate alpha", "final alpha", "final Spearman", "criteria's alpha"}}
	for _, r := range rows {
		cells := []string{r.Name, r.Kind, strconv.Itoa(r.N)}
		for _, f := range r.Figures() {
			cells = append(cells, f.text(2))
		}
		t.Add(cells...)
	}
	return t
}

// text is "0.64 [0.58, 0.70]", or a dash where there is nothing.
func (i Interval) text(decimals int) string {
	if i == (Interval{}) {
		return table.None
	}
	if i.Low == i.High {
		return table.Number(i.Value).Text(decimals)
	}
	return table.Interval(table.Number(i.Value), table.Number(i.Low), table.Number(i.High), decimals)
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
