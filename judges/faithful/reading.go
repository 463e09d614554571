package faithful

import (
	"slices"
	"strings"

	"compqa/judges/text/lexical"
)

// A reading is what a sentence says, word by word.
type reading struct {
	words     []word
	first     lexical.Objects // the object that it is about first
	named     lexical.Objects
	negations [][2]int // ranges of words that are negated
	denied    bool     // "it is not true that …"
}

// A word of a reading carries content. Words that it does without are left out, and so are
// the objects' names.
type word struct {
	word, stem string
	owner      lexical.Objects // the object that the word is said of
	next       lexical.Objects // the object named next in the same part of the sentence
	negated    bool
	less       bool // "less" or "least" stands before it
	degree     bool // it is such a word, or "more" or "most"
	poles      []pole
}

// key identifies what two words have in common: a scale, or else a stem.
func (w word) key() string {
	if len(w.poles) > 0 {
		return w.poles[0].scale
	}
	return w.stem
}

// Limits that keep the time linear.
const (
	mostWords = 150 // of a sentence that are read
	reach     = 5   // words that a negation inverts
)

// A reader is the state of reading one sentence.
type reader struct {
	reading
	owner    lexical.Objects
	from     int // first word of the part at hand
	last     int // token after the last name in the part at hand
	run, end int // the row of words before the next name, and where a linking word ended it
	negation int // index of the open negation, or -1
	left     int // words that it still reaches
	degree   use // raises or lowers, where the word just read does
}

// read reads a sentence; about is the object of the heading or label above it. It reads the
// sentence in parts, which end at commas, semicolons, colons and brackets.
func read(names *lexical.Names, sentence string, about lexical.Objects) reading {
	const bytes = 8 // of a word, at least, so that words seldom grow
	r := reader{negation: -1}
	r.words = make([]word, 0, min(len(sentence)/bytes+2, mostWords))
	var buffer [64]lexical.Token
	if about.Count() == 1 {
		r.owner, r.first = about, about
	}
	for part := range strings.FieldsFuncSeq(sentence, endsPart) {
		tokens := lexical.Tokens(buffer[:0], part)
		names.Mark(tokens)
		r.from, r.run, r.end, r.last, r.degree = len(r.words), len(r.words), len(r.words), -1, 0
		for i := 0; i < len(tokens) && len(r.words) < mostWords; i++ {
			if n := int(tokens[i].Length); n > 0 {
				r.name(tokens, i)
				i += n - 1
				continue
			}
			r.word(tokens, i)
		}
		r.closeNegation()
	}
	for i := range r.words {
		if w := &r.words[i]; w.owner == 0 {
			w.owner = w.next
		}
	}
	if r.first == 0 && r.named.Count() == 1 {
		r.first = r.named
	}
	for _, n := range r.negations {
		for i := n[0]; i < n[1]; i++ {
			r.words[i].negated = true
		}
	}
	return r.reading
}

func endsPart(c rune) bool { return c == ',' || c == ';' || c == ':' || c == '(' || c == ')' }

// name handles the name of an object at tokens[i]. It owns the words after it, and with a
// linking word those just before it, unless something is compared with it.
func (r *reader) name(tokens []lexical.Token, i int) {
	object := tokens[i].Object
	for k := len(r.words) - 1; k >= r.from && r.words[k].next == 0; k-- {
		r.words[k].next = object
	}
	if against := r.compared(tokens, i); against && r.named == 0 && r.owner == 0 {
		for k := r.from; k < len(r.words); k++ { // "it is cheaper than tea"
			r.words[k].owner = lexical.Both &^ object
		}
	} else if joined := i > 1 && r.named != 0 && r.last == i-1 && vocabulary[tokens[i-1].Word].use&joins != 0; joined {
		r.owner = lexical.Both // "tea and coffee are drinks"
		if len(r.words) == 0 {
			r.first = lexical.Both
		}
	} else if !against {
		r.owner = object
		if linked(tokens, i) {
			for k := r.run; k < r.end; k++ {
				r.words[k].owner = object
			}
		}
		if r.first == 0 {
			r.first = object
		}
	}
	r.named |= object
	r.last = i + int(tokens[i].Length)
	r.run, r.degree = len(r.words), 0
}

