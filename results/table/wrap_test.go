package table

import (
	"strings"
	"testing"
)

// TestWrapKeepsWhatIsCopied checks that, at any width, no line ends between a flag and its value, or inside a command.
func TestWrapKeepsWhatIsCopied(t *testing.T) {
	for text, wholes := range map[string][]string{
		`It is compared with people's ok, because each side has one criterion: --pair "quality of it=very ok" says so`: {`--pair "quality of it=very ok"`},
		"Say which counts: --repeats first|last|mean says it, --map item=nr, or --keep-summary":                        {"--repeats first|last|mean", "--map item=nr,"},
		"The run has no pairs; `compqa run --only pairs --out DIR` adds them to it":                                    {"`compqa run --only pairs --out DIR`"},
		`Next: compqa validate a.jsonl --people b.csv --pair "a b=c d" --require yes`:                                  {`compqa validate a.jsonl --people b.csv --pair "a b=c d" --require yes`},
		"Words of a text that is wrapped at every one of its spaces where there is no flag":                            nil,
	} {
		for width := 10; width < 120; width++ {
			lines := Wrap(text, width)
			if joined := strings.Join(lines, " "); joined != text {
				t.Fatalf("%d: %q becomes %q", width, text, joined)
			}
			for _, whole := range wholes {
				if !strings.Contains(strings.Join(lines, "\n"), whole) {
					t.Errorf("%d: %q is broken:\n%s", width, whole, strings.Join(lines, "\n"))
				}
			}
			for _, line := range lines {
				if wholes == nil && len(line) > width && strings.Contains(line, " ") {
					t.Errorf("%d: the line %q is longer", width, line)
				}
			}
		}
	}
}

// TestPrintRow checks that the last column of a long row is wrapped at the start of the column, and other lines as text.
func TestPrintRow(t *testing.T) {
	word := strings.TrimSpace(strings.Repeat("word ", 30))
	far := "  ?  a column" + strings.Repeat(" ", 80) // keeps its blanks, and the last column follows below
	for line, want := range map[string]int{"  ?  column  role  " + word: 19, "judge: 12 values, " + word: 2, far + word: 6} {
		var b strings.Builder
		PrintRow(&b, line)
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) < 2 {
			t.Errorf("%q is not wrapped", line)
		}
		for i, part := range lines {
			if len(part) > Screen || i > 0 && len(part)-len(strings.TrimLeft(part, " ")) != want {
				t.Errorf("%q", part)
			}
		}
	}
}

// TestShortenedNamesDiffer checks that names with equal beginnings keep their ends.
func TestShortenedNamesDiffer(t *testing.T) {
	long := "how helpful is the answer to a beginner"
	names := []string{long + " (1)", long + " (2)", "short", long + " (1)"}
	table := New(1, "criterion", "n")
	for _, name := range names {
		table.Add(name, "1")
	}
	rows := table.Shortened().Rows
	if rows[0][0].Text == rows[1][0].Text || rows[0][0].Text != rows[3][0].Text || rows[2][0].Text != "short" ||
		!strings.HasSuffix(rows[0][0].Text, "(1)") {
		t.Errorf("%v", rows)
	}
}

// TestColumnsWithoutFigures: a table that is too wide leaves out the columns without any figure, and names them.
func TestColumnsWithoutFigures(t *testing.T) {
	for screen, want := range map[int]string{200: "adjusted p", 40: "Without a figure in any row: difference and adjusted p.\n"} {
		view := New(1, "judge", "correct", "difference", "adjusted p", "ties")
		view.Add("a judge with a long name", "0.5", "–", "–", "0.25")
		view.Add("another judge", "–", "–", "–", "0.5")
		var b strings.Builder
		if err := view.TerminalWidth(&b, screen); err != nil || !strings.Contains(b.String(), want) || strings.Count(b.String(), "──\n") != 1 {
			t.Errorf("%v, and not one table with %q in %d columns:\n%s", err, want, screen, b.String())
		}
	}
}

// TestBoldRanks: on a terminal, the rank is bold, and the continuation of a wrapped note is not.
func TestBoldRanks(t *testing.T) {
	view := New(2, "rank", "system", "points")
	for line, want := range map[string]string{" 1 (1–2)  a   2.0": " " + bold + "1 (1–2)" + plain + "  a   2.0", "               on 2 of 5": "               on 2 of 5", "─────": "─────"} {
		if got := view.styled(line, false); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
