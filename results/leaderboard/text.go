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

// leaderboardText is leaderboard.md.
func (t *Tables) LeaderboardText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Leaderboard\n\nMean points, %s, by the rubric %q. In brackets the number of valid verdicts that a figure rests on, valid/planned where some are not valid. Systems stand in the order of their mean rank over the judges, floors aside.\n\n", t.Points(), t.Rubric.Name)
	b.WriteString("## Over all scenarios\n\n" +
		"The mean of the scenarios' means; after ± the mean of the scenarios' sample standard deviations, which is not the deviation of all verdicts together.\n\n")
	b.WriteString(t.OverallTable().Markdown())
	b.WriteString(t.PartialText())
	b.WriteString("## By scenario\n\nThe mean of the verdicts; after ± their sample standard deviation. Scenario - is answers that no scenario asked for.\n\n")
	b.WriteString(t.scenarioTable().Markdown())
	b.WriteString("## By group of criteria\n\nOver the answers of all systems under a scenario; after ± the sample standard deviation of these verdicts.\n\n")
	b.WriteString(t.groupTable().Markdown())
	b.WriteString("By system, over all scenarios: the mean of the scenarios' means; after ± the mean of the scenarios' sample standard deviations.\n\n")
	b.WriteString(t.systemGroupTable().Markdown())
	b.WriteString("## With and without an aspect\n\nWhether the answer's question names an aspect; after ± the sample standard deviation of these verdicts.\n\n")
	b.WriteString(t.aspectTable().Markdown())
	b.WriteString("## Ranks and intervals\n\n" +
		"Over all scenarios. Intervals are at 95 %, clustered by question. *Ranks possible* holds for all systems of a judge at once: every pair is tested question by question, adjusted by Holm. *At worst* and *at best* are the mean if every planned verdict that is not valid had the lowest or the highest total there is.\n\n")
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
	for _, s := range t.Standing() {
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
	for _, s := range t.Standing() {
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

// partialText names the means that lack a scenario which the system was to
// answer: they are not quite comparable with the others.
func (t *Tables) PartialText() string {
	var lines []string
	for _, r := range t.Board {
		if r.Scenario != dataset.AllScenarios && r.Valid == 0 && t.At[dataset.PlanKey{Judge: r.Judge, System: r.System, Scenario: dataset.AllScenarios}].Valid > 0 {
			lines = append(lines, fmt.Sprintf("- %s by %s: nothing of scenario %s is in the mean\n", table.Bold(r.System), table.Bold(r.Judge), table.EscapeMarkdown(r.Scenario)))
		}
	}
	if lines == nil {
		return ""
	}
	return "Means that lack a scenario are not comparable with those that do not:\n\n" + strings.Join(lines, "") + "\n"
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
	for _, s := range t.Standing() {
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

// judgeBoard is a judge's systems by rank, with what is known of each mean.
func (t *Tables) judgeBoard(judge store.Participant) string {
	view := &table.Table{Words: 1, Header: []string{"system", "rank", "ranks possible", "mean", "95 % interval", "valid", "planned", "at worst", "at best"}}
	people := &table.Table{Words: 1, Header: []string{"system", "people's mean", "95 % interval", "people alone", "95 % interval", "n", "effective n", "lambda"}}
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
		text += "The mean that people would give, from the n answers they scored and this judge's verdicts on all (prediction-powered inference), and beside it from people's scores alone. It holds if people scored a random part of the answers. *Effective n* is how many answers scored by people alone would say as much; *lambda* is the judge's weight, and where it is 0 the judge adds nothing.\n\n" + people.Markdown()
	}
	return text
}

// ranked is a judge's rows over all scenarios, best first; equals in the order
// of systems.
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

// differencesText says how many pairs of systems a judge tells apart, and what
// difference these questions can show at all.
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
	text := fmt.Sprintf("Of %s of systems %d can be told apart.", table.Plural(pairs, "pair", "pairs"), apart)
	slices.Sort(detectable)
	if median, err := stats.Quantile(detectable, 0.5); err == nil {
		text += fmt.Sprintf(" With these questions a true difference of %.2f points would be found four times in five (the median pair, tested by itself; %.2f to %.2f over the pairs).",
			median, detectable[0], detectable[len(detectable)-1])
	}
	return text + "\n\n"
}

// publishedText is the paper's Tables 3 and 5, as printed.
func publishedText() string {
	return "## Published\n\nAs printed by Nikishina et al. (CompQA), with their systems, judges and people: to be read beside the tables above, never ranked with them.\n\n" +
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

// judgeNames head the columns of a table.
func (t *Tables) judgeNames() []string {
	var names []string
	for _, p := range t.Judges {
		names = append(names, p.Name)
	}
	return names
}

// standing is the systems in the order of their mean rank over all scenarios and
// over all judges but floors; equals, and those without a rank, in the order of
// the configuration.
func (t *Tables) Standing() []store.Participant {
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

// points is the range of a total, for people: "0 to 19".
func (t *Tables) Points() string {
	return table.Shortest(t.Rubric.Min()) + " to " + table.Shortest(t.Rubric.Max())
}
