package text

import (
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// shortValue is the largest number of words of a label, or of a value after one.
const shortValue = 4

// mostCompared limits the compared statements, and mostStatement the words of each: 300
// statements are 45,000 pairs. An ordinary answer has 10 to 40.
const (
	mostCompared  = 300
	mostStatement = 120
)

// nearDuplicate is the smallest Jaccard similarity of the content stems of near duplicates.
const nearDuplicate = 0.5

// repetition compares each statement of the body with the earlier ones on the same objects. near is the number of statements that are near
// duplicates of an earlier one; highest is the largest similarity of two statements, in [0, 1].
//
// Statements with the same words have similarity 1. Otherwise the similarity is the Jaccard index of their content words, without names of
// objects and stop words; both need at least three. Statements on different objects are not compared, since saying the same of each object
// is a comparison. A label or a value after one ("Average case: O(n)") of up to four words may be repeated.
func (a *Analysis) repetition() (near int, highest float64) {
	type statement struct {
		words   string
		content []string
		about   lexical.Objects
	}
	var list []statement
	for _, s := range a.sentences {
		if s.role != bodyRole || s.words.len() == 0 {
			continue
		}
		if len(list) == mostCompared {
			break
		}
		ws := a.tokensOf(s.words)
		said := statement{content: a.contentSet(s.words), about: s.objects}
		repeated := false
		if len(ws) > shortValue || a.blocks[s.block].name == "" && !strings.HasSuffix(s.text, ":") {
			said.words = strings.Join(data.Each(ws, func(t lexical.Token) string { return t.Word }), " ")
		}
		for _, earlier := range list {
			if earlier.about != said.about {
				continue
			}
			similarity := 0.
			if said.words != "" && earlier.words == said.words {
				similarity = 1
			} else if len(said.content) >= 3 && len(earlier.content) >= 3 {
				similarity = data.Jaccard(said.content, earlier.content)
			}
			highest = max(highest, similarity)
			repeated = repeated || similarity >= nearDuplicate
		}
		list = append(list, said)
		if repeated {
			near++
		}
	}
	return near, highest
}

// contentSet returns the sorted set of a statement's content stems.
func (a *Analysis) contentSet(s span) []string {
	ws := a.tokensOf(s)
	ws = ws[:min(len(ws), mostStatement)]
	set := make([]string, 0, len(ws))
	lexical.Content(ws, func(t lexical.Token) { set = append(set, t.Stem()) })
	slices.Sort(set)
	return slices.Compact(set)
}
