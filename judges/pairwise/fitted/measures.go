package fitted

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	lineEnd     = regexp.MustCompile(`\n+`)
	sentenceEnd = regexp.MustCompile(`[.!?\n]+`)
	tag         = regexp.MustCompile(`<[^<>]*>`) // as <noinput>
	refusal     = regexp.MustCompile(`(?i)\b(?:as an ai|language model|i(?: am|'m|’m) (?:sorry|unable|not able)|` +
		`i (?:can ?not|can't|can’t) |i don't have (?:access|the ability)|please provide)`)
)

// parts are the pieces of a text between separators, in lower case and without those that are empty.
func parts(separator *regexp.Regexp, text string) (list []string) {
	for _, s := range separator.Split(text, -1) {
		s = strings.ToLower(strings.TrimSpace(s))
		if s != "" {
			list = append(list, s)
		}
	}
	return list
}

// repeated is the share of pieces that occurred earlier, in [0, 1].
func repeated(pieces []string) float64 {
	seen, n := map[string]bool{}, 0
	for _, s := range pieces {
		if seen[s] {
			n++
		}
		seen[s] = true
	}
	return float64(n) / float64(max(1, len(pieces)))
}

// newText is how much of an answer is neither in the question nor earlier in the answer, about in bytes: 1 for each byte
// that begins no earlier passage of at least four bytes, and passageCost for each such passage, as long as it goes on (the
// parse of Ziv and Lempel 1977, with the latest earlier passage alone). No compressor of the library is used: its output may
// change with a version of Go, and a recorded choice has to be found again.
func newText(question, answer string) float64 {
	const least, passageCost = 4, 3
	text := question + "\n" + answer
	latest := map[string]int{} // of four bytes
	seen := 0
	learn := func(to int) {
		for ; seen < to && seen+least <= len(text); seen++ {
			latest[text[seen:seen+least]] = seen
		}
	}
	cost := 0
	for at := len(question) + 1; at < len(text); {
		learn(at)
		from, known := 0, false
		if at+least <= len(text) {
			from, known = latest[text[at:at+least]]
		}
		if !known {
			cost, at = cost+1, at+1
			continue
		}
		length := least
		for at+length < len(text) && text[from+length] == text[at+length] {
			length++
		}
		cost, at = cost+passageCost, at+length
	}
	return float64(cost)
}

// endsWhole reports whether a text ends with closing punctuation, or is one short line that ends
// with a letter or digit, as names and numbers do.
func endsWhole(text string) bool {
	text = strings.TrimSpace(text)
	short := len(strings.Fields(text)) <= 12 && !strings.Contains(text, "\n")
	runes := []rune(text)
	if len(runes) == 0 {
		return false
	}
	last := runes[len(runes)-1]
	return strings.ContainsRune(".!?:;…)]}\"'”’»`*。！？|", last) || short && (unicode.IsLetter(last) || unicode.IsDigit(last))
}
