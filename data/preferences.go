package data

// A PreferenceSet is a published set of pairs with the preferences that people and judges gave there.
type PreferenceSet struct {
	Name   string
	Source string // where it is from, in words
	Pairs  []Pair
	Given  []Preference
	Same   map[string]bool // ids of pairs of identical answers, which are left out
}

// Majority is the choice that more people made than any other, a tie being a choice; there is
// none if two are equally frequent.
func Majority(votes []Choice) (c Choice, ok bool) {
	if first := MostVoted(votes); len(first) == 1 {
		return first[0], true
	}
	return NoChoice, false
}

// MostVoted are the choices with the most votes, in the order a, b, tie. Votes can also be statuses, which do not count.
func MostVoted[V ~string](votes []V) []Choice {
	counts, most, _ := CountVotes(votes)
	return Where([]Choice{ChoiceA, ChoiceB, ChoiceTie}, func(c Choice) bool { return most > 0 && counts[c] == most })
}

// CountVotes counts the votes for each choice, for the most frequent one, and in all. Votes can also be statuses, which do not
// count.
func CountVotes[V ~string](votes []V) (counts map[Choice]int, most, n int) {
	counts = map[Choice]int{}
	for _, v := range votes {
		if c := Choice(v); c.Decided() || c == ChoiceTie {
			counts[c]++
			most = max(most, counts[c])
			n++
		}
	}
	return counts, most, n
}
