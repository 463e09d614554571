package data

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

var preferenceFields = []string{"id", "judge", "method", "order", "status", "choice", "rationale", "reason"}

// ReadPreferences reads preferences from JSON Lines or CSV: id (of the pair), judge, and optionally method, order (ab
// or ba, in which the pair was shown; default ab), status (default valid), choice (a, b or tie: the pair's a or b,
// whatever the order), rationale and reason. People are judges whose names begin with "human". A preference on a pair
// that is not known is an error, and so is a valid one without a choice.
func ReadPreferences(path string, known func(pair string) bool) ([]Preference, error) {
	return readRecords(path, preferenceFields, "preferences", func(r *row) (Preference, []string) {
		p := Preference{ID: r.need("id"), Judge: r.need("judge"), Method: r.text("method"), Order: strings.ToLower(r.text("order")),
			Choice: strings.ToLower(strings.TrimSpace(r.text("choice"))), Rationale: r.text("rationale"), Reason: r.text("reason")}
		if p.ID != "" && !known(p.ID) {
			r.fail("no pair has the id %q", p.ID)
		}
		p.Order = cmp.Or(p.Order, OrderAB)
		if !slices.Contains(Orders, p.Order) {
			r.fail("order is %q; it must be ab or ba", Clip(p.Order))
		}
		p.Status = r.status()
		switch decided := slices.Contains([]Choice{ChoiceA, ChoiceB, ChoiceTie}, Choice(p.Choice)); {
		case p.Status == Valid && !decided:
			r.fail("choice is %q; it must be a, b or tie; if there is no choice, status says why", Clip(p.Choice))
		case p.Status != Valid && p.Choice != "":
			r.fail("status is %s, but there is a choice, %q", p.Status, Clip(p.Choice))
		}
		return p, []string{fmt.Sprintf("preference of judge %q by method %q on pair %q, order %s", p.Judge, p.Method, p.ID, p.Order)}
	})
}

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
