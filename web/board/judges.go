package board

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/compare"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/plot"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// judgesPage returns the page "which judge may be trusted, and where?".
func (v *view) judgesPage(string) (page, error) {
	t := v.s.report
	d := t.JudgesPage(v.get("judge"), v.get("scenario"), v.get("group"))
	p := page{Title: d.Title, Lead: d.Lead, Fields: []field{v.selector("judge", "Judge", "all"), v.selector("scenario", "Scenario", "all"),
		v.selector("group", "Criteria", "all")}}
	if v.get("judge")+v.get("scenario")+v.get("group") == "" { // without a selection, no form is above the figures
		p.Fields = nil
	}
	scorers := data.Where(t.Quality.JudgeFigures, func(r judgequality.JudgeRow) bool { return r.Kind != dataset.KindHuman })
	figures := table.From(2, scorers, "judge",
		"kind", "leniency+2", "leniency_n:0=n", "length_rho=length",
		"self_alpha_totals=self-agreement", "repeated_answers=answers scored again",
		"cost_per_1000:4=$ for 1,000 verdicts").Link(0, table.ToJudge)
	properties := table.Section{ID: "properties", Title: "Leniency, length, self-agreement and cost of each judge",
		About: "Leniency is judge minus people on the answers that both scored, in points. Length is Spearman's rho of totals and words. " +
			"Self-agreement is alpha (interval) of repeated totals, on the answers that the judge scored again.", Table: figures}
	if d.Sections == nil {
		p.Sections = []part{textPart("What to do next", peopleNext(v.run()))}
	}
	open := len(d.Sections)
	d.Sections = append(d.Sections, properties)
	if open == 0 {
		open = 1
	}
	p.Sections = append(p.Sections, v.document(d, open)...)
	if p.Fields == nil { // nor fields of the selection, to which links lead instead
		v.narrowable = map[string]bool{}
	}
	p.Sections = append(p.Sections, part{Shown: textPart("", "").Shown, Links: []table.Link{
		{Text: "Every figure of agreement", Address: v.to("/details/agreement")}, {Text: "Every figure of bias",
			Address: v.to("/details/bias")}}})
	return p, nil
}

// judgePage returns the page of one judge: agreement, leniency, effect of length, cost, and scores of changed answers.
func (v *view) judgePage(name string) (page, error) {
	j := v.s.JudgeNamed(name)
	if j < 0 {
		return page{}, notFound("There is no judge " + name + ".")
	}
	v.ofJudge = true
	about := v.s.Judges[j]
	kind := about.Kind
	title := "Judge "
	if v.s.People(j) {
		kind = "person"
		title = "Person "
		if slices.Contains(v.s.References(), j) {
			kind = "people"
			title = "People: "
		}
	} else if v.s.floor(j) {
		title = "Baseline "
	}
	p := page{Title: title + v.s.NameOfJudge(name)}
	first := table.Section{Title: "Verdicts by status", Pane: table.Left}
	p.Lead = "Kind: " + kind
	if about.Family != "" && about.Family != name {
		p.Lead += "; family: " + about.Family
	}
	if about.About != "" && v.static.texts() {
		p.Lead += "; " + about.About
	}
	p.Lead += "."
	t := v.s.report
	if t != nil {
		first.Table = t.StatusesOf(name)
		p.Lead = strings.Join(append(t.Quality.Of(name).Texts(), p.Lead), " ")
		first.Notes = data.Where(t.Leaderboard.FittedNotes, func(n table.Note) bool { return n.Subject == name })
	}
	shown := v.sectionPart(first)
	shown.Links = []table.Link{{Text: "Largest differences from people", Address: v.differing(name)}}
	p.Sections = append(p.Sections, shown)
	if t != nil {
		properties := table.New(1, "property", "value")
		ofJudge := data.Where(t.Quality.JudgeFigures, func(r judgequality.JudgeRow) bool { return r.Judge == name })
		properties.Rows = data.Where(table.From(0, ofJudge,
			"leniency+2=leniency", "family_preference_people+2=preference for its own family, compared with people",
			"length_rho=Spearman's rho of points and words",
			"repeated_answers=answers scored again", "self_equal=equal verdicts when repeated",
			"self_alpha_totals=alpha (interval) of repeated totals",
			"cost_per_1000:4=$ for 1,000 verdicts").Transposed(),
			func(row []table.Cell) bool { return row[1].Text != stats.Missing && row[1].Text != "0" })
		lenient := table.From(1, data.Where(t.Quality.Lenient, func(r judgequality.LeniencyRow) bool { return r.Judge == name }), "system", "n",
			"mean_difference+2=judge minus people").Link(0, func(system string) *table.Target {
			if system == dataset.AllSystems {
				return nil
			}
			return table.ToCounted("judge", name, "system", system, "sort", "difference")
		})
		section := table.Section{Title: "Leniency, own family, length, repeats", Table: properties, Pane: table.Left}
		if len(lenient.Rows) > 0 {
			section.About = "Points are judge minus people. The preference for systems of its own family is in points too."
		}
		p.Sections = append(p.Sections, v.document(table.Document{Sections: []table.Section{section,
			{Title: "Leniency by system", Table: lenient, Pane: table.Left}}}, 2)...)
	}
	if t != nil && !v.s.People(j) {
		beside := t.Calibration(name)
		beside.Pane = table.Right
		p.Sections = append(p.Sections, v.sectionPart(beside))
	}
	if v.s.totals[j]().Any() {
		p.Sections = append(p.Sections, v.sectionPart(table.Section{Title: "Points given", Plot: v.totalsPlot(j), Pane: table.Right}))
		counts := v.sectionPart(table.Section{Title: "Points given, as a table", Table: v.histogram(j)})
		counts.Folded = true
		p.Sections = append(p.Sections, counts)
	}
	if t != nil {
		attacked := data.Where(t.Quality.Attacked, func(r judgequality.AttackRow) bool { return r.Judge == name })
		p.Sections = append(p.Sections, v.document(table.Document{Sections: []table.Section{{Title: "Datasheet",
			About: "Changes to answers, and what they do to the points.", Table: judgequality.AttackTable(attacked)}}}, 1)...)
	}
	return p, nil
}

