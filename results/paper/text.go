package paper

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// sections returns the tables of reproduce.md: the summary, the paper's Tables 2 to 5, annotators, judges against people, and then the
// paper's other tables and figures.
func (r *Reproduction) sections() []table.Section {
	sections := []table.Section{
		{Title: "What reproduces", About: "Figures that are printed in the paper and can be computed from this release, and how many of " +
			"them are within one unit of the last printed digit.", Verdict: r.missingText(),
			Table: r.countTable()},
		{Title: "Table 2: judges and human scores",
			About: `alpha is Krippendorff's (interval). The paper's column "Spearman's" is compared with Pearson's r and with ` +
				`Spearman's rho.`, Table: r.cellTable(2, "judge")},
		{Title: "Table 3: systems over all scenarios", Table: r.cellTable(3, "system")},
		{Title: "Table 4: questions with and without an aspect", Table: r.cellTable(4, "aspect")},
		{Title: "Table 5: systems by scenario", Table: r.cellTable(5, "system and scenario")},
		{Title: "The two annotators", About: "Krippendorff's alpha on the answers that both scored completely.",
			Table: r.annotatorTable()},
		{Title: "Judges and the constant judge against human scores",
			About: fmt.Sprintf("%q gives full marks to every answer. bias is the mean of judge minus human, in points: per criterion in %s, of "+
				"the total in %s.",
				constantJudge, dataset.LevelSeparate, dataset.LevelFinal), Table: r.peopleTable()},
		{Title: "Table 1: pairs and arguments", About: "The arguments of the built-in set are this project's own; the release has none.",
			Table: table.From(1, r.pairs, "characteristic", "published:0", "release:0", "built_in:1=built-in set")},
		{Title: "Figure 6: points by scenario", About: "Over the answers of all models, by the published rule. The paper prints no numbers.",
			Table: table.From(2, r.figure(6), "scenario", "judge", "mean:1", "sd", "n")},
		{Title: "Figure 7: points by scenario and group of criteria", About: "As Figure 6. The paper prints no numbers.",
			Table: table.From(3, r.figure(7), "group", "scenario", "judge", "mean:1", "sd", "n")},
		{Title: "Figure 8: the highest and the lowest scores",
			About: "Points by people for the answers that the judge gives 18 or 19 points, or 3 to 14, by system; and the reverse. " +
				"As in the authors' notebook, a human row meets the verdicts on all answers of the system to the question in the scenario.",
			Table: table.From(4, r.extremes, "judge", "chosen_by=chosen by", "points", "system", "n", "mean:2", "sd:2", "low:1", "q1:1",
				"median:1", "q3:1", "high:1")},
		{Title: "Table 6: models with and without reasoning", Table: pointsTable(6),
			About: "Points by Llama-3-70B, published. The release contains no answers of the other models; examples/reasoning/compqa.yaml is a " +
				"configuration that asks them."},
		{Title: "Table 7: the extended set", Table: pointsTable(7),
			About: "Points by Llama-3-70B for 432 questions, published. It cannot be recomputed: the release contains neither the questions and " +
				"their arguments nor the answers and verdicts."},
	}
	if unjoined := r.release.Unmatched; len(unjoined) > 0 {
		var b strings.Builder
		for _, u := range unjoined {
			fmt.Fprintf(&b, "- %s, %s:%d: %s, scenario %s, on %s / %s; similarity of the nearest answer: %.2f\n",
				u.Judge, filepath.Base(u.File), u.Line, u.System, u.Scenario, u.Object1, u.Object2, u.Similarity)
		}
		sections = append(sections, table.Section{Title: "Rows whose answer was not found", About: b.String()})
	}
	return sections
}

func pointsTable(number int) *table.Table {
	return table.From(1, published[publishedPoints](number), "system", "scenario_1", "scenario_2", "scenario_3", "scenario_4", "all")
}

