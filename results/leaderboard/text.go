package leaderboard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/paper"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
	"compqa/stats"
)

// LeaderboardText is leaderboard.md.
func (t *Tables) LeaderboardText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Leaderboard\n\nMean points (%s) by the rubric %q. Parentheses contain the number of valid verdicts, as valid/planned if some are not valid. Systems are sorted by their mean rank over the judges, without floors.\n\n", t.Points(), t.Rubric.Name)
	b.WriteString("## Over all scenarios\n\n" +
		"Mean of the scenario means ± mean of the scenarios' sample standard deviations (not the deviation over all verdicts).\n\n")
	b.WriteString(t.OverallTable().Markdown())
	b.WriteString(t.PartialText())
	b.WriteString("## By scenario\n\nMean ± sample standard deviation of the verdicts. Scenario - contains answers without a scenario.\n\n")
	b.WriteString(t.scenarioTable().Markdown())
	b.WriteString("## By group of criteria\n\nMean ± sample standard deviation over the answers of all systems in a scenario.\n\n")
	b.WriteString(t.groupTable().Markdown())
	b.WriteString("By system, over all scenarios: mean of the scenario means ± mean of the scenarios' sample standard deviations.\n\n")
	b.WriteString(t.systemGroupTable().Markdown())
	b.WriteString("## With and without an aspect\n\nWhether the question names an aspect. Mean ± sample standard deviation of the verdicts.\n\n")
	b.WriteString(t.aspectTable().Markdown())
	b.WriteString("## Ranks and intervals\n\n" +
		"Over all scenarios. Intervals are at 95 %, clustered by question. *possible ranks* hold for all systems of a judge simultaneously: all pairs are tested question by question, with Holm's adjustment. *worst case* and *best case* are the mean if every planned verdict that is not valid had the lowest or the highest possible total.\n\n")
	for _, j := range t.Judges {
		b.WriteString(t.judgeBoard(j))
	}
	if t.Rubric.Name == rubric.CQA().Name {
		b.WriteString(publishedText())
	}
	return b.String()
}

func (t *Tables) OverallTable() *table.Table {
	view := &table.Table{Words: 1, Header: append([]string{"system"}, t.judgeNames()...)}
	for _, s := range t.RankedSystems() {
		row := []string{s.Name}
		for _, j := range t.Judges {
			row = append(row, t.At[dataset.PlanKey{Judge: j.Name, System: s.Name, Scenario: dataset.AllScenarios}].Text())
		}
		view.Add(row...)
	}
	return view
}

func (t *Tables) scenarioTable() *table.Table {
	view := &table.Table{Words: 2, Header: append([]string{"system", "scenario"}, t.judgeNames()...)}
	for _, s := range t.RankedSystems() {
		for _, scenario := range t.Scenarios() {
			row, any := []string{s.Name, scenario}, false
			for _, j := range t.Judges {
				r := t.At[dataset.PlanKey{Judge: j.Name, System: s.Name, Scenario: scenario}]
				row, any = append(row, r.Text()), any || r != nil
			}
			if any {
				view.Add(row...)
			}
		}
	}
	return view
}

// PartialText lists the means without one of the system's scenarios, which are not
// comparable with the others.
func (t *Tables) PartialText() string {
	var lines []string
	for _, r := range t.Board {
		if r.Scenario != dataset.AllScenarios && r.Valid == 0 && t.At[dataset.PlanKey{Judge: r.Judge, System: r.System, Scenario: dataset.AllScenarios}].Valid > 0 {
			lines = append(lines, fmt.Sprintf("- %s by %s: without scenario %s\n", table.Bold(r.System), table.Bold(r.Judge), table.EscapeMarkdown(r.Scenario)))
		}
	}
	if lines == nil {
		return ""
	}
	return "These means lack a scenario and are not comparable with the others:\n\n" + strings.Join(lines, "") + "\n"
}

