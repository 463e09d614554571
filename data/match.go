package data

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// sameText is the least token Jaccard at which two texts count as one: human
// tables were copied through spreadsheets, which ate line ends and signs.
const sameText = 0.9

// Words are the words of a text after Unicode compatibility folding and lower
// casing: runs of letters, digits and marks. Two texts are equal after
// normalising when their words are.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// Jaccard is the share of distinct words that two texts have in common, in
// [0, 1]; two texts without words are alike.
func Jaccard(a, b []string) float64 {
	in := make(map[string]int, len(a)) // 1: in a; 2: in both
	for _, w := range a {
		in[w] = 1
	}
	common, union := 0, len(in)
	for _, w := range b {
		switch in[w] {
		case 0:
			in[w] = 3
			union++
		case 1:
			in[w] = 2
			common++
		}
	}
	if union == 0 {
		return 1
	}
	return float64(common) / float64(union)
}

// A textIndex finds the answer a text belongs to, among those of one system to
// one pair.
type textIndex map[string][]indexedAnswer // by system and pair key

type indexedAnswer struct {
	index int // in the list of answers
	words []string
	text  string // the words, joined
}

func indexKey(system, pair string) string { return system + "\x00" + pair }

func newTextIndex(answers []Answer) textIndex {
	idx := textIndex{}
	for i, a := range answers {
		words := Words(a.Text)
		key := indexKey(a.System, a.Pair())
		idx[key] = append(idx[key], indexedAnswer{i, words, strings.Join(words, " ")})
	}
	return idx
}

// find returns the index of the answer with the text, or -1 and the likeness of
// the nearest one. The first of equals wins; prefer breaks ties among them.
func (idx textIndex) find(system, pair, text string, prefer func(int) bool) (int, float64) {
	candidates := idx[indexKey(system, pair)]
	words := Words(text)
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
	for _, c := range candidates {
		if j := Jaccard(words, c.words); j > likeness {
			best, likeness = c.index, j
		}
	}
	if likeness < sameText {
		return -1, likeness
	}
	return best, likeness
}
