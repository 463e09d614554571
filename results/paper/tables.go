package paper

import (
	"gonum.org/v1/gonum/stat"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// A ReproducedCell is a figure of the paper's Tables 2 to 5, printed and recomputed. Examples:
//
//	table  row                    column
//	2      gpt-4o separate        alpha (interval), pearson, spearman
//	3      gpt4                   gpt-4o mean, gpt-4o sd
//	4      yes                    human mean, human sd
//	5      gpt4_scenario_3, cam   gpt-4o mean, gpt-4o sd
//
// In Table 2, the column "Spearman's" is compared with both coefficients, and the rule applies to the human rows (see comparison). A judge
// that is in the release but not in the paper has no published figure.
type ReproducedCell struct {
	Table      int          `csv:"table"`
	Row        string       `csv:"row"`
	Column     string       `csv:"column"`
	Published  stats.Figure `csv:"published"`
	Recomputed stats.Figure `csv:"recomputed"`
	Difference stats.Figure `csv:"difference"` // recomputed minus published
	// N is the number of sheets that count; in Table 2, of human rows with a valid verdict; in Table 4, of means of sources.
	N    int  `csv:"n"`
	Rule Rule `csv:"rule"`

	judge   string
	printed Printed
}

// compared reports whether the cell has both a printed and a recomputed figure.
func (c ReproducedCell) compared() bool { return c.printed.Text != "" && c.Recomputed.Known }

// reproduced reports whether the recomputed figure is within one unit of the printed figure's last digit.
func (c ReproducedCell) reproduced() bool {
	return c.compared() && c.printed.Near(c.Recomputed.Value)
}

// ofPeople reports whether the cell is computed from human rows.
func (c ReproducedCell) ofPeople() bool { return c.Table == 2 || c.judge == data.Human }

// addLine adds the cells of a judge in a row of a table. For each column and rule, it compares the recomputed figure with the printed one.
// ours returns the recomputed figures of all columns by a rule, and the number of sheets.
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

// table2 adds the cells of Table 2: the paper's judges, whether or not the release has them, then other judges of the release.
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

// momentTables adds the cells of Tables 3 to 5: a mean and a deviation for each judge.
func (r *Reproduction) momentTables() {
	var printed []publishedCell // of the current table
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
	// Table 3 has the mean of the scenarios' means, and the mean of their deviations. The judge must have sheets of all scenarios that the
	// paper's row covers.
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
	// Table 4 compares questions with and without an aspect, by the aspect in each sheet's own row, as cell 11 of the authors' notebook
	// does. The paper prints two raters.
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

// meanOfSources returns a system's mean as in the paper's Table 3: the mean over sources, each with the same weight.
func (r *Reproduction) meanOfSources(judge string, rule Rule, origins []source) dataset.Moments {
	var means, sds []*float64
	for _, s := range origins {
		m := r.points(judge, rule, from(s))
		means = append(means, m.Mean)
		sds = append(sds, m.SD)
	}
	return dataset.Moments{N: len(r.counted(judge, rule, from(origins...))), Mean: r.MeanDefined(means), SD: r.MeanDefined(sds)}
}

// momentsOfMeans returns the mean and the population standard deviation of the sources' means. N is the number of sources that have sheets.
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
