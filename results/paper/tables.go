package paper

import (
	"gonum.org/v1/gonum/stat"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// A ReproducedCell is one figure of the paper's Tables 2 to 5, with ours.
//
//	table  row                    column
//	2      gpt-4o separate        alpha (interval), pearson, spearman
//	3      gpt4                   gpt-4o mean, gpt-4o sd
//	4      yes                    human mean, human sd
//	5      gpt4_scenario_3, cam   gpt-4o mean, gpt-4o sd
//
// Table 2's column "Spearman's" is compared with both coefficients, and its rule applies to the human rows (see comparison).
// A judge that is in the release but not in the paper has no published figure.
type ReproducedCell struct {
	Table      int          `csv:"table"`
	Row        string       `csv:"row"`
	Column     string       `csv:"column"`
	Published  stats.Figure `csv:"published"`
	Recomputed stats.Figure `csv:"recomputed"`
	Difference stats.Figure `csv:"difference"` // recomputed minus published
	// sheets that count; in Table 2 human rows with a verdict that counts, in Table 4 means of sources
	N    int  `csv:"n"`
	Rule Rule `csv:"rule"`

	judge   string
	printed Printed
}

// compared reports whether there are two figures to compare.
func (c ReproducedCell) compared() bool { return c.printed.Text != "" && c.Recomputed.Known }

// reproduced reports whether ours is within a unit of the paper's last digit.
func (c ReproducedCell) reproduced() bool {
	return c.compared() && c.printed.Near(c.Recomputed.Value)
}

// ofPeople reports whether a cell is computed from human rows.
func (c ReproducedCell) ofPeople() bool { return c.Table == 2 || c.judge == data.Human }

// addLine adds the figures of a judge in a row of a table, column by column: ours by each rule, with the number of sheets,
// next to those that the paper prints.
func (r *Reproduction) addLine(c ReproducedCell, columns []string, printed []Printed, ours func(Rule) ([]*float64, int)) {
	figures := map[Rule][]*float64{}
	n := map[Rule]int{}
	for _, rule := range rulesOf(c.Table) {
		figures[rule], n[rule] = ours(rule)
	}
	for i, column := range columns {
		for _, rule := range rulesOf(c.Table) {
			c.Column, c.Rule, c.N, c.Recomputed, c.printed = column, rule, n[rule], stats.FigureOf(figures[rule][i]), printed[i]
			c.Published = stats.Figure{}
			c.Difference = stats.Figure{}
			if c.printed.Text != "" {
				c.Published = stats.Number(c.printed.Value)
			}
			if c.compared() {
				c.Difference = stats.Number(*figures[rule][i] - c.printed.Value)
			}
			r.Cells = append(r.Cells, c)
		}
	}
}

func (r *Reproduction) table(number int) []ReproducedCell {
	return data.Where(r.Cells, func(c ReproducedCell) bool { return c.Table == number })
}

// table2 has the paper's judges, found or not, and then those found next to them.
func (r *Reproduction) table2() {
	printed := published[publishedAgreement](2)
	judges := data.Each(printed, func(p publishedAgreement) string { return p.Judge })
	for _, judge := range inOrder(append(data.Each(r.people, func(p comparison) string { return p.judge }), judges...), judges) {
		for _, level := range []string{dataset.LevelSeparate, dataset.LevelFinal} {
			p := table.First(printed, func(p publishedAgreement) bool { return p.Judge == judge && p.Level == level })
			r.addLine(ReproducedCell{Table: 2, Row: judge + " " + level, judge: judge}, []string{"alpha", "pearson", "spearman"},
				[]Printed{p.Alpha, p.Correlation, p.Correlation}, func(rule Rule) ([]*float64, int) {
					row := table.First(r.people, func(p comparison) bool { return p.judge == judge && p.rule == rule })
					figures := row.levels[level]
					return []*float64{figures.AlphaInterval, figures.Pearson, figures.Spearman}, row.n
				})
		}
	}
}

// momentTables are Tables 3 to 5: a mean and a deviation for each judge.
func (r *Reproduction) momentTables() {
	var printed []publishedCell // of the table
	add := func(number int, row string, judges []string, ours func(judge string, rule Rule) dataset.Moments) {
		for _, judge := range judges {
			p := table.First(printed, func(p publishedCell) bool { return p.row() == row && p.Judge == judge })
			r.addLine(ReproducedCell{Table: number, Row: row, judge: judge}, []string{judge + " mean", judge + " sd"}, []Printed{p.Mean, p.SD},
				func(rule Rule) ([]*float64, int) {
					m := ours(judge, rule)
					return []*float64{m.Mean, m.SD}, m.N
				})
		}
	}
	// Table 3 has the mean of the scenarios' means and the mean of their deviations, where the judge has sheets of all
	// scenarios that the paper's row is over.
	printed = published[publishedCell](3)
	judges := once(append(publishedJudges(), r.judges...)...)
	systems := data.Each(printed, publishedCell.row)
	for _, system := range once(append(systems, data.Each(r.sources, systemOf)...)...) {
		origins := scenariosOf(system, publishedSources())
		if origins == nil {
			origins = scenariosOf(system, r.sources)
		}
		add(3, system, judges, func(judge string, rule Rule) dataset.Moments { return r.meanOfSources(judge, rule, origins) })
	}
	// Table 4 compares questions with and without an aspect, by each row's own aspect, as cell 11 of the authors' notebook
	// does; the paper prints two raters.
	printed = published[publishedCell](4)
	for _, aspect := range []string{"yes", "no"} {
		add(4, aspect, once(append([]string{"llama3-70b", data.Human}, r.judges...)...), func(judge string, rule Rule) dataset.Moments {
			return r.momentsOfMeans(judge, rule, withAspect(aspect == "yes"))
		})
	}
	printed = published[publishedCell](5)
	for _, s := range r.sources {
		add(5, s.key(), judges, func(judge string, rule Rule) dataset.Moments { return r.points(judge, rule, from(s)) })
	}
}

// meanOfSources returns a system's mean by the paper's Table 3: each source counts the same, however many of its sheets do.
func (r *Reproduction) meanOfSources(judge string, rule Rule, origins []source) dataset.Moments {
	var means, sds []*float64
	for _, s := range origins {
		m := r.points(judge, rule, from(s))
		means = append(means, m.Mean)
		sds = append(sds, m.SD)
	}
	return dataset.Moments{N: len(r.counted(judge, rule, from(origins...))), Mean: r.MeanDefined(means), SD: r.MeanDefined(sds)}
}

// momentsOfMeans returns the mean of the means of the sources with sheets, the population standard deviation of these means, and
// their number.
func (r *Reproduction) momentsOfMeans(judge string, rule Rule, in func(scoreSheet) bool) (m dataset.Moments) {
	var means []float64
	for _, s := range r.sources {
		moments := r.points(judge, rule, func(sheet scoreSheet) bool { return sourceOf(sheet.row) == s && in(sheet) })
		if moments.N > 0 {
			means = append(means, *moments.Mean)
		}
	}
	m.N = len(means)
	if m.N > 0 {
		mean, sd := stat.PopMeanStdDev(means, nil)
		m.Mean = &mean
		m.SD = &sd
	}
	return m
}
