package config

import (
	"cmp"
	"crypto/sha256"
	"slices"
)

// Proportional divides n in proportion to sizes, by largest remainders; among equal
// remainders the first get more. n is at most the sum of sizes.
func Proportional(n int, sizes []int) []int {
	total := 0
	for _, size := range sizes {
		total += size
	}
	total = max(total, 1)
	shares, order := make([]int, len(sizes)), make([]int, len(sizes))
	given := 0
	for i, size := range sizes {
		shares[i], order[i] = n*size/total, i
		given += shares[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(n*sizes[b]%total, n*sizes[a]%total) })
	for _, i := range order[:n-given] {
		shares[i]++
	}
	return shares
}

// Smallest are the n ids with the smallest hashes of seed and id.
func Smallest(ids []string, n int, seed int64) map[string]bool {
	ranked := make([]string, len(ids))
	for i, id := range ids {
		ranked[i] = HashOf(seed, id) + id
	}
	slices.Sort(ranked)
	keep := make(map[string]bool, n)
	for _, r := range ranked[:n] {
		keep[r[sha256.Size*2:]] = true
	}
	return keep
}
