package lexical

import (
	"slices"
	"strings"

	"compqa/data"
)

// Names finds the names of a question's two objects in a text.
type Names struct {
	forms      [2][][]string // ways to write each object's name, longest first
	hasLearned bool
}

// NewNames returns the finder of two objects' names. It finds each name in the singular and plural, and in one word or two ("merge sort",
// "mergesort"). It also finds a part of the name that has no word of the other name: "Google" for Google search against Yahoo search,
// "CR-V" and "Honda" for Honda CR-V. Articles are not parts.
func NewNames(object1, object2 string) *Names {
	n := &Names{}
	a := nameWords(object1)
	b := nameWords(object2)
	n.addForms(First, a, b)
	n.addForms(Second, b, a)
	return n
}

// nameWords returns the words of a name in lower case, without an article.
func nameWords(s string) []string {
	const longest = 8 // words; what is longer is not a name
	words := data.Words(Normalise(s))
	words = words[:min(len(words), longest)]
	if len(words) > 1 && (words[0] == "the" || words[0] == "a" || words[0] == "an") {
		words = words[1:]
	}
	return words
}

// addForms adds the ways to write the name of object o. other is the name of the other object.
func (n *Names) addForms(o Objects, name, other []string) {
	if len(name) == 0 {
		return
	}
	n.addInflected(o, name...)
	if len(name) == 1 {
		if w := name[0]; len(w) >= 6 && len(w) <= 24 {
			for i := 2; i <= len(w)-2; i++ {
				n.add(o, w[:i], w[i:])
			}
		}
	} else {
		n.addInflected(o, strings.Join(name, ""))
		for from := range name { // parts that the other name doesn't have
			for to := from + 1; to <= len(name); to++ {
				part := name[from:to]
				if !distinct(part, other) {
					continue
				}
				if len(part) < len(name) {
					n.addInflected(o, part...)
				}
				if len(part) == 2 && len(name) > 2 { // "CR-V", "CRV"
					n.addInflected(o, part[0]+part[1])
				}
			}
		}
	}
	slices.SortStableFunc(n.forms[o-1], func(a, b []string) int { return len(b) - len(a) })
}

// addInflected adds a name with its last word in the singular and plural, and in other forms of an activity: skiing, ski, skis, skier.
func (n *Names) addInflected(o Objects, name ...string) {
	last := name[len(name)-1]
	form := func(w string) {
		f := slices.Clone(name)
		f[len(f)-1] = w
		n.add(o, f...)
	}
	form(last)
	form(last + "s")
	form(last + "es")
	if stem, ok := strings.CutSuffix(last, "s"); ok && len(stem) >= 3 && !strings.HasSuffix(stem, "s") {
		form(stem)
	}
	if stem, ok := strings.CutSuffix(last, "ing"); ok && len(stem) >= 3 {
		for _, ending := range []string{"", "s", "er", "ers", "ed"} {
			form(stem + ending)
		}
	}
}

// Ordinary removes single words of the objects' names that the texts use as ordinary words: "Hotel" of "Harbour Hotel", if a text writes
// "hotel". question has the two names.
func (n *Names) Ordinary(question [2]string, texts func(yield func(string) bool)) {
	small := map[string]bool{}
	capital := map[string]bool{}
	note := func(set map[string]bool, text string, counts func(byte) bool) {
		for w, ok := data.NextWord(text, 0); ok; w, ok = data.NextWord(text, w.End) {
			if counts(text[w.Start]) {
				set[data.Stem(w.Text)] = true
			}
		}
	}
	for _, name := range question {
		note(capital, name, IsUpper)
	}
	for text := range texts {
		note(small, text, IsLower)
	}
	for o, name := range question {
		if len(nameWords(name)) > 1 {
			n.forms[o] = slices.DeleteFunc(n.forms[o], func(form []string) bool {
				w := data.Stem(form[0])
				return len(form) == 1 && small[w] && capital[w]
			})
		}
	}
}

// add adds one way to write the name of object o.
func (n *Names) add(o Objects, form ...string) {
	n.forms[o-1] = append(n.forms[o-1], form)
}

// distinct reports whether part of a name identifies its object: it has no word of the other name, and is not a stop word, a general word
// or shorter than three letters.
func distinct(part, other []string) bool {
	const fewest = 3 // letters
	if slices.ContainsFunc(part, func(w string) bool { return slices.Contains(other, w) }) {
		return false
	}
	if len(part) == 1 {
		return len(part[0]) >= fewest && Lexicon[part[0]].Class&(Stop|Generic) == 0
	}
	return true
}

