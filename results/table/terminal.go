package table

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
	"golang.org/x/term"

	"compqa/data"
)

// Widths of tables: without a terminal, the least and the largest on one, and the maximum of a name.
const (
	Screen    = 100
	minScreen = 60
	maxScreen = 160
	nameWidth = 26
)

// A screen stands before a terminal and makes what is written to it harmless, but for colours.
type screen interface {
	Terminal() *os.File // nil: none
	WriteStyled(text string) error
}

// terminalOf returns the terminal that a writer stands before, nil if there is none.
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

// A Recorded is a screen that keeps what is printed, without colours.
type Recorded struct {
	Screen io.Writer
	Text   strings.Builder
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func (r *Recorded) Write(p []byte) (int, error) {
	r.Text.Write(p)
	return r.Screen.Write(p)
}

// Terminal returns that of the screen, nil if it has none.
func (r *Recorded) Terminal() *os.File { return terminalOf(r.Screen) }

// WriteStyled writes to a screen that has a terminal.
func (r *Recorded) WriteStyled(text string) error {
	r.Text.WriteString(colours.ReplaceAllString(text, ""))
	return r.Screen.(screen).WriteStyled(text)
}

// coloured returns the screen before a terminal that shows colours, nil if there is none.
func coloured(w io.Writer) screen {
	if terminalOf(w) == nil || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return w.(screen)
}

// The colours of a terminal.
const bold, red, yellow, plain = "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[0m"

// styled returns a printed line with colours: headings and ranks are bold, marks yellow, and what is bad red.
func (t *Table) styled(line string, heading bool) string {
	line = Printable(line)
	if heading {
		return bold + line + plain
	}
	if index := strings.IndexFunc(line, func(r rune) bool { return r != ' ' }); t.Header[0] == "rank" && index >= 0 {
		end := index + strings.Index(line[index:]+"  ", "  ")
		line = line[:index] + bold + line[index:min(end, len(line))] + plain + line[min(end, len(line)):]
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

// cellPadding is the space around a cell's content.
const cellPadding = 2

// Terminal prints the table, on a terminal in its width. Headings and words are wrapped between words where the table is too
// wide; if that is not enough, it is split into several, each with the columns of words.
func (t *Table) Terminal(w io.Writer) error { return t.TerminalWidth(w, WidthOf(w)) }

// TerminalWidth prints the table for a screen of a width.
func (t *Table) TerminalWidth(w io.Writer, screen int) error {
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
			if note := t.fewNote(); note != "" {
				PrintWrapped(w, note)
			}
			return nil
		}
		fmt.Fprintln(w)
		from = to
	}
}

// Columns returns the table with the words and the columns from … to-1, without empty rows.
func (t *Table) Columns(from, to int) *Table {
	out := t.with(func(c int) bool { return c >= from && c < to })
	out.Rows = data.Where(out.Rows, func(row []Cell) bool {
		return from == to || slices.ContainsFunc(row[t.Words:], func(cell Cell) bool { return cell.Text != "" })
	})
	return out
}

// widths returns those of the columns: without line breaks, with them in headings, and with them in words too.
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
			if i > 0 && !t.isWords(c) { // figures have no line breaks
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

// leastWidth returns the width of the table if every line has one word.
func (t *Table) leastWidth() int {
	_, _, least := t.widths(t.texts())
	return sumOf(least)
}

// wrapped returns the texts with line breaks between words, so that the table fits on the screen if it
// can. First headings get several lines, then cells; the widest column first.
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

// copied matches what a reader copies: a command, also in backquotes, and a flag with its value.
var copied = regexp.MustCompile("`compqa [^`]+`|\\bcompqa [a-z]+(?: [A-Z]+\\b| [^ ]*[/.][^ ]+)*(?:" + flagged + ")*|" + flagged)

const flagged = ` ?--[a-z][a-z-]*(?:[ =](?:"[^"]*"|'[^']*'|[^ ]+))?`

// wordsOf returns the words of a text; what a reader copies is one of them.
func wordsOf(text string) []string {
	const space = "\x1f"
	text = copied.ReplaceAllStringFunc(strings.Join(strings.Fields(text), " "), func(one string) string {
		rest := strings.TrimPrefix(one, " ")
		return one[:len(one)-len(rest)] + strings.ReplaceAll(rest, " ", space)
	})
	return data.Each(strings.Fields(text), func(word string) string { return strings.ReplaceAll(word, space, " ") })
}

// Wrap returns a text in lines of at most width columns, unless a word is longer, a command, or a flag with its value.
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

// print renders the table with tablewriter. Its formatting of headers, which changes "score (95% CI)" and "model_name", and
// its wrapping are switched off in the configuration, because options would be overridden.
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

// LinesOf returns the number of lines in which PrintWrapped prints texts.
func LinesOf(w io.Writer, texts ...string) (n int) {
	for _, text := range texts {
		n += len(Wrap(text, WidthOf(w)-2))
	}
	return n
}

// PrintWrapped prints a text in lines as wide as tables, the second and others indented.
func PrintWrapped(w io.Writer, text string) {
	for i, line := range Wrap(text, WidthOf(w)-2) {
		if i > 0 {
			line = "  " + line
		}
		fmt.Fprintln(w, line)
	}
}

// PrintRow prints a line of columns, which are two spaces or more apart, in lines as wide as tables: the last column is wrapped. A line
// without columns is wrapped as a text.
func PrintRow(w io.Writer, line string) {
	start := strings.LastIndex(line, "  ") + 2
	width := WidthOf(w)
	if narrow.StringWidth(line) <= width {
		fmt.Fprintln(w, line)
		return
	}
	if column := narrow.StringWidth(line[:start]); start < 2 || column > width-minColumn {
		PrintWrapped(w, line)
		return
	}
	indent := strings.Repeat(" ", narrow.StringWidth(line[:start]))
	for i, part := range Wrap(line[start:], width-len(indent)) {
		if i == 0 {
			part = line[:start] + part
		} else {
			part = indent + part
		}
		fmt.Fprintln(w, part)
	}
}

// minColumn is the least width in which PrintRow wraps a column.
const minColumn = 20

// PrintError prints an error, on a terminal in its width; lines that are indented, as commands to copy are, stay as they are.
func PrintError(w io.Writer, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		if terminalOf(w) == nil || strings.HasPrefix(line, " ") {
			fmt.Fprintln(w, line)
			continue
		}
		PrintWrapped(w, line)
	}
}

// ShortNames truncates names to a width; those that would be alike keep their ends, and if these are alike too, all of them.
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

// shortMiddle leaves out the middle of a name.
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
