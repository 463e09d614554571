package paper

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/table"
)

// Notes say in words what of the paper reproduces from this release, what does
// not, and why. Every number in them is computed or the paper's.
func (r *Reproduction) Notes() []string {
	notes := []string{r.coverageNote(), r.judgesNote(), r.deviationNote(), r.peopleNote(), r.table4Note(), r.table2Note(), r.annotatorsNote(), r.constantNote()}
	return slices.DeleteFunc(notes, func(n string) bool { return n == "" })
}

func (r *Reproduction) coverageNote() string {
	f, rel := r.Figures, r.release
	var b strings.Builder
	fmt.Fprintf(&b, "This release holds %s in %d files, %s, %d of the paper's %d human rows, and %s that both annotators scored completely (the whole release: %d; the paper: %d).",
		counted(f.Answers.Total, "answer", "answers"), len(f.Answers.PerFile), r.verdictCounts(), f.Human.N, publishedHumanRows,
		counted(f.HumanHuman.Answers, "answer", "answers"), completeDoublyRows, publishedDoublyRows)
	var absent []string
	for _, judge := range publishedJudges() {
		if judge != data.Human && rel.sheets[judge] == nil {
			absent = append(absent, judge)
		}
	}
	if absent != nil {
		fmt.Fprintf(&b, " It has no verdicts of %s: these columns stay empty.", list(absent))
	}
	for _, judge := range rel.judges {
		if of, all := len(rel.sourcesOf(judge)), len(publishedSources()); of < all {
			fmt.Fprintf(&b, " Of %s it has %d of the paper's %d files; a system is in Table 3 if all of its scenarios are there.", judge, of, all)
		}
	}
	if n := len(rel.release.Unjoined); n > 0 {
		fmt.Fprintf(&b, " The answers of %s were not found; reproduce.md lists them.", counted(n, "row", "rows"))
	}
	return b.String()
}

func (r *Reproduction) verdictCounts() string {
	var of []string
	for _, judge := range r.release.judges {
		of = append(of, fmt.Sprintf("%d by %s", r.Figures.Invalid[judge].Planned, judge))
	}
	if of == nil {
		return "no verdicts"
	}
	return "verdicts (" + list(of) + ")"
}

// judgesNote is about the paper's Tables 3 and 5, people's columns aside.
func (r *Reproduction) judgesNote() string {
	judges := slices.DeleteFunc(slices.Clone(r.release.judges), func(judge string) bool { return !slices.Contains(publishedJudges(), judge) })
	if len(judges) == 0 {
		return ""
	}
	of := func(rule Rule) []ReproducedCell {
		return r.compared(func(c ReproducedCell) bool {
			return (c.Table == 3 || c.Table == 5) && c.judge != data.Human && c.Rule == rule
		})
	}
	published, strict := of(RulePublished), of(RuleStrict)
	note := fmt.Sprintf("Tables 3 and 5, %s: by the published rule %s.", list(judges), within(published))
	var dropped []string
	for _, judge := range judges {
		f := r.Figures.Invalid[judge]
		dropped = append(dropped, fmt.Sprintf("%d of %s's verdicts (published rule: %d)", f.NotStrict, judge, f.Malformed))
	}
	return note + fmt.Sprintf(" By the strict rule, which leaves out %s, it is %s.", list(dropped), score(strict))
}

