package paper

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"compqa/results/dataset"
	"compqa/results/table"
)

// A titledTable is a table with its heading and what there is to know of it.
type titledTable struct {
	title, note string
	*table.Table
	plain int // how many columns say enough on a terminal
}

func (r *Reproduction) tables() []titledTable {
	return []titledTable{
		{"Table 2: judges and people", `alpha is Krippendorff's at interval level; the paper's column "Spearman's" stands beside Pearson's r and beside Spearman's rho.`, r.agreementTable(), 6},
		{"Table 3: systems over all scenarios", "", r.momentTable(3, "system"), 6},
		{"Table 4: questions with and without an aspect", "", r.momentTable(4, "aspect"), 6},
		{"Table 5: systems by scenario", "", r.momentTable(5, "system and scenario"), 6},
		{"Annotators with each other", "Krippendorff's alpha on the answers that both scored completely.", r.annotatorsTable(), 6},
		{"Judges and the constant one against people", fmt.Sprintf("%q gives every answer full marks. bias is the mean of judge less people, in points: of one criterion in %s, of the total in %s.",
			constantJudge, dataset.LevelSeparate, dataset.LevelFinal), r.againstPeopleTable(), 11},
	}
}

const legend = "Points are total points (0–19), mean ± sample standard deviation; a difference is recomputed less published; n counts what a figure rests on. " +
	"By the published rule a sheet of scores counts when every criterion has a score, whatever else it holds and whatever the values; by the strict rule it is complete and in range. " +
	"Beside people the rules differ in the human rows; verdicts are strictly valid in both."

// Markdown is reproduce.md: the notes, and Tables 2 to 5 published beside
// recomputed beside difference by both rules, for the judges that the release
// holds.
func (r *Reproduction) Markdown() string {
	var b strings.Builder
	b.WriteString("# The CompQA paper's tables, computed again\n\n" + legend + "\n\n## What reproduces, what does not, and why\n\n")
	for _, note := range r.Notes() {
		b.WriteString("- " + note + "\n")
	}
	b.WriteString("\n")
	for _, t := range r.tables() {
		b.WriteString("## " + t.title + "\n\n")
		if t.note != "" {
			b.WriteString(t.note + "\n\n")
		}
		b.WriteString(t.Markdown())
	}
	if unjoined := r.release.release.Unjoined; len(unjoined) > 0 {
		b.WriteString("## Rows whose answer was not found\n\n")
		for _, u := range unjoined {
			fmt.Fprintf(&b, "- %s, %s:%d: %s, scenario %s, on %s / %s; the nearest answer's likeness is %.2f\n",
				u.Judge, filepath.Base(u.File), u.Line, u.System, u.Scenario, u.Object1, u.Object2, u.Likeness)
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// Print writes the same for a terminal: the tables by the published rule, and
// the notes last, where they are seen.
func (r *Reproduction) Print(w io.Writer) error {
	var b strings.Builder
	for _, t := range r.tables() {
		b.WriteString(t.title + "\n\n")
		if err := t.Columns(t.Words, t.plain).Terminal(&b); err != nil {
			return err
		}
		b.WriteString("\n")
	}
	for _, note := range append([]string{legend}, r.Notes()...) {
		b.WriteString(wrapped(note, table.Screen) + "\n\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("printing the reproduction: %w", err)
	}
	return nil
}

// wrapped breaks a text between words where a line would be too long.
func wrapped(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		n := len([]rune(word))
		switch {
		case i == 0:
		case column+1+n > width:
			b.WriteString("\n")
			column = 0
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// shown reports whether a judge's rows are worth printing: what is not in the
// release is in the CSV files alone.
func (r *Reproduction) shown(judge string) bool { return r.release.sheets[judge] != nil }

func (r *Reproduction) agreementTable() *table.Table {
	t := &table.Table{Words: 2, Header: []string{"judge", "figure", "published", "recomputed", "difference", "n", "strict", "difference", "n"}}
	cells := slices.DeleteFunc(r.table(2), func(c ReproducedCell) bool { return !r.shown(c.judge) })
	for both := range slices.Chunk(cells, len(rules)) {
		c, strict := both[0], both[1]
		printed := table.None
		if c.printed.Text != "" {
			printed = c.printed.Text
		}
		t.Add(c.Row, c.Column, printed, c.Recomputed.Text(3), c.Difference.Text(3), table.Count(c.N).Text(0),
			strict.Recomputed.Text(3), strict.Difference.Text(3), table.Count(strict.N).Text(0))
	}
	return t
}

// momentTable puts a mean and its deviation into one column.
func (r *Reproduction) momentTable(number int, row string) *table.Table {
	t := &table.Table{Words: 2, Header: []string{row, "judge", "published", "recomputed", "difference", "n", "strict", "difference", "n"}}
	cells := slices.DeleteFunc(r.table(number), func(c ReproducedCell) bool { return !r.shown(c.judge) })
	for of := range slices.Chunk(cells, 2*len(rules)) { // see momentCells
		mean, strictMean, sd, strictSD := of[0], of[1], of[2], of[3]
		printed := table.None
		if mean.printed.Text != "" {
			printed = mean.printed.Text + " ± " + sd.printed.Text
		}
		t.Add(mean.Row, mean.judge, printed,
			twoFigures(mean.Recomputed, sd.Recomputed, " ± "), twoFigures(mean.Difference, sd.Difference, ", "), table.Count(mean.N).Text(0),
			twoFigures(strictMean.Recomputed, strictSD.Recomputed, " ± "), twoFigures(strictMean.Difference, strictSD.Difference, ", "), table.Count(strictMean.N).Text(0))
	}
	return t
}

func twoFigures(a, b table.Figure, between string) string {
	if !a.Known() && !b.Known() {
		return table.None
	}
	return a.Text(3) + between + b.Text(3)
}

func (r *Reproduction) annotatorsTable() *table.Table {
	f := r.Figures.HumanHuman
	n := table.Count(f.Answers).Text(0)
	t := &table.Table{Words: 1, Header: []string{"level", "published", "n", "nominal", "ordinal", "interval"}}
	t.Add(dataset.LevelSeparate, publishedAllAlpha, n, table.FigureOf(f.Separate.Nominal).Text(3), table.FigureOf(f.Separate.Ordinal).Text(3), table.FigureOf(f.Separate.Interval).Text(3))
	t.Add(dataset.LevelFinal, publishedFinalAlpha, n, table.None, table.FigureOf(f.Final.Ordinal).Text(3), table.FigureOf(f.Final.Interval).Text(3))
	for i, c := range r.release.rubric.Criteria {
		t.Add(c.ID+" "+c.Name, table.None, n, table.None, table.None, table.FigureOf(f.PerCriterion[i]).Text(3))
	}
	return t
}

func (r *Reproduction) againstPeopleTable() *table.Table {
	t := &table.Table{Words: 3, Header: []string{"judge", "rule", "level", "n", "alpha", "ordinal", "nominal", "r", "rho", "tau-b", "bias"}}
	for _, level := range []string{dataset.LevelSeparate, dataset.LevelFinal} {
		for _, p := range r.people {
			f := p.at(level)
			row := []string{p.judge, string(p.rule), level, fmt.Sprintf("%d of %d", p.N, r.Figures.Human.N)}
			for _, x := range []*float64{f.AlphaInterval, f.AlphaOrdinal, f.AlphaNominal, f.Pearson, f.Spearman, f.KendallTauB, f.MeanDifference} {
				row = append(row, table.FigureOf(x).Text(3))
			}
			t.Add(row...)
		}
	}
	return t
}
