package ranking

import (
	"fmt"
	"slices"
	"strings"

	"compqa/stats"
)

// NotConnectedError says that no maximum-likelihood strengths exist. The items form
// several components. Between two components all wins go in one direction, or there are
// no matches, so that their distance has no finite maximum (Ford 1957). Components are in
// the order of their smallest item, items ascending. It is an ErrUndefined.
type NotConnectedError struct{ Components [][]int }

func (e *NotConnectedError) Error() string {
	parts := make([]string, len(e.Components))
	for i, c := range e.Components {
		parts[i] = fmt.Sprint(c)
	}
	return fmt.Sprintf("%v: wins do not connect the items: %d components %s", stats.ErrUndefined, len(parts), strings.Join(parts, " "))
}

func (e *NotConnectedError) Unwrap() error { return stats.ErrUndefined }

// stronglyConnected says whether every one of k >= 1 items is reachable from every
// other along edges beat(i, j).
func stronglyConnected(k int, beat func(i, j int) bool) bool {
	lost := func(i, j int) bool { return beat(j, i) }
	return !slices.Contains(reachable(0, k, beat), false) && !slices.Contains(reachable(0, k, lost), false)
}

// components returns the strongly connected components: two items share one
// when each is reachable from the other. K·K² steps, as it is only called to
// explain a failure.
func components(k int, beat func(i, j int) bool) [][]int {
	lost := func(i, j int) bool { return beat(j, i) }
	var all [][]int
	placed := make([]bool, k)
	for i := range k {
		if placed[i] {
			continue
		}
		below, above := reachable(i, k, beat), reachable(i, k, lost)
		var c []int
		for j := range k {
			if below[j] && above[j] {
				c = append(c, j)
				placed[j] = true
			}
		}
		all = append(all, c)
	}
	return all
}

// reachable marks the items that can be reached from start, itself included.
func reachable(start, k int, edge func(i, j int) bool) []bool {
	seen := make([]bool, k)
	seen[start] = true
	queue := []int{start}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for j := range k {
			if !seen[j] && edge(i, j) {
				seen[j] = true
				queue = append(queue, j)
			}
		}
	}
	return seen
}
