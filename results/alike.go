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
	whole := make([]int, n)
	for i := range whole {
		whole[i] = i
	}
	sets := [][]int{whole}
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
	slices.SortFunc(sets, slices.Compare)
	return sets
}

// split takes i and k apart.
func split(sets [][]int, i, k int) [][]int {
	var kept, halves [][]int
	for _, set := range sets {
		if !slices.Contains(set, i) || !slices.Contains(set, k) {
			kept = append(kept, set)
			continue
		}
		for _, without := range []int{i, k} {
			halves = append(halves, slices.DeleteFunc(slices.Clone(set), func(m int) bool { return m == without }))
		}
	}
	for h, half := range halves {
		within := func(set []int) bool { return isSubset(half, set) }
		if !slices.ContainsFunc(kept, within) && !slices.ContainsFunc(halves[h+1:], within) {
			kept = append(kept, half)
		}
	}
	return kept
}

// isSubset says that all of a is in b; both are sorted.
func isSubset(a, b []int) bool {
	at := 0
	for _, m := range a {
		for at < len(b) && b[at] < m {
			at++
		}
		if at == len(b) || b[at] != m {
			return false
		}
	}
	return true
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
