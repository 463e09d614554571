package validation

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/gonum/stat"

	"compqa/data"
	"compqa/results/raters"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/results/validation/scales"
	"compqa/stats"
)

// familyOf returns the family of a model, as a run declares it or as a word of its name shows it, or "" if it is unknown.
func (s *Study) familyOf(name string) (family string) {
	family, known := s.families[name]
	if known {
		return family
	}
	defer func() { s.families[name] = family }()
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		for family, names := range scales.Families() {
			if slices.Contains(names, word) || slices.Contains(names, strings.TrimRightFunc(word, unicode.IsDigit)) {
				return family
			}
		}
	}
	return ""
}

// familyBias returns how much more than people the judge gives to systems of its own family, compared with other systems. It is a
// difference of means of judge minus people, by cluster. It is missing if the judge's family is unknown, or systems of only one side are
// rated.
func (p *Pairing) familyBias() (family string, bias stats.Figure) {
	family = p.familyOf(p.Judge)
	if family == "" || !p.ordered() {
		return "", bias
	}
	x := p.t.Pairs(p.judge, p.mean.Only(func(i int) bool { return p.Units[i].System != "" }))
	inside := data.Each(x.Units, func(i int) bool { return p.familyOf(p.Units[i].System) == family })
	return family, x.Contrast(x.JudgeMinusReference(), inside, nil, level).Figure()
}

// lengthBias returns the judge's length bias (raters.Table.LengthBias), if differences have a meaning.
func (p *Pairing) lengthBias() (bias stats.Figure) {
	if p.ordered() {
		bias = p.t.LengthBias(p.t.Pairs(p.judge, p.mean), level)
	}
	return bias
}

// lengthsVary reports whether the upper quartile of the texts' lengths is at least twice the lower quartile. Otherwise an effect of twice
// as many words would be an extrapolation, and is not reported.
func (p *Pairing) lengthsVary() bool {
	words := []float64{}
	for _, i := range p.t.Pairs(p.judge, p.mean).Units {
		if n := p.t.Units[i].Words; n > 0 {
			words = append(words, float64(n))
		}
	}
	if len(words) == 0 {
		return false
	}
	slices.Sort(words)
	return stat.Quantile(0.75, stat.Empirical, words, nil) >= 2*stat.Quantile(0.25, stat.Empirical, words, nil)
}

// A SliceRow is a row of slices.csv: a judge's criterion on the items with one value of a column. P tests whether the judge's mean absolute
// error differs between these and the other items.
type SliceRow struct {
	Of
	Column     string       `csv:"column"`
	Value      string       `csv:"value"`
	N          int          `csv:"n"`
	Agreement  stats.Figure `csv:"agreement"`
	Alpha      stats.Figure `csv:"alpha,alpha_low,alpha_high"`
	Difference stats.Figure `csv:"mean_difference"`
	MAE        stats.Figure `csv:"mae"`
	table.PValue
}

// bySlice compares the judge with people on the items with each value of the columns in --by. P-values are adjusted for the number of
// slices (Holm).
func (p *Pairing) bySlice() (rows []SliceRow) {
	if !p.ordered() {
		return nil
	}
	x := p.t.Pairs(p.judge, p.mean)
	errors := x.JudgeMinusReference()
	for k := range errors {
		errors[k] = math.Abs(errors[k])
	}
	for c, column := range p.o.Columns {
		bins := p.binned(c)
		values := slices.Compact(slices.Sorted(slices.Values(bins)))
		for _, value := range slices.DeleteFunc(values, func(v string) bool { return v == "" }) {
			inside := make([]bool, len(errors))
			same := 0.0
			for k, i := range x.Units {
				inside[k] = bins[i] == value
				if inside[k] && errors[k] == 0 {
					same++
				}
			}
			within := Row{Reference: Majority}
			p.compare(&within, p.mean.Only(func(i int) bool { return bins[i] == value }), raters.Alpha|raters.Rho|raters.Differences)
			if within.N < leastSlice {
				continue
			}
			rows = append(rows, SliceRow{Of: p.Of, Column: column, Value: value, N: within.N, Agreement: stats.Number(same / float64(within.N)),
				Alpha: within.Alpha, Difference: within.Difference, MAE: within.MAE,
				PValue: table.PValue{P: probability(x.Contrast(errors, inside, nil, level).Estimate)}})
		}
	}
	_ = table.Adjust(rows, func(r SliceRow) Of { return r.Of }, func(r *SliceRow) *table.PValue { return &r.PValue }) // p-values are in [0, 1]
	return rows
}

