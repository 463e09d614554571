package lexical

import (
	"slices"
	"strings"
)

// A Reading is what a sentence says, word by word.
type Reading struct {
	Words     []Term
	First     Objects // the object that it is about first
	Named     Objects
	Negations [][2]int // ranges of words that are negated
	Denied    bool     // "it is not true that …"
}

// A Term is a word of a reading that carries content. Names of objects are left out.
type Term struct {
	Token
	Owner   Objects // the object that the word is said of
	Next    Objects // the object named next in the same part of the sentence
	Negated bool
	Less    bool // "less" or "least" stands before it
	Degree  bool // it is such a word, or "more" or "most"
}

// Key identifies what two words have in common: a scale, or else a stem.
func (w Term) Key() string {
	if len(w.Poles) > 0 {
		return w.Poles[0].Scale
	}
	return w.Stem()
}

// Limits that keep the time linear.
const (
	mostWords = 150 // of a sentence that are read
	reach     = 5   // words that a negation inverts
)

// A reader is the state of reading one sentence.
type reader struct {
	Reading
	owner    Objects
	from     int   // first word of the part at hand
	last     int   // token after the last name in the part at hand
	run, end int   // the row of words before the next name, and where a linking word ended it
	negation int   // index of the open negation, or -1
	left     int   // words that it still reaches
	degree   Class // raises or lowers, where the word just read does
}

// Read reads a sentence; about is the object of the heading or label above it. It reads the
// sentence in parts, which end at commas, semicolons, colons and brackets.
func Read(names *Names, sentence string, about Objects) Reading {
	const bytes = 8 // of a word, at least, so that words seldom grow
	r := reader{negation: -1}
	r.Words = make([]Term, 0, min(len(sentence)/bytes+2, mostWords))
	var buffer [64]Token
	if about.Count() == 1 {
		r.owner = about
		r.First = about
	}
	for part := range strings.FieldsFuncSeq(sentence, endsPart) {
		tokens := Tokens(buffer[:0], part)
		names.Mark(tokens)
		r.from = len(r.Words)
		r.run = len(r.Words)
		r.end = len(r.Words)
		r.last = -1
		r.degree = 0
		for i := 0; i < len(tokens) && len(r.Words) < mostWords; i++ {
			if n := int(tokens[i].Length); n > 0 {
				r.name(tokens, i)
				i += n - 1
				continue
			}
			r.word(tokens, i)
		}
		r.closeNegation()
	}
	for i := range r.Words {
		if w := &r.Words[i]; w.Owner == 0 {
			w.Owner = w.Next
		}
	}
	if r.First == 0 && r.Named.Count() == 1 {
		r.First = r.Named
	}
	for _, n := range r.Negations {
		for i := n[0]; i < n[1]; i++ {
			r.Words[i].Negated = true
		}
	}
	return r.Reading
}

func endsPart(c rune) bool { return c == ',' || c == ';' || c == ':' || c == '(' || c == ')' }

// name handles the name of an object at tokens[i]. It owns the words after it, and with a
// linking word those just before it, unless something is compared with it.
func (r *reader) name(tokens []Token, i int) {
	object := tokens[i].Object
	for k := len(r.Words) - 1; k >= r.from && r.Words[k].Next == 0; k-- {
		r.Words[k].Next = object
	}
	if against := r.compared(tokens, i); against && r.Named == 0 && r.owner == 0 {
		for k := r.from; k < len(r.Words); k++ { // "it is cheaper than tea"
			r.Words[k].Owner = Both &^ object
		}
	} else if joined := i > 1 && r.Named != 0 && r.last == i-1 && tokens[i-1].Class&joins != 0; joined {
		r.owner = Both // "tea and coffee are drinks"
		if len(r.Words) == 0 {
			r.First = Both
		}
	} else if !against {
		r.owner = object
		if linked(tokens, i) {
			for k := r.run; k < r.end; k++ {
				r.Words[k].Owner = object
			}
		}
		if r.First == 0 {
			r.First = object
		}
	}
	r.Named |= object
	r.last = i + int(tokens[i].Length)
	r.run = len(r.Words)
	r.degree = 0
}