// deviationNote shows which deviation stands after ± in the paper's Table 3.
func (r *Reproduction) deviationNote() string {
	means, pooled, n := 0, 0, 0
	for _, p := range PublishedTable3() {
		f, ok := r.Figures.Table3[p.Judge][p.System]
		all := len(scenariosOf(p.System, publishedSources()))
		if !ok || all == 1 || len(scenariosOf(p.System, r.release.sourcesOf(p.Judge))) < all || f.MeanOfFileSDs == nil || f.SDPooled == nil {
			continue
		}
		n++
		if p.SD.Near(*f.MeanOfFileSDs) {
			means++
		}
		if p.SD.Near(*f.SDPooled) {
			pooled++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("Table 3 gives the mean of a system's scenario means and, after ±, the mean of the scenarios' deviations: read so, %d of the %d deviations over several scenarios reproduce; as the deviation of all of a system's answers, %d would.", means, n, pooled)
}

// peopleNote is about people's columns of Tables 3 and 5.
func (r *Reproduction) peopleNote() string {
	cells := r.compared(func(c ReproducedCell) bool {
		return (c.Table == 3 || c.Table == 5) && c.judge == data.Human && c.Rule == RulePublished
	})
	if len(cells) == 0 {
		return ""
	}
	n := r.Figures.Human.N
	if n < publishedHumanRows {
		return fmt.Sprintf("Tables 3 and 5, people: only %d of the %d human rows are here, so that most of these figures cannot come out; %s do. The whole release is needed to check the others.",
			n, publishedHumanRows, score(cells))
	}
	return fmt.Sprintf("Tables 3 and 5, people: %s.", within(cells))
}

func (r *Reproduction) table4Note() string {
	cells := r.compared(func(c ReproducedCell) bool { return c.Table == 4 && c.Rule == RulePublished })
	if len(cells) == 0 {
		return ""
	}
	if len(failing(cells)) == 0 {
		return fmt.Sprintf("Table 4: %s.", within(cells))
	}
	note := fmt.Sprintf("Table 4 does not reproduce: by the aspects that the human rows name, %s. The paper does not say which answers its subsets hold.", within(cells))
	if n := r.Figures.Human.N; n < publishedHumanRows {
		note += fmt.Sprintf(" Part of this is that %d of the %d rows are missing here.", publishedHumanRows-n, publishedHumanRows)
	}
	return note
}

func (r *Reproduction) table2Note() string {
	cells := r.compared(func(c ReproducedCell) bool { return c.Table == 2 && c.Rule == RulePublished && c.Column != "spearman" })
	if len(failing(cells)) == 0 {
		return ""
	}
	var both []string
	for _, p := range PublishedTable2() {
		for _, of := range r.people {
			if of.judge == p.Judge && of.rule == RulePublished {
				at := of.at(p.Level)
				both = append(both, fmt.Sprintf("%s %s: printed %s, r %s, rho %s", p.Judge, p.Level, p.Correlation.Text, table.FigureOf(at.Pearson).Text(3), table.FigureOf(at.Spearman).Text(3)))
			}
		}
	}
	return fmt.Sprintf("Table 2's judge rows do not reproduce: the paper used a subset of the human rows that the release does not list; over all rows here, %s figures are within a unit of the last printed digit. "+
		"What it heads Spearman's is Pearson's r: the authors' notebook computes r = %v for GPT-4o on all scores of that subset, and the paper prints 0.69. Here: %s.",
		score(cells), notebookGPT4oPearson, strings.Join(both, "; "))
}

func (r *Reproduction) annotatorsNote() string {
	f := r.Figures.HumanHuman
	if f.Answers == 0 {
		return ""
	}
	note := fmt.Sprintf("The two annotators agree with each other at an interval alpha of %s on all scores (printed %s) and %s on final scores (printed %s), over %s.",
		table.FigureOf(f.Separate.Interval).Text(3), publishedAllAlpha, table.FigureOf(f.Final.Interval).Text(3), publishedFinalAlpha, counted(f.Answers, "answer", "answers"))
	if f.Answers < completeDoublyRows {
		note += fmt.Sprintf(" The paper says %d answers; the whole release has %d with both sheets complete, and those give the printed figures.", publishedDoublyRows, completeDoublyRows)
	}
	return note
}

// constantNote names the judges that are no better than full marks for all.
func (r *Reproduction) constantNote() string {
	floor := r.Figures.Constant
	if r.Figures.Human.N == 0 || len(r.release.judges) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Full marks for everything agree with people at an interval alpha of %s on all scores and %s on final scores, and correlate with them at r = %s on all scores, because criteria differ in their maximum.",
		table.FigureOf(floor.Separate.AlphaInterval).Text(3), table.FigureOf(floor.Final.AlphaInterval).Text(3), table.FigureOf(floor.Separate.Pearson).Text(3))
	for _, of := range []struct {
		figure string
		is     func(agreementFigures) *float64
	}{
		{"alpha on all scores", func(f agreementFigures) *float64 { return f.Separate.AlphaInterval }},
		{"r on all scores", func(f agreementFigures) *float64 { return f.Separate.Pearson }},
		{"alpha on final scores", func(f agreementFigures) *float64 { return f.Final.AlphaInterval }},
	} {
		var below []string
		for _, judge := range r.release.judges {
			ours, theirs := of.is(r.Figures.JudgeHuman[judge].agreementFigures), of.is(floor)
			if ours != nil && theirs != nil && *ours <= *theirs {
				below = append(below, fmt.Sprintf("%s (%s)", judge, table.FigureOf(ours).Text(3)))
			}
		}
		if below != nil {
			fmt.Fprintf(&b, " By %s, %s %s no better.", of.figure, list(below), verb(len(below)))
		}
	}
	return b.String()
}

// compared are the cells that have two figures to compare.
func (r *Reproduction) compared(which func(ReproducedCell) bool) []ReproducedCell {
	var cells []ReproducedCell
	for _, c := range r.Cells {
		if c.compared() && which(c) {
			cells = append(cells, c)
		}
	}
	return cells
}

// score says how many of the cells reproduce: "143 of 144".
func score(cells []ReproducedCell) string {
	return fmt.Sprintf("%d of %d", len(cells)-len(failing(cells)), len(cells))
}

// within says which of the cells reproduce.
func within(cells []ReproducedCell) string {
	text := score(cells) + " figures are within a unit of the last printed digit"
	if off := failing(cells); len(off) > 0 {
		text += "; " + strings.Join(off, "; ")
	}
	return text
}

// failing describes the cells that do not.
func failing(cells []ReproducedCell) []string {
	var off []string
	for _, c := range cells {
		if !c.reproduced() {
			off = append(off, fmt.Sprintf("Table %d, %s, %s is printed %s and recomputed %s (n = %d)", c.Table, c.Row, c.Column, c.printed.Text, c.Recomputed.Text(4), c.N))
		}
	}
	return off
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func verb(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// list joins words: "a", "a and b", "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
