package fitted

import (
	"regexp"
	"strings"
	"unicode"
)

func setOf(words []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}

// covered is the share of the question's distinct content words that occur in the
// answer, in [0, 1].
func covered(question, answer []string) float64 {
	wanted, given := setOf(question), setOf(answer)
	n := 0
	for w := range wanted {
		if given[w] {
			n++
		}
	}
	return float64(n) / float64(max(1, len(wanted)))
}

var refusal = regexp.MustCompile(`(?i)\b(?:as an ai|language model|i(?: am|'m|’m) (?:sorry|unable|not able)|` +
	`i (?:can ?not|can't|can’t) |i don't have (?:access|the ability)|please provide)`)

func refusals(text string) float64 { return float64(len(refusal.FindAllStringIndex(text, -1))) }

// endsWhole is 1 if a text ends with closing punctuation, or is one short line
// that ends with a letter or digit, as names and numbers do; else 0.
func endsWhole(text string) float64 {
	text = strings.TrimSpace(text)
	short := len(strings.Fields(text)) <= 12 && !strings.Contains(text, "\n")
	runes := []rune(text)
	if len(runes) == 0 {
		return 0
	}
	last := runes[len(runes)-1]
	if strings.ContainsRune(".!?:;…)]}\"'”’»`*。！？|", last) || short && (unicode.IsLetter(last) || unicode.IsDigit(last)) {
		return 1
	}
	return 0
}

// repeated is the share of an answer's three-word sequences that occurred earlier
// in it, in [0, 1].
func repeated(answer []string) float64 {
	if len(answer) < 3 {
		return 0
	}
	seen, n := map[[3]string]bool{}, 0
	for i := 0; i+3 <= len(answer); i++ {
		run := [3]string(answer[i : i+3])
		if seen[run] {
			n++
		}
		seen[run] = true
	}
	return float64(n) / float64(len(answer)-2)
}
