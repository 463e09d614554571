package leaderboard

import (
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats/ranking"
)

// A ComparisonRow is the difference of two systems for a judge and a scenario, over the questions with valid verdicts for
// both; each question counts once. p_adjusted is Holm's over all pairs of systems of the same judge and scenario.
type ComparisonRow struct {
	Judge      string        `csv:"judge"`
	Scenario   string        `csv:"scenario"`
	SystemA    string        `csv:"system_a"`
	SystemB    string        `csv:"system_b"`
	Questions  int           `csv:"n_questions"`
	Difference table.Bounded `csv:"difference,ci_low,ci_high"` // A - B, points
	table.PValue
}

// rank sets the ranks of a judge's rows, scenario by scenario, and tests every pair of systems on their shared questions.
func (b *board) rank(rows []LeaderboardRow) (comparisons []ComparisonRow) {
	for _, scenario := range append(b.Scenarios(), dataset.AllScenarios) {
		var of []*LeaderboardRow
		var scores []ranking.SystemScores
		for i := range rows {
			if r := &rows[i]; r.Scenario == scenario && r.Mean.Known() && !r.partial {
				of, scores = append(of, r), append(scores, b.questionMeans(r.cells))
			}
		}
		tests, err := ranking.CompareSystems(scores, nil, dataset.Confidence)
		if b.Value(0, err) == nil {
			continue
		}
		b.rankCandidates(of, tests)
		for _, t := range tests {
			var value table.Figure
			if t.N > 0 {
				value = table.Number(t.Value)
			}
			difference := b.Interval(value, t.Low, t.High, t.Caveat)
			difference.Few = t.N < dataset.FewQuestions
			comparisons = append(comparisons, ComparisonRow{of[t.A].Judge, scenario, of[t.A].System, of[t.B].System, t.N,
				difference, table.PValue{P: table.FigureOf(b.Value(t.P, t.Caveat)), Adjusted: table.FigureOf(b.Value(t.PAdjusted, t.Caveat))}})
		}
	}
	return comparisons
}

// rankCandidates ranks the systems of rows that are candidates, among themselves.
func (b *board) rankCandidates(rows []*LeaderboardRow, tests []ranking.Comparison) {
	candidates, others := b.Candidates(), 0
	means := make([]table.Figure, len(rows)) // of candidates
	for i, r := range rows {
		if candidates[r.system] {
			means[i] = r.Mean
		} else {
			others++
		}
	}
	var of []ranking.PairTest
	for _, t := range tests {
		if means[t.A].Known() && means[t.B].Known() {
			of = append(of, ranking.PairTest{A: t.A, B: t.B, Difference: t.Value, P: t.P})
		}
	}
	ranges, err := ranking.RankIntervals(len(rows), of, dataset.Confidence)
	if b.Value(0, err) == nil {
		return
	}
	for i, rank := range dataset.Ranks(means) {
		if rank.Known() {
			rows[i].Rank, rows[i].RankLow, rows[i].RankHigh = rank, table.Count(ranges[i].Low), table.Count(ranges[i].High-others)
		}
	}
}

// questionMeans is, by question, the mean over the cells of the mean total in each. A question without a valid verdict in
// one of the cells is missing, because scenarios differ in difficulty.
func (b *board) questionMeans(cells []int) ranking.SystemScores {
	scores := ranking.SystemScores{Values: make([]float64, b.Pairs), Missing: make([]bool, b.Pairs)}
	for _, c := range cells {
		sums, n := make([]float64, b.Pairs), make([]int, b.Pairs)
		t := &b.tallies[c]
		for i, q := range t.Questions {
			sums[q] += t.Totals[i]
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
