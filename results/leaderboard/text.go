package leaderboard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// Details returns the points by scenario and by group of criteria, with ranks and intervals.
func (t *Tables) Details() table.Document {
	ranked := t.Ranked()
	scored := data.Where(ranked, func(r LeaderboardRow) bool {
		return r.HumanMean.Known && t.Judges[t.JudgeNamed(r.Judge)].Kind != dataset.KindFloor
	})
	overall := t.OverallTable()
	byScenario := t.scenarioTable()
	byGroup := t.groupTable()
	return table.Document{ID: "points", Title: "Points",
		Lead: fmt.Sprintf("Mean points (%s) by %s. Parentheses contain the number of valid verdicts, as valid/planned if some are not valid. %s",
			t.Points(), t.Rubric.Title(), t.HeadlineText()),
		Sections: []table.Section{
			{Title: "Over all scenarios", About: "Mean of the scenario means. A rank is followed by its range if the data allow several ranks; " +
				"systems without points in this order come last. Standard deviations are in the CSV file, intervals below." + TooFewKey(overall),
				Notes: t.FittedNotes, Table: overall},
			{About: t.PartialText()},
			{Title: "By scenario", About: "Mean of the verdicts. Scenario none contains answers without a scenario." + TooFewKey(byScenario),
				Table: byScenario},
			{Title: "By group of criteria",
				About: "Over all scenarios: mean of the scenario means." + TooFewKey(byGroup),
				Table: byGroup},
			{Title: "Ranks and intervals", About: "Over all scenarios. Intervals are at 95 %, clustered by question. “possible ranks” hold " +
				"for all systems of a judge simultaneously: all pairs are tested question by question, with Holm's adjustment. “worst case” " +
				"and “best case” are the mean if every planned verdict that is not valid had the lowest or the highest possible total.",
				Table: intervalsTable(ranked)},
			{Title: "How few questions decide the first place", About: "Questions by which the first system leads another one most are " +
				"left out, and the means computed anew: an upper bound, as fewer may do. Where a fifth of the questions does not do it, there is " +
				"no row.", Table: t.fragileTable()},
			{Title: "Estimated human scores", About: "Estimate of the mean human score, from the n answers with human scores and this judge's " +
				"verdicts on all answers (prediction-powered inference), and from the human scores alone. It assumes that the answers with human " +
				"scores are a random sample. “effective n” is the number of human-scored answers that would give the same precision; " +
				"“lambda” is the weight of the judge; at 0 the judge adds no information.",
				Table: t.Marked(table.From(2, scored, "judge", "system", "human_mean", "Alone=human scores alone", "n_human:0=n",
					"n_effective:1=effective n", "lambda"), 0, -1)},
		}}
}

// fragileTable returns a row for each judge whose first place few questions decide. The row links to a comparison of the two systems.
func (t *Tables) fragileTable() *table.Table {
	view := table.From(3, t.Fragile, "what=result", "target=would be first", "n_removed=without", "of=of questions")
	for i, f := range t.Fragile {
		view.Rows[i][2].To = &table.Target{Page: "compare", Query: []string{"a", f.First, "b", f.Target}}
	}
	return view
}

// intervalsTable returns ranks and intervals, with each bound in a column of its own.
func intervalsTable(ranked []LeaderboardRow) *table.Table {
	view := table.From(2, ranked, "judge", "system", "rank:0", "rank_low:0=possible from", "rank_high:0=to", "mean",
		"ci_low=95 % from", "ci_high=to", "valid", "planned", "worst_case", "best_case")
	from := slices.Index(view.Header, "95 % from")
	for i, r := range ranked {
		if bounds := view.Rows[i][from : from+2]; r.fewQuestions && r.CILow.Known {
			bounds[0].Text, bounds[1].Text, view.Foot = stats.Missing, stats.Missing, table.FewNote
		}
	}
	return view
}

func (t *Tables) perJudge(words ...string) *table.Grid {
	grid := table.NewGrid(words...)
	for _, j := range t.Judges {
		grid.Header = append(grid.Header, j.Name)
	}
	return grid
}

