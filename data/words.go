package data

import (
	"strconv"
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

// Stem is a word in lower case without a plural ending.
func Stem(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "xes")):
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:len(w)-1]
	}
	return w
}

// Plural is a number with its noun, for messages: "1 call", "2 calls".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// List joins names for messages: "a", "a and b", "a, b and c".
func List(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
