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

// ChoiceNames says how a judge with its own form of reply names its choice. Pattern's first group, or all it matches, is one of the names
// in A, B and Tie. Case and outer spaces do not matter. If a list is nil, usualNames are used.
type ChoiceNames struct {
	Pattern   string
	A, B, Tie []string
}

// usualNames are the names of choices that Reads does not name.
var usualNames = map[data.Choice][]string{data.ChoiceA: {"A", "1"}, data.ChoiceB: {"B", "2"}, data.ChoiceTie: {"tie", "C"}}

// A reader reads the choice from a reply.
type reader func(reply string, judged structured.Material, ties replies.Ties) (data.Choice, error)

// reader returns the function that reads choices in the judge's own form, or replies.Choice if r is nil. All matches outside the judged
// texts must agree.
func (r *ChoiceNames) reader() (reader, error) {
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
		var found []structured.Decision[data.Choice]
		for _, m := range pattern.FindAllStringSubmatch(reply, -1) {
			name := m[min(1, len(m)-1)]
			choice, known := choices[strings.ToLower(strings.TrimSpace(name))]
			if !known && !judged.Quotes(m[0]) {
				return "", fmt.Errorf("%q is no name of a choice in reads", data.Clip(name))
			}
			found = append(found, structured.Decision[data.Choice]{Text: m[0], AgreementKey: string(choice), Value: choice})
		}
		return structured.OneDecision(found, judged)
	}, nil
}
