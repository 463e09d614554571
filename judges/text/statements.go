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

// Statements are the sentences of an answer, except those of its list of sources, and the
// choice that the answer makes. Names finds the objects as the answer writes them.
func Statements(q data.Question, text string) (list []Statement, names *lexical.Names, choice Choice) {
	a := analyse(q, text)
	for _, s := range a.sentences {
		if s.role == sourcesRole {
			continue
		}
		list = append(list, Statement{s.text, a.blocks[s.block].name, a.parts[s.block].about, s.role == conclusionRole || s.role == choiceRole})
	}
	var f Features
	f.choice(a)
	return list, a.names, f.Choice
}
