package results

import "slices"

// mostAlike is how many sets of systems are drawn: one letter each.
const mostAlike = 26

// alike finds the largest sets of n systems in which no two are told apart, so
// that two systems share a set exactly when they are not told apart (the letter
// display of Piepho 2004, by insertion and absorption): from one set of all, for
// every pair told apart, each set that holds both becomes two, without the one
// and without the other, and what lies within another set goes. Sets are in the
// order of their members. It is nil where it takes more than mostAlike sets,
// whose number can double with every pair.
func alike(n int, apart func(i, k int) bool) [][]int {
	if n == 0 {
		return nil
	}
	whole := make(bits, (n+63)/64)
	for i := range n {
		whole[i/64] |= 1 << (i % 64)
	}
	sets := []bits{whole}
	for i := range n {
		for k := i + 1; k < n; k++ {
			if apart(i, k) {
				sets = split(sets, i, k)
			}
			if len(sets) > mostAlike*mostAlike {
				return nil
			}
		}
	}
	if len(sets) > mostAlike {
		return nil
	}
	lists := make([][]int, len(sets))
	for s, set := range sets {
		for i := range n {
			if set.has(i) {
				lists[s] = append(lists[s], i)
			}
		}
	}
	slices.SortFunc(lists, slices.Compare)
	return lists
}

// bits is a set of small numbers.
type bits []uint64

func (s bits) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

func (s bits) without(i int) bits {
	less := slices.Clone(s)
	less[i/64] &^= 1 << (i % 64)
	return less
}

// within says that all of s is in other.
func (s bits) within(other bits) bool {
	for w := range s {
		if s[w]&^other[w] != 0 {
			return false
		}
	}
	return true
}

// split takes i and k apart.
func split(sets []bits, i, k int) []bits {
	var kept, halves []bits
	for _, set := range sets {
		if set.has(i) && set.has(k) {
			halves = append(halves, set.without(i), set.without(k))
		} else {
			kept = append(kept, set)
		}
	}
	for h, half := range halves {
		if !slices.ContainsFunc(kept, half.within) && !slices.ContainsFunc(halves[h+1:], half.within) {
			kept = append(kept, half)
		}
	}
	return kept
}

// letters draws the sets: a line a system, in which every set has its column,
// with the set's letter or a dot.
func letters(n int, sets [][]int) []string {
	lines := make([]string, n)
	for s, set := range sets {
		for i := range lines {
			mark := "·"
			if slices.Contains(set, i) {
				mark = string(rune('a' + s))
			}
			lines[i] += mark
		}
	}
	return lines
}
