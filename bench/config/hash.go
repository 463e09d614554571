package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// HashOf is the hexadecimal SHA-256 of values by their JSON, which is a list.
func HashOf(values ...any) string {
	list := []byte("[")
	for i, v := range values {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, Encoded(v)...)
	}
	sum := sha256.Sum256(append(list, ']'))
	return hex.EncodeToString(sum[:])
}

// Encoded is a value's JSON; what is hashed many times is encoded once.
func Encoded(value any) json.RawMessage {
	if text, already := value.(json.RawMessage); already {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", value, err)) // only types that JSON holds come here
	}
	return text
}

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

// Draw draws n of the ids: of each stratum a share in proportion to its size, those with the smallest hashes of seed and id.
func Draw(n int, strata [][]string, seed int64) map[string]bool {
	sizes, total := make([]int, len(strata)), 0
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

// Smallest are the n ids with the smallest hashes of seed and id.
func Smallest(ids []string, n int, seed int64) map[string]bool {
	keep := make(map[string]bool, n)
	if n == len(ids) { // there is nothing to choose
		for _, id := range ids {
			keep[id] = true
		}
		return keep
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
