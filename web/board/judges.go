package board

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/compare"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/plot"
	"compqa/results/store"
	"compqa/results/table"
)

// judgeList is the page of all judges.
func (v *view) judgeList() (page, error) {
	p := page{Title: "Judges"}
	t := v.s.report
	if t == nil {
		return v.lastReport(p)
	}
	view := table.View(2, t.JudgeFigures, "judge", "kind", "leniency+2", "leniency_n:0=n", "length_rho=length", "self_alpha_totals=self-agreement", "cost_per_1000:4=$ for 1,000 verdicts").Link(0, table.ToJudge)
	p.Sections = append([]part{v.show(table.Section{Title: "Judges and people", About: "Leniency is judge minus people on the answers that both scored, in points. Length is Spearman's rho of totals and words. Self-agreement is alpha of repeated totals.", Table: view})},
		v.document(t.JudgesDocument(), 0)...)
	return p, nil
}

// judgePage is one judge: agreement, leniency, length, cost, attacks.
func (v *view) judgePage(name string) (page, error) {
	j := v.s.judge(name)
	if j < 0 {
		return page{}, notFound("There is no judge " + name + ".")
	}
	p := page{Title: name}
	about := v.s.Judges[j]
	kind := about.Kind
	if v.s.People(j) {
		kind = "person"
	}
	first := table.Section{Title: "Verdicts by status", Verdict: "Kind: " + kind + strings.TrimSuffix("; family: "+about.Family, "; family: ") + "."}
	if about.About != "" && v.static.texts() {
		first.Verdict += "\n\n" + about.About
	}
	statuses := map[data.Status]int{}
	for _, s := range v.s.SheetsOf(j) {
		statuses[s.Status]++
	}
	first.Table = table.New(1, "status", "verdicts")
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		first.Table.Add(table.Cell{Text: string(status), To: table.ToAnswers("judge", name, "status", string(status))}, statuses[status])
	}
	t := v.s.report
	if t != nil {
		for _, w := range t.Assessments {
			if w.Judge == name {
				first.Verdict += "\n\n" + w.Verdict
			}
		}
		first.Notes = table.Where(t.FittedNotes, func(n table.Note) bool { return n.Subject == name })
	}
	shown := v.show(first)
	shown.Links = []table.Link{{Text: "Largest differences from people", Address: v.differing(name)}}
	p.Sections = append(p.Sections, shown)
	if t != nil {
		properties := table.New(1, "property", "value")
		for _, row := range table.View(0, table.Where(t.JudgeFigures, func(r judgequality.JudgeRow) bool { return r.Judge == name }),
			"leniency+2=leniency", "family_preference_people+2=preference for its own family, compared with people", "family_preference_judges+2=preference for its own family, compared with other judges", "length_rho=Spearman's rho of points and words",
			"length_scored_rho=rho where people scored", "length_given_people_rho=rho given people's points", "self_equal=equal verdicts when repeated", "self_alpha_totals=alpha of repeated totals", "cost_per_1000:4=$ for 1,000 verdicts").Transposed() {
			if row[1].Text != table.None {
				properties.Rows = append(properties.Rows, row)
			}
		}
		lenient := table.View(1, table.Where(t.Lenient, func(r judgequality.LeniencyRow) bool { return r.Judge == name }), "system", "n", "mean_difference+2=judge minus people").Link(0, func(system string) *table.Target {
			if system == dataset.AllSystems {
				return nil
			}
			return table.ToAnswers("judge", name, "system", system, "sort", "difference")
		})
		p.Sections = append(p.Sections, v.document(table.Document{Sections: []table.Section{
			{Title: "Leniency, own family, length, repeats", About: "Points are judge minus people. The preference for systems of its own family is in points too.", Table: properties},
			{Title: "Leniency by system", Table: lenient}}}, 2)...)
	}
	if drawing, err := v.judgeDrawing("people", url.PathEscape(name)); err == nil && drawing != nil {
		p.Sections = append(p.Sections, v.show(table.Section{Title: "Beside people", Plot: drawing}))
	}
	if v.s.totals[j]().Any() && statuses[data.Valid] > 0 {
		drawing, _ := v.judgeDrawing("totals", url.PathEscape(name))
		p.Sections = append(p.Sections, v.show(table.Section{Title: "Points given", Plot: drawing, Table: v.histogram(j)}))
	}
	if t != nil {
		p.Sections = append(p.Sections, v.document(table.Document{Sections: []table.Section{{Title: "Attacks", About: "Changes to answers, and the change in points.",
			Table: judgequality.AttackTable(table.Where(t.Attacked, func(r judgequality.AttackRow) bool { return r.Judge == name }))}}}, 1)...)
	}
	return p, nil
}

