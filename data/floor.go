package data

import (
	"fmt"
	"hash/fnv"
)

// The baselines of pairs: they do not read the answers, and every judge should do better. What they choose follows from the pair, so
// that it is on no record.
const (
	FloorFirst  = "first"  // the answer shown first
	FloorLonger = "longer" // the one with more words
	FloorRandom = "random" // a random one, determined by the seed
)

// FloorChoice returns what a baseline chooses of two answers of so many words, in the order in which they are shown. toss draws 0 or 1.
func FloorChoice(method string, first, second int, toss func() int) Choice {
	switch {
	case method == FloorFirst:
		return ChoiceA
	case method == FloorLonger:
		return Greater(first, second)
	}
	return []Choice{ChoiceA, ChoiceB}[toss()]
}

// OrderAtRandom returns the order in which a pair is shown that is shown in one order, drawn by a seed.
func OrderAtRandom(pair string, seed int64) string {
	hash := fnv.New32a()
	fmt.Fprintf(hash, "%d %s", seed, pair)
	return Orders[hash.Sum32()%2]
}
