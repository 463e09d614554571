package agreement

import "compqa/stats"

// groupedCounts holds the number of rows of each kind in every cluster. A kind is a
// pattern of ratings or a pair of values. A resample of clusters is a vector of counts,
// and its time depends on the distinct kinds, not on the rows.
type groupedCounts struct {
	first   []int32 // cluster c has entries[first[c]:first[c+1]]
	entries []kindCount
}

type kindCount struct{ kind, rows int32 }

func countKinds(kind []int, kinds int, g stats.Grouping) groupedCounts {
	counts := groupedCounts{first: make([]int32, 1, g.Count()+1)}
	scratch := make([]int32, kinds)
	for _, rows := range g.Members() {
		for _, row := range rows {
			scratch[kind[row]]++
		}
		for _, row := range rows {
			if k := kind[row]; scratch[k] > 0 {
				counts.entries = append(counts.entries, kindCount{int32(k), scratch[k]})
				scratch[k] = 0
			}
		}
		counts.first = append(counts.first, int32(len(counts.entries)))
	}
	return counts
}

func (g *groupedCounts) count() int { return len(g.first) - 1 }

func (g *groupedCounts) of(c int) []kindCount { return g.entries[g.first[c]:g.first[c+1]] }

// accumulate sets weights to the counts of the clusters drawn.
func (g *groupedCounts) accumulate(weights []int32, drawn []int) {
	clear(weights)
	for _, c := range drawn {
		for _, e := range g.of(c) {
			weights[e.kind] += e.rows
		}
	}
}
