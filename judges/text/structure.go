package text

import (
	"slices"

	"compqa/data"
	"compqa/judges/text/lexical"
	"compqa/llm"
)

// An Analysis is an answer split into the parts that the measurements use.
type Analysis struct {
	question     data.Question
	names        *lexical.Names
	blocks       []block
	parts        []part // one for each block
	tokens       []lexical.Token
	sentences    []sentence
	oneParagraph bool // apart from a choice and a conclusion, the answer is one paragraph
}

// A part holds the words and the role of a block.
type part struct {
	role      role
	namedRole role            // the role that the block's name says
	name      span            // words of the block's name
	objects   lexical.Objects // named in the block's name
	about     lexical.Objects // objects that the text is about: those that its name names, or else the name above it
	aspect    string          // see aspectKey; "" if the name is not an aspect
}

// A span is a range of words in Analysis.tokens. The end is excluded.
type span struct{ from, to int }

func (s span) len() int { return s.to - s.from }

// A sentence is a sentence of a block's text, or a row of a table.
type sentence struct {
	block   int
	role    role
	text    string
	words   span
	objects lexical.Objects // named in the sentence, and what its block is about
}

// Analyse splits an answer into blocks, sentences and words. A model's reasoning before the answer is left out.
func Analyse(q data.Question, text string) *Analysis {
	text, _ = llm.SplitThought(text)
	text = lexical.Normalise(text)
	a := &Analysis{question: q, names: lexical.NewNames(q.Object1, q.Object2), blocks: blocks(text)}
	a.names.Learn(text)
	a.tokens = make([]lexical.Token, 0, len(text)/5) // roughly the number of words
	a.parts = make([]part, len(a.blocks))
	for i, b := range a.blocks {
		p := &a.parts[i]
		p.name = a.tokenise(b.name)
		p.objects = lexical.NamedObjects(a.tokensOf(p.name))
		p.namedRole = b.namedRole
		if b.namedRole == bodyRole && b.kind != row && a.namesMore(p.name) {
			p.namedRole = noRole
		}
	}
	a.assignRoles()
	for i := range a.parts {
		a.parts[i].aspect = a.aspectKey(i)
	}
	a.inherit()
	a.readSentences()
	return a
}

// inherit sets which objects each block is about. A block without an object in its name inherits it. An object's name alone on a line
// applies to the list items below it, up to the next such name, paragraph or heading. An object's heading applies to all blocks up to the
// next heading of the same or a higher level. A table's header applies to its rows.
func (a *Analysis) inherit() {
	var line, section, table lexical.Objects
	level := 0
	for i, b := range a.blocks {
		p := &a.parts[i]
		switch {
		case b.kind == heading:
			line = 0
			if section == 0 || b.level <= level {
				section = 0
				level = b.level
				if p.objects != lexical.Both && p.aspect == "" {
					section = p.objects
				}
			}
		case b.kind == paragraph || p.objects != 0:
			line = 0
			if b.kind == item && b.text == "" && p.objects != lexical.Both {
				line = p.objects
			}
		}
		if b.kind == row {
			if i == 0 || a.blocks[i-1].kind != row {
				table = a.namedIn(b.text) | p.objects
			}
			p.about |= table
		}
		p.about |= p.objects
		if p.about == 0 && p.role == bodyRole {
			p.about = line
			if line == 0 {
				p.about = section
			}
		}
	}
}

// tokenise appends the words of s to the tokens, with the names of objects marked, and returns their span.
func (a *Analysis) tokenise(s string) span {
	from := len(a.tokens)
	a.tokens = lexical.Tokens(a.tokens, s)
	a.names.Mark(a.tokens[from:])
	return span{from, len(a.tokens)}
}

// namesMore reports whether a heading that sounds like the body's names something else, too. "Comparison of tea and coffee" does not;
// "Price comparison" does, and so is an aspect.
func (a *Analysis) namesMore(name span) bool {
	more := false
	lexical.Content(a.tokensOf(name), func(t lexical.Token) { more = more || t.Class&lexical.Stop == 0 && roleWords[t.Word] == 0 })
	return more
}

func (a *Analysis) tokensOf(s span) []lexical.Token { return a.tokens[s.from:s.to] }

// namedIn returns the objects that a text names.
func (a *Analysis) namedIn(text string) lexical.Objects {
	ws := lexical.Tokens(nil, text)
	a.names.Mark(ws)
	return lexical.NamedObjects(ws)
}

// readSentences splits the text of each block into sentences. A row of a table is one sentence.
func (a *Analysis) readSentences() {
	p := lexical.Splitter{Unclear: lexical.MaxUnclear}
	for i, b := range a.blocks {
		var texts []string
		if b.kind == row {
			if b.namedRole != bodyRole && lexical.HasWord(b.text) {
				texts = append(texts, b.text)
			}
		} else {
			texts = p.Split(texts, b.text)
		}
		for _, t := range texts {
			s := sentence{block: i, role: a.parts[i].role, text: t, words: a.tokenise(t)}
			ws := a.tokensOf(s.words)
			s.objects = lexical.NamedObjects(ws) | a.parts[i].about
			if len(ws) > 0 && (ws[0].Word == "both" || ws[0].Word == "neither") {
				s.objects = lexical.Both
			}
			a.sentences = append(a.sentences, s)
		}
	}
	if a.oneParagraph {
		a.singleParagraph()
	}
}

// singleParagraph divides the sentences of an answer that is one paragraph. The first is the introduction, if it names both objects and at
// least two follow. The conclusion begins with the last sentence that opens like one. The rest is the body.
func (a *Analysis) singleParagraph() {
	from := slices.IndexFunc(a.sentences, func(s sentence) bool { return s.role == introRole })
	if from < 0 {
		return
	}
	body := a.sentences[from:]
	if end := slices.IndexFunc(body, func(s sentence) bool { return s.role != introRole }); end >= 0 {
		body = body[:end] // they are all of one block: none comes later
	}
	for i := range body {
		body[i].role = bodyRole
	}
	if len(body) < 3 {
		return
	}
	if body[0].objects == lexical.Both {
		body[0].role = introRole
	}
	for i := len(body) - 1; i > 0; i-- {
		if lexical.Cues.Opens(a.tokensOf(body[i].words), lexical.Closing) {
			for k := i; k < len(body); k++ {
				body[k].role = conclusionRole
			}
			return
		}
	}
}
