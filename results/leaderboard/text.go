package leaderboard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/results/dataset"
	"compqa/results/paper"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
	"compqa/stats"
)

// Details are the points by scenario, group of criteria and aspect, with ranks and intervals.
func (t *Tables) Details() table.Document {
	ranked := t.Ranked()
	compared, others := t.OverallTables()
	scored := table.Where(ranked, func(r LeaderboardRow) bool {
		return r.HumanMean.Known() && !slices.ContainsFunc(t.Judges,
			func(j store.Participant) bool { return j.Name == r.Judge && j.Kind == dataset.KindFloor })
	})
	return table.Document{ID: "points", Title: "Points",
		Lead: fmt.Sprintf("Mean points (%s) by %s. Parentheses contain the number of valid verdicts, as valid/planned if some are not valid. %s",
			t.Points(), t.Rubric.Title(), t.HeadlineText()),
		Sections: []table.Section{
			{Title: "Over all scenarios", About: "Mean of the scenario means ± mean of the scenarios' sample standard deviations (not the " +
				"deviation over all verdicts). A rank is followed by its range if the data allow several ranks." + t.contradictedAbout(),
				Notes: t.FittedNotes, Table: t.withFaithfulness(compared)},
			{Title: "Systems without a rank", About: "Systems without points in this order, by name.", Table: others},
			{About: t.PartialText()},
			{Title: "By scenario", About: "Mean ± sample standard deviation of the verdicts. Scenario - contains answers without a scenario.",
				Table: t.scenarioTable()},
			{Title: "By group of criteria", About: "Mean ± sample standard deviation over the answers of all systems in a scenario.",
				Table: t.groupTable()},
			{Title: "By system and group of criteria",
				About: "Over all scenarios: mean of the scenario means ± mean of the scenarios' sample standard deviations.",
				Table: t.systemGroupTable()},
			{Title: "With and without an aspect", About: "Whether the question names an aspect. Mean ± sample standard deviation of the verdicts.",
				Table: t.aspectTable()},
			{Title: "Ranks and intervals", About: "Over all scenarios. Intervals are at 95 %, clustered by question. “possible ranks” hold " +
				"for all systems of a judge simultaneously: all pairs are tested question by question, with Holm's adjustment. “worst case” " +
				"and “best case” are the mean if every planned verdict that is not valid had the lowest or the highest possible total. " +
				"“length controlled” is the mean that the system would have if its answers had the judge's mean length, by a regression of " +
				"points on log words within systems and questions.",
				Table: table.View(2, ranked, "judge", "system", "rank:0", "rank_low:0=possible from", "rank_high:0=to", "mean", "length_controlled",
					"ci_low=95 % from", "ci_high=to", "valid", "planned", "worst_case", "best_case")},
			{Title: "What can be detected", About: "Pairs of systems that differ significantly, and the true difference in points that is " +
				"detected with a power of 80 % with these questions, by an unadjusted test: for the median pair, and the smallest and largest " +
				"over all pairs." + t.comparedText(),
				Table: table.View(1, t.power(), "Judge=judge", "Pairs=pairs", "Differ=differ", "Median=detectable, median", "Least=smallest",
					"Most=largest")},
			{Title: "Estimated human scores", About: "Estimate of the mean human score, from the n answers with human scores and this judge's " +
				"verdicts on all answers (prediction-powered inference), and from the human scores alone. It assumes that the answers with human " +
				"scores are a random sample. “effective n” is the number of human-scored answers that would give the same precision; " +
				"“lambda” is the weight of the judge; at 0 the judge adds no information.",
				Table: t.Marked(table.View(2, scored, "judge", "system", "human_mean", "Alone=human scores alone", "n_human:0=n",
					"n_effective:1=effective n", "lambda"), 0, -1)},
		}}
}

// comparedText says which systems are compared if there are too many for all pairs.
func (t *Tables) comparedText() string {
	if len(t.Systems) <= MostCompared {
		return ""
	}
	return fmt.Sprintf(" Of more than %d systems only the %d with the highest means are compared; the ranks of the others are not bounded.",
		MostCompared, MostCompared)
}

// MeanOf is the mean of a judge's points for a system over all scenarios.
func (t *Tables) MeanOf(judge, system int) table.Figure {
	if r := t.At[dataset.PlanKey{Judge: t.Judges[judge].Name, System: t.Systems[system].Name, Scenario: dataset.AllScenarios}]; r != nil {
		return r.Mean
	}
	return table.Figure{}
}

