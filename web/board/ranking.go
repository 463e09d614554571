package board

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/leaderboard"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
)

// run returns the record's folder for the commands that pages suggest.
func (v *view) run() string {
	if v.static != nil {
		return "DIR"
	}
	return v.Dirs[0]
}

// source names the records, their date and size. A page can have a text of its own instead.
func (v *view) source(page string) string {
	if v.s == nil {
		return ""
	}
	names := data.Each(v.Dirs, func(dir string) string {
		if absolute, err := filepath.Abs(dir); err == nil {
			dir = absolute
		}
		return filepath.Base(dir)
	})
	return strings.Join(names, " + ") + " · " + cmp.Or(page, report.SourceOf(v.s.Dataset))
}

func names(participants []store.Participant) []string {
	return data.Each(participants, func(p store.Participant) string { return p.Name })
}

// judges returns the names of all judges except baselines.
func (s *snapshot) judges() []string {
	return names(data.Where(s.Judges, func(p store.Participant) bool { return p.Kind != dataset.KindFloor }))
}

// order returns the name of the judge, or of people, whose points are shown when no judge is selected, whether or not they rank the
// systems. People's points are predicted only for all scenarios and criteria together.
func (v *view) order() string {
	switch t, selection := v.s.report, v.selectedPoints(); {
	case selection.Scenario+selection.Group != "":
		return t.Leaderboard.Headline
	case t.Leaderboard.By == leaderboard.ByHumanPoints:
		return "people, all answers (predicted)"
	default:
		return t.Leaderboard.Judge
	}
}

// opening returns the path of the page on which the record opens: "/" for the ranking, the decisions of a validation, or the pairs if
// there are pairs and no answers of systems.
func (v *view) opening() string {
	switch {
	case v.s == nil:
		return "/"
	case len(v.s.Conditions) == 0 && len(v.s.Answers) == 0 && v.hasPairs():
		return "/pairs"
	case report.IsValidation(v.s.Dataset):
		return "/judges"
	}
	return "/"
}

// home returns the page on which the record opens.
func (v *view) home(string) (page, error) {
	switch v.opening() {
	case "/pairs":
		return v.pairs("")
	case "/judges":
		return v.judgesPage("")
	}
	return v.ranking("")
}

// ranking returns the page with the systems in order, and whether the judges can be trusted.
func (v *view) ranking(string) (page, error) {
	p := page{Title: "Ranking"}
	t := v.s.report
	selection := v.selectedPoints()
	p.Fields = []field{v.selector("judge", "Points by", v.order()), v.selector("scenario", "Scenario", "all"),
		v.selector("group", "Criteria", "all")}
	if v.static != nil {
		for name, values := range map[string][]string{"judge": names(v.s.Judges), "scenario": v.s.scenarios} {
			for _, x := range values {
				p.Choices = append(p.Choices, table.Link{Text: name + " " + x, Address: v.to("/", name, x), Here: v.get(name) == x})
			}
		}
		slices.SortFunc(p.Choices, func(a, b table.Link) int { return strings.Compare(a.Text, b.Text) })
	}
	ranking := t.Ranking(selection)
	p.Title = ranking.Title
	if selection == (report.Selection{}) {
		p.Title = t.Leader().Title()
		ranking.Verdict = ""
	}
	ranking.Title = ""
	ranking.ID = "ranking"
	known := func(place leaderboard.Place) bool { return place.Points.Known }
	if len(ranking.Table.Rows) == 0 || selection == (report.Selection{}) && !slices.ContainsFunc(t.Leaderboard.Places, known) {
		return v.withoutRanking(), nil
	}
	method := table.Section{ID: "method", Title: "Method", About: ranking.About, Notes: ranking.Notes}
	method.Fold, _, _ = strings.Cut(ranking.About, ". ")
	ranking.About = ""
	ranking.Notes = nil
	baselines := apartBaselines(&ranking)
	shown := v.sectionPart(ranking)
	shown.Tools = append(shown.Tools, table.Link{Text: "Plot as SVG", Address: v.plotAddress("points", "720")})
	shown.Links = append(shown.Links, table.Link{Text: "Compare two systems", Address: v.to("/compare")},
		table.Link{Text: "Points by scenario, group and aspect", Address: v.to("/details/points")},
		table.Link{Text: "Each question, and what each party chose", Address: v.to("/questions")})
	p.Sections = append(p.Sections, shown)
	for _, s := range []table.Section{baselines, method} {
		if !s.Empty() {
			section := v.sectionPart(s)
			section.Folded = true
			p.Sections = append(p.Sections, section)
		}
	}
	if selection == (report.Selection{}) {
		p.Sections = append(p.Sections, v.sectionPart(table.Section{ID: "answers", Answers: t.ShortAnswers()}))
		p.Sections = append(p.Sections, data.Each(t.OrderSections(), v.sectionPart)...)
		p.Sections = append(p.Sections, data.Each(t.EffectSections(), v.folded)...)
	}
	trust := v.trust()
	if selection.Scenario+selection.Group != "" {
		trust.Verdict = strings.TrimSpace(trust.Verdict + " This is over all scenarios and criteria.")
	}
	if len(t.Quality.Agreements) == 0 {
		trust.About = peopleNext(v.run())
		p.Sections = append(p.Sections, v.sectionPart(trust))
		return p, nil
	}
	judges := v.folded(v.narrow([]table.Section{trust})[0])
	judges.Links = []table.Link{{Text: "Agreement of each judge with people", Address: v.to("/judges")}}
	p.Sections = append(p.Sections, judges)
	return p, nil
}

