package paper

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"compqa/results/dataset"
	"compqa/results/table"
)

// A titledTable is a table with its heading and a note for readers.
type titledTable struct {
	title, note string
	*table.Table
	plain int // number of columns shown on a terminal
}

func (r *Reproduction) tables() []titledTable {
	return []titledTable{
		{"What reproduces", "Figures that are printed in the paper and can be computed from this release, and how many of them are within one unit of the last printed digit.", r.summaryTable(), 5},
		{"Table 2: judges and human scores", `alpha is Krippendorff's, interval level. The paper's column "Spearman's" is compared with Pearson's r and with Spearman's rho.`, r.agreementTable(), 6},
		{"Table 3: systems over all scenarios", "", r.momentTable(3, "system"), 6},
		{"Table 4: questions with and without an aspect", "", r.momentTable(4, "aspect"), 6},
		{"Table 5: systems by scenario", "", r.momentTable(5, "system and scenario"), 6},
		{"The two annotators", "Krippendorff's alpha on the answers that both scored completely.", r.annotatorsTable(), 6},
		{"Judges and the constant judge against human scores", fmt.Sprintf("%q gives full marks to every answer. bias is the mean of judge minus human, in points: per criterion in %s, of the total in %s.",
			constantJudge, dataset.LevelSeparate, dataset.LevelFinal), r.againstPeopleTable(), 11},
	}
}

// notes explain the tables. The first one defines their columns.
var notes = []string{
	"Points are total points (0–19), mean ± sample standard deviation. A difference is recomputed minus published; n is the number of score sheets. " +
		"The published rule accepts a score sheet if every criterion has a score; it allows additional keys and any values. The strict rule also requires that all scores are in range and nothing else is in the sheet. " +
		"For comparisons with human scores, the rule applies to the human rows; verdicts are strictly valid in both.",
	fmt.Sprintf("The paper has %d human rows, and %d answers that two annotators scored. In the whole release, %d of these have two complete score sheets; they give the printed alphas.", publishedHumanRows, publishedDoublyRows, completeDoublyRows),
	"Table 3 gives the mean of the scenario means and, after ±, the mean of the scenario deviations. A system is included if all its scenarios are in the release.",
	"Table 4: the paper does not say which answers its subsets contain. Here the aspect of the human row decides.",
	fmt.Sprintf(`Table 2: the paper used a subset of the human rows that the release does not list. Its column "Spearman's" is Pearson's r: the authors' notebook computes r = %v for GPT-4o on all scores of that subset, and the paper prints 0.69.`, notebookGPT4oPearson),
	"The constant judge correlates with human scores on all criteria, because criteria have different maximums. A judge that does not beat it adds no information.",
}

// Markdown is reproduce.md: the notes, and Tables 2 to 5 with published and
// recomputed figures by both rules, for the judges that the release contains.
func (r *Reproduction) Markdown() string {
	var b strings.Builder
	b.WriteString("# The CompQA paper's tables, recomputed\n\n" + strings.Join(notes, "\n\n") + "\n\n")
	for _, t := range r.tables() {
		b.WriteString("## " + t.title + "\n\n")
		if t.note != "" {
			b.WriteString(t.note + "\n\n")
		}
		b.WriteString(t.Markdown())
	}
	if unjoined := r.release.release.Unmatched; len(unjoined) > 0 {
		b.WriteString("## Rows whose answer was not found\n\n")
		for _, u := range unjoined {
			fmt.Fprintf(&b, "- %s, %s:%d: %s, scenario %s, on %s / %s; similarity of the nearest answer: %.2f\n",
				u.Judge, filepath.Base(u.File), u.Line, u.System, u.Scenario, u.Object1, u.Object2, u.Likeness)
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// Print writes the tables, by the published rule, and then the notes.
func (r *Reproduction) Print(w io.Writer) error {
	var b strings.Builder
	for _, t := range r.tables() {
		b.WriteString(t.title + "\n\n")
		if err := t.Columns(t.Words, t.plain).Terminal(&b); err != nil {
			return err
		}
		b.WriteString("\n")
	}
	for _, note := range notes {
		table.PrintWrapped(&b, note)
		b.WriteString("\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("printing the reproduction: %w", err)
	}
	return nil
}

// summaryTable counts, by table and judge, the cells that can be compared and
// those that are reproduced.
func (r *Reproduction) summaryTable() *table.Table {
	t := &table.Table{Words: 2, Header: []string{"table", "judge", "compared", "published rule", "strict rule"}}
	type key struct {
		table int
		judge string
	}
	type count struct{ compared, published, strict int }
	counts := map[key]*count{}
	var keys []key
	for _, c := range r.Cells {
		if !c.compared() || c.Column == "spearman" { // the paper prints one correlation
			continue
		}
		k := key{c.Table, c.judge}
		if counts[k] == nil {
			counts[k] = &count{}
			keys = append(keys, k)
		}
		n := int(dataset.Indicator(c.reproduced()))
		if c.Rule == RuleStrict {
			counts[k].strict += n
		} else {
			counts[k].published += n
			counts[k].compared++
		}
	}
	slices.SortStableFunc(keys, func(a, b key) int { return a.table - b.table })
	for _, k := range keys {
		n := counts[k]
		t.Add(fmt.Sprint("Table ", k.table), k.judge, strconv.Itoa(n.compared), strconv.Itoa(n.published), strconv.Itoa(n.strict))
	}
	return t
}

// shown are the cells of one table for judges that the release contains. The CSV
// files have the others too.
func (r *Reproduction) shown(table int) []ReproducedCell {
	return slices.DeleteFunc(r.table(table), func(c ReproducedCell) bool { return r.release.sheets[c.judge] == nil })
}

func (r *Reproduction) agreementTable() *table.Table {
	t := &table.Table{Words: 2, Header: []string{"judge", "figure", "published", "recomputed", "difference", "n", "strict", "difference", "n"}}
	for both := range slices.Chunk(r.shown(2), len(rules)) {
		c, strict := both[0], both[1]
		printed := table.None
		if c.printed.Text != "" {
			printed = c.printed.Text
		}
		t.Add(c.Row, c.Column, printed, c.Recomputed.Text(3), c.Difference.Text(3), strconv.Itoa(c.N),
			strict.Recomputed.Text(3), strict.Difference.Text(3), strconv.Itoa(strict.N))
	}
	return t
}

// momentTable shows a mean and its deviation in one column.
func (r *Reproduction) momentTable(number int, row string) *table.Table {
	t := &table.Table{Words: 2, Header: []string{row, "judge", "published", "recomputed", "difference", "n", "strict", "difference", "n"}}
	for of := range slices.Chunk(r.shown(number), 2*len(rules)) { // see momentCells
		mean, strictMean, sd, strictSD := of[0], of[1], of[2], of[3]
		printed := table.None
		if mean.printed.Text != "" {
			printed = mean.printed.Text + " ± " + sd.printed.Text
		}
		t.Add(mean.Row, mean.judge, printed,
			twoFigures(mean.Recomputed, sd.Recomputed, " ± "), twoFigures(mean.Difference, sd.Difference, ", "), strconv.Itoa(mean.N),
			twoFigures(strictMean.Recomputed, strictSD.Recomputed, " ± "), twoFigures(strictMean.Difference, strictSD.Difference, ", "), strconv.Itoa(strictMean.N))
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
	n := strconv.Itoa(f.Answers)
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
