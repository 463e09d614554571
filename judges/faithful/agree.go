package faithful

import (
	"compqa/data"
	"compqa/judges/text/lexical"
)

// agreement compares a claim with an argument, in [-1, 1]: above 0 if they say the same,
// below 0 if they say opposite things, 0 if they cannot be compared.
//
//	agreement = s · d · Σ weight · same object / Σ weight
//
// The sum is over what both have in common: words, by their weights, whose owners are the
// same object (1) or not (-1); which object comes first; and which object they favour.
// d is -1 if the claim is at the opposite ends of the argument's scales: that tea is cheaper
// means that coffee is dearer. s is -1 if only one of the two negates the words.
func agreement(claim, argument reading, favours data.Favours, weight func(string) float64) float64 {
	same, opposite := ends(claim, argument)
	sum, all := owners(claim, argument, weight)
	if claim.first.Count() == 1 && argument.first.Count() == 1 {
		all++
		if claim.first == argument.first {
			sum++
		} else {
			sum--
		}
	}
	inverted := opposite > same
	if inverted {
		sum = -sum
	}
	if side := speaksFor(claim) * sideOf(argument, favours); side != 0 {
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
	if claim.denied != argument.denied {
		a = min(-a, 0)
	}
	return a
}

// ends weighs the words of the claim that stand at the same end of a scale as a word of the
// argument, and those at opposite ends. Of several words on a scale, the argument's with the
// same neighbours counts. "Most" and the like count half: they are on many scales.
func ends(claim, argument reading) (same, opposite float64) {
	for i, w := range claim.words {
		best, sign := -1.0, int8(0)
		for _, p := range w.poles {
			for k, v := range argument.words {
				for _, o := range v.poles {
					if o.scale != p.scale {
						continue
					}
					s := p.sign * o.sign
					if (w.less != v.less) != (w.negated != v.negated) {
						s = -s
					}
					fit := 0.0
					if i+1 < len(claim.words) && k+1 < len(argument.words) && claim.words[i+1].stem == argument.words[k+1].stem {
						fit += 2
					}
					if i > 0 && k > 0 && claim.words[i-1].stem == argument.words[k-1].stem {
						fit += 2
					}
					if w.owner|w.next == v.owner|v.next {
						fit += 1.5
					}
					if s > 0 {
						fit++
					}
					if fit > best {
						best, sign = fit, s
					}
				}
			}
		}
		x := 1.0
		if w.degree {
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

// owners sums the weights of the words that claim and argument share, with the sign that
// says whether they belong to the same object.
func owners(claim, argument reading, weight func(string) float64) (sum, all float64) {
	seen := make([]string, 0, 24)
words:
	for _, w := range claim.words {
		key := w.key()
		for _, s := range seen {
			if s == key {
				continue words
			}
		}
		same, n := 0.0, 0.0
		for _, v := range argument.words {
			if v.key() == key {
				same, n = same+sameObject(w, v), n+1
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

// sameObject is 1 where two words belong to the same object and are followed by the same
// object, -1 where both differ, and 0 where nothing is known.
func sameObject(w, v word) float64 {
	s, n := 0.0, 0.0
	for _, p := range [2][2]lexical.Objects{{w.owner, v.owner}, {w.next, v.next}} {
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

// negatedApart reports whether a negation of the one reading is about words that the other
// has without a negation. A negation of a word on a scale is left to ends.
func negatedApart(one, other reading, weight func(string) float64) bool {
negations:
	for _, n := range one.negations {
		negated, plain := 0.0, 0.0
		for _, w := range one.words[n[0]:n[1]] {
			found, also := false, false
			for _, v := range other.words {
				if v.key() == w.key() && (v.owner == w.owner || v.owner == 0 || w.owner == 0) {
					found = true
					also = also || v.negated
				}
			}
			switch {
			case w.poles != nil:
				continue negations
			case also:
				negated += weight(w.key())
			case found:
				plain += weight(w.key())
			}
		}
		if plain > negated {
			return true
		}
	}
	return false
}

// speaksFor is 1 where a reading speaks for the first object, -1 for the second, else 0.
func speaksFor(r reading) float64 {
	side := 0
	for _, w := range r.words {
		good := 0
		for _, p := range w.poles {
			if p.good != 0 {
				good = int(p.good)
			}
		}
		switch {
		case w.degree:
			good = 0
		case good == 0:
			switch class := lexical.Lexicon[w.word]; {
			case class&lexical.Praising != 0:
				good = 1
			case class&lexical.Faulting != 0:
				good = -1
			}
		}
		if w.less != w.negated {
			good = -good
		}
		switch w.owner {
		case lexical.First:
			side += good
		case lexical.Second:
			side -= good
		}
	}
	return float64(min(max(side, -1), 1))
}

// sideOf is the same for an argument, whose side may be known.
func sideOf(r reading, favours data.Favours) float64 {
	switch favours {
	case data.Object1:
		return 1
	case data.Object2:
		return -1
	}
	return speaksFor(r)
}
