package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/rubric"
	"compqa/stats"
)

// leaderboardText is leaderboard.md.
func (t *boardTables) leaderboardText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Leaderboard\n\nMean points, %s, by the rubric %q. In brackets the number of valid verdicts that a figure rests on, valid/planned where some are not valid. Systems stand in the order of their mean rank over the judges, floors aside.\n\n", t.points(), t.Rubric.Name)
	b.WriteString("## Over all scenarios\n\n" +
		"The mean of the scenarios' means; after ± the mean of the scenarios' sample standard deviations, which is not the deviation of all verdicts together.\n\n")
	b.WriteString(t.overallTable().markdown())
	b.WriteString(t.partialText())
	b.WriteString("## By scenario\n\nThe mean of the verdicts; after ± their sample standard deviation. Scenario - is answers that no scenario asked for.\n\n")
	b.WriteString(t.scenarioTable().markdown())
	b.WriteString("## By group of criteria\n\nOver the answers of all systems under a scenario; after ± the sample standard deviation of these verdicts.\n\n")
	b.WriteString(t.groupTable().markdown())
	b.WriteString("By system, over all scenarios: the mean of the scenarios' means; after ± the mean of the scenarios' sample standard deviations.\n\n")
	b.WriteString(t.systemGroupTable().markdown())
	b.WriteString("## With and without an aspect\n\nWhether the answer's question names an aspect; after ± the sample standard deviation of these verdicts.\n\n")
	b.WriteString(t.aspectTable().markdown())
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

func (t *boardTables) overallTable() *textTable {
	table := &textTable{words: 1, header: append([]string{"system"}, t.judgeNames()...)}
	for _, s := range t.standing() {
		row := []string{s.Name}
		for _, j := range t.Judges {
			row = append(row, t.at[planKey{j.Name, s.Name, AllScenarios}].text())
		}
		table.add(row...)
	}
	return table
}

func (t *boardTables) scenarioTable() *textTable {
	table := &textTable{words: 2, header: append([]string{"system", "scenario"}, t.judgeNames()...)}
	for _, s := range t.standing() {
		for _, scenario := range t.scenarios() {
			row, any := []string{s.Name, scenario}, false
			for _, j := range t.Judges {
				r := t.at[planKey{j.Name, s.Name, scenario}]
				row, any = append(row, r.text()), any || r != nil
			}
			if any {
				table.add(row...)
			}
		}
	}
	return table
}

// partialText names the means that lack a scenario which the system was to
// answer: they are not quite comparable with the others.
func (t *boardTables) partialText() string {
	var lines []string
	for _, r := range t.board {
		if r.Scenario != AllScenarios && r.Valid == 0 && t.at[planKey{r.Judge, r.System, AllScenarios}].Valid > 0 {
			lines = append(lines, fmt.Sprintf("- %s by %s: nothing of scenario %s is in the mean\n", bold(r.System), bold(r.Judge), escapeMarkdown(r.Scenario)))
		}
	}
	if lines == nil {
		return ""
	}
	return "Means that lack a scenario are not comparable with those that do not:\n\n" + strings.Join(lines, "") + "\n"
}

func (t *boardTables) groupTable() *textTable {
	table := &textTable{words: 2, header: append([]string{"scenario", "group (points)"}, t.judgeNames()...)}
	per := len(t.groups) * len(t.scenarios())
	for i := range min(per, len(t.byScenario)) {
		r := t.byScenario[i]
		row := []string{r.Scenario, t.groupName(r.Group)}
		for j := range t.Judges {
			of := t.byScenario[j*per+i]
			row = append(row, cellText(of.Mean, of.SD, of.Valid, of.Valid))
		}
		table.add(row...)
	}
	return table
}

func (t *boardTables) groupName(group string) string {
	return fmt.Sprintf("%s (%s)", group, shortest(t.Rubric.GroupMax(group)))
}

func (t *boardTables) systemGroupTable() *textTable {
	at := map[[3]string]GroupRow{}
	for _, r := range t.byGroup {
		if r.Scenario == AllScenarios {
			at[[3]string{r.Judge, r.System, r.Group}] = r
		}
	}
	table := &textTable{words: 2, header: append([]string{"system", "group (points)"}, t.judgeNames()...)}
	for _, s := range t.standing() {
		for _, group := range t.groups {
			row := []string{s.Name, t.groupName(group)}
			for _, j := range t.Judges {
				cell := ""
				if r, ok := at[[3]string{j.Name, s.Name, group}]; ok {
					cell = cellText(r.Mean, r.SD, r.Valid, r.Valid)
				}
				row = append(row, cell)
			}
			table.add(row...)
		}
	}
	return table
}

