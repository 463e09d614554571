package leaderboard

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats"
)

// mostChallengers bounds the systems that are tried in the place of the first one.
const mostChallengers = 3

// fragility says how few questions put another system first over all scenarios: for each of the next three, the questions by
// which the first leads it most are left out, and both means computed anew. The number is an upper bound. There is no row where a
// fifth of the questions does not do it, or if the judge is a baseline.
func (b *board) fragility(rows []LeaderboardRow) []dataset.Fragility {
	candidates := b.Candidates()
	ranked := data.Where(rows, func(r LeaderboardRow) bool {
		return r.Scenario == dataset.AllScenarios && r.Rank.Known && candidates[r.system]
	})
	slices.SortStableFunc(ranked, func(x, y LeaderboardRow) int { return stats.CompareFigures(x.Mean, y.Mean, -1) })
	if len(ranked) < 2 || b.Judges[b.judge].Kind == dataset.KindFloor || b.lead(ranked[0], ranked[1], nil) <= dataset.EqualMeans {
		return nil
	}
	questions := map[int]bool{}
	for _, r := range ranked {
		for _, c := range r.cells {
			for _, q := range b.tallies[c].Questions {
				questions[q] = true
			}
		}
	}
	var fewest []int
	var first string
	for _, other := range ranked[1:min(len(ranked), 1+mostChallengers)] {
		by := b.leadingQuestions(ranked[0], other)
		most := min(len(by), len(questions)/5)
		if fewest != nil {
			most = min(most, len(fewest)-1)
		}
		n, ok := stats.Fewest(most, func(n int) bool { return b.lead(ranked[0], other, by[:n]) < -dataset.EqualMeans })
		if ok {
			fewest, first = slices.Sorted(slices.Values(by[:n])), b.firstWithout(ranked, by[:n])
		}
	}
	if fewest == nil {
		return nil
	}
	names := data.Each(fewest, func(q int) string {
		index := slices.Index(b.Question, q)
		return strings.Join(strings.Fields(b.Answers[index].Pair), "_")
	})
	judge := b.Judges[b.judge].Name
	return []dataset.Fragility{{What: "rank 1 by " + judge, Target: first, Removed: len(names), Of: len(questions),
		Items: strings.Join(names, " "), Judge: judge, First: ranked[0].System}}
}

// firstWithout is the system with the greatest mean where questions are left out.
func (b *board) firstWithout(ranked []LeaderboardRow, without []int) (name string) {
	out, most := map[int]bool{}, math.Inf(-1)
	for _, q := range without {
		out[q] = true
	}
	for _, r := range ranked {
		if mean, known := b.meanWithout(r, out); known && mean > most+dataset.EqualMeans {
			name, most = r.System, mean
		}
	}
	return name
}

// lead is the mean of a system less that of another one, over all scenarios, with questions left out; 0 if a scenario has no other.
func (b *board) lead(system, over LeaderboardRow, without []int) float64 {
	out := map[int]bool{}
	for _, q := range without {
		out[q] = true
	}
	a, known := b.meanWithout(system, out)
	c, both := b.meanWithout(over, out)
	if !known || !both {
		return 0
	}
	return a - c
}

func (b *board) meanWithout(row LeaderboardRow, out map[int]bool) (mean float64, known bool) {
	for _, c := range row.cells {
		sum, n := 0.0, 0
		for i, q := range b.tallies[c].Questions {
			if !out[q] {
				sum, n = sum+b.tallies[c].Totals[i], n+1
			}
		}
		if n == 0 {
			return 0, false
		}
		mean += sum / float64(n) / float64(len(row.cells))
	}
	return mean, true
}

// leadingQuestions are those without which a system leads another one by less, the most influential first: the influence of an
// answer on a mean is its difference from it.
func (b *board) leadingQuestions(system, over LeaderboardRow) []int {
	gain := map[int]float64{}
	add := func(r LeaderboardRow, sign float64) {
		for _, c := range r.cells {
			t := &b.tallies[c]
			mean := stats.Mean(t.Totals)
			for i, q := range t.Questions {
				gain[q] += sign * (t.Totals[i] - mean) / float64(len(t.Totals)*len(r.cells))
			}
		}
	}
	add(system, 1)
	add(over, -1)
	var by []int
	for q, g := range gain {
		if g > 0 {
			by = append(by, q)
		}
	}
	slices.SortFunc(by, func(p, q int) int { return cmp.Or(cmp.Compare(gain[q], gain[p]), cmp.Compare(p, q)) })
	return by
}