// histogram returns the table of the totals that a judge gives, next to the plot.
func (v *view) histogram(judge int) *table.Table {
	counts := map[int]int{}
	shown := table.New(1, "points", "verdicts")
	for _, s := range v.s.Valid(judge) {
		counts[int(math.Floor(s.Total))]++
	}
	for _, points := range slices.Sorted(maps.Keys(counts)) {
		shown.Add(fmt.Sprintf("%d to below %d", points, points+1), counts[points])
	}
	return shown
}

// totalsPlot returns a plot of how often a judge gives each total.
func (v *view) totalsPlot(judge int) *table.Plot {
	frame := plot.Frame{Title: "Totals of " + v.s.Judges[judge].Name, Axis: "points", Source: v.source(""), Low: v.s.Rubric.Min(),
		High: v.s.Rubric.Max()}
	return plot.Histogram("totals", frame, data.Each(v.s.Valid(judge), func(x *data.Given) float64 { return x.Total }))
}

// recordsPage returns the page "which record, and what changed?".
func (v *view) recordsPage(string) (page, error) {
	p := page{Title: "How it was made"}
	made := v.s.Made
	names := v.Dirs
	if v.static != nil {
		names = data.Each(names, filepath.Base)
	}
	p.Sections = append(p.Sections, v.sectionPart(compare.Records(names, made)))
	if slices.ContainsFunc(made, func(m store.Provenance) bool { return m.DataHash != made[0].DataHash }) {
		p.Notes = append(p.Notes, "These records have different questions. Points of systems that answered different questions cannot be "+
			"compared.")
	}
	if len(made) > 1 {
		results, err := compare.Results(names, v.stores, v.s.Dataset, v.s.headline())
		if err != nil {
			return p, err
		}
		p.Sections = append(p.Sections, data.Each(results, v.sectionPart)...)
	}
	if v.static != nil {
		return p, nil // a static site leaves out configurations, which have addresses of servers
	}
	settings := v.sectionPart(compare.Settings(names, made))
	settings.Folded = len(made) == 1 && v.get("table") == "" // with several records it shows how they differ, so it is expanded
	if v.s.report != nil {
		settings.Links = append(settings.Links, table.Link{Text: "Systems, judges, and how models were asked", Address: v.to("/details/made")})
	}
	p.Sections = append(p.Sections, settings)
	return p, nil
}
