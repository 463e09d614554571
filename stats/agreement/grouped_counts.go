package agreement

import (
	"slices"

	"compqa/stats"
)

// groupedCounts holds the number of rows of each kind in every cluster. A kind is a pattern of ratings or a pair of
// values. A resample of clusters is a vector of counts, and its time depends on the distinct kinds, not on the rows.
type groupedCounts [][]entry

// entry says that a kind, of which code is the number, occurs count times.
type entry struct{ code, count int32 }

func countKinds(kind []int, kinds int, g stats.Grouping) groupedCounts {
	counts, scratch := make(groupedCounts, g.Count()), make([]int32, kinds)
	all := make([]entry, 0, len(kind)) // of all clusters, side by side in memory
	for c, rows := range g.Members() {
		from := len(all)
		for _, row := range rows {
			scratch[kind[row]]++
		}
		for _, row := range rows {
			if k := kind[row]; scratch[k] > 0 {
				all = append(all, entry{int32(k), scratch[k]})
				scratch[k] = 0
			}
		}
		counts[c] = all[from:]
	}
	return counts
}

// single reports whether each cluster is one row.
func (g groupedCounts) single() bool {
	return !slices.ContainsFunc(g, func(of []entry) bool { return len(of) != 1 || of[0].count != 1 })
}

// accumulate sets weights to the counts of the clusters drawn.
func (g groupedCounts) accumulate(weights []int32, drawn []int) {
	clear(weights)
	for _, c := range drawn {
		for _, e := range g[c] {
			weights[e.code] += e.count
		}
	}
}
