package pairwise

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"compqa/data"
	"compqa/judges/replies"
	"compqa/llm/structured"
)

// Reads is how a judge that has a form of its own names its choice: a pattern, whose first group (without one, all that it
// matches) is one of the names. Names are compared without regard to case and outer spaces; nil: the usual ones.
type Reads struct {
	Pattern   string
	A, B, Tie []string
}

// usualNames name the sides that have no names of their own.
var usualNames = map[data.Choice][]string{data.ChoiceA: {"A", "1"}, data.ChoiceB: {"B", "2"}, data.ChoiceTie: {"tie", "C"}}

// reader reads the choice of a reply.
type reader func(reply string, judged structured.Material, ties replies.Ties) (data.Choice, error)

// reader reads the choices of replies in the judge's own form. All matches outside the judged texts must agree.
func (r *Reads) reader() (reader, error) {
	if r == nil {
		return replies.Choice, nil
	}
	pattern, err := regexp.Compile("(?m)" + r.Pattern)
	switch {
	case r.Pattern == "":
		return nil, errors.New(`it needs a pattern, such as pattern: '\[\[([ABC])\]\]'`)
	case err != nil:
		return nil, fmt.Errorf("pattern: %w", err)
	}
	choices := map[string]data.Choice{}
	for choice, words := range map[data.Choice][]string{data.ChoiceA: r.A, data.ChoiceB: r.B, data.ChoiceTie: r.Tie} {
		if words == nil {
			words = usualNames[choice]
		}
		for _, name := range words {
			folded := strings.ToLower(strings.TrimSpace(name))
			if other, twice := choices[folded]; folded == "" || twice && other != choice {
				return nil, fmt.Errorf("%q cannot be the name of %s", name, choice)
			}
			choices[folded] = choice
		}
	}
	return func(reply string, judged structured.Material, _ replies.Ties) (data.Choice, error) {
		var found []structured.Found[data.Choice]
		for _, m := range pattern.FindAllStringSubmatch(reply, -1) {
			name := m[min(1, len(m)-1)]
			choice, known := choices[strings.ToLower(strings.TrimSpace(name))]
			if !known && !judged.Has(m[0]) {
				return "", fmt.Errorf("%q is no name of a choice in reads", data.Clip(name))
			}
			found = append(found, structured.Found[data.Choice]{Text: m[0], Same: string(choice), Value: choice})
		}
		return structured.Only(found, judged)
	}, nil
}
