package leaderboard

import (
	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
	"compqa/stats/ranking"
)

// A ComparisonRow is the difference between two systems by one judge in one scenario (see trust.Paired). The adjusted p-value is Holm's
// over all pairs of systems of the same judge and scenario.
type ComparisonRow struct {
	Judge      string       `csv:"judge"`
	Scenario   string       `csv:"scenario"`
	SystemA    string       `csv:"system_a"`
	SystemB    string       `csv:"system_b"`
	Questions  int          `csv:"n_questions"`
	Difference stats.Figure `csv:"difference,ci_low,ci_high"` // A - B, points
	table.PValue
}

// ComparisonsTable has the differences between systems.
var ComparisonsTable = table.Def[ComparisonRow]{File: "comparisons.csv"}

// rank sets the ranks in a judge's rows, for each scenario. It tests every pair of systems on the questions that both answered, and returns
// the differences.
func (b *board) rank(rows []LeaderboardRow) (comparisons []ComparisonRow) {
	sides := b.Sides(b.judge, b.places, func(s *data.Given) []float64 { return []float64{s.Total} })
	for _, scenario := range append(b.Scenarios(), dataset.AllScenarios) {
		var ranked []*LeaderboardRow
		for i := range rows {
			if r := &rows[i]; r.Scenario == scenario && r.Mean.Known && !r.partial {
				ranked = append(ranked, r)
			}
		}
		under := data.Each(ranked, func(r *LeaderboardRow) trust.Side { return b.places.Under(sides[r.system], scenario) })
		var tests []pairTest
		var of []ComparisonRow
		for i, x := range ranked {
			for k, y := range ranked[i+1:] {
				differences, err := trust.Paired(under[i], under[i+1+k])
				if b.Value(0, err) == nil {
					return nil
				}
				d := differences[0]
				of = append(of, ComparisonRow{x.Judge, scenario, x.System, y.System, d.Value.N, d.Value, table.PValue{P: d.P}})
				tests = append(tests, pairTest{i, i + 1 + k, d})
			}
		}
		b.Value(0, table.Adjust(of, func(ComparisonRow) bool { return true }, func(r *ComparisonRow) *table.PValue { return &r.PValue }))
		b.rankCandidates(ranked, under, tests)
		comparisons = append(comparisons, of...)
	}
	return comparisons
}

// A pairTest is the difference between two rows, given by their indices.
type pairTest struct {
	A, B int
	trust.Difference
}

// rankCandidates ranks the candidates that have enough verdicts. If two systems share fewer than dataset.MinQuestions questions, it
// compares all points that either system got (trust.Apart).
func (b *board) rankCandidates(rows []*LeaderboardRow, sides []trust.Side, tests []pairTest) {
	candidates := b.Candidates()
	others := 0
	means := make([]stats.Figure, len(rows)) // known only of ranked candidates
	for i, r := range rows {
		if candidates[r.system] && !r.Thin() {
			means[i] = r.Mean
		} else {
			others++
		}
	}
	var pairs []ranking.PairTest // without pairs that cannot be compared, which widen the rank ranges of their two systems only
	for _, t := range tests {
		if !means[t.A].Known || !means[t.B].Known {
			continue
		}
		d := t.Difference
		if d.Value.N < dataset.MinQuestions {
			apart, err := trust.Apart(sides[t.A], sides[t.B])
			if b.Value(0, err) == nil {
				return
			}
			if apart.P.Known {
				d = apart
			}
		}
		if d.P.Known {
			pairs = append(pairs, ranking.PairTest{A: t.A, B: t.B, Difference: d.Value.Value, P: d.P.Value})
		}
	}
	ranges, err := ranking.RankIntervals(len(rows), pairs, dataset.Confidence)
	if b.Value(0, err) == nil {
		return
	}
	sure, err := ranking.Significant(len(rows), pairs, dataset.Confidence)
	if b.Value(0, err) == nil {
		return
	}
	for _, t := range sure {
		rows[t.A].Above = append(rows[t.A].Above, rows[t.B].System)
	}
	for i, rank := range dataset.Ranks(means) {
		if rank.Known {
			rows[i].Rank, rows[i].RankLow, rows[i].RankHigh = rank, stats.Count(ranges[i].Low), stats.Count(ranges[i].High-others)
		}
	}
}
