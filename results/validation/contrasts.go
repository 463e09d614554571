package validation

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"compqa/data"
	"compqa/results/table"
	"compqa/results/validation/scales"
	"compqa/stats"
	"compqa/stats/agreement"
)

// contrast is the difference between the means inside and outside of a group of items, by cluster (see stats.Linearised).
// The standard error is CR1, with Student's t of G-1 degrees of freedom; it is 0 where there is no interval.
func contrast(values []float64, inside []bool, clusters []int) (e stats.Estimate) {
	groups, of := make([][]float64, 2), make([][]int, 2)
	for i, v := range values {
		k := 0
		if inside[i] {
			k = 1
		}
		groups[k], of[k] = append(groups[k], v), append(of[k], clusters[i])
	}
	if min(len(groups[0]), len(groups[1])) < leastSlice {
		return e
	}
	_, linear := stats.Linearised(groups, []float64{-1, 1})
	if se, err := stats.StandardErrors(linear, slices.Concat(of...)); err == nil && se.Clusters >= 3 {
		e, _ = se.Interval(stats.CR1, level)
	}
	return e
}

// familyOf is the family of a model: as a run declares it, or by a word of its name; "": unknown.
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

// familyBias is how much more a judge gives to systems of its own family than people do, relative to the other systems: the
// difference of the means of judge minus people, clustered. It needs a family of the judge, and items of systems within and
// outside of it.
func (p *Pairing) familyBias() (family string, bias table.Bounded) {
	family = p.familyOf(p.Judge)
	if family == "" || !p.ordered() {
		return "", bias
	}
	x := p.common(only(p.mean, func(i int) bool { return p.Units[i].System != "" }))
	inside := table.Each(x.units, func(i int) bool { return p.familyOf(p.Units[i].System) == family })
	if e := contrast(x.gaps(), inside, x.clusters); e.SE > 0 {
		return family, estimated(e)
	}
	return "", bias
}

// lengthBias is the change of judge minus people, in people's units, for an answer of twice as many words: least squares on
// log₂ of the words, with standard errors by leaving out clusters (CR3), which are HC3 where every item is a cluster
// (MacKinnon and White 1985).
func (p *Pairing) lengthBias() (bias table.Bounded) {
	x := p.common(only(p.mean, func(i int) bool { return p.Units[i].Words > 0 }))
	if !p.ordered() || len(x.units) < leastLabels {
		return bias
	}
	words := stats.Deviations(table.Each(x.units, func(i int) float64 { return math.Log2(float64(p.Units[i].Words)) }))
	gaps := stats.Deviations(x.gaps())
	at := make(map[int]int, len(x.units))
	for k, i := range x.units {
		at[i] = k
	}
	slope, leftOut := p.leaveOut(5, func(i int) []float64 {
		k, counts := at[i]
		if !counts {
			return nil
		}
		return []float64{1, words[k], gaps[k], words[k] * words[k], words[k] * gaps[k]}
	}, func(sum []float64) float64 {
		spread := sum[3] - sum[1]*sum[1]/sum[0]
		if spread < 1e-9*stats.Dot(words, words) { // one cluster decides
			return math.NaN()
		}
		return (sum[4] - sum[1]*sum[2]/sum[0]) / spread
	})
	squares := 0.0
	for _, v := range leftOut {
		squares += (v - slope) * (v - slope)
	}
	e := stats.Estimate{Value: slope, SE: math.Sqrt(squares), DF: float64(len(leftOut) - 2), Level: level}
	if stats.Dot(words, words) > 1e-9 && stats.IsFinite(e.SE) && e.SE > 0 && e.DF >= 1 && e.SetBounds() == nil {
		bias = estimated(e)
	}
	return bias
}

// A SliceRow is a judge's criterion on the items with one value of a column: a row of slices.csv. P is of the difference of
// the judge's error from that on the other items.
type SliceRow struct {
	Of
	Column     string        `csv:"column"`
	Value      string        `csv:"value"`
	N          int           `csv:"n"`
	Agreement  table.Figure  `csv:"agreement"`
	Alpha      table.Bounded `csv:"alpha"`
	Difference table.Figure  `csv:"mean_difference"`
	MAE        table.Figure  `csv:"mae"`
	table.PValue
}

