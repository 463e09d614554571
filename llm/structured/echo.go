package structured

import (
	"strings"
	"unicode"
)

// Instructions are the text of a prompt without what it shows.
type Instructions struct{ mark, text, words string }

// InstructionsOf returns instructions of a prompt with a mark.
func InstructionsOf(text, mark string) Instructions {
	return Instructions{mark, text, spaced(wordsOf(text))}
}

const (
	echoRun   = 5   // words in a row that a longer text hardly has from the prompt by chance
	echoShare = 0.8 // of a longer text's words, in such runs
)

// Repeats reports whether a text of a reply repeats the prompt in place of an own content: it is a
// placeholder (… or in angle brackets), it has the mark, all of it stands in the instructions, or
// nearly all of a longer text does, in runs of five words. One word alone does not repeat the prompt.
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

func spaced(words []string) string { return " " + strings.Join(words, " ") + " " }

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
}