func probability(e stats.Estimate) stats.Figure {
	if v, err := e.PValue(0); err == nil {
		return stats.Number(v)
	}
	return stats.Figure{}
}

// binned returns each unit's value of a column. If the column has many different numbers, it returns the quarter that the number is in.
func (s *Study) binned(c int) []string {
	bins := make([]string, len(s.Units))
	numbers := map[string]float64{}
	sorted := []float64{}
	all := true
	for i, u := range s.Units {
		if c < len(u.Columns) && u.Columns[c] != "" {
			bins[i] = u.Columns[c]
			x, ok := data.Number(bins[i])
			numbers[bins[i]] = x
			sorted = append(sorted, x)
			all = all && ok
		}
	}
	if !all || len(numbers) <= mostBins {
		return bins
	}
	slices.Sort(sorted)
	for i, v := range bins {
		for k, name := range []string{"lowest quarter", "second quarter", "third quarter", "highest quarter"} {
			if top := stats.Quantile(sorted, float64(k+1)/4); v != "" && numbers[v] <= top {
				bins[i] = fmt.Sprintf("%s (to %s)", name, stats.Shortest(top))
				break
			}
		}
	}
	return bins
}

// A DriftRow is a row of drift.csv: it compares a judge's values in two logs. Change is the change of the mean over all items. OfJudge is
// the change on items with the same text, where only the judge can have changed.
type DriftRow struct {
	Of
	N         int          `csv:"n_same_text"`
	Agreement stats.Figure `csv:"agreement,agreement_low,agreement_high"`
	Alpha     stats.Figure `csv:"alpha,alpha_low,alpha_high"`
	OfJudge   stats.Figure `csv:"of_judge,ci_low,ci_high"`
	P         stats.Figure `csv:"p"`
	Old       stats.Figure `csv:"mean_old"`
	New       stats.Figure `csv:"mean_new"`
	Change    stats.Figure `csv:"change"`
	OfAnswers stats.Figure `csv:"of_answers"`
}

// drift compares judges' values with their values in another log. The receiver is a study of the older log, joined by text, in which the
// judges of the newer log take the place of people.
func (s *Study) drift() (rows []DriftRow, err error) {
	s.sameJudge = true
	for _, before := range s.Judges {
		same := s.peopleOn(before.ID)
		for _, now := range same {
			named := func(other *Series) bool { return other.Rater.Name == before.Rater.Name }
			if before.Extra || !named(now) && slices.ContainsFunc(same, named) {
				continue
			}
			p, err := s.pairing(before, now.ID)
			if err != nil {
				return nil, err
			}
			index := slices.IndexFunc(p.people, func(q raters.Rater) bool { return q.Name == now.Rater.Name })
			if index < 0 {
				continue
			}
			judge := p.people[index]
			x := p.t.Pairs(p.judge, judge)
			of := Row{Reference: Majority}
			if len(x.Units) < 2 {
				continue
			}
			p.compare(&of, judge, raters.Alpha|raters.Categories)
			row := DriftRow{Of: Of{now.Rater.Name, before.ID}, N: len(x.Units), Agreement: of.Agreement, Alpha: of.Alpha}
			if p.nominal() { // labels without order have no mean
				rows = append(rows, row)
				continue
			}
			ofJudge, err := trust.PairedUnits(x.Reference, x.Judge, x.Clusters)
			if err != nil {
				return nil, err
			}
			row.OfJudge = ofJudge.Value
			row.P = ofJudge.P
			a := meanOf(p.judge)
			b := meanOf(judge)
			row.Old, row.New, row.Change = stats.Number(a), stats.Number(b), stats.Number(b-a)
			if row.OfJudge.Known {
				row.OfAnswers = stats.Number(b - a - row.OfJudge.Value)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func meanOf(r raters.Rater) float64 {
	given := data.Where(r.Values, raters.Value.Given)
	return stats.Mean(data.Each(given, func(v raters.Value) float64 { return v.Number() }))
}
