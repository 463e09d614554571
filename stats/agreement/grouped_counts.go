package agreement

import "compqa/stats"

// groupedCounts holds the number of rows of each kind in every cluster. A kind is a pattern of ratings or a pair of
// values. A resample of clusters is a vector of counts, and its time depends on the distinct kinds, not on the rows.
type groupedCounts struct {
	clusters [][]entry // nil where each cluster is one row
	single   []int32   // the kind of each cluster that is one row; nil otherwise
}

// entry says that a kind, of which code is the number, occurs count times.
type entry struct{ code, count int32 }

func countKinds(kind []int, kinds int, g stats.Grouping) groupedCounts {
	if g.Count() == len(kind) {
		single := make([]int32, len(kind))
		for row, k := range kind {
			single[g.Of[row]] = int32(k)
		}
		return groupedCounts{single: single}
	}
	counts, scratch := make([][]entry, g.Count()), make([]int32, kinds)
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
	return groupedCounts{clusters: counts}
}

// count is the number of clusters.
func (g groupedCounts) count() int { return max(len(g.clusters), len(g.single)) }

// entries are the kinds of a cluster.
func (g groupedCounts) entries(cluster int) []entry {
	if g.single != nil {
		return []entry{{g.single[cluster], 1}}
	}
	return g.clusters[cluster]
}

// leastCounted is the number of rows from which resamples draw how often each kind occurs, if there are few, in place of rows.
const leastCounted = 10_000

// counts are the numbers of rows of each kind; few reports whether they stand for the rows in resamples: each row is a cluster of its
// own, and there are many of them for each kind.
func (g groupedCounts) counts(kinds int) (all []int32, few bool) {
	if len(g.single) < leastCounted || 20*kinds > len(g.single) {
		return nil, false
	}
	all = make([]int32, kinds)
	for _, kind := range g.single {
		all[kind]++
	}
	return all, true
}

// accumulate sets weights to the counts of the clusters drawn.
func (g groupedCounts) accumulate(weights []int32, drawn []int) {
	clear(weights)
	if g.single != nil {
		for _, c := range drawn {
			weights[g.single[c]]++
		}
		return
	}
	for _, c := range drawn {
		for _, e := range g.clusters[c] {
			weights[e.code] += e.count
		}
	}
}
