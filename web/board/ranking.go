package board

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/agreement"
	"compqa/results/compare"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/leaderboard"
	"compqa/results/report"
	"compqa/results/table"
)

// run is the folder in commands that a page suggests.
func (v *view) run() string {
	if v.static != nil {
		return "DIR"
	}
	return v.Dirs[0]
}

// parties are the names of systems or of judges without floors.
func (s *snapshot) systems() (names []string) {
	for _, p := range s.Systems {
		names = append(names, p.Name)
	}
	return names
}

func (s *snapshot) judges() (names []string) {
	for _, p := range s.Judges {
		if p.Kind != dataset.KindFloor {
			names = append(names, p.Name)
		}
	}
	return names
}

// names are names without the marks that tables add.
func unmarked(name string) string { return strings.TrimRight(name, "†‡§") }

// home is the first page: whether the judges can be trusted, and the ranking.
func (v *view) home() (page, error) {
	p := page{Title: "Ranking"}
	if v.s.report == nil {
		return v.lastReport(p)
	}
	if err := v.unknown(); err != nil {
		return p, err
	}
	if len(v.s.Answers) == 0 {
		if pairs, err := v.s.pairs(); pairs != nil || err != nil {
			p.Sections = []section{{Lines: []string{"This record has pairs, but no answers of systems."}, Links: []cell{{Text: "The pairs and their judges", Address: v.to("/pairs")}}}}
			return p, err
		}
	}
	t := v.s.report
	trust := section{Title: "Can the judges be trusted?", Links: []cell{{Text: "Agreement of each judge with people", Address: v.to("/agreement")}}}
	trust.Lines, trust.Items = []string{t.TrustLine()}, append(t.TrustLines(), notesText(t.FittedNotes)...)
	if len(t.Agreements) == 0 {
		trust.Items = append(trust.Items, "People can score answers in the browser: compqa annotate init --run "+v.run())
	}
	p.Sections = append(p.Sections, trust)
	ranked := t.Ranking(report.Selection{}).Table
	if len(ranked.Rows) == 0 {
		p.Sections = append(p.Sections, section{Title: "Ranking", Lines: []string{"No system is ranked yet. With `compqa run`, models answer questions and judges score the answers."}})
	} else {
		p.Sections = append(p.Sections, section{Title: "Ranking", Lines: []string{t.HeadlineText() + " Points are the mean of the scenario means, with a 95 % interval, clustered by question. A rank is followed by its range if the data allow several ranks."},
			Plot: v.plot("points", "points of each system with 95 % intervals"),
			Grid: gridOf("Systems by "+t.PointsName(), ranked, func(row []string, column int) string {
				system := unmarked(row[1])
				if ranked.Header[column] == "failures" {
					return v.to("/answers", "system", system, "status", anyFailure)
				}
				return v.to("/answers", "system", system, "sort", "lowest")
			}), Links: []cell{{Text: "Differences of the systems", Address: v.to("/compare")}}})
		if t.CostPlot() != nil {
			p.Sections = append(p.Sections, section{Fold: "Points against cost", Plot: v.plot("cost", "points against cost; the figures are in the table above")})
		}
	}
	if _, others := t.OverallTables(); others.Rows != nil {
		p.Sections = append(p.Sections, section{Title: "Not compared", Lines: []string{"Systems without points in this order."},
			Grid: gridOf("Systems that are not compared", others, func(row []string, column int) string {
				return v.to("/answers", "system", unmarked(row[1]))
			})})
	}
	if len(ranked.Rows) > 0 {
		p.Sections = append(p.Sections, v.slice()...)
	}
	return p, nil
}

func notesText(notes []table.Note) (list []string) {
	for _, n := range notes {
		list = append(list, n.Text)
	}
	return list
}

// unknown is the error of an address with a judge, scenario or group that the records do not have.
func (v *view) unknown() error {
	for name, values := range map[string][]string{"judge": v.s.judges(), "scenario": append(v.s.Scenarios(), dataset.AllScenarios), "group": v.s.Groups} {
		if asked := v.get(name); asked != "" && !slices.Contains(values, asked) {
			return notFound("There is no " + name + " " + asked + ".")
		}
	}
	return nil
}