// Objects is a set of the question's two objects: bit 0 for the first, bit 1 for the second.
type Objects uint8

const (
	First  Objects = 1              // the first object alone
	Second Objects = 2              // the second object alone
	Both   Objects = First | Second // both objects
)

// Mark finds the objects' names in ws. It sets Object and Length of the first word of each name. A longer name wins, so that "American
// football" is not "football". A form of both objects' names gives Both.
func (n *Names) Mark(ws []Token) {
	for i := 0; i < len(ws); i++ {
		object := Objects(0)
		length := 0
		for o := range n.forms {
			for _, f := range n.forms[o] {
				if len(f) < length {
					break
				}
				if matches(f, ws[i:]) {
					if len(f) > length {
						object = 0
					}
					object |= Objects(1 << o)
					length = len(f)
					break
				}
			}
		}
		if length > 0 {
			ws[i].Object = object
			ws[i].Length = uint8(length)
			i += length - 1
		}
	}
}

// NamedObjects returns the objects named anywhere in ws, after Mark.
func NamedObjects(ws []Token) Objects {
	var found Objects
	for _, t := range ws {
		found |= t.Object
	}
	return found
}

// Content calls f for every word that is neither a stop word nor part of an object's name.
func Content(ws []Token, f func(Token)) {
	for i := 0; i < len(ws); i++ {
		switch {
		case ws[i].Length > 0:
			i += int(ws[i].Length) - 1
		case ws[i].Class&Stop == 0:
			f(ws[i])
		}
	}
}

// matches reports whether ws begins with the words of form.
func matches(form []string, ws []Token) bool {
	if len(form) > len(ws) {
		return false
	}
	for k, w := range form {
		if ws[k].Word != w {
			return false
		}
	}
	return true
}

// Learn adds further names of an object that the answer introduces in brackets: "PlayStation 3 (PS3)" and "IELTS (International English
// Language Testing System)".
func (n *Names) Learn(text string) {
	const most = 20 // brackets read; names are explained early in a text
	for range most {
		open := strings.IndexByte(text, '(')
		if open < 0 {
			return
		}
		end := strings.IndexByte(text[open:min(len(text), open+MaxNameBytes)], ')')
		if end > 0 {
			before := text[max(0, open-MaxNameBytes):open]
			n.explain(before, text[open+1:open+end])
		}
		text = text[open+1:]
	}
}

// Learned reports whether Learn has added a name.
func (n *Names) Learned() bool { return n.hasLearned }

// explain adds a further name from one bracket (inside) and the text before it. The further name must begin with capitals or digits. If it
// is the text in the bracket, it must have at least two words: "tea (green)" explains nothing.
func (n *Names) explain(before, inside string) {
	in := Tokens(nil, inside)
	pre := Tokens(nil, before)
	if len(in) == 0 || len(pre) == 0 {
		return
	}
	n.Mark(in)
	n.Mark(pre)
	if int(in[0].Length) == len(in) {
		name := capitalised(before)
		n.Mark(name)
		if len(name) > 1 && NamedObjects(name) == 0 {
			n.addAlias(in[0].Object, name)
		}
		return
	}
	if len(in) < 2 || len(in) > 6 || !IsUpper(inside[0]) || NamedObjects(in) != 0 {
		return
	}
	for k := max(0, len(pre)-4); k < len(pre); k++ {
		if k+int(pre[k].Length) == len(pre) {
			n.addAlias(pre[k].Object, in)
			return
		}
	}
}

// capitalised returns the last words of s, up to four, if they begin with capitals or digits. It stops at "the" and "both".
func capitalised(s string) []Token {
	fields := strings.Fields(s)
	from := len(fields)
	for from > 0 && len(fields)-from < 4 {
		w := strings.TrimLeft(fields[from-1], "*_\"'")
		if w == "" || !IsUpper(w[0]) && !IsDigit(w[0]) || SentenceEnd(w[len(w)-1]) || strings.EqualFold(w, "the") ||
			strings.EqualFold(w, "both") {
			break
		}
		from--
	}
	return Tokens(nil, strings.Join(fields[from:], " "))
}

func (n *Names) addAlias(o Objects, name []Token) {
	n.hasLearned = true
	n.add(o, data.Each(name, func(t Token) string { return t.Word })...)
	slices.SortStableFunc(n.forms[o-1], func(a, b []string) int { return len(b) - len(a) })
}

// MaxNameBytes is the maximum length of a name or label in a text.
const MaxNameBytes = 90

// Count returns how many of the two objects o has: 0, 1 or 2.
func (o Objects) Count() int { return int(o&1) + int(o>>1) }
