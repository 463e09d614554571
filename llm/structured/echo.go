package structured

import (
	"strings"
	"unicode"
)

// Instructions are the text of a prompt without the material that it shows.
type Instructions struct{ mark, text, words string }

// InstructionsOf returns the instructions of a prompt, with the mark around its material.
func InstructionsOf(text, mark string) Instructions {
	return Instructions{mark, text, spaced(wordsOf(text))}
}

const (
	echoRun   = 5   // consecutive words that a longer text hardly shares with the prompt by chance
	echoShare = 0.8 // share of a longer text's words that are in such runs
)

// Repeats reports whether a text in a reply repeats the prompt instead of having content of its own. It does in these cases:
//   - it is a placeholder: "…" or "<your answer>";
//   - it contains the mark;
//   - all of it is in the instructions, and it has two to five words;
//   - it is longer, and at least 80 % of its words are in runs of five words from the instructions.
func (i Instructions) Repeats(text string) bool {
	text = strings.TrimSpace(text)
	words := wordsOf(text)
	switch {
	case len(words) == 0 && strings.Contains(i.text, text), strings.HasPrefix(text, "<") && strings.HasSuffix(text, ">"),
		i.mark != "" && strings.Contains(text, i.mark):
		return true
	}
	if len(words) <= echoRun {
		return len(words) > 1 && strings.Contains(i.words, spaced(words))
	}
	covered := 0
	until := 0
	for index := 0; index+echoRun <= len(words); index++ {
		if strings.Contains(i.words, spaced(words[index:index+echoRun])) {
			covered += index + echoRun - max(index, until)
			until = index + echoRun
		}
	}
	return float64(covered) >= echoShare*float64(len(words))
}

// spaced joins words with spaces, also before the first and after the last.
func spaced(words []string) string { return " " + strings.Join(words, " ") + " " }

// wordsOf returns the words of a text in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}
