package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"compqa/data"
	"compqa/results/compare"
	"compqa/results/dataset"
	"compqa/results/humanpoints"
	"compqa/results/judgequality"
	"compqa/results/leaderboard"
	"compqa/results/raters"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// datasetNames returns the file names of the question sets of the runs.
func datasetNames(t *dataset.Dataset) (names []string) {
	for _, made := range t.Made {
		if name := filepath.Base(made.Dataset); made.Dataset != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// SourceOf describes the record: question sets, date, and numbers of answers, verdicts, people and judges.
func SourceOf(t *dataset.Dataset) string {
	parts := datasetNames(t)
	if begun, err := time.Parse(time.RFC3339Nano, t.Begun); err == nil {
		parts = append(parts, begun.UTC().Format("02 Jan 2006"))
	}
	people := len(t.Annotators())
	judges := len(t.Scorers())
	floors := len(data.Where(t.Judges, func(p store.Participant) bool { return p.Kind == dataset.KindFloor }))
	parts = append(parts, data.Plural(len(t.Answers), "answer", "answers"), data.Plural(t.Recorded(), "verdict", "verdicts"))
	if people > 0 {
		parts = append(parts, data.Plural(people, "person", "people"))
	} else if t.References() != nil {
		parts = append(parts, "scores of people")
	}
	parts = append(parts, data.Plural(judges, "judge", "judges"))
	if floors > 0 {
		parts = append(parts, data.Plural(floors, "baseline judge", "baseline judges"))
	}
	return strings.Join(parts, " · ")
}

// A Selection says which points order the systems: by which judge, in which scenario, on which group of criteria. Empty fields stand for
// the judge of the board and for all.
type Selection struct{ Judge, Scenario, Group string }

// mostRanked is the largest number of systems in report.md, and mostOnScreen that on the terminal after a run.
const mostRanked, mostOnScreen = 40, 10

// Ranking returns the ranking of the systems. For the zero selection it is that of the board. Otherwise it is by the points of a judge, in
// a scenario, or on a group of criteria.
func (t *Report) Ranking(selection Selection) table.Section {
	if selection == (Selection{}) {
		return t.boardRanking()
	}
	judge := cmp.Or(selection.Judge, t.Leaderboard.Headline)
	scenario := cmp.Or(selection.Scenario, dataset.AllScenarios)
	s := table.Section{ID: "ranking", Title: "Points by " + t.NameOfJudge(judge), Notes: t.notesOf(judge)}
	if selection.Group != "" {
		s.Title += " on " + selection.Group
	}
	if selection.Scenario != "" {
		s.Title += ", scenario " + dataset.ScenarioName(selection.Scenario)
	}
	if selection.Group != "" {
		rows := data.Where(t.Leaderboard.ByGroup, func(r leaderboard.GroupRow) bool {
			return r.Judge == judge && r.Scenario == scenario && r.Group == selection.Group
		})
		s.Table = table.From(1, rows, "system", "mean=points", "valid")
		for i, r := range rows {
			if t.Leaderboard.Overall(judge, r.System).Thin() {
				s.Table.Rows[i][1].Mark = leaderboard.TooFewMark
			}
		}
		s.About = "Means. Groups of criteria have no intervals and no ranks." + leaderboard.TooFewKey(s.Table)
		s.Table.Draw("points", &table.Axis{High: t.Rubric.GroupMax(selection.Group), Ticks: table.Ticks(0,
			t.Rubric.GroupMax(selection.Group))}).Link(0,
			table.ToSystem)
		s.Table.Sort("points", true)
		return s
	}
	s.Table = t.rankingTable("points")
	s.Table.Header[3] = "verdicts"
	s.About = "95 % intervals, clustered by question. A rank is followed by its range if the data allow several ranks, or by (?) if the " +
		"system shares fewer than five questions with another one. A system without points in one of the scenarios has no rank, nor " +
		"one with too few verdicts (" + leaderboard.TooFewText + "). " +
		"Failures are verdicts of " + judge + " that are missing or not valid." +
		t.Quality.BaselinesText() + t.Leaderboard.TrainedText()
	if selection.Judge == "" && t.Leaderboard.By == leaderboard.ByHumanPoints {
		s.About += " People's points are predicted only over all scenarios and criteria together, so these are the points of " + judge + "."
	}
	candidates := t.Candidates()
	var places []leaderboard.Place
	for _, system := range t.Leaderboard.RankedSystems() {
		r := t.Leaderboard.At[dataset.PlanKey{Judge: judge, System: system.Name, Scenario: scenario}]
		if r == nil {
			continue
		}
		place := leaderboard.Place{System: system.Name, Baseline: !candidates[store.Named(t.Systems, system.Name)],
			Rank: r.Rank, RankLow: r.RankLow, RankHigh: r.RankHigh, Points: r.Points()}
		place.Few = t.fewShared(r)
		places = append(places, place)
		verdicts := t.counted(store.KindVerdict, judge, system.Name, selection.Scenario)
		t.addRanked(s.Table, place, selection, count{planned: r.Planned, valid: r.Valid, pending: verdicts.pending, left: verdicts.left})
	}
	t.showTiers(s.Table, places)
	if t.Quality.Contradicts(judge) {
		s.Verdict = judgequality.ContradictsText(t.NameOfJudge(judge))
	} else {
		s.Table.Sort("points", true)
	}
	s.Table = withoutEmpty(s.Table)
	drawRanking(s.Table, "points")
	s.Keys = t.rankingKeys(s.Table)
	if s.Verdict != "" {
		return s
	}
	leaderboard.SortPlaces(places)
	s.Verdict = t.leader(places, selection, nil).Text
	return s
}

// fewShared reports whether the rank range of a system comes from too few questions. These are its own questions, or the ones it shares
// with another ranked system that has enough.
func (t *Report) fewShared(row *leaderboard.LeaderboardRow) bool {
	enough := func(system string) bool {
		r := t.Leaderboard.At[dataset.PlanKey{Judge: row.Judge, System: system, Scenario: row.Scenario}]
		return r.Rank.Known && !r.Points().Few
	}
	return row.Points().Few || slices.ContainsFunc(t.Leaderboard.Differences, func(d leaderboard.ComparisonRow) bool {
		return d.Judge == row.Judge && d.Scenario == row.Scenario && d.Questions < stats.FewClusters &&
			(d.SystemA == row.System && enough(d.SystemB) || d.SystemB == row.System && enough(d.SystemA))
	})
}

// notesOf returns the notes about a judge.
func (t *Report) notesOf(judge string) []table.Note {
	return data.Where(t.Leaderboard.FittedNotes, func(n table.Note) bool { return n.Subject == judge })
}

func (t *Report) rankingTable(points string) *table.Table {
	header := []string{"rank", "system", points, "scored by people", leaderboard.NoteColumn, "cost, $", "not valid", "pending"}
	if points != "points" && t.Leaderboard.By == leaderboard.ByHumanPoints {
		header = slices.Insert(header, 3, peoplesMean)
	}
	view := table.New(2, header...)
	view.Key = 1
	view.SetHead(2, func(h *table.Head) { h.Mark = " of " + stats.Shortest(t.Rubric.Max()) })
	view.SetHead(slices.Index(header, leaderboard.NoteColumn), func(h *table.Head) { h.Aside = true })
	return view
}

// peoplesMean is the column with the mean of people's own scores, next to predicted points.
const peoplesMean = "people's mean"

// boardRanking returns the ranking of the board. Systems without a rank come last.
func (t *Report) boardRanking() table.Section {
	leader := t.Leader().Text
	s := table.Section{ID: "ranking", Title: "Ranking", Verdict: leader, Lead: strings.TrimSpace(strings.TrimPrefix(t.order(), leader)),
		About: strings.TrimSpace(t.Leaderboard.Assumed+t.Leaderboard.TrainedText()) +
			" Points are the mean of the scenario means, with 95 % intervals, clustered by question. A rank is followed by its range if the data allow several ranks. " + t.fragileText() +
			t.peoplesMeanText() + t.costLine(),
		Table: t.rankingTable(t.Leaderboard.PointsName()),
		Notes: append(t.notesOf(t.Leaderboard.Headline), table.Note{Text: t.Leaderboard.FaithfulnessText()})}
	var without []string
	for _, place := range t.Leaderboard.Places {
		if place.Baseline && !place.Points.Known {
			without = append(without, place.System)
			continue
		}
		t.addRanked(s.Table, place, Selection{}, t.counted(store.KindAnswer, "", place.System, ""))
	}
	if without != nil && len(s.Table.Rows) > 0 {
		s.Table.Foot = fmt.Sprintf("%s no points, because nobody scored %s: %s.", data.Plural(len(without), "baseline has", "baselines have"),
			data.Form(len(without), "it", "them"), data.List(without))
	}
	t.showTiers(s.Table, t.Leaderboard.Places)
	s.Table = withoutEmpty(s.Table)
	drawRanking(s.Table, t.Leaderboard.PointsName())
	s.Keys = t.rankingKeys(s.Table)
	return s
}

// tierClass is the class of the first row of each tier except the first tier.
const tierClass = "tier"

// showTiers marks the first system of each tier of a ranking (see leaderboard.Tiers).
func (t *Report) showTiers(view *table.Table, places []leaderboard.Place) {
	tiers := leaderboard.Tiers(places)
	last := 1
	for i, place := range places {
		if tiers[i] <= last {
			continue
		}
		last = tiers[i]
		row := slices.IndexFunc(view.Rows, func(cells []table.Cell) bool {
			return cells[view.Key].To != nil && slices.Contains(cells[view.Key].To.Query, place.System)
		})
		if row < 0 {
			continue
		}
		name := &view.Rows[row][view.Key]
		if name.Row == nil {
			name.Row = &table.Row{}
		}
		name.Row.Class = strings.TrimSpace(name.Row.Class + " " + tierClass)
	}
}

// SoFar returns the ranking during a run: the means by the headline judge, without ranks.
func (t *Report) SoFar() table.Section {
	s := table.Section{ID: "so-far", Title: "Ranking so far", Lead: "Mean points of " + t.Leaderboard.Headline +
		", 95 % interval. Grey and hollow: not all verdicts are there, so that the order may still change; no ranks before that.",
		Table: table.New(1, "system", "points", "verdicts")}
	var drawn []stats.Figure
	for _, system := range t.Leaderboard.RankedSystems() {
		r := t.Leaderboard.At[dataset.PlanKey{Judge: t.Leaderboard.Headline, System: system.Name, Scenario: dataset.AllScenarios}]
		if r == nil {
			continue
		}
		points := table.Figured(r.Points(), 1)
		points.Drawn = &table.Drawn{Hollow: r.Valid < r.Planned}
		drawn = append(drawn, r.Points())
		name := table.Cell{Text: system.Name, To: table.ToSystem(system.Name)}
		if points.Drawn.Hollow {
			name.Row = &table.Row{Class: "thin"}
		}
		s.Table.Add(name, points,
			table.Cell{Text: fmt.Sprintf("%d of %d", r.Valid, r.Planned), Value: stats.Count(r.Valid)})
	}
	s.Table.Sort("points", true)
	s.Table.Draw("points", table.AxisOver("", drawn...))
	return s
}

// rankingKeys explains the marks that occur in a ranking.
func (t *Report) rankingKeys(view *table.Table) []table.Key {
	keys := []table.Key{{Mark: "dot", Text: "points, 95 % interval"}}
	has := func(is func(row []table.Cell) bool) bool { return slices.ContainsFunc(view.Rows, is) }
	if has(func(row []table.Cell) bool {
		return slices.ContainsFunc(row, func(c table.Cell) bool { return c.Drawn != nil && c.Drawn.Others.Known })
	}) {
		keys = append(keys, table.Key{Mark: "diamond", Text: "what people gave to the answers they scored"})
	}
	hollow := func(row []table.Cell) bool {
		return slices.ContainsFunc(row, func(c table.Cell) bool { return c.Drawn != nil && c.Drawn.Hollow })
	}
	if slices.ContainsFunc(t.Leaderboard.Places, t.fewScored) {
		keys = append(keys, table.Key{Mark: "hollow", Text: fmt.Sprintf("people scored fewer than %d answers", stats.FewClusters)})
	} else if has(hollow) {
		text := "baseline"
		rank := slices.Index(view.Header, "rank")
		if has(func(row []table.Cell) bool { return hollow(row) && !row[rank].Value.Known }) {
			text += ", not ranked"
		}
		keys = append(keys, table.Key{Mark: "hollow", Text: text})
	}
	classed := func(class string) bool {
		return has(func(row []table.Cell) bool {
			return row[view.Key].Row != nil && slices.Contains(strings.Fields(row[view.Key].Row.Class), class)
		})
	}
	if classed("tied") {
		keys = append(keys, table.Key{Mark: "tied", Text: "may be first"})
	}
	if classed(tierClass) {
		keys = append(keys, table.Key{Mark: tierClass, Text: "below the line: surely behind a system above it"})
	}
	return keys
}

// fragileText says how few questions decide the first place by the headline judge.
func (t *Report) fragileText() string {
	for _, f := range t.Leaderboard.Fragile {
		if f.Judge == t.Leaderboard.Headline {
			return strings.ToUpper(f.What[:1]) + f.Sentence("question")[1:] + ". "
		}
	}
	return ""
}

// peoplesMeanText explains the column of people's own means. It returns "" without such a column.
func (t *Report) peoplesMeanText() string {
	if t.Leaderboard.By != leaderboard.ByHumanPoints {
		return ""
	}
	return "“people's mean” is of the answers that people scored. "
}

// addRanked adds a system to a ranking. counted are its answers, or the judge's verdicts on them if a selection is shown.
func (t *Report) addRanked(view *table.Table, place leaderboard.Place, selection Selection, counted count) {
	paid := table.First(t.Quality.Paid, func(r judgequality.CostRow) bool { return r.Kind == store.KindAnswer && r.Name == place.System })
	cost := table.Figured(paid.Cost, 4)
	if paid.Name != "" && !paid.Cost.Known {
		cost.Text = "?"
	}
	failed := counted.planned - counted.valid - counted.pending - counted.left
	invalid := table.Cell{Text: fmt.Sprintf("%d of %d", failed, counted.planned), Value: stats.Count(failed)}
	if failed > 0 {
		judge := ""
		if selection != (Selection{}) {
			judge = cmp.Or(selection.Judge, t.Leaderboard.Headline)
		}
		invalid.To = table.ToCounted("system", place.System, "status", "not-valid", "judge", judge, "scenario", selection.Scenario)
	}
	people, answers := t.scored[place.System], t.counted(store.KindAnswer, "", place.System, "")
	scored := table.Cell{Text: fmt.Sprintf("%d of %d", people, answers.planned), Value: stats.Count(people)}
	if selection != (Selection{}) {
		scored = table.Figured(counted.valid, 0)
	}
	rank := table.Cell{Text: place.RankText(), Value: stats.Bound(place.Rank, place.RankLow, place.RankHigh)}
	if place.Baseline && !place.Rank.Known {
		rank.Class = "quiet"
	}
	system := t.Leaderboard.SystemCell(place.System)
	if selection.Scenario != "" {
		system.To = table.ToAnswers("system", place.System, "scenario", selection.Scenario)
	}
	points := table.Figured(place.Points, 1)
	points.Class, points.Drawn = "key", &table.Drawn{Others: t.Quality.HumanPoints.PeoplesMean(place.System), Hollow: place.Baseline}
	switch {
	case place.Thin() || counted.pending > 0:
		system.Row = &table.Row{Class: "thin"}
	case mayBeFirst(place):
		system.Row = &table.Row{Class: "tied"}
	}
	points.Drawn.Hollow = points.Drawn.Hollow || place.Thin() || t.fewScored(place)
	pending := table.Cell{Text: strconv.Itoa(counted.pending), Value: stats.Count(counted.pending)}
	line := []any{rank, system, points, scored, place.Note(), cost, invalid, pending}
	if slices.Contains(view.Header, peoplesMean) {
		line = slices.Insert(line, 3, any(table.Figured(t.Quality.HumanPoints.PeoplesMean(place.System), 1)))
	}
	view.Add(line...)
}

// fewScored reports whether the points of a place are predicted, and people scored too few answers of the system to check the prediction.
func (t *Report) fewScored(place leaderboard.Place) bool {
	return t.predicted() && place.Points.Known && t.scored[place.System] < stats.FewClusters
}

// drawRanking adds a drawing of the points, with people's own means. The axis has the range of the data.
func drawRanking(view *table.Table, points string) {
	var shown []stats.Figure
	c := slices.Index(view.Header, points)
	for _, row := range view.Rows {
		shown = append(shown, row[c].Value)
		if row[c].Drawn != nil {
			shown = append(shown, row[c].Drawn.Others)
		}
	}
	view.Draw(points, table.AxisOver("", shown...))
}

// withoutEmpty removes the optional columns of a ranking that are empty or zero throughout: notes, cost, not valid, pending.
func withoutEmpty(view *table.Table) *table.Table {
	empty := func(c int) bool {
		return !slices.ContainsFunc(view.Rows, func(row []table.Cell) bool {
			return row[c].Text == "?" || row[c].Value.Known && row[c].Value.Value != 0 ||
				view.Header[c] == leaderboard.NoteColumn && row[c].Text != ""
		})
	}
	return view.Without(func(_, _ string) bool { return false }, func(header string) bool {
		optional := slices.Contains([]string{leaderboard.NoteColumn, "cost, $", "not valid", "pending"}, header)
		return optional && empty(slices.Index(view.Header, header))
	})
}

// otherLeaders says which other system would be first by people's own means, or by the predictions from each other eligible judge. Means of
// too few answers do not count. It returns nil unless human points order the systems.
func (t *Report) otherLeaders() (say []string) {
	ranked := ranked(t.Leaderboard.Places)
	if t.Leaderboard.By != leaderboard.ByHumanPoints || len(ranked) < 2 {
		return nil
	}
	leads := func(points func(system string) stats.Figure) string {
		best := stats.Figure{}
		leader := ""
		for _, place := range ranked {
			if p := points(place.System); p.Known && (!best.Known || p.Value > best.Value+dataset.EqualMeans) {
				best = p
				leader = place.System
			}
		}
		if !points(ranked[0].System).Known { // the other systems' points alone cannot reverse its lead
			return ""
		}
		return leader
	}
	by := map[string][]string{} // by system: who puts it first
	add := func(who, system string) {
		if system != "" && system != ranked[0].System {
			by[system] = append(by[system], who)
		}
	}
	add("people's own means", leads(func(system string) stats.Figure {
		mean := t.Quality.HumanPoints.PeoplesMean(system)
		if mean.Few {
			return stats.Figure{}
		}
		return mean.Point()
	}))
	for _, transfer := range t.Quality.HumanPoints.Transfers {
		if transfer.Judge == t.Leaderboard.Judge || t.Quality.Barred[transfer.Judge] != "" || transfer.Bias.Why != nil {
			continue
		}
		add("the predictions from "+t.NameOfJudge(transfer.Judge), leads(func(system string) stats.Figure {
			same := func(r humanpoints.Row) bool { return r.Judge == transfer.Judge && r.System == system }
			return table.First(t.Quality.HumanPoints.Rows, same).Predicted.Point()
		}))
	}
	for _, place := range ranked {
		if who := by[place.System]; who != nil {
			say = append(say, trust.Puts(who, t.SystemName(place.System)))
		}
	}
	return say
}

// ranked returns the places that have a rank and points.
func ranked(places []leaderboard.Place) []leaderboard.Place {
	return data.Where(places, func(s leaderboard.Place) bool { return s.Rank.Known && s.Points.Known })
}

// ranking returns the board's ranking for a page. It has at most mostRanked systems, and no verdict that the headline already gives.
func (t *Report) ranking() table.Section {
	ranking := t.Ranking(Selection{})
	if ranking.Verdict == t.headline()+"." { // the page's title says it
		ranking.Verdict = ""
	}
	if rest := len(ranking.Table.Rows) - mostRanked; rest > 0 {
		ranking.Table.Rows = ranking.Table.Rows[:mostRanked]
		ranking.Table.Foot = strings.TrimSpace(fmt.Sprintf("%d more systems are in tables/leaderboard.csv. %s", rest, ranking.Table.Foot))
	}
	return ranking
}

// Front returns report.md as a document: the ranking, the effects of scenarios and aspects, the judges, failures, cost, and the sections of
// further chapters.
func (t *Report) Front(more ...table.Document) table.Document {
	ranking := t.ranking()
	judges := t.Quality.TrustSection()
	judges.About += strings.Join(append([]string{""}, t.Quality.TrustLines("")...), "\n\n")
	agreement := t.AgreementSummary()
	agreement.Plot = t.AgreementPlot(dataset.LevelFinal, "")
	sections := slices.Concat([]table.Section{ranking}, t.scenarioSection(false), t.aspectSection(), []table.Section{judges, agreement},
		t.Quality.ShotSections())
	sections = append(sections, t.tables.Section(), table.Section{Title: "Failures and cost", Verdict: t.ran(),
		Table: t.statusTable()})
	sections = t.NameColumns(append(sections, t.Quality.CostsDocument().Sections...))
	for _, d := range more { // these name their own judges
		sections = append(sections, d.Sections...)
	}
	return table.Document{ID: "report", Title: t.headline(), Lead: SourceOf(t.Dataset) + ". " + t.scoredWith(),
		Sections: append(sections, table.Section{Title: "Tables",
			About: "All tables are computed from the record; compqa report recomputes them without a model. They are in tables/ as CSV, and " +
				"columns.md there explains every column. report.html has cases and how the run was made."})}
}

// headline returns the headline of the findings. For a record without systems, it returns the title.
func (t *Report) headline() string {
	if len(t.Systems) == 0 {
		return t.title()
	}
	return t.Findings().Headline()
}

// title says what the report is about.
func (t *Report) title() string {
	title := "Report of " + data.Plural(len(t.Systems), "system", "systems")
	if names := datasetNames(t.Dataset); names != nil {
		title += " on " + data.List(names)
	}
	return title
}

// scoredWith says what the systems do, and which rubric scores their answers.
func (t *Report) scoredWith() string {
	return fmt.Sprintf("%s %s; the answers are scored with %s (%s points, %s).", data.Plural(len(t.Systems), "system", "systems"),
		t.answering(), t.Rubric.Title(), t.Leaderboard.Points(), data.Plural(len(t.Rubric.Criteria), "criterion", "criteria"))
}

// answering says what the systems do: "answer comparative questions", or questions without objects.
func (t *Report) answering() string {
	if slices.ContainsFunc(t.Answers, func(a dataset.AnswerRow) bool { return a.Object1 != "" }) || len(t.Answers) == 0 {
		return "answer comparative questions"
	}
	return "answer " + data.Plural(t.Pairs, "question", "questions") // without objects, each question is a pair of its own
}

// AgreementSummary returns a row for each judge and reference. It leaves out shuffled baselines.
func (t *Report) AgreementSummary() table.Section {
	view := table.New(2, "judge", "against", "n", "alpha (interval), all", "alpha (interval), totals", "rho, totals",
		"alpha (interval), within")
	for _, r := range t.Quality.Agreements {
		if r.Level != dataset.LevelSeparate || r.Kind == dataset.KindFloor && strings.HasPrefix(r.Judge, raters.ShuffledPrefix) {
			continue
		}
		final := t.Quality.AgreementAt(r.Judge, r.Reference, dataset.LevelFinal)
		within := t.Quality.AgreementAt(r.Judge, r.Reference, dataset.LevelWithinCriterion)
		view.Add(r.Judge, r.Reference, r.N, r.AlphaInterval.Point(), final.AlphaInterval.Point(), final.Spearman.Point(),
			within.AlphaInterval.Point())
	}
	return table.Section{ID: "agreement-summary", Title: "Agreement with people", Table: t.Marked(view, 0, 1),
		Verdict: strings.Join(t.Quality.OrderFindings().Texts(), " "),
		About: "alpha is Krippendorff's at interval level, of all criteria, of totals and within criteria: 1 is perfect agreement, 0 is " +
			"chance. rho is Spearman's. constant and criterion-mean " +
			"do not read the answers; human is the mean of people, and a name with human: is a person's."}
}

// ran returns sentences on failures, cost, unanswered requests, models that replied under other names, and imported verdicts.
func (t *Report) ran() string {
	text := t.FailuresLine() + ". " + t.costLine()
	for _, more := range []string{t.Quality.UnansweredText(), t.Quality.AnsweredText(), t.Quality.ImportedText()} {
		if more != "" {
			text += " " + more
		}
	}
	return text
}

// costLine says what was paid.
func (t *Report) costLine() string {
	total := t.Quality.TotalCost()
	switch {
	case len(t.Quality.Paid) == 0:
		return "No model was asked."
	case !total.Cost.Known:
		return "The price of the calls is not known."
	case total.Unpriced > 0:
		return fmt.Sprintf("The calls cost $%s; %s have no known price.", total.Cost.Text(4), data.Plural(total.Unpriced, "attempt", "attempts"))
	}
	return fmt.Sprintf("The calls cost $%s.", total.Cost.Text(4))
}

// mostLines is the number of lines that Print aims at. fewestOnScreen is the least number of systems that it shows, even if that takes more
// lines.
const mostLines, fewestOnScreen = 20, 3

// Print prints the report: leader, ranking, judges, failures and the next step, on at most mostLines lines. If all is true and the run is
// small, it also prints all columns and systems, and the agreement of judges with people.
func (t *Report) Print(w io.Writer, dir string, all bool) error {
	ranking := t.Ranking(Selection{})
	found := t.Quality.Trust()
	summary := t.AgreementSummary().Table.Shortened()
	systems := ranking.Table.Shortened()
	lead := []string{ranking.Verdict}
	if ranking.Lead != "" {
		lead = append(lead, ranking.Lead)
	}
	if t.Validation() { // a validation is about judges, so their headline comes first
		lead = append(found[:1].Texts(), lead...)
		found = found[1:]
	}
	judges, failures := "Judges: "+strings.Join(found.Texts(), " "), t.ran()
	const others = 7 // empty lines, the lines above and below the rows, and the last two lines
	used := others + table.LinesOf(w, systems.Below()) + table.LinesOf(w, append(slices.Clone(lead), judges, failures)...)
	all = all && len(systems.Rows) <= mostOnScreen && len(summary.Rows) <= mostOnScreen
	if systems.Rows != nil {
		for _, text := range lead {
			table.PrintWrapped(w, text)
		}
		fmt.Fprintln(w)
		columns := len(ranking.Table.Header)
		shown := len(systems.Rows)
		if !all {
			shown = min(shown, mostOnScreen, max(fewestOnScreen, mostLines-1-used))
			columns = 1 + max(slices.Index(ranking.Table.Header, "scored by people"), slices.Index(ranking.Table.Header, leaderboard.NoteColumn))
		}
		rest := len(systems.Rows) - shown
		systems.Rows = systems.Rows[:shown]
		if err := systems.Columns(2, columns).Terminal(w); err != nil {
			return err
		}
		if rest > 0 {
			fmt.Fprintf(w, " and %d more: compqa serve, tables/leaderboard.csv\n", rest)
		}
		fmt.Fprintln(w)
	}
	table.PrintWrapped(w, judges)
	if all && len(summary.Rows) > 0 {
		fmt.Fprintln(w)
		if err := summary.Terminal(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	table.PrintWrapped(w, failures)
	_, err := fmt.Fprintf(w, "Report: %s\nIn the browser: compqa serve %s\n", filepath.Join(dir, ReportPage), dir)
	return err
}

// order says who orders the systems, and what a reader must know beside the ranking.
func (t *Report) order() string {
	texts := []string{t.Leaderboard.Sentence, t.Leaderboard.Unread, dataset.LeftOutText(t.LeftOut)}
	return strings.Join(data.Where(texts, func(text string) bool { return text != "" }), " ")
}

// provenanceDocument returns how the run was made: how models were asked, systems, judges and settings.
func (t *Report) provenanceDocument() table.Document {
	sections := []table.Section{
		{Title: "How models were asked", About: strings.Join(t.adaptationLines(), "\n")},
		{Title: "Systems", Table: t.partiesTable(store.KindAnswer, "system", t.Systems, t.Leaderboard.SystemCell)},
		{Title: "Judges", Table: t.partiesTable(store.KindVerdict, "judge", t.Judges, func(name string) table.Cell {
			return table.Cell{Text: name, To: table.ToJudge(name)}
		})}}
	names := []string{"value"} // a name independent of the folder, so that the report of one record has the same bytes everywhere
	if len(t.Made) > 1 {
		names = data.Each(t.Dirs, filepath.Base)
	}
	sections = append(sections, compare.Records(names, t.Made))
	for i, p := range t.Made {
		var config bytes.Buffer
		if p.Config != "" && json.Indent(&config, []byte(p.Config), "", "  ") == nil {
			sections = append(sections, table.Section{ID: "configuration-" + strconv.Itoa(i+1), Title: "Configuration",
				About: "With all defaults.", Listing: config.String()})
		}
	}
	return table.Document{ID: "made", Title: "Systems, judges and settings",
		Lead: "The systems, the judges, how they were asked, and versions and hashes of all inputs.", Sections: sections}
}

// partiesTable returns a row for each system or judge, with the numbers of its planned and valid results.
func (t *Report) partiesTable(kind, what string, parties []store.Participant, cell func(name string) table.Cell) *table.Table {
	view := table.New(4, what, "kind", "family", "description", kind+"s planned", "valid")
	for _, p := range parties {
		n := t.counted(kind, p.Name, "", "")
		if kind == store.KindAnswer {
			n = t.counted(kind, "", p.Name, "")
		}
		view.Add(cell(p.Name), p.Kind, p.Family, p.About, n.planned, n.valid)
	}
	return view
}
