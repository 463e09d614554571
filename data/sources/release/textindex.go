package release

import (
	"strings"

	"compqa/data"
)

// A textIndex finds the answer with a given text, among those of one system to one pair.
type textIndex map[string][]indexedAnswer // by system and pair key

type indexedAnswer struct {
	index int      // in the list of answers
	words []string // a set
	text  string   // the words, joined
}

func indexKey(system, pair string) string { return system + "\x00" + pair }

func newTextIndex(answers []data.Answer) textIndex {
	idx := textIndex{}
	for i, a := range answers {
		words := data.Words(a.Text)
		key := indexKey(a.System, a.Pair())
		idx[key] = append(idx[key], indexedAnswer{i, data.Set(words), strings.Join(words, " ")})
	}
	return idx
}

// find returns the index of the answer with the text, or -1 and the similarity of the
// nearest one. Of equal texts it chooses the first preferred one, or else the first.
func (idx textIndex) find(system, pair, text string, prefer func(int) bool) (int, float64) {
	candidates := idx[indexKey(system, pair)]
	words := data.Words(text)
	joined := strings.Join(words, " ")
	equal := -1
	for _, c := range candidates {
		if c.text != joined {
			continue
		}
		if prefer(c.index) {
			return c.index, 1
		}
		if equal < 0 {
			equal = c.index
		}
	}
	if equal >= 0 {
		return equal, 1
	}
	best, likeness := -1, 0.0
	words = data.Set(words)
	for _, c := range candidates {
		if j := data.Jaccard(words, c.words); j > likeness {
			best, likeness = c.index, j
		}
	}
	if likeness < sameText {
		return -1, likeness
	}
	return best, likeness
}

// sameText is the smallest token Jaccard at which two texts count as equal: spreadsheets
// have removed line ends and signs from the human tables.
const sameText = 0.9