// perJudge is a table with one column per judge.
func (t *Tables) perJudge(words ...string) *table.Grid {
	grid := table.NewGrid(words...)
	for _, j := range t.Judges {
		grid.Header = append(grid.Header, j.Name)
	}
	return grid
}

// OverallTables are the systems with points in the order of the board, with rank and rank range,
// and those without. The judge of the order comes first. Floors say nothing of systems, and the
// annotators are in their mean.
func (t *Tables) OverallTables() (compared, others *table.Table) {
	words := []string{"rank", "system"}
	grids := [2]*table.Grid{table.NewGrid(words...), table.NewGrid(words...)}
	human := t.By == ByPeople || t.By == ByHumanPoints
	references := t.References()
	for i, grid := range grids {
		if human && i == 0 {
			grid.Header = append(grid.Header, t.PointsName())
		}
		if t.Headline != "" {
			grid.Header = append(grid.Header, t.Headline)
		}
		for j, p := range t.Judges {
			if p.Name != t.Headline && p.Kind != dataset.KindFloor && (!t.People(j) || slices.Contains(references, j)) {
				grid.Header = append(grid.Header, p.Name)
			}
		}
	}
	for _, s := range t.Places {
		grid, rank := grids[1], table.None
		if s.Points.Value.Known() {
			grid, rank = grids[0], s.RankText()
		}
		line := []any{rank, t.SystemCell(s.System)}
		for _, column := range grid.Header[grid.Words:] {
			if column == t.PointsName() && human {
				line = append(line, s.Points)
			} else {
				line = append(line, t.At[dataset.PlanKey{Judge: column, System: s.System, Scenario: dataset.AllScenarios}].Cell())
			}
		}
		grid.Add(line...)
	}
	grids[0].Key, grids[1].Key = 1, 1
	return t.MarkedHeader(&grids[0].Table), t.MarkedHeader(&grids[1].Table)
}

// SystemCell is a system's name, with a mark if it was trained on a benchmark.
func (t *Tables) SystemCell(name string) table.Cell {
	c := table.Cell{Text: name, To: table.ToSystem(name)}
	if t.TrainedOn(name) != "" {
		c.Mark = dataset.SystemMark
	}
	return c
}

// trainedText says which systems were trained on a benchmark.
func (t *Tables) trainedText() (text string) {
	for _, s := range t.Systems {
		if on := t.TrainedOn(s.Name); on != "" {
			text += fmt.Sprintf(" %s%s was trained on %s: its points on these questions are not comparable with those of other systems.", s.Name,
				dataset.SystemMark, on)
		}
	}
	return text
}

func (t *Tables) scenarioTable() *table.Table {
	grid := t.perJudge("system", "scenario")
	for _, s := range t.RankedSystems() {
		for _, scenario := range t.Scenarios() {
			for _, j := range t.Judges {
				if r := t.At[dataset.PlanKey{Judge: j.Name, System: s.Name, Scenario: scenario}]; r != nil {
					grid.Set(r.Cell(), j.Name, s.Name, scenario)
				}
			}
		}
	}
	return &grid.Table
}

// PartialText lists the means without one of the system's scenarios, which are not
// comparable with the others.
func (t *Tables) PartialText() string {
	var lines []string
	for _, r := range t.Board {
		if r.Scenario != dataset.AllScenarios && r.Valid == 0 &&
			t.At[dataset.PlanKey{Judge: r.Judge, System: r.System, Scenario: dataset.AllScenarios}].Valid > 0 {
			lines = append(lines, fmt.Sprintf("- %s by %s: without scenario %s", r.System, r.Judge, r.Scenario))
		}
	}
	if lines == nil {
		return ""
	}
	return "These means lack a scenario and are not comparable with the others:\n\n" + strings.Join(lines, "\n")
}

func (r GroupRow) cell() table.Cell { return table.CellText(r.Mean, r.SD, r.Valid, r.Valid) }

func (t *Tables) groupName(group string) string {
	return fmt.Sprintf("%s (%s)", group, table.Shortest(t.Rubric.GroupMax(group)))
}

func (t *Tables) groupTable() *table.Table {
	grid := t.perJudge("scenario", "group (points)")
	for _, r := range t.byScenario {
		grid.Set(r.cell(), r.Judge, r.Scenario, t.groupName(r.Group))
	}
	return &grid.Table
}