func (t *Tables) groupTable() *table.Table {
	view := &table.Table{Words: 2, Header: append([]string{"scenario", "group (points)"}, t.judgeNames()...)}
	per := len(t.Groups) * len(t.Scenarios())
	for i := range min(per, len(t.byScenario)) {
		r := t.byScenario[i]
		row := []string{r.Scenario, t.groupName(r.Group)}
		for j := range t.Judges {
			of := t.byScenario[j*per+i]
			row = append(row, table.CellText(of.Mean, of.SD, of.Valid, of.Valid))
		}
		view.Add(row...)
	}
	return view
}

func (t *Tables) groupName(group string) string {
	return fmt.Sprintf("%s (%s)", group, table.Shortest(t.Rubric.GroupMax(group)))
}

func (t *Tables) systemGroupTable() *table.Table {
	at := map[[3]string]GroupRow{}
	for _, r := range t.ByGroup {
		if r.Scenario == dataset.AllScenarios {
			at[[3]string{r.Judge, r.System, r.Group}] = r
		}
	}
	view := &table.Table{Words: 2, Header: append([]string{"system", "group (points)"}, t.judgeNames()...)}
	for _, s := range t.RankedSystems() {
		for _, group := range t.Groups {
			row := []string{s.Name, t.groupName(group)}
			for _, j := range t.Judges {
				cell := ""
				if r, ok := at[[3]string{j.Name, s.Name, group}]; ok {
					cell = table.CellText(r.Mean, r.SD, r.Valid, r.Valid)
				}
				row = append(row, cell)
			}
			view.Add(row...)
		}
	}
	return view
}

func (t *Tables) aspectTable() *table.Table {
	view := &table.Table{Words: 1, Header: append([]string{"aspect"}, t.judgeNames()...)}
	for i, name := range []string{"yes", "no"} {
		row := []string{name}
		for j := range t.Judges {
			r := t.byAspect[2*j+i]
			row = append(row, table.CellText(table.FigureOf(r.Mean), table.FigureOf(r.SD), r.N, r.N))
		}
		view.Add(row...)
	}
	return view
}

// judgeBoard lists a judge's systems by rank, with intervals.
func (t *Tables) judgeBoard(judge store.Participant) string {
	view := &table.Table{Words: 1, Header: []string{"system", "rank", "possible ranks", "mean", "95 % interval", "valid", "planned", "worst case", "best case"}}
	people := &table.Table{Words: 1, Header: []string{"system", "human mean", "95 % interval", "human scores alone", "95 % interval", "n", "effective n", "lambda"}}
	ranked := t.ranked(judge.Name)
	for _, r := range ranked {
		view.Add(r.System, r.Rank.Text(0), r.RankLow.Text(0)+"–"+r.RankHigh.Text(0), r.Mean.Text(2), table.RangeText(r.CILow, r.CIHigh),
			fmt.Sprint(r.Valid), fmt.Sprint(r.Planned), r.WorstCase.Text(2), r.BestCase.Text(2))
		if r.HumanMean.Known() {
			people.Add(r.System, r.HumanMean.Text(2), table.RangeText(r.HumanLow, r.HumanHigh), r.alone.Text(2), table.RangeText(r.aloneLow, r.aloneHigh),
				r.NHuman.Text(0), r.NEffective.Text(1), r.Lambda.Text(2))
		}
	}
	if view.Rows == nil {
		return ""
	}
	text := "### " + table.EscapeMarkdown(judge.Name) + "\n\n" + view.Markdown() + t.differencesText(judge.Name)
	if people.Rows != nil && judge.Kind != dataset.KindFloor {
		text += "Estimate of the mean human score, from the n answers with human scores and this judge's verdicts on all answers (prediction-powered inference), and from the human scores alone. It assumes that the answers with human scores are a random sample. *effective n* is the number of human-scored answers that would give the same precision; *lambda* is the weight of the judge; at 0 the judge adds no information.\n\n" + people.Markdown()
	}
	return text
}

