package strum

import (
	"regexp"
	"strings"

	"compqa/data"
	"compqa/llm/structured"
)

// whiteSpace is what unicode.IsSpace accepts.
const whiteSpace = `[\s\v\x{85}\pZ]+`

// Find finds a quote in a source's text. White space is folded: a run of it is equal to any
// other. The evidence holds the source's own characters.
func Find(s data.Source, quote string) (data.Evidence, bool) {
	words := data.Each(strings.Fields(quote), regexp.QuoteMeta)
	pattern, err := regexp.Compile(strings.Join(words, whiteSpace))
	if err != nil || len(words) == 0 { // the quote is not UTF-8, or there is none
		return data.Evidence{}, false
	}
	at := pattern.FindStringIndex(s.Text)
	if at == nil || structured.OneLine(s.Text[at[0]:at[1]]) != structured.OneLine(quote) {
		return data.Evidence{}, false
	}
	return data.Evidence{Source: s.ID, Start: at[0], End: at[1], Quote: s.Text[at[0]:at[1]]}, true
}
