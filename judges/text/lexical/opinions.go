package lexical

// Ends are the ends of scales that a text stands at, by scale; 0: at both. A negation and
// "less" turn an end around.
func (r Reading) Ends() map[string]int8 {
	of := map[string]int8{}
	for _, w := range r.Words {
		for _, p := range w.Poles {
			sign := int8(w.Turned(int(p.Sign)))
			if known, is := of[p.Scale]; is && known != sign {
				sign = 0
			}
			of[p.Scale] = sign
		}
	}
	return of
}

// Opposed reports whether the readings of two texts about one object contradict each other: a
// word of one is at the other end of a scale than a word of the other one, and the texts share
// no end of a scale.
func Opposed(a, b Reading) bool {
	opposed, other := false, b.Ends()
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

// Praise is 1 for a word that praises what it is said of, -1 for one that faults it, else 0.
func Praise(w Term) int {
	switch {
	case w.Degree:
	case w.Class&Praising != 0:
		return w.Turned(1)
	case w.Class&Faulting != 0:
		return w.Turned(-1)
	}
	return 0
}

// Good is like Praise, and first looks at which end of a scale a word stands: on the scales,
// high and large are good.
func Good(w Term) int {
	good := 0
	for _, p := range w.Poles {
		if p.Good != 0 {
			good = int(p.Good)
		}
	}
	if w.Degree || good == 0 {
		return Praise(w)
	}
	return w.Turned(good)
}

// Turned is a side that the word takes, turned around by a negation and by "less".
func (w Term) Turned(side int) int {
	if w.Less != w.Negated {
		return -side
	}
	return side
}

// Sides sums up what a reading says of each object, as Praise or Good sees it.
func (r Reading) Sides(of func(Term) int) (first, second int) {
	for _, w := range r.Words {
		switch w.Owner {
		case First:
			first += of(w)
		case Second:
			second += of(w)
		}
	}
	return first, second
}