// missingText says how many human rows the release lacks, and which figures of the paper therefore cannot be recomputed. It returns "" if
// no row is missing.
func (r *Reproduction) missingText() string {
	found := len(r.sheets[data.Human])
	if found >= publishedHumanRows {
		return ""
	}
	var list []string
	for number := 2; number <= 5; number++ {
		cells := data.Where(r.printed(number), func(c ReproducedCell) bool { return c.ofPeople() && c.Rule == RulePublished })
		if cells != nil {
			list = append(list, fmt.Sprintf("%d of Table %d", len(cells), number))
		}
	}
	return fmt.Sprintf("This release has %d of the paper's %d human rows; %d are missing, and no list says which. So these figures of the "+
		"paper, which are over all human rows, cannot be recomputed from it: %s. They are figures of the rows that are here; a "+
		"difference from the paper says nothing about its method.", found, publishedHumanRows, publishedHumanRows-found, data.List(list))
}

// notes explain the tables. The first note defines their columns.
var notes = []string{
	"Points are total points (0–19), mean ± sample standard deviation. A difference is recomputed minus published; n is the number of " +
		"score sheets. The published rule accepts a score sheet if every criterion has a score; it allows additional keys and any values. The " +
		"strict rule also requires that all scores are in range and nothing else is in the sheet. For comparisons with human scores, the rule " +
		"applies to the human rows; verdicts are strictly valid in both.",
	fmt.Sprintf("The paper has %d human rows, and %d answers that two annotators scored. In the whole release, %d of these have two "+
		"complete score sheets; they give the printed alphas.", publishedHumanRows, publishedDoublyRows, completeDoublyRows),
	"Table 3 gives the mean of the scenario means and, after ±, the mean of the scenario deviations. A system is included if all its " +
		"scenarios are in the release.",
	"Table 4 is the mean ± population standard deviation of the means of each system in each scenario, by the aspect of a sheet's own " +
		"row, as in the authors' notebook; n is the number of these means.",
	fmt.Sprintf(`Table 2: its column "Spearman's" is Pearson's r. The authors computed it on answers that the two annotators scored `+
		`(data/annotation_pairs_human_397… in their repository): from 59 of these, of which the release has no list, their notebook gets `+
		`r = %v for GPT-4o on all scores, taking the higher score of the two. The column *annotators* uses the mean of the annotators' `+
		`complete score sheets for all answers in that file or, if it is missing, in the annotators' tables.`, notebookGPT4oPearson),
	"The constant judge correlates with human scores on all criteria, because criteria have different maximums. A judge that does not " +
		"beat it adds no information.",
}

// Markdown returns reproduce.md: the notes, then Tables 2 to 5 with published and recomputed figures by each rule for the judges in the
// release, then the paper's other tables.
func (r *Reproduction) Markdown() string {
	return table.Page("The CompQA paper's tables, recomputed", strings.Join(notes, "\n\n"), r.sections()...)
}

