package data

import "cmp"

// A Choice says which of two was chosen: of a question's objects, or of two answers. "a" is the first and "b" the second of the row that
// has the choice. "" means that the choice is missing; the row says why.
type Choice string

// The choices. NoChoice is the label of a pair that nobody has judged.
const (
	ChoiceA   Choice = "a"
	ChoiceB   Choice = "b"
	ChoiceTie Choice = "tie"
	NoChoice  Choice = "none"
)

// Swapped returns the choice after a and b are exchanged.
func (c Choice) Swapped() Choice {
	switch c {
	case ChoiceA:
		return ChoiceB
	case ChoiceB:
		return ChoiceA
	}
	return c
}

// In converts a choice between answers as shown in an order to a choice between the pair's own answers, and back.
func (c Choice) In(order string) Choice {
	if order == OrderBA {
		return c.Swapped()
	}
	return c
}

// Decided reports whether the choice is a or b.
func (c Choice) Decided() bool { return c == ChoiceA || c == ChoiceB }

// Named returns the name of what was chosen: a, b or tie; "" without a choice.
func (c Choice) Named(a, b, tie string) string {
	return map[Choice]string{ChoiceA: a, ChoiceB: b, ChoiceTie: tie}[c]
}

// Favours returns the object that a choice of objects stands for, in the form that records and tables use.
func (c Choice) Favours() Favours {
	return map[Choice]Favours{ChoiceA: Object1, ChoiceB: Object2, ChoiceTie: Neither}[c]
}

// Choice returns the choice that favours the object.
func (f Favours) Choice() Choice {
	return map[Favours]Choice{Object1: ChoiceA, Object2: ChoiceB, Neither: ChoiceTie}[f]
}

// Greater compares two amounts, such as points, votes or words: it returns the side with more, or a tie if they are equal.
func Greater[N cmp.Ordered](a, b N) Choice {
	switch {
	case a > b:
		return ChoiceA
	case b > a:
		return ChoiceB
	}
	return ChoiceTie
}

// BothOrders combines a judge's choices in both orders. Different choices make a tie.
func BothOrders(ab, ba Choice) Choice {
	if ab != ba {
		return ChoiceTie
	}
	return ab
}

// Favoured returns the object that more arguments of a question support, or a tie. It returns "" if no argument says what it supports. read
// determines the side of an argument that does not say it, as Favours.Side does; it may be nil.
func (q Question) Favoured(read func(argument int) int) Choice {
	balance := 0
	known := false
	for i, argument := range q.Arguments {
		side := argument.Favours.Side()
		if side == 0 && read != nil {
			side = read(i)
		}
		balance += side
		known = known || side != 0 || argument.Favours == Neither
	}
	if !known {
		return ""
	}
	return Greater(balance, 0)
}

// Majority returns the choice with the most votes; ties count as a choice. ok is false if several choices have the most votes, or there are
// no votes.
func Majority(votes []Choice) (c Choice, ok bool) {
	if first := MostVoted(votes); len(first) == 1 {
		return first[0], true
	}
	return NoChoice, false
}

// MostVoted returns the choices with the most votes, in the order a, b, tie. votes may contain statuses, which are ignored.
func MostVoted[V ~string](votes []V) []Choice {
	counts, most, _ := CountVotes(votes)
	return Where([]Choice{ChoiceA, ChoiceB, ChoiceTie}, func(c Choice) bool { return most > 0 && counts[c] == most })
}

// CountVotes returns the number of votes for each choice, the largest of these numbers, and their sum. votes may contain statuses, which
// are ignored.
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
