package config

import (
	"cmp"
	"crypto/sha256"
	"maps"
	"slices"

	"compqa/data"
)

// Proportional divides n in proportion to sizes, by the method of largest remainders. Among equal remainders, the earlier shares get more.
// n is at most the sum of sizes.
func Proportional(n int, sizes []int) []int {
	total := 0
	for _, size := range sizes {
		total += size
	}
	total = max(total, 1)
	shares := make([]int, len(sizes))
	order := make([]int, len(sizes))
	given := 0
	for i, size := range sizes {
		shares[i] = n * size / total
		order[i] = i
		given += shares[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(n*sizes[b]%total, n*sizes[a]%total) })
	for _, i := range order[:n-given] {
		shares[i]++
	}
	return shares
}

// Draw draws a stratified sample of n ids. The sample size of each stratum is proportional to the size of the stratum. Within a stratum,
// Draw takes the ids with the smallest hashes of seed and id, so the draw can be reproduced.
func Draw(n int, strata [][]string, seed int64) map[string]bool {
	sizes := make([]int, len(strata))
	total := 0
	for i, ids := range strata {
		sizes[i] = len(ids)
		total += len(ids)
	}
	keep := map[string]bool{}
	for i, share := range Proportional(min(n, total), sizes) {
		maps.Copy(keep, Smallest(strata[i], share, seed))
	}
	return keep
}

// Smallest returns the n ids with the smallest hashes of seed and id.
func Smallest(ids []string, n int, seed int64) map[string]bool {
	keep := make(map[string]bool, n)
	if n == len(ids) { // there is nothing to choose
		return data.Among(ids)
	}
	ranked := make([]string, len(ids))
	for i, id := range ids {
		ranked[i] = HashOf(seed, id) + id
	}
	slices.Sort(ranked)
	for _, r := range ranked[:n] {
		keep[r[sha256.Size*2:]] = true
	}
	return keep
}
