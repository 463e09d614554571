package text

import (
	"compqa/data"
	"compqa/judges/text/lexical"
)

// A Statement is a sentence of an answer, with the label of the list item or paragraph
// that it stands in, and the objects that the label, or a heading above, names.
type Statement struct {
	Text, Label string
	About       lexical.Objects
	Conclusion  bool // of the conclusion or of the choice
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

// Names finds the objects as the answer writes them.
func (a *Analysis) Names() *lexical.Names { return a.names }

// Choice returns the choice of an object that the answer makes; "": it states none.
func (a *Analysis) Choice() data.Choice {
	var f Features
	f.choice(a)
	return f.Choice
}
