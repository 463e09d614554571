package table

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
	"golang.org/x/term"

	"compqa/data"
)

// Widths in columns of characters: of tables without a terminal, the least and the largest on a terminal, and the largest width of a name.
const (
	Screen    = 100
	minScreen = 60
	maxScreen = 160
	nameWidth = 26
)

// A screen is a writer in front of a terminal. It makes text safe, except for colours in WriteStyled.
type screen interface {
	Terminal() *os.File // nil without a terminal
	WriteStyled(text string) error
}

// terminalOf returns the terminal behind a writer, or nil.
func terminalOf(w io.Writer) *os.File {
	if s, ok := w.(screen); ok {
		return s.Terminal()
	}
	return nil
}

// WidthOf returns the width of tables on a writer.
func WidthOf(w io.Writer) int {
	if terminal := terminalOf(w); terminal != nil {
		if width, _, err := term.GetSize(int(terminal.Fd())); err == nil {
			return min(max(width, minScreen), maxScreen)
		}
	}
	return Screen
}

// A Recorded is a screen that also keeps what is printed, without colours.
type Recorded struct {
	Screen io.Writer
	Text   strings.Builder
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func (r *Recorded) Write(p []byte) (int, error) {
	r.Text.Write(p)
	return r.Screen.Write(p)
}

// Terminal returns the terminal of the screen, or nil.
func (r *Recorded) Terminal() *os.File { return terminalOf(r.Screen) }

// WriteStyled writes text with colours to the screen, which must have a terminal.
func (r *Recorded) WriteStyled(text string) error {
	r.Text.WriteString(colours.ReplaceAllString(text, ""))
	return r.Screen.(screen).WriteStyled(text)
}

// coloured returns the screen of a writer whose terminal shows colours, or nil.
func coloured(w io.Writer) screen {
	if terminalOf(w) == nil || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return w.(screen)
}

// Escape sequences of the terminal.
const bold, red, yellow, plain = "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[0m"

// styled returns a printed line with colours: headings and ranks are bold, marks are yellow, and cells of class "bad" are red.
func (t *Table) styled(line string, heading bool) string {
	line = Printable(line)
	if heading {
		return bold + line + plain
	}
	if t.Header[0] == "rank" && len(line) > 1 && line[0] == ' ' && line[1] != ' ' { // not the line below the heading, nor a wrapped cell
		end := min(1+strings.Index(line[1:]+"  ", "  "), len(line))
		line = " " + bold + line[1:end] + plain + line[end:]
	}
	for _, row := range t.Rows {
		for _, cell := range row {
			if cell.Class == "bad" && cell.Text != "" {
				line = strings.Replace(line, cell.Text, red+cell.Text+plain, 1)
			}
			if cell.Mark != "" {
				line = strings.Replace(line, cell.String(), cell.Text+yellow+cell.Mark+plain, 1)
			}
		}
	}
	return line
}

// cellPadding is the total space to the left and the right of a cell's text.
const cellPadding = 2

// Terminal prints the table in the width of the terminal. If the table is too wide, headings and words are wrapped between words. If that
// is not enough, it leaves out columns without any figure, which a line below the table names. If that is not enough, it is split into
// several tables, each with the columns of words.
func (t *Table) Terminal(w io.Writer) error { return t.TerminalWidth(w, WidthOf(w)) }

// TerminalWidth prints the table in a given width.
func (t *Table) TerminalWidth(w io.Writer, screen int) error {
	var without []string
	if t.leastWidth() > screen {
		t, without = t.withFigures()
	}
	for from := t.Words; ; {
		to := max(from+1, len(t.Header))
		for to > from+1 && t.Columns(from, to).leastWidth() > screen {
			to--
		}
		to = min(to, len(t.Header))
		part := t.Columns(from, to)
		if err := part.print(w, part.wrapped(screen)); err != nil {
			return err
		}
		if to == len(t.Header) {
			if without != nil {
				PrintWrapped(w, "Without a figure in any row: "+data.List(without)+".")
			}
			if note := t.fewNote(); note != "" {
				PrintWrapped(w, note)
			}
			return nil
		}
		fmt.Fprintln(w)
		from = to
	}
}

// withFigures returns the table without the columns of figures that have none, and the headings of these.
func (t *Table) withFigures() (shown *Table, without []string) {
	lines := t.texts()
	empty := func(c int) bool {
		hasFigure := func(line []string) bool { return strings.Trim(line[c], "–") != "" }
		return c >= t.Words && len(lines) > 1 && !slices.ContainsFunc(lines[1:], hasFigure)
	}
	for c, heading := range t.Header {
		if empty(c) {
			without = append(without, heading)
		}
	}
	return t.with(func(c int) bool { return !empty(c) }), without
}

// Columns returns the table with the columns of words and the columns from … to-1, without the rows that are empty in these.
func (t *Table) Columns(from, to int) *Table {
	out := t.with(func(c int) bool { return c >= from && c < to })
	out.Rows = data.Where(out.Rows, func(row []Cell) bool {
		return from == to || slices.ContainsFunc(row[t.Words:], func(cell Cell) bool { return cell.Text != "" })
	})
	return out
}

// widths returns three widths of each column: natural without line breaks, cells with line breaks in headings only, least with line breaks
// in words, too.
func (t *Table) widths(lines [][]string) (natural, cells, least []int) {
	natural = make([]int, len(t.Header))
	cells = make([]int, len(t.Header))
	least = make([]int, len(t.Header))
	for i, line := range lines {
		for c, text := range line {
			width := narrow.StringWidth(text)
			word := 0
			for _, w := range wordsOf(text) {
				word = max(word, narrow.StringWidth(w))
			}
			if i > 0 && !t.isWords(c) { // figures are not wrapped
				word = width
			}
			natural[c], least[c] = max(natural[c], width), max(least[c], word)
			if i == 0 {
				width = word
			}
			cells[c] = max(cells[c], width)
		}
	}
	return natural, cells, least
}

func sumOf(widths []int) int {
	sum := cellPadding * len(widths)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// leastWidth returns the width of the table if each line of words has one word.
func (t *Table) leastWidth() int {
	_, _, least := t.widths(t.texts())
	return sumOf(least)
}

// wrapped returns the texts with line breaks between words, so that the table fits on the screen if possible. It wraps headings first, then
// cells, always in the widest column.
func (t *Table) wrapped(screen int) [][]string {
	lines := t.texts()
	widths, cells, least := t.widths(lines)
	for _, limits := range [][]int{cells, least} {
		for sumOf(widths) > screen {
			index := -1
			for c, w := range widths {
				if w > limits[c] && (index < 0 || w > widths[index]) {
					index = c
				}
			}
			if index < 0 {
				break
			}
			widths[index]--
		}
	}
	for i, line := range lines {
		for c := range line {
			if i == 0 || t.isWords(c) {
				line[c] = strings.Join(Wrap(line[c], widths[c]), "\n")
			}
		}
	}
	return lines
}

// copied matches text that readers copy: a command, also in backquotes, and a flag with its value.
var copied = regexp.MustCompile("`compqa [^`]+`|\\bcompqa [a-z]+(?: [A-Z]+\\b| [^ ]*[/.][^ ]+)*(?:" + flagged + ")*|" + flagged)

const flagged = ` ?--[a-z][a-z-]*(?:[ =](?:"[^"]*"|'[^']*'|[^ ]+))?`

// wordsOf returns the words of a text. Text that readers copy (see copied) is a single word.
func wordsOf(text string) []string {
	const space = "\x1f"
	text = copied.ReplaceAllStringFunc(strings.Join(strings.Fields(text), " "), func(one string) string {
		rest := strings.TrimPrefix(one, " ")
		return one[:len(one)-len(rest)] + strings.ReplaceAll(rest, " ", space)
	})
	return data.Each(strings.Fields(text), func(word string) string { return strings.ReplaceAll(word, space, " ") })
}

// Wrap splits a text into lines of at most width columns. A longer word, command or flag with its value stays whole.
func Wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range wordsOf(text) {
		if line != "" && narrow.StringWidth(line+" "+word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// print renders the table with tablewriter. The configuration switches off tablewriter's formatting of headers, which would change "score
// (95% CI)" and "model_name", and its wrapping. Options would be overridden.
func (t *Table) print(w io.Writer, lines [][]string) error {
	align := make([]tw.Align, len(t.Header))
	for c := range align {
		align[c] = tw.AlignRight
		if t.isWords(c) {
			align[c] = tw.AlignLeft
		}
	}
	cells := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{PerColumn: align},
	}
	var b strings.Builder
	view := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off, ShowHeader: tw.On},
				Lines:      tw.Lines{ShowHeaderLine: tw.On},
			},
		})),
		tablewriter.WithConfig(tablewriter.Config{Header: cells, Row: cells}))
	view.Header(lines[0])
	if err := errors.Join(view.Bulk(lines[1:]), view.Render()); err != nil {
		return fmt.Errorf("printing a table: %w", err)
	}
	screen := coloured(w)
	index := 0
	for line := range strings.Lines(b.String()) {
		line = strings.TrimRight(line, " \n")
		var err error
		index++
		if screen != nil {
			err = screen.WriteStyled(t.styled(line, index == 1) + "\n")
		} else {
			_, err = fmt.Fprintln(w, line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Short truncates a name for the terminal.
func Short(name string) string { return ShortTo(name, nameWidth) }

// ShortTo truncates a name to a width.
func ShortTo(name string, width int) string { return narrow.Truncate(name, width, "…") }

// LinesOf returns the number of lines that PrintWrapped needs for texts.
func LinesOf(w io.Writer, texts ...string) (n int) {
	for _, text := range texts {
		n += len(Wrap(text, WidthOf(w)-2))
	}
	return n
}

// PrintWrapped prints a text in lines as wide as tables. Lines after the first are indented.
func PrintWrapped(w io.Writer, text string) {
	for i, line := range Wrap(text, WidthOf(w)-2) {
		if i > 0 {
			line = "  " + line
		}
		fmt.Fprintln(w, line)
	}
}

// PrintRow prints a line of columns, which are separated by at least two spaces, in lines as wide as tables. It wraps the last column,
// which has a line of its own if it begins too far to the right. A line without columns is wrapped as a text.
func PrintRow(w io.Writer, line string) {
	start := strings.LastIndex(line, "  ") + 2
	width := WidthOf(w)
	if narrow.StringWidth(line) <= width {
		fmt.Fprintln(w, line)
		return
	}
	if start < 2 {
		PrintWrapped(w, line)
		return
	}
	first := line[:start]
	indent := narrow.StringWidth(first)
	if indent > width-minColumn {
		fmt.Fprintln(w, strings.TrimRight(first, " "))
		indent = 6
		first = strings.Repeat(" ", indent)
	}
	for _, part := range Wrap(line[start:], width-indent) {
		fmt.Fprintln(w, first+part)
		first = strings.Repeat(" ", indent)
	}
}

// PrintRows prints a text with paragraphs and rows of columns, on a terminal in its width: a paragraph with a longer line is
// filled anew, and a longer row is wrapped in its last column.
func PrintRows(w io.Writer, text string) {
	if terminalOf(w) == nil {
		fmt.Fprint(w, text)
		return
	}
	width := WidthOf(w)
	prose := func(line string) bool { return line != "" && line[0] != ' ' }
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for len(lines) > 0 {
		n := slices.IndexFunc(lines, func(line string) bool { return !prose(line) })
		if n < 0 {
			n = len(lines)
		}
		paragraph := lines[:n]
		if slices.ContainsFunc(paragraph, func(line string) bool { return narrow.StringWidth(line) > width }) {
			paragraph = Wrap(strings.Join(paragraph, " "), width)
		}
		for _, line := range paragraph {
			fmt.Fprintln(w, line)
		}
		if n < len(lines) {
			PrintRow(w, lines[n])
			n++
		}
		lines = lines[n:]
	}
}

// minColumn is the least width in which PrintRow wraps a column.
const minColumn = 20

// PrintError prints an error, on a terminal in its width. Indented lines, such as commands to copy, stay as they are.
func PrintError(w io.Writer, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if terminalOf(w) == nil || strings.HasPrefix(line, " ") {
			fmt.Fprintln(w, line)
			continue
		}
		PrintWrapped(w, line)
	}
}

// ShortNames truncates names to a width. Names that would become equal keep their ends instead, and stay whole if these are equal, too.
func ShortNames(names []string, width int) []string {
	cut := func(short func(string) string) (out []string, alike map[string]bool) {
		first := map[string]string{}
		alike = map[string]bool{}
		for _, name := range names {
			s := short(name)
			if before, seen := first[s]; seen && before != name {
				alike[s] = true
			}
			first[s] = name
			out = append(out, s)
		}
		return out, alike
	}
	short, alike := cut(func(name string) string { return ShortTo(name, width) })
	ends, still := cut(func(name string) string { return shortMiddle(name, width) })
	for i, name := range names {
		switch {
		case !alike[short[i]]:
		case !still[ends[i]]:
			short[i] = ends[i]
		default:
			short[i] = name
		}
	}
	return short
}

// shortMiddle shortens a text to a width by leaving out its middle.
func shortMiddle(text string, width int) string {
	if len(text) <= width {
		return text
	}
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	end := width / 2
	return string(runes[:width-end-1]) + "…" + string(runes[len(runes)-end:])
}

// Printable makes foreign text safe for terminals and files. It writes control characters, bidi controls and line separators as in JSON
// (\u001b), so that JSON keeps its meaning. Bytes that are not UTF-8 become U+FFFD. Tabs and line feeds stay, and CR LF becomes LF.
func Printable(text string) string {
	plain := 0 // number of leading bytes of printable ASCII, of which most cells consist
	for plain < len(text) && text[plain] >= ' ' && text[plain] < 0x7f {
		plain++
	}
	if plain == len(text) || !strings.ContainsFunc(text, hidden) && utf8.ValidString(text) {
		return text
	}
	return escaped(strings.ReplaceAll(text, "\r\n", "\n"), hidden, `\u%04x`)
}

// escaped returns a text in which the characters for which is is true are written in the given format.
func escaped(text string, is func(rune) bool, form string) string {
	var b strings.Builder
	for _, r := range text {
		if is(r) {
			fmt.Fprintf(&b, form, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// hidden reports whether a terminal may act on a character instead of showing it.
func hidden(r rune) bool {
	if r < 0x7f {
		return r < ' ' && r != '\n' && r != '\t'
	}
	return r < 0xa0 || r > 0xff && (unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp))
}
