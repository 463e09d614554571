package text

import (
	"compqa/data"
	"compqa/judges/text/lexical"
)

// A Statement is a sentence of an answer. Label is the name in front of the list item or paragraph that the sentence is in. About is the
// objects that this name, or a heading above, names.
type Statement struct {
	Text, Label string
	About       lexical.Objects
	Conclusion  bool // the sentence is in the conclusion or in the choice
}

// Statements returns the sentences of the answer, except those of its list of sources.
func (a *Analysis) Statements() []Statement {
	var list []Statement
	for _, s := range a.sentences {
		if s.role == sourcesRole {
			continue
		}
		list = append(list, Statement{s.text, a.blocks[s.block].name, a.parts[s.block].about, s.role == conclusionRole || s.role == choiceRole})
	}
	return list
}

// Names returns the finder of the two objects' names, including names that the answer introduces.
func (a *Analysis) Names() *lexical.Names { return a.names }

// Choice returns the object that the answer chooses, a tie, or "" if the answer makes no choice.
func (a *Analysis) Choice() data.Choice {
	var f Features
	f.choice(a)
	return f.Choice
}