// folded returns a section collapsed behind its title and its first sentence.
func (v *view) folded(s table.Section) part {
	first, rest, more := strings.Cut(s.Verdict, ". ")
	s.Fold = first
	s.Verdict = rest
	if more {
		s.Fold += "."
	}
	p := v.sectionPart(s)
	sorted, _, _ := v.sortOrder()
	p.Folded = sorted != s.Key()
	return p
}

// withoutRanking returns the first page of a record in which no system has points. It says what there is and what to do next.
func (v *view) withoutRanking() page {
	p := page{Title: v.s.report.Leader().Title()}
	run := v.run()
	switch n := len(v.s.Answers); {
	case n == 0:
		p.Title = "No answers yet"
		p.Sections = []part{textPart("What to do next", "- The models and judges of compqa.yaml (or of --config FILE) answer and score: "+
			"compqa run --out "+run+"\n- To see how far a run is, open Run.")}
	default:
		answers := data.Plural(n, "answer", "answers")
		p.Title = fmt.Sprintf("%s, and no system with a rank yet", answers)
		p.Lead = v.s.report.Leader().Text
		p.Sections = []part{textPart("What to do next", "- Judges under judges of compqa.yaml (or of --config FILE) score the answers that are "+
			"there, and no answer is made again: compqa run --out "+run+"\n"+peopleNext(run))}
		p.Sections[0].Links = []table.Link{{Text: "All " + answers, Address: v.to("/answers")}, {Text: "How far the run is",
			Address: v.to("/live")}}
	}
	return p
}

// peopleNext returns a list of commands that lead to scores by people.
func peopleNext(run string) string {
	return "- People score answers in the browser: compqa annotate init " + run + "\n- Scores that exist are added from a file: " +
		"compqa import --verdicts FILE --out " + run + "\n- compqa report " + run + " then says which judge can stand in for them."
}

// apartBaselines removes from a ranking the baselines, which are not ranked among systems, and returns them as a section. Systems with too
// little data for a rank stay.
func apartBaselines(ranking *table.Section) (apart table.Section) {
	systems := *ranking.Table
	ranked := func(row []table.Cell) bool {
		line := row[systems.Key].Row
		return row[0].Value.Known || line != nil && strings.Contains(line.Class, "thin")
	}
	unranked := data.Where(systems.Rows, func(row []table.Cell) bool { return !ranked(row) })
	if systems.Header[0] != "rank" || len(unranked) == 0 || len(unranked) == len(systems.Rows) {
		return apart
	}
	shown := systems
	rest := systems
	shown.Rows = data.Where(systems.Rows, ranked)
	rest.Rows = unranked
	ranking.Table = &shown
	ranking.Keys = data.Where(ranking.Keys, func(k table.Key) bool { return k.Mark != "hollow" })
	return table.Section{ID: "unranked", Title: data.Plural(len(unranked), "system", "systems") + " without a rank", Table: &rest,
		Fold: data.List(data.Each(unranked, func(row []table.Cell) string { return row[systems.Key].Text }))}
}

