package lexical

import (
	"slices"
	"strings"
)

// A Reading holds what a sentence says, word by word.
type Reading struct {
	Words     []Term
	First     Objects // the object that the sentence is about first
	Named     Objects
	Negations [][2]int // ranges of Words that are negated
	Denied    bool     // "it is not true that …"
}

// A Term is a word that carries content, with what it is said of. Names of objects are not terms.
type Term struct {
	Token
	Owner      Objects // the object that the word describes
	NextObject Objects // the object named next in the same part of the sentence
	Negated    bool
	AfterLess  bool // "less" or "least" comes before it
	Degree     bool // the word is itself "more", "most", "less" or "least"
}

// Key returns what synonyms and opposites of a word share: the scale, or else the stem.
func (w Term) Key() string {
	if len(w.Poles) > 0 {
		return w.Poles[0].Scale
	}
	return w.Stem()
}

// Limits that keep the time linear in the length of the text.
const (
	mostWords = 150 // words read of a sentence
	reach     = 5   // words after a negation that it inverts
)

// A reader is the state of reading one sentence.
type reader struct {
	Reading
	owner         Objects // the object that the next words describe
	partStart     int     // index of the first word of the current part
	afterLastName int     // index of the token after the last name in the current part
	run, end      int     // Words[run:end] are the words before the next name that a linking word ("of") gives to it
	negation      int     // index of the open negation in Negations, or -1
	negatedWords  int     // number of words that the open negation still inverts
	degree        Class   // raises or lowers, if the last word was "more" or "less"
}

// Read reads a sentence. It reads parts that end at commas, semicolons, colons and brackets one after the other. about is the object of the
// heading or label above the sentence, which the words describe until the sentence names another.
func Read(names *Names, sentence string, about Objects) Reading {
	const bytes = 8 // expected of a word, so that Words seldom grows
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
		r.partStart = len(r.Words)
		r.run = len(r.Words)
		r.end = len(r.Words)
		r.afterLastName = -1
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
			w.Owner = w.NextObject
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

// name handles an object's name at tokens[i]. The words after it describe the object, and with a linking word ("the price of tea") those
// just before it, too. If something is compared with the object ("cheaper than tea"), the words describe the other object.
func (r *reader) name(tokens []Token, i int) {
	object := tokens[i].Object
	for k := len(r.Words) - 1; k >= r.partStart && r.Words[k].NextObject == 0; k-- {
		r.Words[k].NextObject = object
	}
	if against := r.compared(tokens, i); against && r.Named == 0 && r.owner == 0 {
		for k := r.partStart; k < len(r.Words); k++ { // "it is cheaper than tea"
			r.Words[k].Owner = Both &^ object
		}
	} else if joined := i > 1 && r.Named != 0 && r.afterLastName == i-1 && tokens[i-1].Class&joins != 0; joined {
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
	r.afterLastName = i + int(tokens[i].Length)
	r.run = len(r.Words)
	r.degree = 0
}

// word handles a word that is not part of an object's name: a negation, a word that changes the meaning of others, or a Term.
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
			r.negatedWords = reach
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
	if r.degree != 0 && w.Poles != nil { // "less expensive": only the scale of the second word counts
		w.AfterLess = r.degree&lowers != 0
		r.Words[len(r.Words)-1].Poles = nil
	}
	r.degree = u & (raises | lowers)
	if r.end == len(r.Words) {
		r.run = len(r.Words)
	}
	r.Words = append(r.Words, w)
	if r.negation >= 0 {
		r.negatedWords--
		if r.negatedWords == 0 {
			r.closeNegation()
		}
	}
}

// closeNegation ends the range of the open negation. Without a word in its range, it negates the word before: "whereas tea does not".
func (r *reader) closeNegation() {
	if r.negation < 0 {
		return
	}
	n := &r.Negations[r.negation]
	n[1] = len(r.Words)
	if n[0] == n[1] && n[0] > r.partStart && r.Words[n[0]-1].Owner == r.owner {
		n[0]--
	}
	r.negation = -1
}

// deniesAll reports whether a negation before these tokens negates the whole sentence: "not true that", "not the case that".
func deniesAll(tokens []Token) bool {
	tokens = tokens[:min(len(tokens), 4)]
	has := func(u Class) bool {
		return slices.ContainsFunc(tokens, func(t Token) bool { return t.Class&u != 0 })
	}
	return has(affirms) && has(that)
}

// compared reports whether something else is compared with the object at tokens[i] ("than tea"), or the object is an example ("like tea").
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

// linked reports whether a linking word before the object at tokens[i] makes the words before it describe the object: "the price of tea".
func linked(tokens []Token, i int) bool {
	k := i - 1
	if k >= 0 && tokens[k].Class&article != 0 {
		k--
	}
	return k >= 0 && tokens[k].Class&links != 0
}