// word handles any other word.
func (r *reader) word(tokens []Token, i int) {
	t := tokens[i]
	u := t.Class
	next := func() (u Class) {
		if i+1 < len(tokens) {
			u = tokens[i+1].Class
		}
		return u
	}
	if u&endsNegated != 0 {
		r.closeNegation()
	}
	if u&turns != 0 && slices.ContainsFunc(tokens[i:], func(t Token) bool { return t.Object != 0 }) {
		r.owner = 0 // the next name owns what follows
	}
	if u&denies != 0 && next()&that != 0 {
		r.Denied = !r.Denied
		return
	}
	if u&negates != 0 {
		r.closeNegation()
		switch {
		case next()&merely != 0:
		case deniesAll(tokens[i+1:]):
			r.Denied = !r.Denied
		default:
			r.negation = len(r.Negations)
			r.left = reach
			r.Negations = append(r.Negations, [2]int{len(r.Words), 0})
		}
		return
	}
	w := Term{Token: t, Owner: r.owner, Degree: u&(raises|lowers) != 0}
	if t.Class&Stop != 0 && w.Poles == nil {
		switch {
		case u&links != 0:
			r.end = len(r.Words)
		case u&article == 0:
			r.run = len(r.Words)
		}
		r.degree = 0
		return
	}
	if r.degree != 0 && w.Poles != nil { // of "less expensive" only the price is kept
		w.Less = r.degree&lowers != 0
		r.Words[len(r.Words)-1].Poles = nil
	}
	r.degree = u & (raises | lowers)
	if r.end == len(r.Words) {
		r.run = len(r.Words)
	}
	r.Words = append(r.Words, w)
	if r.negation >= 0 {
		r.left--
		if r.left == 0 {
			r.closeNegation()
		}
	}
}

// closeNegation ends the range of a negation. One without a word after it is about the word before: "whereas tea does not".
func (r *reader) closeNegation() {
	if r.negation < 0 {
		return
	}
	n := &r.Negations[r.negation]
	n[1] = len(r.Words)
	if n[0] == n[1] && n[0] > r.from && r.Words[n[0]-1].Owner == r.owner {
		n[0]--
	}
	r.negation = -1
}

// deniesAll reports whether the words after a negation make it one of the whole sentence:
// "not true that", "not the case that".
func deniesAll(tokens []Token) bool {
	tokens = tokens[:min(len(tokens), 4)]
	has := func(u Class) bool {
		return slices.ContainsFunc(tokens, func(t Token) bool { return t.Class&u != 0 })
	}
	return has(affirms) && has(that)
}

// compared reports whether the object at tokens[i] is what something else is compared with, or an example of others.
func (r *reader) compared(tokens []Token, i int) bool {
	use := func(k int) Class {
		if k < 0 {
			return 0
		}
		return tokens[k].Class
	}
	far := 4
	row := use(i-1)&joins != 0 // "than tea or coffee"
	if row {
		far = 6
	}
	for k := i - 1; k >= 0 && k >= i-far; k-- {
		u := use(k)
		switch {
		case u&compares != 0, u&then != 0 && k > 0 && tokens[k-1].Class&Comparative != 0, u&likens != 0 && use(i-1)&to != 0:
			return true
		case u&lists != 0:
			return r.owner != 0 && r.owner != tokens[i].Object
		case tokens[k].Class&Stop == 0 && !row && use(i-1)&to == 0:
			return false
		}
	}
	return false
}

// linked reports whether the object at tokens[i] owns the words before it.
func linked(tokens []Token, i int) bool {
	k := i - 1
	if k >= 0 && tokens[k].Class&article != 0 {
		k--
	}
	return k >= 0 && tokens[k].Class&links != 0
}