func (t *boardTables) aspectTable() *textTable {
	table := &textTable{words: 1, header: append([]string{"aspect"}, t.judgeNames()...)}
	for i, name := range []string{"yes", "no"} {
		row := []string{name}
		for j := range t.Judges {
			r := t.byAspect[2*j+i]
			row = append(row, cellText(Figure{r.Mean}, Figure{r.SD}, r.N, r.N))
		}
		table.add(row...)
	}
	return table
}

// judgeBoard is a judge's systems by rank, with what is known of each mean.
func (t *boardTables) judgeBoard(judge Party) string {
	table := &textTable{words: 1, header: []string{"system", "rank", "ranks possible", "mean", "95 % interval", "valid", "planned", "at worst", "at best"}}
	people := &textTable{words: 1, header: []string{"system", "people's mean", "95 % interval", "people alone", "95 % interval", "n", "effective n", "lambda"}}
	ranked := t.ranked(judge.Name)
	for _, r := range ranked {
		table.add(r.System, r.Rank.text(0), r.RankLow.text(0)+"–"+r.RankHigh.text(0), r.Mean.text(2), rangeText(r.CILow, r.CIHigh),
			fmt.Sprint(r.Valid), fmt.Sprint(r.Planned), r.WorstCase.text(2), r.BestCase.text(2))
		if r.HumanMean.known() {
			people.add(r.System, r.HumanMean.text(2), rangeText(r.HumanLow, r.HumanHigh), r.alone.text(2), rangeText(r.aloneLow, r.aloneHigh),
				r.NHuman.text(0), r.NEffective.text(1), r.Lambda.text(2))
		}
	}
	if table.rows == nil {
		return ""
	}
	text := "### " + escapeMarkdown(judge.Name) + "\n\n" + table.markdown() + t.differencesText(judge.Name)
	if people.rows != nil && judge.Kind != kindFloor {
		text += "The mean that people would give, from the n answers they scored and this judge's verdicts on all (prediction-powered inference), and beside it from people's scores alone. It holds if people scored a random part of the answers. *Effective n* is how many answers scored by people alone would say as much; *lambda* is the judge's weight, and where it is 0 the judge adds nothing.\n\n" + people.markdown()
	}
	return text
}

// ranked is a judge's rows over all scenarios, best first; equals in the order
// of systems.
func (t *boardTables) ranked(judge string) []*LeaderboardRow {
	var rows []*LeaderboardRow
	for _, s := range t.Systems {
		if r := t.at[planKey{judge, s.Name, AllScenarios}]; r != nil && r.Rank.known() {
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b *LeaderboardRow) int { return cmp.Compare(*a.Rank.number, *b.Rank.number) })
	return rows
}

func rangeText(low, high Figure) string {
	if !low.known() || !high.known() {
		return none
	}
	return low.text(2) + " to " + high.text(2)
}

// differencesText says how many pairs of systems a judge tells apart, and what
// difference these questions can show at all.
func (t *boardTables) differencesText(judge string) string {
	pairs, apart := 0, 0
	var detectable []float64
	for _, d := range t.differences {
		if d.Judge != judge || d.Scenario != AllScenarios {
			continue
		}
		pairs++
		if d.significant() {
			apart++
		}
		if d.detectable.known() {
			detectable = append(detectable, *d.detectable.number)
		}
	}
	if pairs == 0 {
		return ""
	}
	text := fmt.Sprintf("Of %s of systems %d can be told apart.", plural(pairs, "pair", "pairs"), apart)
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
		"Table 3, over all scenarios:\n\n" + publishedTable(PublishedTable3(), false) +
		"Table 5, by scenario:\n\n" + publishedTable(PublishedTable5(), true)
}

func publishedTable(cells []PublishedCell, scenarios bool) string {
	table := &textTable{words: 1, header: []string{"system"}}
	if scenarios {
		table.words, table.header = 2, append(table.header, "scenario")
	}
	for i := 0; i < len(cells); {
		row := []string{cells[i].System, cells[i].Scenario}[:table.words]
		first := cells[i]
		for ; i < len(cells) && cells[i].System == first.System && cells[i].Scenario == first.Scenario; i++ {
			if len(table.rows) == 0 {
				table.header = append(table.header, cells[i].Judge)
			}
			row = append(row, cells[i].Mean.Text+" ± "+cells[i].SD.Text)
		}
		table.add(row...)
	}
	return table.markdown()
}
