package data

import "cmp"

// A Choice says which of two a party chose: of the two objects of a question, or of two answers to it. "a" is the first and "b" the
// second, as the row that has the choice names them; "" is a choice that is not known, for the reason next to it.
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

// In returns a choice among the answers as they are shown in an order, as one of the pair's own; or the other way round.
func (c Choice) In(order string) Choice {
	if order == OrderBA {
		return c.Swapped()
	}
	return c
}

// Decided reports whether the choice is a or b.
func (c Choice) Decided() bool { return c == ChoiceA || c == ChoiceB }

// Named returns the name of what was chosen, tie for a tie, and "" without a choice.
func (c Choice) Named(a, b, tie string) string {
	return map[Choice]string{ChoiceA: a, ChoiceB: b, ChoiceTie: tie}[c]
}

// Favours returns the object that a choice of objects favours, as the record and the rows of a table have it.
func (c Choice) Favours() Favours {
	return map[Choice]Favours{ChoiceA: Object1, ChoiceB: Object2, ChoiceTie: Neither}[c]
}

// Choice returns the choice that favours the object.
func (f Favours) Choice() Choice {
	return map[Favours]Choice{Object1: ChoiceA, Object2: ChoiceB, Neither: ChoiceTie}[f]
}

// Greater returns the choice by what speaks for each side, such as points, votes or words: the side with more, and a tie if both have
// equally much.
func Greater[N cmp.Ordered](a, b N) Choice {
	switch {
	case a > b:
		return ChoiceA
	case b > a:
		return ChoiceB
	}
	return ChoiceTie
}

// BothOrders returns the choice of a judge that chose in both orders: a tie if the order changes it.
func BothOrders(ab, ba Choice) Choice {
	if ab != ba {
		return ChoiceTie
	}
	return ab
}

// Favoured returns the choice that the arguments of a question support: the object that more of them favour; "" if none of them says
// which one it favours. read returns the side, as Favours.Side does, of an argument that names no object; nil: it has none.
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

// Majority returns the choice that more people made than any other, a tie being a choice; there is
// none if two are equally frequent.
func Majority(votes []Choice) (c Choice, ok bool) {
	if first := MostVoted(votes); len(first) == 1 {
		return first[0], true
	}
	return NoChoice, false
}

// MostVoted returns the choices with the most votes, in the order a, b, tie. Votes can also be statuses, which do not count.
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
