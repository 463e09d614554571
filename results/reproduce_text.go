package results

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// A titledTable is a table with its heading and what there is to know of it.
type titledTable struct {
	title, note string
	*textTable
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
			constantJudge, LevelSeparate, LevelFinal), r.againstPeopleTable(), 11},
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
		b.WriteString(t.markdown())
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
		if err := t.columns(t.words, t.plain).terminal(&b); err != nil {
			return err
		}
		b.WriteString("\n")
	}
	for _, note := range append([]string{legend}, r.Notes()...) {
		b.WriteString(wrapped(note, screen) + "\n\n")
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

func (r *Reproduction) agreementTable() *textTable {
	t := &textTable{words: 2, header: []string{"judge", "figure", "published", "recomputed", "difference", "n", "strict", "difference", "n"}}
	cells := slices.DeleteFunc(r.table(2), func(c ReproducedCell) bool { return !r.shown(c.judge) })
	for both := range slices.Chunk(cells, len(rules)) {
		c, strict := both[0], both[1]
		printed := none
		if c.printed.Text != "" {
			printed = c.printed.Text
		}
		t.add(c.Row, c.Column, printed, c.Recomputed.text(3), c.Difference.text(3), count(c.N).text(0),
			strict.Recomputed.text(3), strict.Difference.text(3), count(strict.N).text(0))
	}
	return t
}

// momentTable puts a mean and its deviation into one column.
func (r *Reproduction) momentTable(number int, row string) *textTable {
	t := &textTable{words: 2, header: []string{row, "judge", "published", "recomputed", "difference", "n", "strict", "difference", "n"}}
	cells := slices.DeleteFunc(r.table(number), func(c ReproducedCell) bool { return !r.shown(c.judge) })
	for of := range slices.Chunk(cells, 2*len(rules)) { // see momentCells
		mean, strictMean, sd, strictSD := of[0], of[1], of[2], of[3]
		printed := none
		if mean.printed.Text != "" {
			printed = mean.printed.Text + " ± " + sd.printed.Text
		}
		t.add(mean.Row, mean.judge, printed,
			twoFigures(mean.Recomputed, sd.Recomputed, " ± "), twoFigures(mean.Difference, sd.Difference, ", "), count(mean.N).text(0),
			twoFigures(strictMean.Recomputed, strictSD.Recomputed, " ± "), twoFigures(strictMean.Difference, strictSD.Difference, ", "), count(strictMean.N).text(0))
	}
	return t
}

func twoFigures(a, b Figure, between string) string {
	if !a.known() && !b.known() {
		return none
	}
	return a.text(3) + between + b.text(3)
}

func (r *Reproduction) annotatorsTable() *textTable {
	f := r.Figures.HumanHuman
	n := count(f.Answers).text(0)
	t := &textTable{words: 1, header: []string{"level", "published", "n", "nominal", "ordinal", "interval"}}
	t.add(LevelSeparate, publishedAllAlpha, n, Figure{f.Separate.Nominal}.text(3), Figure{f.Separate.Ordinal}.text(3), Figure{f.Separate.Interval}.text(3))
	t.add(LevelFinal, publishedFinalAlpha, n, none, Figure{f.Final.Ordinal}.text(3), Figure{f.Final.Interval}.text(3))
	for i, c := range r.release.rubric.Criteria {
		t.add(c.ID+" "+c.Name, none, n, none, none, Figure{f.PerCriterion[i]}.text(3))
	}
	return t
}

func (r *Reproduction) againstPeopleTable() *textTable {
	t := &textTable{words: 3, header: []string{"judge", "rule", "level", "n", "alpha", "ordinal", "nominal", "r", "rho", "tau-b", "bias"}}
	for _, level := range []string{LevelSeparate, LevelFinal} {
		for _, p := range r.people {
			f := p.at(level)
			row := []string{p.judge, string(p.rule), level, fmt.Sprintf("%d of %d", p.N, r.Figures.Human.N)}
			for _, x := range []*float64{f.AlphaInterval, f.AlphaOrdinal, f.AlphaNominal, f.Pearson, f.Spearman, f.KendallTauB, f.MeanDifference} {
				row = append(row, Figure{x}.text(3))
			}
			t.add(row...)
		}
	}
	return t
}
