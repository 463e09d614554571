package paper

import (
	"cmp"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// A ReproducedCell is one figure of the paper's Tables 2 to 5, with ours.
//
//	table  row                    column
//	2      gpt-4o separate        alpha (interval), pearson, spearman
//	3      gpt4                   gpt-4o mean, gpt-4o sd
//	4      yes                    human mean, human sd
//	5      gpt4_scenario_3, cam   gpt-4o mean, gpt-4o sd
//
// Table 2's column "Spearman's" is compared with both coefficients, and its rule applies
// to the human rows (see againstPeople). A judge that is in the release but not in the
// paper has no published figure.
type ReproducedCell struct {
	Table      int          `csv:"table"`
	Row        string       `csv:"row"`
	Column     string       `csv:"column"`
	Published  table.Figure `csv:"published"`
	Recomputed table.Figure `csv:"recomputed"`
	Difference table.Figure `csv:"difference"` // recomputed minus published
	// sheets that count; in Table 2 human rows with a verdict that counts, in Table 4 means of sources
	N    int  `csv:"n"`
	Rule Rule `csv:"rule"`

	judge   string
	printed Printed
}

func newCell(view int, row, judge, column string, printed Printed, recomputed *float64, n int, rule Rule) ReproducedCell {
	c := ReproducedCell{Table: view, Row: row, Column: column, Recomputed: table.FigureOf(recomputed), N: n, Rule: rule, judge: judge,
		printed: printed}
	if printed.Text != "" {
		c.Published = table.Number(printed.Value)
	}
	if c.compared() {
		c.Difference = table.Number(*recomputed - printed.Value)
	}
	return c
}

// compared reports whether there are two figures to compare.
func (c ReproducedCell) compared() bool { return c.printed.Text != "" && c.Recomputed.Known() }

// reproduced reports whether ours is within a unit of the paper's last digit.
func (c ReproducedCell) reproduced() bool {
	return c.compared() && c.printed.Near(*c.Recomputed.Number)
}

// table2 has the paper's judges, found or not, and then those found beside them.
func table2(people []againstPeople) (cells []ReproducedCell) {
	printed, ours := map[[2]string]PublishedAgreement{}, map[string]map[Rule]againstPeople{}
	var paper []string
	for _, p := range PublishedTable2() {
		paper, printed[[2]string{p.Judge, p.Level}] = append(paper, p.Judge), p
	}
	found := slices.Clone(paper)
	for _, p := range people {
		if found = append(found, p.judge); ours[p.judge] == nil {
			ours[p.judge] = map[Rule]againstPeople{}
		}
		ours[p.judge][p.rule] = p
	}
	for _, judge := range inOrder(found, paper, cmp.Compare[string]) {
		for _, level := range []string{dataset.LevelSeparate, dataset.LevelFinal} {
			p := printed[[2]string{judge, level}]
			for _, f := range []struct {
				column  string
				printed Printed
				of      func(dataset.LevelFigures) *float64
			}{
				{"alpha", p.Alpha, func(f dataset.LevelFigures) *float64 { return f.AlphaInterval }},
				{"pearson", p.Correlation, func(f dataset.LevelFigures) *float64 { return f.Pearson }},
				{"spearman", p.Correlation, func(f dataset.LevelFigures) *float64 { return f.Spearman }},
			} {
				for _, rule := range []Rule{RulePublished, RuleStrict, RulePairs} {
					of := ours[judge][rule]
					cells = append(cells, newCell(2, judge+" "+level, judge, f.column, f.printed, f.of(of.at(level)), of.n, rule))
				}
			}
		}
	}
	return cells
}

// A momentRow is a row of a table of means and deviations: what a judge gives by a rule, and the
// paper's figures.
type momentRow struct {
	name string
	is   func(PublishedCell) bool
	ours func(judge string, rule Rule) dataset.Moments
}

// momentTables are Tables 3 to 5. A cell has a mean and a deviation, each by both rules.
func momentTables(c *dataset.Calculator, rel *reproducedRelease) (cells []ReproducedCell) {
	sources := rel.allSources()
	rows := map[int][]momentRow{}
	for _, s := range sources {
		rows[5] = append(rows[5], momentRow{s.key(), func(p PublishedCell) bool { return p.System == s.system && p.Scenario == s.scenario },
			func(judge string, rule Rule) dataset.Moments { return c.Moments(rel.totals(judge, rule, from(s))) }})
	}
	// Table 3 has the mean of the scenarios' means and the mean of their deviations, where the judge has
	// sheets of all scenarios that the paper's row is over.
	published := map[int][]PublishedCell{3: PublishedTable3(), 4: PublishedTable4(), 5: PublishedTable5()}
	var systems []string
	for _, p := range published[3] {
		systems = append(systems, p.System)
	}
	for _, s := range sources {
		systems = append(systems, s.system)
	}
	for _, system := range inOrder(systems, systems, cmp.Compare[string]) {
		of := scenariosOf(system, publishedSources())
		if of == nil {
			of = scenariosOf(system, sources)
		}
		rows[3] = append(rows[3], momentRow{system, func(p PublishedCell) bool { return p.System == system },
			func(judge string, rule Rule) dataset.Moments { return meanOfSources(c, rel, judge, rule, of) }})
	}
	// Table 4 compares questions with and without an aspect, by each row's own aspect, as cell 11 of the
	// authors' notebook does: the mean of the means of the sources, and their population deviation.
	for _, aspect := range []string{"yes", "no"} {
		rows[4] = append(rows[4], momentRow{aspect, func(p PublishedCell) bool { return p.Aspect == aspect },
			func(judge string, rule Rule) dataset.Moments {
				return rel.momentsOfMeans(c, judge, rule, withAspect(aspect == "yes"))
			}})
	}
	judges := map[int][]string{3: rel.columns(publishedJudges()), 4: rel.columns([]string{published[4][0].Judge, published[4][1].Judge})}
	judges[5] = judges[3]
	for number := 3; number <= 5; number++ {
		for _, row := range rows[number] {
			for _, judge := range judges[number] {
				var p PublishedCell
				if i := slices.IndexFunc(published[number], func(p PublishedCell) bool { return p.Judge == judge && row.is(p) }); i >= 0 {
					p = published[number][i]
				}
				both := [2]dataset.Moments{row.ours(judge, RulePublished), row.ours(judge, RuleStrict)}
				for i, rule := range rules {
					cells = append(cells, newCell(number, row.name, judge, judge+" mean", p.Mean, both[i].Mean, both[i].N, rule))
				}
				for i, rule := range rules {
					cells = append(cells, newCell(number, row.name, judge, judge+" sd", p.SD, both[i].SD, both[i].N, rule))
				}
			}
		}
	}
	return cells
}

// meanOfSources is a system's mean by the paper's Table 3: each source counts
// the same, however many of its sheets do.
func meanOfSources(c *dataset.Calculator, rel *reproducedRelease, judge string, rule Rule, of []source) dataset.Moments {
	var means, sds []*float64
	n := 0
	for _, s := range of {
		m := c.Moments(rel.totals(judge, rule, from(s)))
		means, sds, n = append(means, m.Mean), append(sds, m.SD), n+m.N
	}
	return dataset.Moments{N: n, Mean: c.MeanDefined(means), SD: c.MeanDefined(sds)}
}

// momentsOfMeans are the mean of the means of the sources with sheets, the population standard
// deviation of these means, and their number.
func (rel *reproducedRelease) momentsOfMeans(c *dataset.Calculator, judge string, rule Rule, in func(scoreSheet) bool) dataset.Moments {
	var means []float64
	for _, s := range rel.sourcesOf(judge) {
		of := rel.totals(judge, rule, func(sheet scoreSheet) bool { return sheet.source == s && in(sheet) })
		if len(of) > 0 {
			means = append(means, *c.Moments(of).Mean)
		}
	}
	m := c.Moments(means)
	switch m.N {
	case 0:
	case 1:
		m.SD = new(float64)
	default:
		*m.SD *= math.Sqrt(float64(m.N-1) / float64(m.N))
	}
	return m
}

// columns are a table's judges: the paper's, in its order, and those found.
func (rel *reproducedRelease) columns(paper []string) []string {
	return inOrder(slices.Concat(paper, rel.judges), slices.Concat(paper, publishedJudges()), cmp.Compare[string])
}

// allSources are the paper's and those found beside them.
func (rel *reproducedRelease) allSources() []source {
	all := publishedSources()
	for _, a := range rel.release.Answers {
		all = append(all, source{a.System, a.Scenario})
	}
	for _, judge := range append(slices.Clone(rel.judges), data.Human) {
		all = append(all, rel.sourcesOf(judge)...)
	}
	return inOrder(all, publishedSources(), compareSources)
}

func scenariosOf(system string, among []source) []source {
	return table.Where(among, func(s source) bool { return s.system == system })
}
