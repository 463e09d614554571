package validation

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/table"
	"compqa/results/validation/scales"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A SliceRow is a judge's criterion on the items with one value of a column: a row of slices.csv. P
// is of the difference of the judge's error from that on the other items.
type SliceRow struct {
	Judge      string        `csv:"judge"`
	Criterion  string        `csv:"criterion"`
	Column     string        `csv:"column"`
	Value      string        `csv:"value"`
	N          int           `csv:"n"`
	Agreement  table.Figure  `csv:"agreement"`
	Alpha      table.Bounded `csv:"alpha"`
	Difference table.Figure  `csv:"mean_difference"`
	MAE        table.Figure  `csv:"mae"`
	P          table.Figure  `csv:"p"`
	Adjusted   table.Figure  `csv:"p_adjusted"`
}

// leastSlice is the number of items from which a slice is shown.
const leastSlice = 5

// Slices compares a judge with people on the items with each value of the columns that were asked
// for. P-values are adjusted for the number of slices (Holm).
func (s *Study) Slices(p *Pairing) (rows []SliceRow) {
	if !p.SameScale || p.PeopleScale.Kind == scales.Nominal {
		return nil
	}
	var ps []float64
	for c, column := range s.o.Columns {
		of := s.binned(c)
		values := slices.Compact(slices.Sorted(slices.Values(of)))
		for _, value := range slices.DeleteFunc(values, func(v string) bool { return v == "" }) {
			row := SliceRow{Judge: p.Judge.By, Criterion: p.Judge.Criterion, Column: column, Value: value}
			var errors []float64
			var inside []bool
			var clusters []int
			same := 0
			for i, u := range s.Units {
				if p.mean.Missing[i] || p.judge.Missing[i] {
					continue
				}
				gap := math.Abs(p.judge.Values[i] - p.mean.Values[i])
				errors, clusters, inside = append(errors, gap), append(clusters, u.Cluster), append(inside, of[i] == value)
				if of[i] == value && gap == 0 {
					same++
				}
			}
			within := Row{Reference: Majority}
			s.compare(p, &within, only(p.mean, func(i int) bool { return of[i] == value }), false, true)
			if row.N = within.N; row.N < leastSlice {
				continue
			}
			row.Agreement = table.Number(float64(same) / float64(row.N))
			row.Difference, row.MAE, row.Alpha = within.Difference, within.MAE, within.Alpha
			if e, ok := contrast(errors, inside, clusters); ok {
				if v, err := e.PValue(0); err == nil {
					row.P = table.Number(v)
					ps = append(ps, v)
				}
			}
			rows = append(rows, row)
		}
	}
	adjust(rows, ps, func(r *SliceRow) (p, adjusted *table.Figure) { return &r.P, &r.Adjusted })
	return rows
}

// mostBins is the number of values up to which each is a slice; more numbers are put into quarters.
const mostBins = 12

// binned are the units' values of a column, or for many numbers the quarter that they are in.
func (s *Study) binned(c int) []string {
	of, numbers := make([]string, len(s.Units)), map[string]float64{}
	all := true
	for i, u := range s.Units {
		if c < len(u.Columns) && u.Columns[c] != "" {
			of[i] = u.Columns[c]
			x, ok := data.Number(of[i])
			numbers[of[i]], all = x, all && ok
		}
	}
	if !all || len(numbers) <= mostBins {
		return of
	}
	var sorted []float64
	for _, v := range of {
		if v != "" {
			sorted = append(sorted, numbers[v])
		}
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

// only is a rater on some units.
func only(r agreement.Rater, in func(i int) bool) agreement.Rater {
	missing := slices.Clone(r.Missing)
	for i := range missing {
		missing[i] = missing[i] || !in(i)
	}
	return agreement.Rater{Values: r.Values, Missing: missing}
}

// contrast is the difference between the means inside and outside of a group of items, by cluster: the
// mean of v_i = n (w_i) with weights 1/n_in inside and −1/n_out outside is that difference, and its
// residuals are summed by cluster (CR1, Student's t with G−1 degrees of freedom).
func contrast(values []float64, inside []bool, clusters []int) (e stats.Estimate, ok bool) {
	var n, sum [2]float64
	side := map[bool]int{false: 0, true: 1}
	for i, v := range values {
		n[side[inside[i]]]++
		sum[side[inside[i]]] += v
	}
	if n[0] < leastSlice || n[1] < leastSlice {
		return e, false
	}
	sums := map[int]float64{}
	for i, v := range values {
		k := side[inside[i]]
		sums[clusters[i]] += (v - sum[k]/n[k]) / n[k] * float64(2*k-1)
	}
	g, squares := float64(len(sums)), 0.0
	for _, c := range slices.Sorted(maps.Keys(sums)) {
		squares += sums[c] * sums[c]
	}
	e = stats.Estimate{Value: sum[1]/n[1] - sum[0]/n[0], SE: math.Sqrt(squares * g / (g - 1)), DF: g - 1, Level: level,
		N: len(values), Clusters: len(sums)}
	return e, g >= 3 && e.SE > 0
}

// A DriftRow compares a judge's values in two logs: a row of drift.csv. Change is of the mean over all
// items; OfJudge is the part on items whose text is the same, where only the judge can have changed.
type DriftRow struct {
	Judge     string        `csv:"judge"`
	Criterion string        `csv:"criterion"`
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

// Drift compares the judges' values with those of older logs, which are a study whose people are the
// judges of the new logs, joined by text.
func Drift(old *Study) (rows []DriftRow, err error) {
	for _, before := range old.Judges {
		for _, now := range old.People {
			if before.Criterion != now.Criterion || before.Extra || before.By != now.By && slices.ContainsFunc(old.People, func(other *Series) bool {
				return other.By == before.By && other.Criterion == before.Criterion
			}) {
				continue
			}
			p := &Pairing{Judge: before, Criterion: now.Criterion}
			if err := old.prepare(p); err != nil {
				return nil, err
			}
			at := slices.IndexFunc(p.people, func(q person) bool { return q.name == now.By })
			if !p.SameScale || p.PeopleScale.Kind == scales.Nominal || at < 0 {
				continue
			}
			judge := p.people[at].Rater
			row := DriftRow{Judge: now.By, Criterion: before.Criterion}
			x, y, clusters := old.common(p.judge, judge)
			if row.N = len(x); row.N < 2 {
				continue
			}
			of := Row{Reference: Majority}
			old.compare(p, &of, judge, true, false)
			row.Agreement, row.Alpha = of.Agreement, of.Alpha
			e, err := stats.PairedDifference(y, x, clusters, level)
			row.OfJudge.Value = table.Number(e.Value)
			if err == nil {
				row.OfJudge, row.P = estimated(e.Estimate), table.Number(e.P)
			}
			a, b := present(p.judge.Values, p.judge.Missing), present(judge.Values, judge.Missing)
			row.Old, row.New = table.Number(stats.Mean(a)), table.Number(stats.Mean(b))
			row.Change = table.Number(stats.Mean(b) - stats.Mean(a))
			row.OfAnswers = table.Number(*row.Change.Number - e.Value)
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func present(values []float64, missing []bool) (kept []float64) {
	for i, v := range values {
		if !missing[i] {
			kept = append(kept, v)
		}
	}
	return kept
}
