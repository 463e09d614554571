package paper

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// A PairsRow is a row of the paper's Table 1, with the figures of the paper, of the release, and of the built-in question set. The
// arguments of the built-in set are this project's own, as the release has none.
type PairsRow struct {
	Characteristic string       `csv:"characteristic"`
	Published      stats.Figure `csv:"published"`
	Release        stats.Figure `csv:"release"`
	BuiltIn        stats.Figure `csv:"built_in"`
}

func (r *Reproduction) table1() (rows []PairsRow) {
	pairs := table.Grouped(r.release.Answers, func(a data.Answer) string { return data.QuestionOf(a).Pair() })
	aspects := data.Where(pairs, func(answers []data.Answer) bool { return answers[0].Aspect != "" })
	ofRelease := []int{len(pairs), len(aspects)}
	arguments := data.Each(data.CQA50(), func(q data.Question) float64 { return float64(len(q.Arguments)) })
	aspect := data.Where(data.CQA50(), func(q data.Question) bool { return q.Aspect != "" })
	mean := stats.Mean(arguments)
	more := data.Where(arguments, func(n float64) bool { return n > mean })
	values := []float64{float64(len(arguments)), float64(len(aspect)), mean, slices.Min(arguments), slices.Max(arguments), float64(len(more))}
	for i, p := range published[publishedPairs](1) {
		row := PairsRow{Characteristic: p.Characteristic, Published: stats.Number(p.Figure), BuiltIn: stats.Number(values[i])}
		if i < len(ofRelease) && pairs != nil {
			row.Release = stats.Count(ofRelease[i])
		}
		rows = append(rows, row)
	}
	return rows
}

// A ScenarioRow is a bar of the paper's Figure 6 (group allGroups) or Figure 7. It has the points by a judge for the answers of all models
// in a scenario. It uses RulePublished, as cells 18 and 28 of the authors' notebook do. The paper prints no numbers there.
type ScenarioRow struct {
	Scenario string       `csv:"scenario"`
	Judge    string       `csv:"judge"`
	Group    string       `csv:"group"` // group of criteria, or allGroups
	Mean     stats.Figure `csv:"mean"`
	SD       stats.Figure `csv:"sd"`
	N        int          `csv:"n"` // number of sheets
}

const allGroups = "all"

// scenarioRows returns the rows of Figure 6, then those of Figure 7.
func (r *Reproduction) scenarioRows() (rows []ScenarioRow) {
	for _, group := range append([]string{allGroups}, r.rubric.Groups()...) {
		for _, scenario := range []string{"1", "2", "3", "4"} {
			for _, judge := range r.raters() {
				sheets := r.counted(judge, RulePublished, func(s scoreSheet) bool { return s.row.Scenario == scenario })
				m := r.Moments(data.Each(sheets, func(s scoreSheet) (points float64) {
					for i, c := range r.rubric.Criteria {
						if group == allGroups || c.Group == group {
							points += s.points[i]
						}
					}
					return points
				}))
				rows = append(rows, ScenarioRow{scenario, judge, group, stats.FigureOf(m.Mean), stats.FigureOf(m.SD), m.N})
			}
		}
	}
	return rows
}

func (r *Reproduction) figure(number int) []ScenarioRow {
	return data.Where(r.scenarios, func(row ScenarioRow) bool { return (row.Group == allGroups) == (number == 6) })
}

// An ExtremesRow is a box of the paper's Figure 8 (cell 21 of the authors' notebook), for one system. It has the points that one rater
// gives to the answers that another rater scores very high, or very low. Rows of both raters are matched by objects, system and scenario
// only. A human row therefore meets the verdicts on all answers of the system to the question.
type ExtremesRow struct {
	Judge    string       `csv:"judge"`
	ChosenBy string       `csv:"chosen_by"` // who selects the answers: the judge or people
	Points   string       `csv:"points"`    // range of the points by ChosenBy: 18–19 or 3–14
	System   string       `csv:"system"`    // dataset.AllSystems for all systems
	N        int          `csv:"n"`
	Mean     stats.Figure `csv:"mean"` // of the points by the other rater
	SD       stats.Figure `csv:"sd"`
	Low      stats.Figure `csv:"low"`
	Q1       stats.Figure `csv:"q1"`
	Median   stats.Figure `csv:"median"`
	Q3       stats.Figure `csv:"q3"`
	High     stats.Figure `csv:"high"`
}

// extremeParts are the ranges of points in Figure 8; both ends belong to the range.
var extremeParts = []struct {
	name      string
	low, high float64
}{{"18–19", 18, 19}, {"3–14", 3, 14}}

// figure8 returns the rows of Figure 8, by RulePublished.
func (r *Reproduction) figure8() (rows []ExtremesRow) {
	systems := append([]string{dataset.AllSystems}, once(data.Each(r.sources, systemOf)...)...)
	keyOf := func(s scoreSheet) [4]string {
		return [4]string{s.row.Object1, s.row.Object2, s.row.System, s.row.Scenario}
	}
	for _, judge := range r.judges {
		verdicts := map[[4]string][]scoreSheet{}
		for _, s := range r.counted(judge, RulePublished, everywhere) {
			verdicts[keyOf(s)] = append(verdicts[keyOf(s)], s)
		}
		for _, by := range []string{judge, data.Human} {
			for _, part := range extremeParts {
				points := map[string][]float64{}
				for _, person := range r.counted(data.Human, RulePublished, everywhere) {
					for _, verdict := range verdicts[keyOf(person)] {
						chosen := verdict.total
						other := person.total
						if by == data.Human {
							chosen, other = other, chosen
						}
						if chosen >= part.low && chosen <= part.high {
							for _, system := range []string{person.row.System, dataset.AllSystems} {
								points[system] = append(points[system], other)
							}
						}
					}
				}
				for _, system := range systems {
					if points[system] != nil {
						rows = append(rows, r.box(ExtremesRow{Judge: judge, ChosenBy: by, Points: part.name, System: system}, points[system]))
					}
				}
			}
		}
	}
	return rows
}

func (r *Reproduction) box(row ExtremesRow, points []float64) ExtremesRow {
	m := r.Moments(points)
	row.N, row.Mean, row.SD = m.N, stats.FigureOf(m.Mean), stats.FigureOf(m.SD)
	slices.Sort(points)
	for p, into := range map[float64]*stats.Figure{0: &row.Low, 0.25: &row.Q1, 0.5: &row.Median, 0.75: &row.Q3, 1: &row.High} {
		*into = stats.Number(stats.Quantile(points, p))
	}
	return row
}
