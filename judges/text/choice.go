package text

import (
	"cmp"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// choice looks for the choice on its own line, and then in the conclusion.
func (f *Features) choice(a *Analysis) {
	chosen := lexical.Objects(0)
	open := false
	said := func(words int, named lexical.Objects) {
		if f.ChoiceWords == 0 {
			f.ChoiceWords = words
		} else {
			f.ChoiceReasonWords += words
		}
		if chosen == 0 {
			chosen = named
		}
	}
	index := 0
	for i, b := range a.blocks {
		if a.parts[i].role == choiceRole {
			f.ChoiceLine = true
			if b.name != "" && a.parts[i].says != choiceRole {
				said(a.parts[i].name.len(), a.parts[i].objects)
			}
		}
		for ; index < len(a.sentences) && a.sentences[index].block == i; index++ {
			if s := a.sentences[index]; s.role == choiceRole {
				ws := a.in(s.words)
				if chosen == 0 {
					open = open || lexical.Cues.Has(ws, lexical.Undecided)
				}
				said(len(ws), s.objects)
			}
		}
	}
	switch {
	case chosen != 0:
		f.Choice = [...]data.Choice{lexical.First: data.ChoiceA, lexical.Second: data.ChoiceB, lexical.Both: data.ChoiceTie}[chosen]
	case open:
		f.Choice = data.ChoiceTie
	default:
		f.Choice = a.concluded()
	}
}

// concluded returns the choice in the conclusion. In this order: the object that its choosing sentences favour; a tie, if it says that
// neither is better; the object that all its sentences favour; a tie, if it names both; "".
func (a *Analysis) concluded() data.Choice {
	chosen := 0
	leniency := 0
	all := lexical.Objects(0)
	open := false
	for _, s := range a.sentences {
		if s.role != conclusionRole {
			continue
		}
		ws := a.in(s.words)
		all |= s.objects
		open = open || lexical.Cues.Has(ws, lexical.Undecided)
		vote := a.favour(s)
		leniency += vote
		if lexical.Cues.Has(ws, lexical.Choosing) {
			chosen += vote
		}
	}
	switch lean := cmp.Or(chosen, leniency); {
	case chosen == 0 && open:
		return data.ChoiceTie
	case lean != 0 || all == lexical.Both:
		return data.Greater(lean, 0)
	}
	return ""
}
