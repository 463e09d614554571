package strum

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"compqa/data"
)

// Find finds a quote in a source's text. White space is folded: a run of it is equal to any
// other. The evidence holds the source's own characters.
func Find(s data.Source, quote string) (data.Evidence, bool) {
	wanted := strings.Join(strings.Fields(quote), " ")
	if wanted == "" {
		return data.Evidence{}, false
	}
	folded, at := fold(s.Text)
	i := strings.Index(folded, wanted)
	if i < 0 {
		return data.Evidence{}, false
	}
	start, end := at[i], at[i+len(wanted)-1]+1
	return data.Evidence{Source: s.ID, Start: start, End: end, Quote: s.Text[start:end]}, true
}

// fold replaces each run of white space by one space, and returns the place in the text of each
// byte of the result.
func fold(text string) (string, []int) {
	var b strings.Builder
	var at []int
	space := false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsSpace(r) {
			if !space {
				b.WriteByte(' ')
				at = append(at, i)
			}
		} else {
			for k := range size {
				b.WriteByte(text[i+k])
				at = append(at, i+k)
			}
		}
		space = unicode.IsSpace(r)
		i += size
	}
	return b.String(), at
}
