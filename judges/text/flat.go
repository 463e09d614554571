package text

import (
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// unflatten restores the lines of a text whose newlines were replaced by spaces, and yields them one by one. wide is true if two spaces,
// which replace an empty line, stood before the line.
//
// A line that starts with a mark (a bullet, the next number of a list, #, bold words with a colon, "Best option:") is found after one
// space, if the text before it can end a line. Other lines are found only after two spaces. loose says that the writer puts two spaces
// after every full stop; then two spaces after a full stop mean nothing.
func unflatten(s string, loose bool, yield func(line string, wide bool)) {
	f := flatLine{s: s, loose: loose, table: strings.Contains(s, "|") &&
		(strings.Contains(s, "| --") || strings.Contains(s, "|--") || strings.Contains(s, "| :-"))}
	f.count(0)
	wide := false
	for i := 1; i < len(s); i++ {
		if s[i] == ' ' || s[i-1] != ' ' {
			continue
		}
		if bareMarker(s[f.start:i]) || !f.startsLine(i) {
			continue
		}
		yield(strings.TrimRight(s[f.start:i], " "), wide)
		wide = s[i-2] == ' '
		f.start = i
		f.count(i)
	}
	yield(s[f.start:], wide)
}

// A flatLine is the state of splitting one line whose newlines were replaced by spaces.
type flatLine struct {
	s          string
	loose      bool
	start      int  // where the current line starts
	lastNumber int  // number of the last numbered item, 0 before the first
	bare       bool // the line is a list whose items have no full stops
	table      bool // the text holds a Markdown table
}

// count records the number of the list item that starts at i, if there is one.
func (f *flatLine) count(i int) {
	if n := listNumber(f.s[i:]); n > 0 {
		f.lastNumber = lexical.Number(f.s[i : i+n])
	}
}

// startsLine reports whether a new line starts at the word at i, which has a space before it.
func (f *flatLine) startsLine(i int) bool {
	s := f.s
	rest := f.s[i:]
	gap := 0
	for s[i-1-gap] == ' ' && gap < i-1 {
		gap++
	}
	before := s[:i-gap]
	wide := gap >= 2
	ended := lineMayEnd(before)
	if f.table {
		inRow := s[f.start] == '|'
		rowEnds := strings.HasSuffix(before, "|")
		if inRow && !(rowEnds && (wide || rest[0] == '|')) {
			return false
		}
		if rest[0] == '|' {
			return true
		}
	}
	switch c := rest[0]; {
	case c == '#':
		return hashes(rest) > 0 && len(rest) > 3
	case strings.HasPrefix(rest, "• "):
		return true
	case strings.HasPrefix(rest, "* "):
		return !(lexical.IsDigit(before[len(before)-1]) && len(rest) > 2 && lexical.IsDigit(rest[2]))
	case strings.HasPrefix(rest, "+ "):
		return (wide || ended || s[f.start] == '+') && lexical.IsUpper(rest[min(2, len(rest)-1)])
	case strings.HasPrefix(rest, "- "), strings.HasPrefix(rest, "-**"):
		return f.startsItem(strings.TrimLeft(rest[1:], " "), before, wide, ended)
	case lexical.IsDigit(c):
		return f.startsNumber(rest, wide, ended, colonBefore(before) || s[f.start] == '#')
	case strings.HasPrefix(rest, "**"):
		return f.startsBold(rest, wide, ended)
	case lexical.IsUpper(c) || c >= 0x80:
		return f.startsPlain(rest, before, wide, ended)
	}
	return false
}

// startsItem reports whether a "-" starts a list item, rather than being a dash. next is the text after it, before the text before it. wide
// says that two spaces stand before it, ended that the text before it can end a line.
func (f *flatLine) startsItem(next, before string, wide, ended bool) bool {
	switch {
	case next == "":
		return false
	case wide, strings.HasPrefix(next, "**"):
		return true
	case colonBefore(before):
		return true
	case strings.HasSuffix(before, "*"): // "**Tea** - …"
		return false
	case ended:
		return !lexical.IsLower(next[0])
	}
	if l, ok := PlainLabel(next, false); ok && l.Rest != "" && wordCount(l.name) <= 4 {
		return true
	}
	f.bare = strings.HasPrefix(f.s[f.start:], "- ") && !lexical.IsLower(next[0]) && (f.bare || bareItems(next))
	return f.bare
}

// bareItems reports whether at least two more " - " come before the next full stop, as in a list of items without full stops.
func bareItems(s string) bool {
	s = s[:min(len(s), 400)]
	if i := strings.IndexAny(s, ".!?:"); i >= 0 {
		s = s[:i]
	}
	return strings.Count(s, " - ") >= 2
}

// startsNumber reports whether "2." starts a list item ("2. Price"), rather than being a number that ends a sentence. named says that a
// colon or a heading stands before the number.
func (f *flatLine) startsNumber(rest string, wide, ended, named bool) bool {
	n := listNumber(rest)
	if n == 0 || n >= len(rest) {
		return false
	}
	next := strings.TrimLeft(rest[n:], " ")
	if next == "" || lexical.IsLower(next[0]) || lexical.IsDigit(next[0]) {
		return false
	}
	k := lexical.Number(rest[:n])
	goesOn := f.lastNumber > 0 && k > f.lastNumber && k <= f.lastNumber+10
	return wide || named || ended && (k == 1 || goesOn) || f.lastNumber > 0 && k == f.lastNumber+1
}

// startsBold reports whether bold words are a heading or a label, which starts a line, rather than stressed words in a sentence.
func (f *flatLine) startsBold(rest string, wide, ended bool) bool {
	if wide && !f.loose {
		return true
	}
	l, ok := boldLabel(rest, "**", false)
	return ok && (ended && !l.title || l.role != noRole)
}

// startsPlain reports whether a line without a mark starts here: after an empty line, or with a label that has a role ("Best option: …").
func (f *flatLine) startsPlain(rest, before string, wide, ended bool) bool {
	if wide && (!f.loose || !lexical.SentenceEnd(before[len(before)-1])) {
		return true
	}
	if !ended {
		return false
	}
	if w, ok := data.NextWord(rest, 0); !ok || w.Start > 0 || roleWords[w.Text] == 0 {
		return false
	}
	l, ok := PlainLabel(rest, false)
	return ok && l.role != noRole
}

// lineMayEnd reports whether a line can end with this text, because it ends in a full stop, colon, citation, quote or markup.
func lineMayEnd(s string) bool {
	switch c := s[len(s)-1]; c {
	case '.', '!', '?', ':', ';', ']', '"', '*', ')':
		return c != ')' || strings.HasSuffix(s, ".)")
	}
	return strings.HasSuffix(s, "。")
}

// colonBefore reports whether the text ends in a colon, also in bold ("**Price:**").
func colonBefore(s string) bool {
	return strings.HasSuffix(strings.TrimRight(s, "* _"), ":")
}

// bareMarker reports whether a line has nothing but its bullet or number yet.
func bareMarker(s string) bool {
	s = strings.TrimRight(s, " ")
	return len(s) <= 6 && strings.Trim(s, "#*-+•.)(0123456789") == ""
}

// doubleSpaced reports whether the writer puts two spaces after a sentence. At least three sentences before a capital have two spaces, and
// more than four in five of all sentences before a capital.
func doubleSpaced(s string) bool {
	single := 0
	double := 0
	for _, end := range [...]byte{'.', '!', '?'} {
		for rest := s; ; {
			i := strings.IndexByte(rest, end)
			if i < 0 || i+3 >= len(rest) {
				break
			}
			rest = rest[i+1:]
			switch {
			case rest[0] != ' ':
			case lexical.IsUpper(rest[1]):
				single++
			case rest[1] == ' ' && lexical.IsUpper(rest[2]):
				double++
			}
		}
	}
	return double >= 3 && double > 4*single
}