// lastReport returns a page with the report that the last run wrote. It is shown while intervals and agreement are being computed.
func (v *view) lastReport(p page) (page, error) {
	p.Notes = append(p.Notes, "The figures are being computed. This page reloads automatically.")
	p.Refresh = 1
	if text, err := os.ReadFile(filepath.Join(v.Dirs[0], report.ReportText)); err == nil && report.HasReports(v.Dirs[0]) && len(v.Dirs) == 1 {
		p.Notes[0] = "The record is being read. Until it is complete, this page shows the last report."
		p.Sections = []part{{Shown: textPart("", "").Shown, Prose: "#" + string(text)}} // demote the report's headline below the page's title
	}
	return p, nil
}

// drawing returns the plot at an address, or nil if it would have no marks.
func (v *view) drawing(name string) (*table.Plot, error) {
	t := v.s.report
	if t == nil {
		return nil, notFound("It is being drawn.")
	}
	switch name {
	case "points":
		if err := v.unknown(); err != nil {
			return nil, err
		}
		return t.PointsPlot(v.selectedPoints()), nil
	case "totals":
		who, err := url.PathUnescape(strings.TrimPrefix(v.get("of"), "/judges/"))
		judge := v.s.JudgeNamed(who)
		if err != nil || judge < 0 {
			return nil, notFound("There is no such judge.")
		}
		return v.totalsPlot(judge), nil
	case "calls":
		record, _, err := v.record()
		if err != nil {
			return nil, err
		}
		d, err := v.s.pairs(record, v.get("set"))
		return table.First(d.Sections, func(s table.Section) bool { return s.Plot != nil && s.Plot.Name == name }).Plot, err
	}
	return nil, notFound("There is no such picture.")
}

// trust returns a section on whether the judges can be trusted, with what is known about the selected judge.
func (v *view) trust() table.Section {
	t, s := v.s.report, v.s.report.Quality.TrustSection()
	if slices.ContainsFunc(t.Quality.Assessments, func(w judgequality.JudgeAssessment) bool { return w.Judge == v.get("judge") }) {
		s.Verdict = "" // it is about all judges
	}
	s.About += strings.Join(append([]string{""}, t.Quality.TrustLines(v.get("judge"))...), "\n\n")
	return s
}

// differing returns the address of the answers on which a judge differs from people. It returns "" for people and baselines.
func (v *view) differing(judge string) string {
	if j := v.s.JudgeNamed(judge); j < 0 || v.s.People(j) || v.s.Judges[j].Kind == dataset.KindFloor {
		return ""
	}
	return v.to("/answers", "judge", judge, "sort", "difference")
}

// details returns the page that lists all tables of the record.
func (v *view) details(string) (page, error) {
	list := table.New(2, "page", "tables")
	for _, d := range v.s.report.Documents() {
		titled := data.Where(d.Shown(), func(s table.Section) bool { return s.Title != "" })
		titles := data.Each(titled, func(s table.Section) string { return s.Title })
		if titled != nil && (d.ID != "made" || v.static == nil) {
			list.Add(table.Cell{Text: d.Title, To: &table.Target{Page: "details", Name: d.ID}}, strings.Join(titles, ", "))
		}
	}
	return page{Title: "Details", Sections: []part{v.sectionPart(table.Section{
		Verdict: "Every table of the record, in the order of the questions that readers ask.", Table: list})}}, nil
}

// mostLead is the maximum length of a text above the tables of a page. A longer text is collapsed.
const mostLead = 200

// detailPage returns the page of a document of tables by its id.
func (v *view) detailPage(id string) (page, error) {
	for _, d := range v.s.report.Documents() {
		if d.ID != id || len(d.Shown()) == 0 || id == "made" && v.static != nil {
			continue
		}
		if v.static != nil && id == "failures" {
			d.Sections = d.Sections[:1] // the other sections have reasons, which contain addresses of servers
		}
		read := textPart("", d.Lead)
		if len(d.Lead) > mostLead {
			read = textPart("How to read these figures", d.Lead)
			read.Folded = true
		}
		sections := append([]part{read}, v.document(d, 3)...)
		return page{Title: d.Title, Sections: sections}, nil
	}
	return page{}, notFound("There are no details of this name: " + id + ".")
}