// Print prints the first seven tables, those of the paper by RulePublished only, and then the notes.
func (r *Reproduction) Print(w io.Writer) error {
	var b strings.Builder
	for i, s := range r.sections()[:7] {
		columns := 6
		if i == 6 {
			columns = len(s.Table.Header)
		}
		b.WriteString(s.Title + "\n\n")
		if s.Verdict != "" {
			table.PrintWrapped(&b, s.Verdict)
			b.WriteString("\n")
		}
		if err := s.Table.Columns(s.Table.Words, columns).Terminal(&b); err != nil {
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

// printed returns the cells of a table that have a figure in the paper. The paper prints one correlation, so the cells of "spearman" are
// left out.
func (r *Reproduction) printed(number int) []ReproducedCell {
	return data.Where(r.table(number), func(c ReproducedCell) bool {
		return c.printed.Text != "" && c.Column != "spearman" && c.Rule != RulePairs
	})
}

// countTable counts, by table and judge, the figures that can be compared, and those that each rule reproduces.
func (r *Reproduction) countTable() *table.Table {
	view := table.New(2, "table", "judge", "compared", "published rule", "strict rule", "human rows")
	for number := 2; number <= 5; number++ {
		cells := data.Where(r.printed(number), ReproducedCell.compared)
		for _, judge := range once(data.Each(cells, func(c ReproducedCell) string { return c.judge })...) {
			compared := map[Rule]int{}
			reproduced := map[Rule]int{}
			people := ""
			for _, c := range cells {
				if c.judge != judge {
					continue
				}
				compared[c.Rule]++
				reproduced[c.Rule] += int(dataset.Indicator(c.reproduced()))
				if c.ofPeople() {
					people = fmt.Sprintf("%d of %d", len(r.sheets[data.Human]), publishedHumanRows)
				}
			}
			view.Add(fmt.Sprint("Table ", number), judge, compared[RulePublished], reproduced[RulePublished], reproduced[RuleStrict], people)
		}
	}
	return view
}

// cellTable returns a table for the judges in the release, with one figure per row and its values by each rule. The CSV files also have the
// other judges.
func (r *Reproduction) cellTable(number int, row string) *table.Table {
	header := []string{row, "figure", "published", "recomputed", "difference", "n", "strict", "difference", "n", "annotators", "n"}
	if number != 2 {
		header = header[:9]
	}
	view := table.New(2, header...)
	for cells := range slices.Chunk(r.table(number), len(rulesOf(number))) {
		if r.sheets[cells[0].judge] == nil {
			continue
		}
		line := []any{cells[0].Row, cells[0].Column, cmp.Or(cells[0].printed.Text, stats.Missing)}
		for _, c := range cells {
			line = append(line, table.Figured(c.Recomputed, 3))
			if c.Rule != RulePairs {
				line = append(line, table.Figured(c.Difference, 3))
			}
			line = append(line, c.N)
		}
		view.Add(line...)
	}
	return view
}

func (r *Reproduction) annotatorTable() *table.Table {
	view := table.New(1, "level", "published", "n", "alpha (nominal)", "alpha (ordinal)", "alpha (interval)")
	add := func(level, published string, alphas ...*float64) {
		view.Add(level, published, r.annotators.n, table.Figured(alphas[0], 3), table.Figured(alphas[1], 3), table.Figured(alphas[2], 3))
	}
	separate := r.annotators.levels[dataset.LevelSeparate]
	final := r.annotators.levels[dataset.LevelFinal]
	add(dataset.LevelSeparate, publishedAllAlpha, separate.AlphaNominal, separate.AlphaOrdinal, separate.AlphaInterval)
	add(dataset.LevelFinal, publishedFinalAlpha, nil, final.AlphaOrdinal, final.AlphaInterval)
	for i, c := range r.rubric.Criteria {
		add(c.ID+" "+c.Name, stats.Missing, nil, nil, r.annotators.alphas[i])
	}
	return view
}

func (r *Reproduction) peopleTable() *table.Table {
	type line struct {
		Judge, Level, N string
		Rule            Rule
		levelFigures
	}
	var rows []line
	for _, level := range []string{dataset.LevelSeparate, dataset.LevelFinal} {
		for _, p := range r.people {
			n := fmt.Sprintf("%d of %d", p.n, len(r.counted(data.Human, RulePublished, everywhere)))
			rows = append(rows, line{p.judge, level, n, p.rule, p.levels[level]})
		}
	}
	return table.From(3, rows, "Judge=judge", "Rule=rule", "Level=level", "N=n", "AlphaInterval:3=alpha (interval)",
		"AlphaOrdinal:3=alpha (ordinal)",
		"AlphaNominal:3=alpha (nominal)", "Pearson:3=r", "Spearman:3=rho", "KendallTauB:3=tau-b", "MeanDifference:3=bias")
}
