package data

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Words returns the words of a text: runs of letters, digits and marks, after Unicode
// compatibility folding, in lower case. Two texts with the same words count as equal.
func Words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

// Jaccard is the share of distinct words that two texts have in common, in [0, 1]. It is
// 1 for two texts without words.
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