// OverallTable returns the systems in the order of the board, with ranks, rank ranges, and points by each judge. The judge of the order
// comes first. Baselines (floors) are left out, as they tell nothing about systems. Annotators are left out, as the mean of people includes
// them.
func (t *Tables) OverallTable() *table.Table {
	human := t.By == ByPeople || t.By == ByHumanPoints
	view := table.New(2, "rank", "system")
	view.Key = 1
	noted := slices.ContainsFunc(t.Places, func(s Place) bool { return s.Note() != "" })
	if human {
		view.Header = append(view.Header, t.PointsName())
	}
	var judges []string
	if t.Headline != "" {
		judges = []string{t.Headline}
	}
	references := t.References()
	for j, p := range t.Judges {
		if p.Name != t.Headline && p.Kind != dataset.KindFloor && (!t.People(j) || slices.Contains(references, j)) {
			judges = append(judges, p.Name)
		}
	}
	view.Header = append(view.Header, judges...)
	for _, s := range t.Places {
		line := []any{s.RankText(), t.SystemCell(s.System)}
		if human {
			line = append(line, s.Points)
		}
		for _, judge := range judges {
			line = append(line, t.Overall(judge, s.System).Cell())
		}
		if noted {
			line = append(line, s.Note())
		}
		view.Add(line...)
	}
	view = t.MarkedHeader(view)
	if noted {
		view.Header = append(view.Header, NoteColumn)
		view.SetHead(len(view.Header)-1, func(h *table.Head) { h.Aside = true })
	}
	return view
}

// NoteColumn is the column that says why a system has no rank.
const NoteColumn = "note"

// SystemCell returns a system's name, with a mark if it was trained on a benchmark.
func (t *Tables) SystemCell(name string) table.Cell {
	c := table.Cell{Text: t.SystemName(name), To: table.ToSystem(name)}
	if t.TrainedOn(name) != "" {
		c.Mark += dataset.SystemMark
	}
	return c
}

// TrainedText says which systems were trained on a benchmark.
func (t *Tables) TrainedText() (text string) {
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
					grid.Set(r.Cell(), j.Name, s.Name, dataset.ScenarioName(scenario))
				}
			}
		}
	}
	return &grid.Table
}

// PartialText lists the means that lack one of the system's scenarios and so cannot be compared with the others.
func (t *Tables) PartialText() string {
	var lines []string
	for _, r := range t.Board {
		if r.Scenario != dataset.AllScenarios && r.Valid == 0 && t.Overall(r.Judge, r.System).Valid > 0 {
			lines = append(lines, fmt.Sprintf("- %s by %s: without scenario %s", r.System, r.Judge,
				dataset.ScenarioName(r.Scenario)))
		}
	}
	if lines == nil {
		return ""
	}
	return "These means lack a scenario and are not comparable with the others:\n\n" + strings.Join(lines, "\n")
}

func (t *Tables) groupTable() *table.Table {
	grid := t.perJudge("system", "group (points)")
	for _, s := range t.RankedSystems() {
		for _, r := range t.ByGroup {
			if r.System == s.Name && r.Scenario == dataset.AllScenarios {
				cell := table.CellText(r.Mean, r.SD, r.Valid, r.Valid)
				if t.Overall(r.Judge, r.System).Thin() {
					cell.Mark = TooFewMark
				}
				grid.Set(cell, r.Judge, r.System,
					fmt.Sprintf("%s (%s)", r.Group, stats.Shortest(t.Rubric.GroupMax(r.Group))))
			}
		}
	}
	return &grid.Table
}

// Ranked returns the rows over all scenarios that have a rank, sorted by judge and rank.
func (t *Tables) Ranked() []LeaderboardRow {
	rows := data.Where(t.Board, func(r LeaderboardRow) bool { return r.Scenario == dataset.AllScenarios && r.Rank.Known })
	slices.SortStableFunc(rows, func(a, b LeaderboardRow) int {
		return cmp.Or(cmp.Compare(t.JudgeNamed(a.Judge), t.JudgeNamed(b.Judge)), stats.CompareFigures(a.Rank, b.Rank, 1))
	})
	return rows
}

// Cell returns the mean of a row as a table cell. It is empty for the zero row.
func (r LeaderboardRow) Cell() table.Cell {
	if r.Judge == "" {
		return table.Cell{}
	}
	cell := table.CellText(r.Mean, r.SD, r.Valid, r.Planned)
	if r.Thin() {
		cell.Mark = TooFewMark
	}
	return cell
}

// Points returns the range of a total, as "0 to 19".
func (t *Tables) Points() string {
	return stats.Shortest(t.Rubric.Min()) + " to " + stats.Shortest(t.Rubric.Max())
}
