package lexical

import "cmp"

// Ends returns the ends of scales that a text stands at, by scale; 0: at both. A negation and "less" turn an end around.
func (r Reading) Ends() map[string]int8 {
	ends := map[string]int8{}
	for _, w := range r.Words {
		for _, p := range w.Poles {
			sign := int8(w.Turned(int(p.Sign)))
			if known, is := ends[p.Scale]; is && known != sign {
				sign = 0
			}
			ends[p.Scale] = sign
		}
	}
	return ends
}

// Opposed reports whether the readings of two texts about one object contradict each other: a word of one is at the other
// end of a scale than a word of the other one, and the texts share no end of a scale.
func Opposed(a, b Reading) bool {
	opposed := false
	other := b.Ends()
	for scale, sign := range a.Ends() {
		switch other[scale] * sign {
		case 1:
			return false
		case -1:
			opposed = true
		}
	}
	return opposed
}

// Good returns 1 for a word that praises what it is said of, -1 for one that faults it, else 0: which
// end of a scale it stands at decides, and else its class.
func (w Term) Good() int {
	good := 0
	for _, p := range w.Poles {
		if p.Good != 0 {
			good = int(p.Good)
		}
	}
	switch {
	case w.Degree:
		return 0
	case good != 0:
	case w.Class&Praising != 0:
		good = 1
	case w.Class&Faulting != 0:
		good = -1
	}
	return w.Turned(good)
}

// Turned returns a side that the word takes, turned around by a negation and by "less".
func (w Term) Turned(side int) int {
	if w.Less != w.Negated {
		return -side
	}
	return side
}

// Side returns 1 where a reading speaks for the first object, -1 for the second, else 0: by the words
// that praise an object, less those that fault it.
func (r Reading) Side() int {
	side := 0
	for _, w := range r.Words {
		switch w.Owner {
		case First:
			side += w.Good()
		case Second:
			side -= w.Good()
		}
	}
	return cmp.Compare(side, 0)
}
