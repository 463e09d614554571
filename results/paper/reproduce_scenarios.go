package paper

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
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

type publishedPairs struct {
	Characteristic string  `csv:"characteristic"`
	Figure         float64 `csv:"figure"`
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
	for i, p := range publishedRows[publishedPairs](1) {
		r := PairsRow{Characteristic: p.Characteristic, Published: table.Number(p.Figure), BuiltIn: table.Number(own[i])}
		if i < len(ofRelease) && len(release) > 0 {
			r.Release = ofRelease[i]
		}
		rows = append(rows, r)
	}
	return rows
}

// A ScenarioRow is a bar of the paper's Figure 6 (group allGroups) or 7: a judge's points for
// the answers of all models to a scenario, by the published rule, as in cells 18 and 28 of the
// authors' notebook. The paper prints no numbers there.
type ScenarioRow struct {
	Scenario string       `csv:"scenario"`
	Judge    string       `csv:"judge"`
	Group    string       `csv:"group"` // of criteria, or allGroups
	Mean     table.Figure `csv:"mean"`
	SD       table.Figure `csv:"sd"`
	N        int          `csv:"n"` // sheets
}

const allGroups = "all"

// scenarioRows are the rows of Figure 6, then those of Figure 7.
func scenarioRows(c *dataset.Calculator, rel *reproducedRelease) (rows []ScenarioRow) {
	for _, group := range append([]string{allGroups}, rel.rubric.Groups()...) {
		for _, scenario := range []string{"1", "2", "3", "4"} {
			for _, judge := range append(slices.Clone(rel.judges), data.Human) {
				var points []float64
				for _, s := range rel.counted(judge, RulePublished) {
					if s.source.scenario == scenario {
						points = append(points, rel.groupPoints(s, group))
					}
				}
				m := c.Moments(points)
				rows = append(rows, ScenarioRow{scenario, judge, group, table.FigureOf(m.Mean), table.FigureOf(m.SD), m.N})
			}
		}
	}
	return rows
}

func (rel *reproducedRelease) groupPoints(s scoreSheet, group string) float64 {
	sum := 0.0
	for i, c := range rel.rubric.Criteria {
		if group == allGroups || c.Group == group {
			sum += s.points[i]
		}
	}
	return sum
}

// figure is the rows of Figure 6 or 7.
func (r *Reproduction) figure(number int) []ScenarioRow {
	return table.Where(r.scenarios, func(row ScenarioRow) bool { return (row.Group == allGroups) == (number == 6) })
}

// An ExtremesRow is a box of the paper's Figure 8: the points that one rater gives to the
// answers of a system that the other scores highest or lowest, as in cell 21 of the authors'
// notebook. Rows are joined by objects, system and scenario alone, so that a human row meets
// the verdicts on all answers of the system to the question.
type ExtremesRow struct {
	Judge    string       `csv:"judge"`
	ChosenBy string       `csv:"chosen_by"` // the judge or people
	Points   string       `csv:"points"`    // by who chooses: 18–19, 3–14
	System   string       `csv:"system"`    // dataset.AllSystems: all of them
	N        int          `csv:"n"`
	Mean     table.Figure `csv:"mean"` // points by the other
	SD       table.Figure `csv:"sd"`
	Low      table.Figure `csv:"low"`
	Q1       table.Figure `csv:"q1"`
	Median   table.Figure `csv:"median"`
	Q3       table.Figure `csv:"q3"`
	High     table.Figure `csv:"high"`
}

// extremeParts are the parts of Figure 8, both ends included.
var extremeParts = []struct {
	name      string
	low, high float64
}{{"18–19", 18, 19}, {"3–14", 3, 14}}

// A bothTotals is the points by people and a judge for one system's answer.
type bothTotals struct {
	system        string
	people, judge float64
}

// joinedByObjects are the human rows beside the judge's verdicts, by the published rule.
func (rel *reproducedRelease) joinedByObjects(judge string) (joined []bothTotals) {
	type key struct {
		pair   string
		source source
	}
	verdicts := map[key][]float64{}
	for _, s := range rel.counted(judge, RulePublished) {
		verdicts[key{s.pair, s.source}] = append(verdicts[key{s.pair, s.source}], s.total)
	}
	for _, person := range rel.counted(data.Human, RulePublished) {
		for _, total := range verdicts[key{person.pair, person.source}] {
			joined = append(joined, bothTotals{person.source.system, person.total, total})
		}
	}
	return joined
}