// slice is the points by one judge in one scenario or one group of criteria.
func (v *view) slice() []section {
	t := v.s.report
	judge, scenario, group := v.get("judge"), v.get("scenario"), v.get("group")
	asked := judge+scenario+group != ""
	if judge == "" {
		judge = t.Headline
	}
	if scenario == "" {
		scenario = dataset.AllScenarios
	}
	s := section{Title: "Another judge, scenario or group of criteria"}
	if v.static == nil {
		s.Form = &form{Action: v.to("/"), Button: "Show", Clear: v.to("/"), Fields: []field{
			v.choice("judge", "Judge", t.Headline, v.s.judges()...), v.choice("scenario", "Scenario", "all", v.s.Scenarios()...), v.choice("group", "Group of criteria", "all", v.s.Groups...)}}
	}
	var view *table.Table
	if group != "" {
		rows := table.Where(t.ByGroup, func(r leaderboard.GroupRow) bool {
			return r.Judge == judge && r.Scenario == scenario && r.Group == group
		})
		view = table.View(1, rows, "system", "mean=points", "sd=deviation", "valid")
	} else {
		rows := table.Where(t.Board, func(r leaderboard.LeaderboardRow) bool { return r.Judge == judge && r.Scenario == scenario })
		slices.SortStableFunc(rows, func(a, b leaderboard.LeaderboardRow) int { return compareFigures(b.Mean, a.Mean) })
		view = table.View(1, rows, "system", "mean=points", "ci_low=95 % from", "ci_high=to", "rank:0", "rank_low:0=possible from", "rank_high:0=to", "valid", "planned", "worst_case", "best_case")
	}
	if asked {
		in := map[bool]string{true: "all scenarios", false: "scenario " + scenario}[scenario == dataset.AllScenarios]
		s.Grid = gridOf(fmt.Sprintf("Points by %s, %s%s", judge, in, strings.TrimSuffix(", group "+group, ", group ")), view, func(row []string, _ int) string {
			return v.to("/answers", "system", row[0], "scenario", v.get("scenario"), "judge", judge, "sort", "lowest")
		})
	} else {
		s.Fold, s.Title = s.Title, ""
		if v.static != nil {
			var all []leaderboard.LeaderboardRow
			for _, r := range t.Board {
				if r.Scenario != dataset.AllScenarios && r.Judge == t.Headline {
					all = append(all, r)
				}
			}
			s.Grid = gridOf("Points by "+t.Headline+" in each scenario", table.View(2, all, "system", "scenario", "mean=points", "ci_low=95 % from", "ci_high=to", "rank:0", "valid", "planned"), func(row []string, _ int) string {
				return v.to("/answers", "system", row[0], "scenario", row[1], "sort", "lowest")
			})
			s.Fold = "Points in each scenario"
		}
	}
	return []section{s}
}

func compareFigures(a, b table.Figure) int {
	switch {
	case !a.Known() && !b.Known():
		return 0
	case !a.Known():
		return -1
	case !b.Known():
		return 1
	case *a.Number < *b.Number:
		return -1
	case *a.Number > *b.Number:
		return 1
	}
	return 0
}

// lastReport is shown while intervals and agreement are being computed: the report that the last
// run wrote.
func (v *view) lastReport(p page) (page, error) {
	p.Notes = append(p.Notes, "The figures are being computed. This page reloads automatically.")
	p.Refresh = 1
	if text, err := os.ReadFile(filepath.Join(v.Dirs[0], "report.md")); err == nil && report.HasReports(v.Dirs[0]) && len(v.Dirs) == 1 {
		p.Notes[0] = "The record is being read. Until it is complete, this page shows the last report."
		p.Sections = []section{{Text: string(text)}}
	}
	return p, nil
}

// plot is a picture of the report.
func (v *view) plot(name, alt string) *picture {
	return &picture{v.to("/plots/" + name + ".svg"), alt}
}

// drawing is the picture of an address: points, cost, agreement-LEVEL, or one of a judge.
func (v *view) drawing(name string) (*table.Plot, error) {
	if v.s.report == nil {
		return nil, notFound("It is being drawn.")
	}
	if level, is := strings.CutPrefix(name, "agreement-"); is {
		return v.s.report.AgreementPlot(level), nil
	}
	switch name {
	case "points":
		return v.s.report.PointsPlot(report.Selection{}), nil
	case "cost":
		return v.s.report.CostPlot(), nil
	case "people", "totals":
		return v.judgePlot(name)
	}
	return nil, notFound("There is no such picture.")
}

