package text

import (
	"strings"

	"compqa/judges/text/lexical"
)

// A blockKind is the kind of a block.
type blockKind uint8

const (
	heading   blockKind = iota // names the blocks after it
	paragraph                  // running text
	item                       // in a bulleted or numbered list
	row                        // in a table
)

// A block is one heading, paragraph, list item or table row of an answer, without its Markdown. The text "- **Price**: Tea
// is cheaper." is an item with the name "Price" and the text "Tea is cheaper."
type block struct {
	kind      blockKind
	level     int    // 1 to 6 for # headings, boldLevel, labelLevel, or itemLevel + indentation for an item
	name      string // a heading's words, or the label in front of the text
	namedRole role   // the role that the name says
	text      string
	gap       bool // an empty line or a heading comes before the block
}

// Levels nest names: a name belongs to the nearest earlier name with a lower level.
const (
	boldLevel  = 7  // a line or a paragraph that begins with words in bold
	labelLevel = 8  // a line or a paragraph that begins with "Name:"
	itemLevel  = 10 // a list item at the margin
	maxIndent  = 20 // columns; deeper indentation counts as this
)

// blocks splits a text in normalised form into blocks. Each line is read as Markdown. unflatten first splits a line in which spaces replace
// newlines, as in the human table of the CompQA release. Fenced code is left out, unless there is nothing else.
func blocks(text string) []block {
	b := blockReader{loose: doubleSpaced(text)}
	outside := b.read(text, false)
	if len(outside) == 0 {
		outside = b.read(text, true)
	}
	return outside
}

// mostBlocks limits the blocks of an answer, and so the memory. The rest of the text becomes one paragraph.
const mostBlocks = 20_000

// A blockReader is the state of splitting a text into blocks.
type blockReader struct {
	loose  bool // the writer puts two spaces after a full stop, so that they do not mark a new line
	blocks []block
	lines  []string // further lines of the last block's text, if it was hard-wrapped
	// an empty line comes before the next block
	gap bool
}

// read returns the blocks of a text. It leaves fenced code out, or reads it like other text if fences is true.
func (b *blockReader) read(text string, fences bool) []block {
	b.blocks = nil
	b.gap = true
	fence := ""
	for len(text) > 0 {
		if len(b.blocks) >= mostBlocks {
			b.add(block{kind: paragraph, text: lexical.StripMarkup(strings.ReplaceAll(text, "\n", " "))})
			break
		}
		line := text
		if i := strings.IndexByte(text, '\n'); i >= 0 {
			line = text[:i]
			text = text[i+1:]
		} else {
			text = ""
		}
		if f := fenceMark(line); f != "" {
			switch {
			case fence == "" && (fences || strings.Contains(text, f)):
				fence = f
			case fence == f:
				fence = ""
			}
			continue
		}
		if fence != "" && !fences {
			continue
		}
		b.line(line)
	}
	b.unwrap()
	return b.blocks
}

// fenceMark returns the ``` or ~~~ that opens or closes fenced code, or "".
func fenceMark(line string) string {
	line = strings.TrimLeft(line, " ")
	switch {
	case strings.HasPrefix(line, "```"):
		return "```"
	case strings.HasPrefix(line, "~~~"):
		return "~~~"
	}
	return ""
}

// line adds the blocks of one line.
func (b *blockReader) line(line string) {
	s := strings.TrimLeft(line, " ")
	indent := min(len(line)-len(s), maxIndent)
	s = strings.TrimRight(s, " ")
	for strings.HasPrefix(s, ">") {
		s = strings.TrimLeft(s[1:], " ")
	}
	if s == "" || len(s) >= 3 && strings.Trim(s, "-*_= ") == "" { // a rule such as --- or ***
		b.gap = true
		return
	}
	unflatten(s, b.loose, func(piece string, wide bool) {
		b.gap = b.gap || wide
		b.piece(piece, indent, 0)
		indent = 0
	})
}

// mostRun limits how many headings in a row are split from the same line.
const mostRun = 4

// piece adds the block of a line or of a part of a line. If headings stand in the same line as their text, it adds several blocks; run is
// the number of headings split off so far.
func (b *blockReader) piece(s string, indent, run int) {
	if strings.HasPrefix(s, "|") {
		b.row(s)
		return
	}
	if n := hashes(s); n > 0 {
		title, rest := splitTitle(strings.Trim(s[n:], "# "))
		if name := cleanName(title); name != "" {
			b.add(block{kind: heading, level: n, name: name, namedRole: roleOf(name)})
		}
		if rest != "" {
			b.addHeadingText(rest, run)
		}
		return
	}
	if rest, ok := ListMarker(s); ok {
		b.labelled(rest, item, itemLevel+indent, run)
		return
	}
	b.labelled(s, paragraph, 0, run)
}

