package annotate

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"compqa/data"
	"compqa/web/annotate/project"
)

// Limits from which the owner is told how a person wrote reasons.
const (
	fastTyping  = 12 // characters a second
	shortReason = 20 // characters; speed and repetition of a shorter reason mean nothing
	oftenSame   = 3  // minimum number of items with the same reason
)

// Reasons counts how a person wrote the reasons of sheets. The counts are only information for the owner: dictating, or writing in another
// program first, looks the same as copying.
type Reasons struct {
	Given  int
	Pasted int // containing pasted text
	Fast   int // typed faster than people type
	Same   int // with a text that the person gave for at least three items
}

// reasonsOf counts how the reasons of one person's sheets were written.
func reasonsOf(sheets []*project.Work) (r Reasons) {
	texts := map[string]int{}
	for _, w := range sheets {
		study := w.Done() && (w.Kind == project.Main || w.Kind == project.Overlap)
		text := strings.Join(strings.Fields(strings.ToLower(w.Last.Sheet.Reason)), " ")
		if !study || text == "" {
			continue
		}
		r.Given++
		if w.Wrote.Pasted > 0 {
			r.Pasted++
		}
		typed := utf8.RuneCountInString(w.Last.Sheet.Reason) - w.Wrote.Pasted
		known := w.Active > 0 // without JavaScript, the writing time is unknown
		if known && typed > shortReason && float64(typed) > fastTyping*float64(w.Wrote.WritingMS)/1000 {
			r.Fast++
		}
		if utf8.RuneCountInString(text) > shortReason {
			texts[text]++
		}
	}
	for _, n := range texts {
		if n >= oftenSame {
			r.Same += n
		}
	}
	return r
}

// String returns the counts that the owner should look at, or "" if there are none.
func (r Reasons) String() string {
	var list []string
	for _, fact := range []struct {
		n    int
		what string
	}{{r.Pasted, "with pasted text"}, {r.Fast, fmt.Sprintf("typed faster than %d characters a second", fastTyping)},
		{r.Same, "with the same text as others"}} {
		if fact.n > 0 {
			list = append(list, fmt.Sprintf("%d %s", fact.n, fact.what))
		}
	}
	if list == nil {
		return ""
	}
	return "of " + data.Plural(r.Given, "reason", "reasons") + ": " + strings.Join(list, ", ")
}
