package data

import (
	"fmt"
	"hash/fnv"
)

// The baseline judges of pairs. They do not read the answers, so every judge should be better. Their choices follow from the pair, and are
// not recorded.
const (
	FloorFirst  = "first"  // the answer shown first
	FloorLonger = "longer" // the answer with more words
	FloorRandom = "random" // a random one, determined by the seed
)

// FloorChoice returns the choice of a baseline between two answers in the order shown. first and second are their numbers of words; toss
// draws 0 or 1.
func FloorChoice(method string, first, second int, toss func() int) Choice {
	switch {
	case method == FloorFirst:
		return ChoiceA
	case method == FloorLonger:
		return Greater(first, second)
	}
	return []Choice{ChoiceA, ChoiceB}[toss()]
}

// OrderAtRandom returns the order in which a pair is shown to judges that see only one order. It is drawn from the seed and the pair's id.
func OrderAtRandom(pair string, seed int64) string {
	hash := fnv.New32a()
	fmt.Fprintf(hash, "%d %s", seed, pair)
	return Orders[hash.Sum32()%2]
}