// agreement is the page "may this judge stand in for people?".
func (v *view) agreement() (page, error) {
	p := page{Title: "Agreement"}
	if v.s.report == nil {
		return v.lastReport(p)
	}
	t := v.s.report
	if len(t.Agreements) == 0 {
		p.Sections = []section{{Title: "No human scores", Lines: []string{"Judge quality cannot be assessed without human scores.", "To let people score answers in the browser: compqa annotate init --run " + v.run() + ". To import scores: compqa import."}}}
		return p, nil
	}
	p.Sections = append(p.Sections, section{Title: "In words", Lines: append([]string{t.TrustLine()}, notesText(t.FittedNotes)...)})
	summary := t.AgreementSummary()
	p.Sections = append(p.Sections, section{Title: "Figures", Grid: gridOf("Krippendorff's alpha (interval level) and Spearman's rho with human scores", summary.Table, func(row []string, column int) string {
		return v.differing(unmarked(row[0]), "")
	})})
	for i, level := range []string{dataset.LevelFinal, dataset.LevelSeparate, dataset.LevelWithinCriterion, dataset.LevelWithinSystem} {
		if t.AgreementPlot(level) == nil {
			continue
		}
		of := table.Where(t.Agreements, func(r agreementRow) bool {
			return r.Level == level && !strings.HasPrefix(r.Judge, dataset.ShuffledPrefix)
		})
		s := section{Title: "Alpha " + judgequality.LevelWords[level], Plot: v.plot("agreement-"+level, "alpha "+judgequality.LevelWords[level]+": floors, judges, and people with each other; the table below has the same figures"),
			Grid: gridOf("Agreement "+judgequality.LevelWords[level], table.View(2, of, "judge", "reference=against", "kind", "planned", "n", "alpha_interval=alpha", "spearman", "agreement=equal", "mean_difference+2=judge − people", "mae=distance"), func(row []string, _ int) string {
				return v.differing(row[0], "")
			})}
		s.Grid.Words = 3
		if i > 0 {
			s.Fold, s.Title = s.Title, ""
		}
		p.Sections = append(p.Sections, s)
	}
	p.Sections = append(p.Sections, v.byCriterion())
	return p, nil
}

type agreementRow = agreement.AgreementRow

// differing is the answers where a judge differs from people; "" for people and floors.
func (v *view) differing(judge, criterion string) string {
	if j := v.s.judge(judge); j < 0 || v.s.People(j) || v.s.Judges[j].Kind == dataset.KindFloor {
		return ""
	}
	return v.to("/answers", "judge", judge, "criterion", criterion, "sort", "difference")
}

// byCriterion is alpha of each judge on each criterion.
func (v *view) byCriterion() section {
	t := v.s.report
	view := table.NewGrid("criterion")
	for _, r := range t.Agreements {
		if r.Level == dataset.LevelCriterion && r.Kind == dataset.KindOfJudge {
			name := r.Judge
			if len(v.s.References()) > 1 {
				name += " / " + r.Reference
			}
			view.Set(r.AlphaInterval, name, v.s.ItemName(r.Level, r.Item))
		}
	}
	return section{Title: "By criterion", Grid: gridOf("Alpha of each judge on each criterion; a dash means undefined, often because one side is constant", &view.Table, func(row []string, column int) string {
		if column == 0 {
			return ""
		}
		id, _, _ := strings.Cut(row[0], " ")
		judge, _, _ := strings.Cut(view.Header[column], " / ")
		return v.differing(judge, id)
	})}
}

