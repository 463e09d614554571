package ranking

import (
	"fmt"
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

// connected returns *NotConnectedError unless the k items are one strongly connected
// component along edges beat(i, j): two items share one when each is reachable from
// the other. One component takes K² steps, K of them K·K².
func connected(k int, beat func(i, j int) bool) error {
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
	if len(all) > 1 {
		return &NotConnectedError{all}
	}
	return nil
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
