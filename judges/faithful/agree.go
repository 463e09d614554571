package faithful

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// agreement compares a claim with an argument, in [-1, 1]: above 0 if they say the same,
// below 0 if they say opposite things, 0 if they cannot be compared.
//
//	agreement = s · d · Σ weight · same object / Σ weight
//
// The sum is over what the claim and the argument have in common: words, with their weights; which object comes first; and which object
// they favour. "same object" is 1 if both assign the word to the same object, else -1. d is -1 if the claim is at the opposite ends of the
// argument's scales: that tea is cheaper means that coffee is dearer. s is -1 if only one of them negates the words.
func agreement(claim, argument lexical.Reading, favours data.Favours, weight func(string) float64) float64 {
	same, opposite := scaleMatches(claim, argument)
	sum, all := owners(claim, argument, weight)
	if claim.First.Count() == 1 && argument.First.Count() == 1 {
		all++
		if claim.First == argument.First {
			sum++
		} else {
			sum--
		}
	}
	inverted := opposite > same
	if inverted {
		sum = -sum
	}
	if side := float64(claim.Side() * cmp.Or(favours.Side(), argument.Side())); side != 0 {
		all++
		if inverted {
			side = -side
		}
		sum += side
	}
	if all == 0 {
		return 0
	}
	a := sum / all
	if negatedApart(claim, argument, weight) || negatedApart(argument, claim, weight) {
		if inverted {
			a = -a
		} else {
			a = min(-a, 0)
		}
	}
	if claim.Denied != argument.Denied {
		a = min(-a, 0)
	}
	return a
}

// scaleMatches sums the words of the claim that are at the same end of a scale as a word of the argument, and those at opposite ends. If
// the argument has several words on a scale, the one with the same neighbours is compared. "Most" and similar words count half, because
// they are on many scales.
func scaleMatches(claim, argument lexical.Reading) (same, opposite float64) {
	for i, w := range claim.Words {
		best := -1.0
		sign := int8(0)
		for _, p := range w.Poles {
			for k, v := range argument.Words {
				for _, o := range v.Poles {
					if o.Scale != p.Scale {
						continue
					}
					s := p.Sign * o.Sign
					if (w.AfterLess != v.AfterLess) != (w.Negated != v.Negated) {
						s = -s
					}
					fit := 0.0
					if i+1 < len(claim.Words) && k+1 < len(argument.Words) && claim.Words[i+1].Stem() == argument.Words[k+1].Stem() {
						fit += 2
					}
					if i > 0 && k > 0 && claim.Words[i-1].Stem() == argument.Words[k-1].Stem() {
						fit += 2
					}
					if w.Owner|w.NextObject == v.Owner|v.NextObject {
						fit += 1.5
					}
					if s > 0 {
						fit++
					}
					if fit > best {
						best = fit
						sign = s
					}
				}
			}
		}
		x := 1.0
		if w.Degree {
			x = 0.5
		}
		switch {
		case sign > 0:
			same += x
		case sign < 0:
			opposite += x
		}
	}
	return same, opposite
}

// owners compares which objects the words that claim and argument share belong to. all is the sum of the words' weights. In sum, each
// weight is multiplied by sameObject.
func owners(claim, argument lexical.Reading, weight func(string) float64) (sum, all float64) {
	seen := make([]string, 0, 24)
	for _, w := range claim.Words {
		key := w.Key()
		if slices.Contains(seen, key) {
			continue
		}
		same := 0.0
		n := 0.0
		for _, v := range argument.Words {
			if v.Key() == key {
				same = same + sameObject(w, v)
				n++
			}
		}
		if n > 0 {
			seen = append(seen, key)
			x := weight(key)
			sum += x * same / n
			all += x
		}
	}
	return sum, all
}

// sameObject returns 1 if two words describe the same object and are followed by the same object, -1 if both differ, and 0 if neither is
// known. If one is the same and the other differs, it also returns 0.
func sameObject(w, v lexical.Term) float64 {
	s := 0.0
	n := 0.0
	for _, p := range [2][2]lexical.Objects{{w.Owner, v.Owner}, {w.NextObject, v.NextObject}} {
		if p[0].Count() != 1 || p[1].Count() != 1 {
			continue
		}
		n++
		if p[0] == p[1] {
			s++
		} else {
			s--
		}
	}
	if n == 0 {
		return 0
	}
	return s / n
}

// negatedApart reports whether one negates words that other has without a negation. Negations of a word on a scale are left to ends.
func negatedApart(one, other lexical.Reading, weight func(string) float64) bool {
negations:
	for _, n := range one.Negations {
		negated := 0.0
		plain := 0.0
		for _, w := range one.Words[n[0]:n[1]] {
			found := false
			also := false
			for _, v := range other.Words {
				if v.Key() == w.Key() && (v.Owner == w.Owner || v.Owner == 0 || w.Owner == 0) {
					found = true
					also = also || v.Negated
				}
			}
			switch {
			case w.Poles != nil:
				continue negations
			case also:
				negated += weight(w.Key())
			case found:
				plain += weight(w.Key())
			}
		}
		if plain > negated {
			return true
		}
	}
	return false
}