// histogram is the table beside the plot of totals.
func (v *view) histogram(judge int) *table.Table {
	counts, shown := map[int]int{}, table.New(1, "points", "verdicts")
	for _, s := range v.s.Valid(judge) {
		counts[int(math.Floor(s.Total))]++
	}
	for _, points := range slices.Sorted(maps.Keys(counts)) {
		shown.Add(fmt.Sprintf("%d to below %d", points, points+1), counts[points])
	}
	return shown
}

// judgeDrawing is a judge's totals: beside people's, or how often each occurs.
func (v *view) judgeDrawing(name, escaped string) (*table.Plot, error) {
	who, err := url.PathUnescape(escaped)
	s := v.s
	judge := s.judge(who)
	if err != nil || judge < 0 {
		return nil, notFound("There is no such judge.")
	}
	frame := plot.Frame{Title: "Totals of " + who, Axis: "points", Source: v.source(), Low: s.Rubric.Min(), High: s.Rubric.Max()}
	if name == "totals" {
		var totals []float64
		for _, x := range s.Valid(judge) {
			totals = append(totals, x.Total)
		}
		return plot.Histogram("totals", frame, totals), nil
	}
	if s.People(judge) {
		return nil, nil
	}
	people, own := s.people(), s.totals[judge]()
	counts := map[[2]float64]int{}
	for i := range s.Answers {
		x, both := people.Of(i)
		if y, given := own.Of(i); both && given {
			counts[[2]float64{math.Round(2*x) / 2, math.Round(2*y) / 2}]++
		}
	}
	frame.Title = who + " and people, answer by answer"
	return plot.Bubbles("people", frame, "points of people", who, counts), nil
}

// runs is the page "which record, and what changed?".
func (v *view) runs() (page, error) {
	p := page{Title: "How it was made"}
	made := v.s.Made
	items := []struct {
		name string
		of   func(store.Provenance) string
	}{
		{"program", func(m store.Provenance) string { return strings.TrimSpace(m.Program + " " + m.Revision) }},
		{"questions", func(m store.Provenance) string { return m.Dataset }},
		{"hash of the questions", func(m store.Provenance) string { return m.DataHash }},
		{"hash of the rubric", func(m store.Provenance) string { return m.RubricHash }},
		{"hash of the release", func(m store.Provenance) string { return m.ReleaseHash }},
		{"seed", func(m store.Provenance) string { return strconv.FormatInt(m.Seed, 10) }},
	}
	header := []string{"item"}
	for i := range made {
		name := v.Dirs[i]
		if v.static != nil {
			name = filepath.Base(name)
		}
		header = append(header, name)
	}
	records := table.New(len(header), header...)
	for _, item := range items {
		var values []string
		for _, m := range made {
			values = append(values, item.of(m))
		}
		if slices.ContainsFunc(values, func(x string) bool { return x != "" }) {
			addCompared(records, item.name, values)
		}
	}
	p.Sections = append(p.Sections, v.show(table.Section{Title: "Records", About: "What the results depend on; ≠ marks differences from the first record.", Table: records}))
	for _, m := range made[1:] {
		if m.DataHash != made[0].DataHash {
			p.Notes = append(p.Notes, "These records have different questions. Points of systems that answered different questions cannot be compared.")
			break
		}
	}
	if results, err := v.changedResults(); err != nil {
		return p, err
	} else if len(made) > 1 {
		p.Sections = append(p.Sections, v.show(results))
	}
	if v.static != nil {
		return p, nil // a configuration has addresses of servers
	}
	var all []map[string]string
	names := map[string]bool{}
	for _, m := range made {
		of := map[string]string{}
		var value any
		if json.Unmarshal([]byte(m.Config), &value) == nil {
			flatten("", value, of)
		}
		for name := range of {
			names[name] = true
		}
		all = append(all, of)
	}
	header = append([]string{"setting"}, header[1:]...)
	settings := table.Section{Title: "Configuration", About: "Including defaults.", Table: table.New(len(header), header...)}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		var values []string
		for _, of := range all {
			values = append(values, of[name])
		}
		if len(made) == 1 || slices.ContainsFunc(values, func(x string) bool { return x != values[0] }) {
			addCompared(settings.Table, name, values)
		}
	}
	if len(made) > 1 {
		if settings.Title, settings.About = "Changes of the configuration", ""; len(settings.Table.Rows) == 0 {
			settings.Verdict = "The configurations are the same."
		}
	}
	p.Sections = append(p.Sections, v.show(settings))
	if v.s.report != nil {
		p.Sections = append(p.Sections, part{Shown: words("", "").Shown, Links: []table.Link{{Text: "Systems, judges, and how models were asked", Address: v.to("/details/made")}}})
	}
	return p, nil
}

