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
func table2(people []againstPeople) []ReproducedCell {
	var paper, found []string
	for _, p := range PublishedTable2() {
		paper = append(paper, p.Judge)
	}
	for _, p := range people {
		found = append(found, p.judge)
	}
	var cells []ReproducedCell
	for _, judge := range inOrder(slices.Concat(paper, found), paper, cmp.Compare[string]) {
		for _, level := range []string{dataset.LevelSeparate, dataset.LevelFinal} {
			cells = append(cells, table2Row(judge, level, people)...)
		}
	}
	return cells
}

func table2Row(judge, level string, people []againstPeople) []ReproducedCell {
	var printed PublishedAgreement
	for _, p := range PublishedTable2() {
		if p.Judge == judge && p.Level == level {
			printed = p
		}
	}
	ours := map[Rule]againstPeople{}
	for _, p := range people {
		if p.judge == judge {
			ours[p.rule] = p
		}
	}
	var cells []ReproducedCell
	for _, f := range []struct {
		column  string
		printed Printed
		of      func(dataset.LevelFigures) *float64
	}{
		{"alpha", printed.Alpha, func(f dataset.LevelFigures) *float64 { return f.AlphaInterval }},
		{"pearson", printed.Correlation, func(f dataset.LevelFigures) *float64 { return f.Pearson }},
		{"spearman", printed.Correlation, func(f dataset.LevelFigures) *float64 { return f.Spearman }},
	} {
		for _, rule := range append(slices.Clone(rules), RulePairs) {
			cells = append(cells, newCell(2, judge+" "+level, judge, f.column, f.printed, f.of(ours[rule].at(level)), ours[rule].N, rule))
		}
	}
	return cells
}

// momentCells are a mean and a deviation, each by both rules.
func momentCells(view int, row, judge string, published []PublishedCell, ours func(Rule) dataset.Moments,
	is func(PublishedCell) bool) []ReproducedCell {
	var p PublishedCell
	if i := slices.IndexFunc(published, func(c PublishedCell) bool { return c.Judge == judge && is(c) }); i >= 0 {
		p = published[i]
	}
	var means, sds []ReproducedCell
	for _, rule := range rules {
		m := ours(rule)
		means = append(means, newCell(view, row, judge, judge+" mean", p.Mean, m.Mean, m.N, rule))
		sds = append(sds, newCell(view, row, judge, judge+" sd", p.SD, m.SD, m.N, rule))
	}
	return append(means, sds...)
}

// table3 has the mean of the scenarios' means and the mean of their deviations,
// where the judge has sheets of all scenarios that the paper's row is over.
func table3(c *dataset.Calculator, rel *reproducedRelease) []ReproducedCell {
	published := PublishedTable3()
	var systems []string
	for _, p := range published {
		systems = append(systems, p.System)
	}
	sources := rel.allSources()
	for _, s := range sources {
		systems = append(systems, s.system)
	}
	var cells []ReproducedCell
	for _, system := range inOrder(systems, systems, cmp.Compare[string]) {
		of := scenariosOf(system, publishedSources())
		if of == nil {
			of = scenariosOf(system, sources)
		}
		for _, judge := range rel.columns(publishedJudges()) {
			cells = append(cells, momentCells(3, system, judge, published,
				func(rule Rule) dataset.Moments { return meanOfSources(c, rel, judge, rule, of) },
				func(p PublishedCell) bool { return p.System == system })...)
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

// table4 compares questions with and without an aspect, by each row's own aspect, as cell 11
// of the authors' notebook does: the mean of the means of the sources, and their population
// standard deviation.
func table4(c *dataset.Calculator, rel *reproducedRelease) []ReproducedCell {
	published := PublishedTable4()
	var cells []ReproducedCell
	for _, row := range []struct {
		name   string
		aspect bool
	}{{"yes", true}, {"no", false}} {
		for _, judge := range rel.columns([]string{published[0].Judge, published[1].Judge}) {
			cells = append(cells, momentCells(4, row.name, judge, published,
				func(rule Rule) dataset.Moments { return rel.momentsOfMeans(c, judge, rule, withAspect(row.aspect)) },
				func(p PublishedCell) bool { return p.Aspect == row.name })...)
		}
	}
	return cells
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

func table5(c *dataset.Calculator, rel *reproducedRelease) []ReproducedCell {
	published := PublishedTable5()
	var cells []ReproducedCell
	for _, s := range rel.allSources() {
		for _, judge := range rel.columns(publishedJudges()) {
			cells = append(cells, momentCells(5, s.key(), judge, published,
				func(rule Rule) dataset.Moments { return c.Moments(rel.totals(judge, rule, from(s))) },
				func(p PublishedCell) bool { return p.System == s.system && p.Scenario == s.scenario })...)
		}
	}
	return cells
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
