package paper

import (
	_ "embed"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// Figures of the paper whose data are not in the release.
var (
	//go:embed published/table1.txt
	publishedTable1 string
	//go:embed published/table6.txt
	publishedTable6 string
	//go:embed published/table7.txt
	publishedTable7 string
)

// A PairsRow is a row of the paper's Table 1: its pairs of objects, those of the release, and
// those of the built-in set, whose arguments are this project's own. The release holds no
// arguments.
type PairsRow struct {
	Characteristic string       `csv:"characteristic"`
	Published      table.Figure `csv:"published"`
	Release        table.Figure `csv:"release"`
	BuiltIn        table.Figure `csv:"built_in"`
}

func table1(rel *reproducedRelease) []PairsRow {
	var aspects float64
	release := map[string]bool{}
	for _, a := range rel.release.Answers {
		if pair := data.QuestionOf(a).Pair(); !release[pair] {
			release[pair] = true
			aspects += dataset.Indicator(a.Aspect != "")
		}
	}
	ofRelease := []table.Figure{table.Number(float64(len(release))), table.Number(aspects)}
	questions := data.CQA50()
	var own [6]float64
	var sum float64
	for i, q := range questions {
		n := float64(len(q.Arguments))
		own[1] += dataset.Indicator(q.Aspect != "")
		if sum += n; i == 0 || n < own[3] {
			own[3] = n
		}
		own[4] = max(own[4], n)
	}
	own[0], own[2] = float64(len(questions)), sum/float64(len(questions))
	for _, q := range questions {
		own[5] += dataset.Indicator(float64(len(q.Arguments)) > own[2])
	}
	var rows []PairsRow
	for i, cells := range tableRows(publishedTable1)[1:] {
		r := PairsRow{Characteristic: strings.ReplaceAll(cells[0], "_", " "), Published: table.Number(printed(cells[1]).Value), BuiltIn: table.Number(own[i])}
		if i < len(ofRelease) && len(release) > 0 {
			r.Release = ofRelease[i]
		}
		rows = append(rows, r)
	}
	return rows
}

// A ScenarioRow is a bar of the paper's Figure 6: a judge's points for the answers of all
// models to a scenario, by the published rule. The paper prints no numbers there.
type ScenarioRow struct {
	Scenario string       `csv:"scenario"`
	Judge    string       `csv:"judge"`
	Mean     table.Figure `csv:"mean"` // points (0–19)
	SD       table.Figure `csv:"sd"`
	N        int          `csv:"n"` // sheets
}

func figure6(c *dataset.Calculator, rel *reproducedRelease) (rows []ScenarioRow) {
	for _, scenario := range []string{"1", "2", "3", "4"} {
		of := table.Where(rel.allSources(), func(s source) bool { return s.scenario == scenario })
		for _, judge := range append(slices.Clone(rel.judges), data.Human) {
			m := c.Moments(rel.totals(judge, RulePublished, of...))
			rows = append(rows, ScenarioRow{scenario, judge, table.FigureOf(m.Mean), table.FigureOf(m.SD), m.N})
		}
	}
	return rows
}

// An ExtremesRow is a part of the paper's Figure 8: the points that one rater gives to the
// answers that the other scores highest or lowest. Highest are answers with the third quartile
// or more, lowest with the first quartile or less; the paper does not say where its parts end.
// An answer that both annotators scored counts twice.
type ExtremesRow struct {
	Judge    string       `csv:"judge"`
	ChosenBy string       `csv:"chosen_by"` // the judge or people
	Part     string       `csv:"part"`      // highest, lowest
	Limit    table.Figure `csv:"limit"`     // points by who chooses
	N        int          `csv:"n"`
	Mean     table.Figure `csv:"mean"` // points by the other
	SD       table.Figure `csv:"sd"`
	Low      table.Figure `csv:"low"`
	Q1       table.Figure `csv:"q1"`
	Median   table.Figure `csv:"median"`
	Q3       table.Figure `csv:"q3"`
	High     table.Figure `csv:"high"`
}

func figure8(c *dataset.Calculator, rel *reproducedRelease) (rows []ExtremesRow) {
	for _, judge := range rel.judges {
		pairs, _, _ := rel.pairs(judge, RulePublished, RuleStrict, nil)
		people, verdicts := pairs.final()
		for _, by := range []struct {
			name          string
			choose, other []float64
		}{{judge, verdicts, people}, {data.Human, people, verdicts}} {
			for _, part := range []string{"highest", "lowest"} {
				rows = append(rows, extremes(c, ExtremesRow{Judge: judge, ChosenBy: by.name, Part: part}, by.choose, by.other))
			}
		}
	}
	return rows
}

func extremes(c *dataset.Calculator, r ExtremesRow, choose, other []float64) ExtremesRow {
	if len(choose) == 0 {
		return r
	}
	sorted := slices.Sorted(slices.Values(choose))
	quarter, within := 0.75, func(v, limit float64) bool { return v >= limit }
	if r.Part == "lowest" {
		quarter, within = 0.25, func(v, limit float64) bool { return v <= limit }
	}
	limit := stats.Quantile(sorted, quarter)
	var points []float64
	for i, v := range choose {
		if within(v, limit) {
			points = append(points, other[i])
		}
	}
	m := c.Moments(points)
	r.Limit, r.N, r.Mean, r.SD = table.Number(limit), m.N, table.FigureOf(m.Mean), table.FigureOf(m.SD)
	slices.Sort(points)
	for p, into := range map[float64]*table.Figure{0: &r.Low, 0.25: &r.Q1, 0.5: &r.Median, 0.75: &r.Q3, 1: &r.High} {
		*into = table.Number(stats.Quantile(points, p))
	}
	return r
}

// scenarioSections are these tables, and what the paper prints alone.
func (r *Reproduction) scenarioSections() []table.Section {
	sections := []table.Section{
		{Title: "Table 1: pairs and arguments", About: "The arguments of the built-in set are this project's own; the release has none.", Table: table.View(1, r.pairs, "characteristic", "published:0", "release:0", "built_in:1=built-in set")},
		{Title: "Figure 6: points by scenario", About: "Over the answers of all models, by the published rule. The paper prints no numbers.", Table: table.View(2, r.scenarios, "scenario", "judge", "mean:3", "sd:3", "n")},
		{Title: "Figure 8: the highest and the lowest scores", About: "Points by people for the quarters of the answers that the judge scores highest and lowest, and the reverse. The paper does not say where its parts end.",
			Table: table.View(3, r.extremes, "judge", "chosen_by=chosen by", "part", "limit:1", "n", "mean:2", "sd:2", "low:1", "q1:1", "median:1", "q3:1", "high:1")},
	}
	for _, of := range []struct{ title, about, text string }{
		{"Table 6: models with and without reasoning", "Points by Llama-3-70B, published. The release contains no answers of the other models.", publishedTable6},
		{"Table 7: the extended set", "Points by Llama-3-70B for 432 questions, published. The release does not contain them.", publishedTable7},
	} {
		rows := tableRows(of.text)
		view := &table.Table{Words: 1, Header: []string{"system", "scenario 1", "scenario 2", "scenario 3", "scenario 4", "all"}}
		for _, cells := range rows[1:] {
			view.Add(cells...)
		}
		sections = append(sections, table.Section{Title: of.title, About: of.about, Table: view})
	}
	return sections
}