// addCompared adds a row with a value of each record, marked where it is not that of the first.
func addCompared(to *table.Table, name string, values []string) {
	row := []any{name}
	for _, x := range values {
		c := table.Cell{Text: x}
		if x != values[0] {
			c.Text, c.Class = "≠ "+x, "differs"
		}
		row = append(row, c)
	}
	to.Add(row...)
}

// changedResults are the points of systems that several records have, by the judge of the order.
func (v *view) changedResults() (table.Section, error) {
	s := table.Section{Title: "Changes of the results", Table: table.New(3, "system", "first", "second", "questions", "difference"), About: "Mean points by " + v.s.headline() + " on the questions of both, the second minus the first, with 95 % intervals. Systems with equal answers are one system, and have no row."}
	of := map[string][]string{} // by name without the record
	var order []string
	for _, name := range v.s.systems() {
		if base, renamed := v.s.Renamed[name]; renamed {
			if of[base] == nil {
				order = append(order, base)
			}
			of[base] = append(of[base], name)
		}
	}
	for _, base := range order {
		for _, other := range of[base][1:] {
			var c compare.Comparison
			first := of[base][0]
			if err := c.Add(v.s.headline(), compare.Side{Dataset: v.s.Dataset, System: first}, compare.Side{Dataset: v.s.Dataset, System: other}); err != nil {
				return s, err
			}
			if len(c.Rows) > 0 {
				r := c.Rows[0]
				s.Table.Add(table.Cell{Text: base, To: &table.Target{Page: "compare", Query: []string{"a", first, "b", other}}}, first+": "+r.A.Text(2), other+": "+r.B.Text(2), r.Questions, table.Signed(r.Difference, 2))
			}
		}
	}
	if len(s.Table.Rows) == 0 {
		s.Verdict = "No system has different answers in these records."
	}
	return s, nil
}

// flatten writes the values of a JSON value by their paths; elements of lists with a name are under
// the name.
func flatten(path string, value any, into map[string]string) {
	below := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	switch x := value.(type) {
	case map[string]any:
		for name, of := range x {
			flatten(below(name), of, into)
		}
	case []any:
		for i, of := range x {
			name := fmt.Sprint(i + 1)
			if fields, is := of.(map[string]any); is {
				for _, key := range []string{"name", "Name"} {
					if text, is := fields[key].(string); is && text != "" {
						name = text
					}
				}
			}
			flatten(below(name), of, into)
		}
	case nil:
	default:
		into[path] = fmt.Sprint(x)
	}
}