func (t *Tables) systemGroupTable() *table.Table {
	grid := t.perJudge("system", "group (points)")
	for _, s := range t.RankedSystems() {
		for _, r := range t.ByGroup {
			if r.System == s.Name && r.Scenario == dataset.AllScenarios {
				grid.Set(r.cell(), r.Judge, r.System, t.groupName(r.Group))
			}
		}
	}
	return &grid.Table
}

func (t *Tables) aspectTable() *table.Table {
	grid := t.perJudge("aspect")
	for _, r := range t.byAspect {
		grid.Set(r.cell(), r.Judge, r.Group)
	}
	return &grid.Table
}

// Ranked are the rows over all scenarios with a rank, by judge, best first; ties in the
// order of the systems.
func (t *Tables) Ranked() []LeaderboardRow {
	var rows []LeaderboardRow
	for _, j := range t.Judges {
		of := table.Where(t.Board, func(r LeaderboardRow) bool {
			return r.Judge == j.Name && r.Scenario == dataset.AllScenarios && r.Rank.Known()
		})
		slices.SortStableFunc(of, func(a, b LeaderboardRow) int { return cmp.Compare(*a.Rank.Number, *b.Rank.Number) })
		rows = append(rows, of...)
	}
	return rows
}

// A powerRow counts a judge's pairs of systems that differ significantly, and has the
// differences that are detectable.
type powerRow struct {
	Judge               string
	Pairs, Differ       int
	Median, Least, Most table.Figure
}

func (t *Tables) power() []powerRow {
	var rows []powerRow
	for _, j := range t.Judges {
		r := powerRow{Judge: j.Name}
		var detectable []float64
		for _, d := range t.Differences {
			if d.Judge != j.Name || d.Scenario != dataset.AllScenarios {
				continue
			}
			r.Pairs++
			r.Differ += int(dataset.Indicator(d.significant()))
			if d.detectable.Known() {
				detectable = append(detectable, *d.detectable.Number)
			}
		}
		slices.Sort(detectable)
		if len(detectable) > 0 {
			r.Median, r.Least, r.Most = table.Number(stats.Quantile(detectable, 0.5)), table.Number(detectable[0]),
				table.Number(detectable[len(detectable)-1])
		}
		if r.Pairs > 0 {
			rows = append(rows, r)
		}
	}
	return rows
}

// Published are the paper's tables. There are no sections where the run has nothing to compare: no
// system of them, or another rubric.
func (t *Tables) Published() table.Document {
	d := table.Document{ID: "published", Title: "Published results",
		Lead: "As printed by Nikishina et al. (CompQA), with their systems, judges and annotators: for comparison only, not to be ranked " +
			"with the tables of this run."}
	points := paper.PublishedTable3()
	if t.Rubric.Name == rubric.CQA().Name && slices.ContainsFunc(points, func(c paper.PublishedCell) bool {
		return slices.ContainsFunc(t.Systems, func(s store.Participant) bool { return strings.EqualFold(s.Name, c.System) })
	}) {
		d.Sections = []table.Section{{Title: "Table 3: over all scenarios", Table: publishedTable(points, "system")},
			{Title: "Table 5: by scenario", Table: publishedTable(paper.PublishedTable5(), "system", "scenario")}}
	}
	return d
}

// publishedTable is a table of the paper as printed, with one column per judge.
func publishedTable(cells []paper.PublishedCell, words ...string) *table.Table {
	grid := table.NewGrid(words...)
	for _, c := range cells {
		grid.Set(c.Mean.Text+" ± "+c.SD.Text, c.Judge, []string{c.System, c.Scenario}[:len(words)]...)
	}
	return &grid.Table
}

func (r *LeaderboardRow) Cell() table.Cell {
	if r == nil {
		return table.Cell{}
	}
	return table.CellText(r.Mean, r.SD, r.Valid, r.Planned)
}

// HeadlineRow is the headline judge's row of a system over all scenarios, nil if there is none.
func (t *Tables) HeadlineRow(system string) *LeaderboardRow {
	return t.At[dataset.PlanKey{Judge: t.Headline, System: system, Scenario: dataset.AllScenarios}]
}

// Points is the range of a total: "0 to 19".
func (t *Tables) Points() string {
	return table.Shortest(t.Rubric.Min()) + " to " + table.Shortest(t.Rubric.Max())
}
