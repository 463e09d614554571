package paper

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat"

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

// compared reports whether there are two figures to compare.
func (c ReproducedCell) compared() bool { return c.printed.Text != "" && c.Recomputed.Known() }

// reproduced reports whether ours is within a unit of the paper's last digit.
func (c ReproducedCell) reproduced() bool {
	return c.compared() && c.printed.Near(*c.Recomputed.Number)
}

// ofPeople reports whether a cell is computed from human rows.
func (c ReproducedCell) ofPeople() bool { return c.Table == 2 || c.judge == data.Human }

// addLine adds the figures of a judge in a row of a table, column by column: ours by each rule, with the number of
// sheets, beside those that the paper prints.
func (r *Reproduction) addLine(c ReproducedCell, columns []string, printed []Printed, rules []Rule, ours func(Rule) ([]*float64, int)) {
	figures, n := map[Rule][]*float64{}, map[Rule]int{}
	for _, rule := range rules {
		figures[rule], n[rule] = ours(rule)
	}
	for i, column := range columns {
		for _, rule := range rules {
			c.Column, c.Rule, c.N, c.Recomputed, c.printed = column, rule, n[rule], table.FigureOf(figures[rule][i]), printed[i]
			c.Published, c.Difference = table.Figure{}, table.Figure{}
			if c.printed.Text != "" {
				c.Published = table.Number(c.printed.Value)
			}
			if c.compared() {
				c.Difference = table.Number(*figures[rule][i] - c.printed.Value)
			}
			r.Cells = append(r.Cells, c)
		}
	}
}

// table is the cells of one table.
func (r *Reproduction) table(number int) []ReproducedCell {
	return table.Where(r.Cells, func(c ReproducedCell) bool { return c.Table == number })
}

// table2 has the paper's judges, found or not, and then those found beside them.
func (r *Reproduction) table2() {
	var judges []string
	for _, p := range published[publishedAgreement](2) {
		judges = append(judges, p.Judge)
	}
	paper := slices.Clone(judges)
	for _, p := range r.people {
		judges = append(judges, p.judge)
	}
	for _, judge := range inOrder(judges, paper, cmp.Compare[string]) {
		for _, level := range []string{dataset.LevelSeparate, dataset.LevelFinal} {
			p := table.First(published[publishedAgreement](2), func(p publishedAgreement) bool { return p.Judge == judge && p.Level == level })
			r.addLine(ReproducedCell{Table: 2, Row: judge + " " + level, judge: judge}, []string{"alpha", "pearson", "spearman"},
				[]Printed{p.Alpha, p.Correlation, p.Correlation}, allRules, func(rule Rule) ([]*float64, int) {
					of := table.First(r.people, func(p againstPeople) bool { return p.judge == judge && p.rule == rule })
					figures := of.levels[level]
					return []*float64{figures.AlphaInterval, figures.Pearson, figures.Spearman}, of.n
				})
		}
	}
}

// momentTables are Tables 3 to 5: a mean and a deviation for each judge.
func (r *Reproduction) momentTables() {
	printed := map[int][]publishedCell{3: published[publishedCell](3), 4: published[publishedCell](4), 5: published[publishedCell](5)}
	var systems []string
	for _, p := range printed[3] {
		systems = append(systems, p.System)
	}
	all := slices.Concat(publishedJudges(), r.judges)
	add := func(number int, row string, of publishedCell, judges []string, ours func(judge string, rule Rule) dataset.Moments) {
		for _, judge := range inOrder(judges, judges, cmp.Compare[string]) {
			p := table.First(printed[number], func(p publishedCell) bool {
				return p == publishedCell{of.System, of.Scenario, of.Aspect, judge, p.Mean, p.SD}
			})
			r.addLine(ReproducedCell{Table: number, Row: row, judge: judge}, []string{judge + " mean", judge + " sd"}, []Printed{p.Mean, p.SD},
				rules, func(rule Rule) ([]*float64, int) {
					m := ours(judge, rule)
					return []*float64{m.Mean, m.SD}, m.N
				})
		}
	}
	// Table 3 has the mean of the scenarios' means and the mean of their deviations, where the judge has
	// sheets of all scenarios that the paper's row is over.
	sources := r.allSources()
	for _, system := range systemsOf(systems, sources) {
		of := scenariosOf(system, publishedSources())
		if of == nil {
			of = scenariosOf(system, sources)
		}
		add(3, system, publishedCell{System: system, Scenario: dataset.AllScenarios}, all,
			func(judge string, rule Rule) dataset.Moments { return r.meanOfSources(judge, rule, of) })
	}
	// Table 4 compares questions with and without an aspect, by each row's own aspect, as cell 11 of the
	// authors' notebook does; the paper prints two raters.
	for _, aspect := range []string{"yes", "no"} {
		add(4, aspect, publishedCell{Scenario: dataset.AllScenarios, Aspect: aspect}, append([]string{"llama3-70b", data.Human}, r.judges...),
			func(judge string, rule Rule) dataset.Moments {
				return r.momentsOfMeans(judge, rule, withAspect(aspect == "yes"))
			})
	}
	for _, s := range sources {
		add(5, s.key(), publishedCell{System: s.system, Scenario: s.scenario}, all,
			func(judge string, rule Rule) dataset.Moments { return r.points(judge, rule, from(s)) })
	}
}

// meanOfSources is a system's mean by the paper's Table 3: each source counts
// the same, however many of its sheets do.
func (r *Reproduction) meanOfSources(judge string, rule Rule, of []source) dataset.Moments {
	var means, sds []*float64
	n := 0
	for _, s := range of {
		m := r.points(judge, rule, from(s))
		means, sds, n = append(means, m.Mean), append(sds, m.SD), n+m.N
	}
	return dataset.Moments{N: n, Mean: r.MeanDefined(means), SD: r.MeanDefined(sds)}
}

// momentsOfMeans are the mean of the means of the sources with sheets, the population standard
// deviation of these means, and their number.
func (r *Reproduction) momentsOfMeans(judge string, rule Rule, in func(scoreSheet) bool) dataset.Moments {
	var means []float64
	for _, s := range r.sourcesOf(nil, judge) {
		of := r.points(judge, rule, func(sheet scoreSheet) bool { return sheet.source() == s && in(sheet) })
		if of.N > 0 {
			means = append(means, *of.Mean)
		}
	}
	if means == nil {
		return dataset.Moments{}
	}
	mean, sd := stat.PopMeanStdDev(means, nil)
	return dataset.Moments{N: len(means), Mean: &mean, SD: &sd}
}
