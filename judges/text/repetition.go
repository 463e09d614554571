package text

import (
	"slices"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// mostCompared limits the compared statements, and mostStatement the words of each: 300
// statements are 45,000 pairs. An ordinary answer has 10 to 40.
const (
	mostCompared  = 300
	mostStatement = 120
)

// nearDuplicate is the smallest Jaccard similarity of the content stems of near duplicates.
const nearDuplicate = 0.5

// repetition compares the statements of the body in pairs. It returns the number of near duplicates of an earlier statement,
// and the highest similarity of a pair, in [0, 1]. Names of objects and stop words do not count. Statements with fewer than
// three other words are not compared, and neither are statements on different objects: the same statement on each object is
// a comparison.
func (a *Analysis) repetition() (near int, highest float64) {
	sets := make([][]string, 0, 32)
	var about []lexical.Objects
	for _, s := range a.sentences {
		if s.role != bodyRole {
			continue
		}
		if set := a.contentSet(s.words); len(set) >= 3 {
			sets, about = append(sets, set), append(about, s.objects)
		}
		if len(sets) == mostCompared {
			break
		}
	}
	for i := range sets {
		close := false
		for k, other := range sets[:i] {
			if about[k] != about[i] {
				continue
			}
			j := data.Jaccard(sets[i], other)
			highest = max(highest, j)
			close = close || j >= nearDuplicate
		}
		if close {
			near++
		}
	}
	return near, highest
}

// contentSet is the sorted set of a statement's content stems.
func (a *Analysis) contentSet(s span) []string {
	ws := a.in(s)
	ws = ws[:min(len(ws), mostStatement)]
	set := make([]string, 0, len(ws))
	lexical.Content(ws, func(t lexical.Token) { set = append(set, t.Stem()) })
	slices.Sort(set)
	return slices.Compact(set)
}
