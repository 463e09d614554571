package text

import (
	"slices"

	"compqa/judges/text/lexical"
)

// mostCompared bounds the statements compared with each other, and the words
// looked at in each: 300 statements are 45,000 pairs. An answer of ordinary
// length has 10 to 40.
const (
	mostCompared  = 300
	mostStatement = 120
)

// nearDuplicate is the Jaccard similarity of two statements' content stems
// from which on they say nearly the same.
const nearDuplicate = 0.5

// repetition compares the statements of the body pairwise and returns how many
// of them come close to an earlier one, and the highest similarity of any two,
// in [0, 1]. The objects' names and small words don't count; statements with
// fewer than three other words are not compared, nor are statements on
// different objects: saying of each the same things in turn is comparing.
func (a *analysis) repetition() (near int, highest float64) {
	sets := make([][]lexical.Word, 0, 32)
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
			j := jaccard(sets[i], other)
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
func (a *analysis) contentSet(s span) []lexical.Word {
	ws := a.in(s)
	ws = ws[:min(len(ws), mostStatement)]
	set := make([]lexical.Word, 0, len(ws))
	lexical.Content(ws, func(t lexical.Token) { set = append(set, t.Stem) })
	slices.Sort(set)
	return slices.Compact(set)
}

// jaccard is the share of two sorted sets' words that are in both.
func jaccard(a, b []lexical.Word) float64 {
	shared := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			shared++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}
