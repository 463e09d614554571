package lexical

import "cmp"

// ScaleEnds returns, for each scale that the text uses, which end it is at: 1, -1, or 0 for both. A negation and "less" switch the end.
func (r Reading) ScaleEnds() map[string]int8 {
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

// Opposed reports whether the readings of two texts about one object contradict each other: on some scale they are at opposite ends, and on
// no scale at the same end.
func Opposed(a, b Reading) bool {
	opposed := false
	other := b.ScaleEnds()
	for scale, sign := range a.ScaleEnds() {
		switch other[scale] * sign {
		case 1:
			return false
		case -1:
			opposed = true
		}
	}
	return opposed
}

// Polarity returns 1 for a word that praises what it describes, -1 for one that criticises it, else 0. The word's end of a scale decides,
// or else its class.
func (w Term) Polarity() int {
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

// Turned returns side, or -side if either a negation or "less" applies to the word, but not both.
func (w Term) Turned(side int) int {
	if w.AfterLess != w.Negated {
		return -side
	}
	return side
}

// Side returns 1 if a reading favours the first object, -1 for the second, else 0. It counts words that praise an object less those that
// criticise it.
func (r Reading) Side() int {
	side := 0
	for _, w := range r.Words {
		switch w.Owner {
		case First:
			side += w.Polarity()
		case Second:
			side -= w.Polarity()
		}
	}
	return cmp.Compare(side, 0)
}