func figure8(c *dataset.Calculator, rel *reproducedRelease) (rows []ExtremesRow) {
	for _, judge := range rel.judges {
		joined := rel.joinedByObjects(judge)
		for _, by := range []string{judge, data.Human} {
			for _, part := range extremeParts {
				points := map[string][]float64{}
				for _, b := range joined {
					chosen, other := b.judge, b.people
					if by == data.Human {
						chosen, other = other, chosen
					}
					if chosen >= part.low && chosen <= part.high {
						points[b.system] = append(points[b.system], other)
						points[dataset.AllSystems] = append(points[dataset.AllSystems], other)
					}
				}
				for _, system := range append([]string{dataset.AllSystems}, rel.systems()...) {
					if points[system] != nil {
						rows = append(rows, box(c, ExtremesRow{Judge: judge, ChosenBy: by, Points: part.name, System: system}, points[system]))
					}
				}
			}
		}
	}
	return rows
}

// systems are the systems of all sources, in the paper's order.
func (rel *reproducedRelease) systems() (all []string) {
	for _, s := range rel.allSources() {
		if !slices.Contains(all, s.system) {
			all = append(all, s.system)
		}
	}
	return all
}

func box(c *dataset.Calculator, r ExtremesRow, points []float64) ExtremesRow {
	m := c.Moments(points)
	r.N, r.Mean, r.SD = m.N, table.FigureOf(m.Mean), table.FigureOf(m.SD)
	slices.Sort(points)
	for p, into := range map[float64]*table.Figure{0: &r.Low, 0.25: &r.Q1, 0.5: &r.Median, 0.75: &r.Q3, 1: &r.High} {
		*into = table.Number(stats.Quantile(points, p))
	}
	return r
}

// publishedPoints are a model's points by scenario as printed: mean ± deviation.
type publishedPoints struct {
	System string `csv:"system"`
	First  string `csv:"scenario_1"`
	Second string `csv:"scenario_2"`
	Third  string `csv:"scenario_3"`
	Fourth string `csv:"scenario_4"`
	All    string `csv:"all"`
}

// scenarioSections are these tables, and what the paper prints alone.
func (r *Reproduction) scenarioSections() []table.Section {
	sections := []table.Section{
		{Title: "Table 1: pairs and arguments", About: "The arguments of the built-in set are this project's own; the release has none.",
			Table: table.View(1, r.pairs, "characteristic", "published:0", "release:0", "built_in:1=built-in set")},
		{Title: "Figure 6: points by scenario", About: "Over the answers of all models, by the published rule. The paper prints no numbers.",
			Table: table.View(2, r.figure(6), "scenario", "judge", "mean:1", "sd", "n")},
		{Title: "Figure 7: points by scenario and group of criteria", About: "As Figure 6. The paper prints no numbers.",
			Table: table.View(3, r.figure(7), "group", "scenario", "judge", "mean:1", "sd", "n")},
		{Title: "Figure 8: the highest and the lowest scores",
			About: "Points by people for the answers that the judge gives 18 or 19 points, or 3 to 14, by system; and the reverse. " +
				"As in the authors' notebook, a human row meets the verdicts on all answers of the system to the question in the scenario.",
			Table: table.View(4, r.extremes, "judge", "chosen_by=chosen by", "points", "system", "n", "mean:2", "sd:2", "low:1", "q1:1",
				"median:1", "q3:1", "high:1")},
	}
	for _, of := range []struct {
		number       int
		title, about string
	}{
		{6, "Table 6: models with and without reasoning",
			"Points by Llama-3-70B, published. The release contains no answers of the other models; examples/reasoning/compqa.yaml is a " +
				"configuration that asks them."},
		{7, "Table 7: the extended set", "Points by Llama-3-70B for 432 questions, published. It cannot be recomputed: the release contains " +
			"neither the questions and their arguments nor the answers and verdicts."},
	} {
		sections = append(sections, table.Section{Title: of.title, About: of.about,
			Table: table.View(1, publishedRows[publishedPoints](of.number), "system", "scenario_1", "scenario_2", "scenario_3", "scenario_4",
				"all")})
	}
	return sections
}