// labelled adds an item or a paragraph with the label that it begins with. A paragraph is a heading instead if it is only a label, or if
// the label names a part of the answer ("Conclusion: …").
func (b *blockReader) labelled(s string, kind blockKind, level, run int) {
	l, ok := splitLabel(s, kind == item)
	if !ok {
		if kind == paragraph && b.joins(s) {
			b.lines = append(b.lines, lexical.StripMarkup(s))
			return
		}
		b.add(block{kind: kind, level: level, text: lexical.StripMarkup(s)})
		return
	}
	if kind == paragraph {
		level = labelLevel
		if l.bold {
			level = boldLevel
		}
	}
	if kind == paragraph && (l.Rest == "" || l.title || l.role != noRole) {
		b.add(block{kind: heading, level: level, name: l.name, namedRole: l.role})
		if l.Rest != "" {
			b.addHeadingText(l.Rest, run)
		}
		return
	}
	b.add(block{kind: kind, level: level, name: l.name, namedRole: l.role, text: lexical.StripMarkup(l.Rest)})
}

// addHeadingText adds the text that stands in the same line as a heading.
func (b *blockReader) addHeadingText(s string, run int) {
	if run < mostRun {
		b.piece(s, 0, run+1)
		return
	}
	b.add(block{kind: paragraph, text: lexical.StripMarkup(s)})
}

// joins reports whether a line without a label continues the paragraph or item before it. It does if it begins in lower case, or if the
// line before is long and does not end a sentence, as in hard-wrapped text.
func (b *blockReader) joins(s string) bool {
	const wrapped = 55 // bytes; a shorter line was not wrapped
	if b.gap || len(b.blocks) == 0 {
		return false
	}
	last := b.blocks[len(b.blocks)-1]
	if last.kind == heading || last.kind == row || last.text == "" {
		return false
	}
	line := last.text
	if n := len(b.lines); n > 0 {
		line = b.lines[n-1]
	}
	if line == "" {
		return false
	}
	end := line[len(line)-1]
	return lexical.IsLower(s[0]) || len(line) >= wrapped && !lexical.SentenceEnd(end) && end != ':'
}

// add appends a block, after joining the lines of the last one.
func (b *blockReader) add(x block) {
	b.unwrap()
	x.gap = b.gap || len(b.blocks) == 0
	b.gap = x.kind == heading
	b.blocks = append(b.blocks, x)
}

// unwrap joins the lines of the last block's text.
func (b *blockReader) unwrap() {
	if len(b.lines) > 0 {
		last := &b.blocks[len(b.blocks)-1]
		last.text += " " + strings.Join(b.lines, " ")
		b.lines = b.lines[:0]
	}
}

// row adds a row of a table. The first cell is its name, the other cells its text. The line of dashes adds nothing, but marks the row above
// it as the header.
func (b *blockReader) row(s string) {
	if strings.Trim(s, "|-: ") == "" {
		if n := len(b.blocks); n > 0 && b.blocks[n-1].kind == row {
			b.blocks[n-1].namedRole = bodyRole
		}
		return
	}
	cells := strings.Split(strings.Trim(s, "| "), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(lexical.StripMarkup(cells[i]))
	}
	b.add(block{kind: row, level: itemLevel, name: cleanName(cells[0]), text: strings.Join(cells[1:], " | ")})
}

// hashes returns the level of a # heading, 0 for any other line.
func hashes(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "#"))
	if n == 0 || n > 6 || n < len(s) && s[n] != ' ' && s[n] != '*' {
		return 0
	}
	return n
}

// ListMarker strips the bullet or number from a list item, or both ("- 1. Price"). ok is false if the line has neither.
func ListMarker(s string) (rest string, ok bool) {
	for range 2 {
		n := listNumber(s)
		switch {
		case n > 0:
		case strings.HasPrefix(s, "•"):
			n = len("•")
		case len(s) > 1 && (s[0] == '-' || s[0] == '*' || s[0] == '+') && s[1] == ' ', strings.HasPrefix(s, "-**"):
			n = 1
		}
		inner := strings.TrimLeft(s[n:], " ")
		if n == 0 || inner == "" {
			break
		}
		s = inner
		ok = true
	}
	return s, ok
}

// listNumber returns the length of "12.", "12)" or "(12)" at the start of a line, or 0. Numbers have at most three digits.
func listNumber(s string) int {
	i := 0
	open := strings.HasPrefix(s, "(")
	if open {
		i = 1
	}
	first := i
	for i < len(s) && i-first < 4 && lexical.IsDigit(s[i]) {
		i++
	}
	if i == first || i-first > 3 || i >= len(s) {
		return 0
	}
	if s[i] != ')' && (open || s[i] != '.') {
		return 0
	}
	if i+1 < len(s) && s[i+1] != ' ' && s[i+1] != '*' && s[i+1] != '[' {
		return 0
	}
	return i + 1
}