// comparison is the page "do two systems differ?".
func (v *view) comparison() (page, error) {
	p := page{Title: "Compare"}
	a, b, judge, scenario := v.get("a"), v.get("b"), v.get("judge"), dataset.AllScenarios
	if judge == "" {
		judge = v.s.headline()
	} else if err := v.unknown(); err != nil {
		return p, err
	}
	if v.static == nil {
		p.Sections = append(p.Sections, section{Title: "Two systems", Form: &form{Action: v.to("/compare"), Button: "Compare", Clear: v.to("/compare"), Fields: []field{
			v.choice("a", "First system", "choose", v.s.systems()...), v.choice("b", "Second system", "choose", v.s.systems()...), v.choice("judge", "By the points of", v.s.headline(), v.s.judges()...)}}})
	}
	if a == "" || b == "" {
		p.Sections = append(p.Sections, v.differences(judge, scenario))
		return p, nil
	}
	for _, name := range []string{a, b} {
		if !slices.Contains(v.s.systems(), name) {
			return p, notFound("There is no system " + name + ".")
		}
	}
	if a == b {
		p.Notes = append(p.Notes, "Both sides are the same system.")
	}
	p.Title = a + " and " + b
	var c compare.Comparison
	if err := c.Add(judge, compare.Side{Dataset: v.s.Dataset, System: a}, compare.Side{Dataset: v.s.Dataset, System: b}); err != nil {
		return p, err
	}
	if len(c.Rows) == 0 {
		p.Sections = append(p.Sections, section{Title: "Nothing to compare", Lines: []string{judge + " scored no answers of both systems to the same questions under the same scenarios."}})
		return p, nil
	}
	rows := c.Rows
	for i := range rows {
		if rows[i].Criterion == "-" {
			rows[i].Criterion = "total"
		} else {
			rows[i].Criterion = v.s.ItemName(dataset.LevelCriterion, rows[i].Criterion)
		}
	}
	about := fmt.Sprintf("Mean points by %s over the %s that both answered, and %s minus %s with a 95 %% interval, question by question.", judge, data.Plural(rows[0].Questions, "question", "questions"), b, a)
	p.Sections = append(p.Sections, section{Title: "Difference", Lines: append([]string{about}, v.adjusted(a, b, judge)...),
		Grid: gridOf("Points of "+a+" and "+b, table.View(1, rows, "criterion", "mean_a="+a, "mean_b="+b, "difference+2"), nil)})
	slices.SortStableFunc(c.Moved, func(a, b compare.Move) int { return compareFigures(magnitude(b.Difference), magnitude(a.Difference)) })
	const most = 100
	s := section{Title: "Questions by difference", Lines: []string{data.Plural(len(c.Moved), "question differs", "questions differ") + "; the others have equal points."}}
	if len(c.Moved) > most {
		s.Lines = append(s.Lines, fmt.Sprintf("The first %d are shown.", most))
		c.Moved = c.Moved[:most]
	}
	s.Grid = gridOf("Questions, the largest difference first", table.View(1, c.Moved, "question", "points_a="+a, "points_b="+b, "difference+2"), func(row []string, _ int) string { return v.question(row[0]) })
	p.Sections = append(p.Sections, s)
	return p, nil
}

func magnitude(f table.Figure) table.Figure {
	if f.Known() && *f.Number < 0 {
		return table.Number(-*f.Number)
	}
	return f
}

// adjusted is the test of two systems among all pairs of systems.
func (v *view) adjusted(a, b, judge string) []string {
	if v.s.report == nil {
		return nil
	}
	for _, r := range v.s.report.Differences {
		if r.Judge == judge && r.Scenario == dataset.AllScenarios && (r.SystemA == a && r.SystemB == b || r.SystemA == b && r.SystemB == a) && r.PAdjusted.Known() {
			text := "= " + r.PAdjusted.Text(4)
			if *r.PAdjusted.Number < 0.0001 {
				text = "< 0.0001"
			}
			return []string{"The totals: p " + text + ", adjusted for all pairs of systems (Holm)."}
		}
	}
	return nil
}

// differences are all pairs of systems.
func (v *view) differences(judge, scenario string) section {
	if v.s.report == nil {
		return section{Lines: []string{"The differences of all pairs are being computed."}}
	}
	rows := table.Where(v.s.report.Differences, func(r leaderboard.ComparisonRow) bool { return r.Judge == judge && r.Scenario == scenario })
	if len(rows) == 0 {
		return section{Lines: []string{"There are no two systems with points by " + judge + " for the same questions."}}
	}
	view := table.View(2, rows, "system_a=first", "system_b=second", "n_questions=questions", "difference+2", "p_adjusted:4=adjusted p")
	for _, row := range view.Rows {
		if p := &row[len(row)-1]; p.Text == "0.0000" {
			p.Text = "< 0.0001"
		}
	}
	return section{Title: "All pairs of systems", Lines: []string{"The first minus the second, by " + judge + ", with a 95 % interval; p is adjusted for all pairs (Holm)."},
		Grid: gridOf("Differences of systems", view, func(row []string, _ int) string {
			return v.to("/compare", "a", row[0], "b", row[1])
		})}
}
