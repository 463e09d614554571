package text

import (
	"cmp"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// choice sets Choice and the counts of its words. It takes the first object named in the answer's choice ("Best option: Tea"); else a tie
// if the choice says that it depends; else the choice that the conclusion makes.
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
			if b.name != "" && a.parts[i].namedRole != choiceRole {
				said(a.parts[i].name.len(), a.parts[i].objects)
			}
		}
		for ; index < len(a.sentences) && a.sentences[index].block == i; index++ {
			if s := a.sentences[index]; s.role == choiceRole {
				ws := a.tokensOf(s.words)
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

// concluded returns the choice that the conclusion makes. It takes the first that applies: a tie, if a sentence leaves the choice open and
// no choosing sentence ("I would choose …") favours an object; the object that the choosing sentences favour; the object that all
// sentences favour; a tie, if both objects are named. Otherwise it returns "".
func (a *Analysis) concluded() data.Choice {
	chosen := 0
	leniency := 0
	all := lexical.Objects(0)
	open := false
	for _, s := range a.sentences {
		if s.role != conclusionRole {
			continue
		}
		ws := a.tokensOf(s.words)
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
