package leaderboard

import (
	"maps"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats"
)

// mostChallengers is the number of systems behind the first one that fragility tries to put first.
const mostChallengers = 3

// fragility says how few questions must be left out to put another system first over all scenarios: one of the next three
// (stats.Sums.Fewest). It returns no row if leaving out a fifth of the questions is not enough, or if the judge is a baseline.
func (b *board) fragility(rows []LeaderboardRow) []dataset.Fragility {
	candidates := b.Candidates()
	ranked := data.Where(rows, func(r LeaderboardRow) bool {
		return r.Scenario == dataset.AllScenarios && r.Rank.Known && candidates[r.system]
	})
	slices.SortStableFunc(ranked, func(x, y LeaderboardRow) int { return stats.CompareFigures(x.Mean, y.Mean, -1) })
	if len(ranked) < 2 || b.Judges[b.judge].Kind == dataset.KindFloor ||
		ranked[0].Mean.Value-ranked[1].Mean.Value <= dataset.EqualMeans {
		return nil
	}
	type total struct {
		cell   int
		points float64
	}
	questions := map[int][]total{}
	for _, r := range ranked {
		for _, c := range r.cells {
			for i, q := range b.tallies[c].Questions {
				questions[q] = append(questions[q], total{c, b.tallies[c].Totals[i]})
			}
		}
	}
	order := slices.Sorted(maps.Keys(questions))
	sums, err := stats.NewSums(len(order), nil, 2*len(b.tallies), func(unit int, add func(index int, amount float64)) {
		for _, total := range questions[order[unit]] {
			add(2*total.cell, total.points)
			add(2*total.cell+1, 1)
		}
	})
	if err != nil {
		return nil
	}
	challengers := ranked[1:min(len(ranked), 1+mostChallengers)]
	fewest, ok := sums.Fewest(len(order)/5, func(sum []float64) []float64 {
		return data.Each(challengers, func(r LeaderboardRow) float64 { return meanOf(r, sum) - meanOf(ranked[0], sum) - dataset.EqualMeans })
	})
	if !ok {
		return nil
	}
	slices.Sort(fewest)
	first := ""
	most := math.Inf(-1)
	left := sums.Without(fewest)
	for _, r := range ranked {
		if mean := meanOf(r, left); mean > most+dataset.EqualMeans {
			first = r.System
			most = mean
		}
	}
	names := data.Each(fewest, func(unit int) string {
		index := slices.Index(b.Question, order[unit])
		return strings.Join(strings.Fields(b.Answers[index].Pair), "_")
	})
	judge := b.Judges[b.judge].Name
	return []dataset.Fragility{{What: "rank 1 by " + judge, Target: first, Removed: len(names), Of: len(order),
		Items: strings.Join(names, " "), Judge: judge, First: ranked[0].System}}
}

// meanOf returns a system's mean over its scenarios. sum holds, for each condition c, the sum of points at 2c and their number at 2c+1. The
// mean is NaN if a scenario has no points.
func meanOf(row LeaderboardRow, sum []float64) (mean float64) {
	for _, c := range row.cells {
		mean += sum[2*c] / sum[2*c+1] / float64(len(row.cells))
	}
	return mean
}
