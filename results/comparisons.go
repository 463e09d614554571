package results

import (
	"slices"

	"compqa/stats"
)

// A ComparisonRow is the difference of two systems under a judge and a scenario,
// over the questions that both have a valid verdict for, each question counting
// once; p_adjusted is Holm's over the systems of the same judge and scenario.
type ComparisonRow struct {
	Judge      string `csv:"judge"`
	Scenario   string `csv:"scenario"`
	SystemA    string `csv:"system_a"`
	SystemB    string `csv:"system_b"`
	Questions  int    `csv:"n_questions"`
	Difference Figure `csv:"difference"` // A - B, points
	CILow      Figure `csv:"ci_low"`
	CIHigh     Figure `csv:"ci_high"`
	P          Figure `csv:"p"`
	PAdjusted  Figure `csv:"p_adjusted"`

	detectable Figure // the smallest true difference that is found four times in five
}

// significant says that the two systems are told apart.
func (r ComparisonRow) significant() bool {
	return r.PAdjusted.known() && *r.PAdjusted.number <= 1-confidence
}

// equalMeans is the difference up to which two means share a rank: what adding
// up in another order can do.
const equalMeans = 1e-9

// rank fills in the ranks of a judge's rows, scenario by scenario, and returns
// the comparisons behind them.
func (b *board) rank(rows []LeaderboardRow) []ComparisonRow {
	var comparisons []ComparisonRow
	for _, scenario := range append(b.scenarios(), AllScenarios) {
		var of []*LeaderboardRow
		for i := range rows {
			if rows[i].Scenario == scenario && rows[i].Mean.known() && !rows[i].partial {
				of = append(of, &rows[i])
			}
		}
		for _, r := range of {
			above := 0
			for _, other := range of {
				if *other.Mean.number > *r.Mean.number+equalMeans {
					above++
				}
			}
			r.Rank = count(1 + above)
		}
		comparisons = append(comparisons, b.compare(of)...)
	}
	return comparisons
}

// compare tests every pair of systems on the questions they share.
func (b *board) compare(rows []*LeaderboardRow) []ComparisonRow {
	scores := make([]stats.SystemScores, len(rows))
	for i, r := range rows {
		scores[i] = b.questionMeans(b.cellsOfRow(r))
	}
	tests, ranks, err := stats.CompareSystems(scores, nil, confidence)
	if err != nil {
		b.value(0, err)
		return nil
	}
	for i, r := range rows {
		r.RankLow, r.RankHigh = count(ranks[i].Low), count(ranks[i].High)
	}
	comparisons := make([]ComparisonRow, len(tests))
	for i, t := range tests {
		c := ComparisonRow{Judge: rows[t.A].Judge, Scenario: rows[t.A].Scenario, SystemA: rows[t.A].System, SystemB: rows[t.B].System, Questions: t.N}
		if t.N > 0 {
			c.Difference = figure(t.Value)
		}
		if t.Caveat == nil {
			c.CILow, c.CIHigh, c.P, c.PAdjusted = figure(t.Low), figure(t.High), figure(t.P), figure(t.PAdjusted)
			c.detectable = Figure{b.value(stats.Design{}.MinimumDetectable(t.SE, t.DF))}
		}
		comparisons[i] = c
	}
	return comparisons
}

// cellsOfRow are the cells with valid verdicts that a row's mean is made of.
func (b *board) cellsOfRow(r *LeaderboardRow) []int {
	system := slices.IndexFunc(b.Systems, func(p Party) bool { return p.Name == r.System })
	var of []int
	for _, c := range b.cellsOf(system) {
		if len(b.tallies[c].totals) > 0 && (r.Scenario == AllScenarios || r.Scenario == b.cells[c].scenario) {
			of = append(of, c)
		}
	}
	return of
}

// questionMeans is, by question, the mean over the cells of the mean total in
// each. A question without a valid verdict in one of them is missing: over the
// other scenarios its mean would be easier or harder.
func (b *board) questionMeans(cells []int) stats.SystemScores {
	scores := stats.SystemScores{Values: make([]float64, b.pairs), Missing: make([]bool, b.pairs)}
	for _, c := range cells {
		sums, n := make([]float64, b.pairs), make([]int, b.pairs)
		t := &b.tallies[c]
		for i, q := range t.questions {
			sums[q] += t.totals[i]
			n[q]++
		}
		for q := range sums {
			if n[q] == 0 {
				scores.Missing[q] = true
				continue
			}
			scores.Values[q] += sums[q] / float64(n[q]) / float64(len(cells))
		}
	}
	return scores
}