// bySlice compares a judge with people on the items with each value of the columns that were asked for. P-values are
// adjusted for the number of slices (Holm).
func (p *Pairing) bySlice() (rows []SliceRow) {
	if !p.ordered() {
		return nil
	}
	x := p.common(p.mean)
	errors := x.gaps()
	for k := range errors {
		errors[k] = math.Abs(errors[k])
	}
	for c, column := range p.o.Columns {
		of := p.binned(c)
		values := slices.Compact(slices.Sorted(slices.Values(of)))
		for _, value := range slices.DeleteFunc(values, func(v string) bool { return v == "" }) {
			inside, same := make([]bool, len(errors)), 0.0
			for k, i := range x.units {
				if inside[k] = of[i] == value; inside[k] && errors[k] == 0 {
					same++
				}
			}
			within := Row{Reference: Majority}
			p.compare(&within, only(p.mean, func(i int) bool { return of[i] == value }), false, true)
			if within.N < leastSlice {
				continue
			}
			rows = append(rows, SliceRow{Of: p.Of, Column: column, Value: value, N: within.N, Agreement: table.Number(same / float64(within.N)),
				Alpha: within.Alpha, Difference: within.Difference, MAE: within.MAE,
				PValue: table.PValue{P: probability(contrast(errors, inside, x.clusters))}})
		}
	}
	_ = table.Adjust(rows, func(r SliceRow) Of { return r.Of }, func(r *SliceRow) *table.PValue { return &r.PValue }) // p-values are in [0, 1]
	return rows
}

func probability(e stats.Estimate) table.Figure {
	if v, err := e.PValue(0); err == nil {
		return table.Number(v)
	}
	return table.Figure{}
}

// binned are the units' values of a column, or for many numbers the quarter that they are in.
func (s *Study) binned(c int) []string {
	of, numbers, sorted := make([]string, len(s.Units)), map[string]float64{}, []float64{}
	all := true
	for i, u := range s.Units {
		if c < len(u.Columns) && u.Columns[c] != "" {
			of[i] = u.Columns[c]
			x, ok := data.Number(of[i])
			numbers[of[i]], sorted, all = x, append(sorted, x), all && ok
		}
	}
	if !all || len(numbers) <= mostBins {
		return of
	}
	slices.Sort(sorted)
	for i, v := range of {
		for k, name := range []string{"lowest quarter", "second quarter", "third quarter", "highest quarter"} {
			if top := stats.Quantile(sorted, float64(k+1)/4); v != "" && numbers[v] <= top {
				of[i] = fmt.Sprintf("%s (to %s)", name, table.Shortest(top))
				break
			}
		}
	}
	return of
}

// A DriftRow compares a judge's values in two logs: a row of drift.csv. Change is of the mean over all items; OfJudge is the
// part on items whose text is the same, where only the judge can have changed.
type DriftRow struct {
	Of
	N         int           `csv:"n_same_text"`
	Agreement table.Bounded `csv:"agreement"`
	Alpha     table.Bounded `csv:"alpha"`
	OfJudge   table.Bounded `csv:"of_judge,ci_low,ci_high"`
	P         table.Figure  `csv:"p"`
	Old       table.Figure  `csv:"mean_old"`
	New       table.Figure  `csv:"mean_new"`
	Change    table.Figure  `csv:"change"`
	OfAnswers table.Figure  `csv:"of_answers"`
}

// drift compares the judges' values with those of older logs, which are a study whose people are the judges of the new logs,
// joined by text.
func (s *Study) drift() (rows []DriftRow, err error) {
	s.sameJudge = true
	for _, before := range s.Judges {
		for _, now := range s.People {
			if before.Criterion != now.Criterion || before.Extra || before.By != now.By && slices.ContainsFunc(s.People, func(other *Series) bool {
				return other.By == before.By && other.Criterion == before.Criterion
			}) {
				continue
			}
			p, err := s.pairing(before, now.Criterion)
			if err != nil {
				return nil, err
			}
			at := slices.IndexFunc(p.people, func(q person) bool { return q.name == now.By })
			if at < 0 {
				continue
			}
			judge := p.people[at].Rater
			x, of := p.common(judge), Row{Reference: Majority}
			if len(x.units) < 2 {
				continue
			}
			p.compare(&of, judge, true, false)
			row := DriftRow{Of: Of{now.By, before.Criterion}, N: len(x.units), Agreement: of.Agreement, Alpha: of.Alpha}
			if p.nominal() { // labels have no mean
				rows = append(rows, row)
				continue
			}
			e, err := stats.PairedDifference(x.people, x.judge, x.clusters, level)
			row.OfJudge.Value = table.Number(e.Value)
			if err == nil {
				row.OfJudge, row.P = estimated(e.Estimate), table.Number(e.P)
			}
			a, b := meanOf(p.judge), meanOf(judge)
			row.Old, row.New, row.Change = table.Number(a), table.Number(b), table.Number(b-a)
			row.OfAnswers = table.Number(b - a - e.Value)
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func meanOf(r agreement.Rater) float64 {
	var kept []float64
	for i, v := range r.Values {
		if !r.Missing[i] {
			kept = append(kept, v)
		}
	}
	return stats.Mean(kept)
}
