package judges

import (
	"slices"
	"strings"
)

// learn adds to an object's names what the answer itself says is another name
// of it: "PlayStation 3 (PS3)" and "IELTS (International English Language
// Testing System)".
func (n *names) learn(text string) {
	const most = 20 // brackets looked at; names are explained early
	for range most {
		open := strings.IndexByte(text, '(')
		if open < 0 {
			return
		}
		end := strings.IndexByte(text[open:min(len(text), open+maxNameBytes)], ')')
		if end > 0 {
			before := text[max(0, open-maxNameBytes):open]
			n.explain(before, text[open+1:open+end])
		}
		text = text[open+1:]
	}
}

// explain takes in one bracket with the text before it. The other name has to
// be capitalised or to hold a digit, and in brackets to have two words: "tea
// (green)" explains nothing.
func (n *names) explain(before, inside string) {
	in, pre := tokens(nil, inside), tokens(nil, before)
	if len(in) == 0 || len(pre) == 0 {
		return
	}
	n.mark(in)
	n.mark(pre)
	if int(in[0].length) == len(in) {
		name := capitalised(before)
		if n.mark(name); len(name) > 1 && named(name) == 0 {
			n.addAlias(in[0].object, name)
		}
		return
	}
	if len(in) < 2 || len(in) > 6 || !isUpper(inside[0]) || named(in) != 0 {
		return
	}
	for k := max(0, len(pre)-4); k < len(pre); k++ {
		if k+int(pre[k].length) == len(pre) {
			n.addAlias(pre[k].object, in)
			return
		}
	}
}

// capitalised are the words at the end of s that begin with capitals or
// digits, at most four, without an article.
func capitalised(s string) []token {
	fields := strings.Fields(s)
	from := len(fields)
	for from > 0 && len(fields)-from < 4 {
		w := strings.TrimLeft(fields[from-1], "*_\"'")
		if w == "" || !isUpper(w[0]) && !isDigit(w[0]) || sentenceEnd(w[len(w)-1]) || strings.EqualFold(w, "the") || strings.EqualFold(w, "both") {
			break
		}
		from--
	}
	return tokens(nil, strings.Join(fields[from:], " "))
}

func (n *names) addAlias(o objects, name []token) {
	form := make([]word, len(name))
	for i, t := range name {
		form[i] = t.word
	}
	n.add(o, form...)
	slices.SortStableFunc(n.forms[o-1], func(a, b []word) int { return len(b) - len(a) })
}
