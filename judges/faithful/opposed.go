package faithful

import (
	"compqa/data"
	"compqa/judges/text/lexical"
)

// Opposed reports whether two texts about one object contradict each other: a word of one is
// at the other end of a scale than a word of the other one, and the texts share no end of a
// scale. Negations and "less" turn the end around.
func Opposed(q data.Question, a, b string) bool {
	names := lexical.NewNames(q.Object1, q.Object2)
	x, y := scaleEnds(read(names, a, 0)), scaleEnds(read(names, b, 0))
	opposed := false
	for scale, sign := range x {
		if other := y[scale]; other == sign && sign != 0 {
			return false
		} else if other == -sign && sign != 0 {
			opposed = true
		}
	}
	return opposed
}

// scaleEnds are the ends of scales that a text names; 0: both.
func scaleEnds(r reading) map[string]int8 {
	of := map[string]int8{}
	for _, w := range r.words {
		for _, p := range w.poles {
			sign := p.sign
			if w.negated != w.less {
				sign = -sign
			}
			if known, is := of[p.scale]; is && known != sign {
				sign = 0
			}
			of[p.scale] = sign
		}
	}
	return of
}