// ranked is a judge's rows over all scenarios, best first; ties in the order of the
// systems.
func (t *Tables) ranked(judge string) []*LeaderboardRow {
	var rows []*LeaderboardRow
	for _, s := range t.Systems {
		if r := t.At[dataset.PlanKey{Judge: judge, System: s.Name, Scenario: dataset.AllScenarios}]; r != nil && r.Rank.Known() {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b *LeaderboardRow) int { return cmp.Compare(*a.Rank.Number, *b.Rank.Number) })
	return rows
}

// differencesText counts the pairs of systems that differ significantly, and gives
// the detectable difference.
func (t *Tables) differencesText(judge string) string {
	pairs, apart := 0, 0
	var detectable []float64
	for _, d := range t.Differences {
		if d.Judge != judge || d.Scenario != dataset.AllScenarios {
			continue
		}
		pairs++
		if d.significant() {
			apart++
		}
		if d.detectable.Known() {
			detectable = append(detectable, *d.detectable.Number)
		}
	}
	if pairs == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %s of systems differ significantly.", apart, data.Plural(pairs, "pair", "pairs"))
	slices.Sort(detectable)
	if median, err := stats.Quantile(detectable, 0.5); err == nil {
		text += fmt.Sprintf(" With these questions, a true difference of %.2f points is detected with a power of 80 %% (median pair, unadjusted test; %.2f to %.2f over all pairs).",
			median, detectable[0], detectable[len(detectable)-1])
	}
	return text + "\n\n"
}

// publishedText is the paper's Tables 3 and 5 as printed.
func publishedText() string {
	return "## Published results\n\nAs printed by Nikishina et al. (CompQA), with their systems, judges and annotators: for comparison only, not to be ranked with the tables above.\n\n" +
		"Table 3, over all scenarios:\n\n" + publishedTable(paper.PublishedTable3(), false) +
		"Table 5, by scenario:\n\n" + publishedTable(paper.PublishedTable5(), true)
}

func publishedTable(cells []paper.PublishedCell, scenarios bool) string {
	view := &table.Table{Words: 1, Header: []string{"system"}}
	if scenarios {
		view.Words, view.Header = 2, append(view.Header, "scenario")
	}
	for i := 0; i < len(cells); {
		row := []string{cells[i].System, cells[i].Scenario}[:view.Words]
		first := cells[i]
		for ; i < len(cells) && cells[i].System == first.System && cells[i].Scenario == first.Scenario; i++ {
			if len(view.Rows) == 0 {
				view.Header = append(view.Header, cells[i].Judge)
			}
			row = append(row, cells[i].Mean.Text+" ± "+cells[i].SD.Text)
		}
		view.Add(row...)
	}
	return view.Markdown()
}

func (r *LeaderboardRow) Text() string {
	if r == nil {
		return ""
	}
	return table.CellText(r.Mean, r.SD, r.Valid, r.Planned)
}

// judgeNames are the headings of judge columns.
func (t *Tables) judgeNames() []string {
	var names []string
	for _, p := range t.Judges {
		names = append(names, p.Name)
	}
	return names
}

// RankedSystems are the systems sorted by their mean rank over all scenarios and all
// judges except floors. Ties, and systems without a rank at the end, keep the order
// of the configuration.
func (t *Tables) RankedSystems() []store.Participant {
	mean := map[string]float64{}
	var c dataset.Calculator
	for _, s := range t.Systems {
		var ranks []table.Figure
		for _, j := range t.Judges {
			if r := t.At[dataset.PlanKey{Judge: j.Name, System: s.Name, Scenario: dataset.AllScenarios}]; r != nil && j.Kind != dataset.KindFloor {
				ranks = append(ranks, r.Rank)
			}
		}
		mean[s.Name] = float64(len(t.Systems) + 1)
		if m := c.MeanKnown(ranks); m.Known() {
			mean[s.Name] = *m.Number
		}
	}
	systems := slices.Clone(t.Systems)
	slices.SortStableFunc(systems, func(a, b store.Participant) int { return cmp.Compare(mean[a.Name], mean[b.Name]) })
	return systems
}

// Points is the range of a total: "0 to 19".
func (t *Tables) Points() string {
	return table.Shortest(t.Rubric.Min()) + " to " + table.Shortest(t.Rubric.Max())
}