// word handles any other word.
func (r *reader) word(tokens []lexical.Token, i int) {
	t := tokens[i]
	known := vocabulary[t.Word]
	u := known.use
	next := func() (u use) {
		if i+1 < len(tokens) {
			u = vocabulary[tokens[i+1].Word].use
		}
		return u
	}
	if u&endsNegated != 0 {
		r.closeNegation()
	}
	if u&turns != 0 && slices.ContainsFunc(tokens[i:], func(t lexical.Token) bool { return t.Object != 0 }) {
		r.owner = 0 // the next name owns what follows
	}
	if u&denies != 0 && next()&that != 0 {
		r.denied = !r.denied
		return
	}
	if u&negates != 0 {
		r.closeNegation()
		switch {
		case next()&merely != 0:
		case deniesAll(tokens[i+1:]):
			r.denied = !r.denied
		default:
			r.negation, r.left = len(r.negations), reach
			r.negations = append(r.negations, [2]int{len(r.words), 0})
		}
		return
	}
	w := word{word: t.Word, stem: t.Stem, owner: r.owner, poles: known.poles, degree: u&(raises|lowers) != 0}
	if t.Class&lexical.Stop != 0 && w.poles == nil {
		switch {
		case u&links != 0:
			r.end = len(r.words)
		case u&article == 0:
			r.run = len(r.words)
		}
		r.degree = 0
		return
	}
	if r.degree != 0 && w.poles != nil { // of "less expensive" only the price is kept
		w.less = r.degree&lowers != 0
		r.words[len(r.words)-1].poles = nil
	}
	r.degree = u & (raises | lowers)
	if r.end == len(r.words) {
		r.run = len(r.words)
	}
	r.words = append(r.words, w)
	if r.negation >= 0 {
		if r.left--; r.left == 0 {
			r.closeNegation()
		}
	}
}

// closeNegation ends the range of a negation. One without a word after it is about the
// word before: "whereas tea does not".
func (r *reader) closeNegation() {
	if r.negation < 0 {
		return
	}
	n := &r.negations[r.negation]
	n[1] = len(r.words)
	if n[0] == n[1] && n[0] > r.from && r.words[n[0]-1].owner == r.owner {
		n[0]--
	}
	r.negation = -1
}

// deniesAll reports whether the words after a negation make it one of the whole sentence:
// "not true that", "not the case that".
func deniesAll(tokens []lexical.Token) bool {
	tokens = tokens[:min(len(tokens), 4)]
	has := func(u use) bool {
		return slices.ContainsFunc(tokens, func(t lexical.Token) bool { return vocabulary[t.Word].use&u != 0 })
	}
	return has(affirms) && has(that)
}

// compared reports whether the object at tokens[i] is what something else is compared
// with, or an example of others.
func (r *reader) compared(tokens []lexical.Token, i int) bool {
	use := func(k int) use {
		if k < 0 {
			return 0
		}
		return vocabulary[tokens[k].Word].use
	}
	far := 4
	row := use(i-1)&joins != 0 // "than tea or coffee"
	if row {
		far = 6
	}
	for k := i - 1; k >= 0 && k >= i-far; k-- {
		u := use(k)
		switch {
		case u&compares != 0, u&then != 0 && k > 0 && tokens[k-1].Class&lexical.Comparative != 0, u&likens != 0 && use(i-1)&to != 0:
			return true
		case u&lists != 0:
			return r.owner != 0 && r.owner != tokens[i].Object
		case tokens[k].Class&lexical.Stop == 0 && !row && use(i-1)&to == 0:
			return false
		}
	}
	return false
}

// linked reports whether the object at tokens[i] owns the words before it.
func linked(tokens []lexical.Token, i int) bool {
	k := i - 1
	if k >= 0 && vocabulary[tokens[k].Word].use&article != 0 {
		k--
	}
	return k >= 0 && vocabulary[tokens[k].Word].use&links != 0
}
