package board

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/plot"
	"compqa/results/preferences"
	"compqa/results/store"
	"compqa/results/table"
)

// judgeList is the page of all judges.
func (v *view) judgeList() (page, error) {
	p := page{Title: "Judges"}
	if v.s.report == nil {
		return v.lastReport(p)
	}
	rows := v.s.report.JudgeFigures
	p.Sections = append(p.Sections, section{Lines: []string{"Leniency is judge minus people on the answers that both scored, in points. Length is Spearman's rho of totals and words. Self-agreement is alpha of repeated totals."},
		Grid: gridOf("Judges and people", table.View(2, rows, "judge", "kind", "leniency+2", "leniency_n:0=n", "length_rho=length", "self_alpha_totals=self-agreement", "cost_per_1000:4=$ for 1,000 verdicts"), func(row []string, _ int) string {
			return v.judgeAddress(row[0])
		})})
	return p, nil
}

func (v *view) judgeAddress(name string) string { return v.to("/judges/" + url.PathEscape(name)) }

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
	lines := []string{"Kind: " + kind + strings.TrimSuffix("; family: "+about.Family, "; family: ")}
	if about.About != "" && v.static.texts() {
		lines = append(lines, about.About)
	}
	statuses := map[data.Status]int{}
	for _, s := range v.s.SheetsOf(j) {
		statuses[s.Status]++
	}
	counts := table.New(1, "status", "verdicts")
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		counts.Add(string(status), strconv.Itoa(statuses[status]))
	}
	if t := v.s.report; t != nil {
		for _, w := range t.Assessments {
			if w.Judge == name {
				lines = append(lines, w.Verdict)
			}
		}
	}
	p.Sections = append(p.Sections, section{Lines: lines,
		Grid:  gridOf("Verdicts by status", counts, func(row []string, _ int) string { return v.to("/answers", "judge", name, "status", row[0]) }),
		Links: slices.DeleteFunc([]cell{{Text: "Largest differences from people", Address: v.differing(name, "")}}, func(c cell) bool { return c.Address == "" })})
	if t := v.s.report; t != nil {
		if rows := table.Where(t.JudgeFigures, func(r judgequality.JudgeRow) bool { return r.Judge == name }); len(rows) > 0 {
			p.Sections = append(p.Sections, section{Title: "Leniency, own family, length, repeats", Lines: []string{"Points are judge minus people. The preference for systems of its own family is in points too."},
				Grid: transposed("Properties of "+name, table.View(0, rows, "leniency+2", "family_preference_people+2=preference for its own family, compared with people", "family_preference_judges+2=… with other judges", "length_rho=Spearman's rho of points and words",
					"length_scored_rho=… where people scored", "length_given_people_rho=… given people's points", "self_equal=equal verdicts when repeated", "self_alpha_totals=alpha of repeated totals", "cost_per_1000:4=$ for 1,000 verdicts"))})
		}
		if rows := table.Where(t.Lenient, func(r judgequality.LeniencyRow) bool { return r.Judge == name }); len(rows) > 0 {
			p.Sections = append(p.Sections, section{Title: "Leniency by system", Grid: gridOf("Judge minus people, in points", table.View(1, rows, "system", "n", "mean_difference+2"), func(row []string, _ int) string {
				if row[0] == dataset.AllSystems {
					return ""
				}
				return v.to("/answers", "judge", name, "system", row[0], "sort", "difference")
			})})
		}
	}
	if drawing, err := v.judgeDrawing("people", j); err == nil && drawing != nil {
		p.Sections = append(p.Sections, section{Title: "Beside people", Plot: &picture{v.to("/plots/people.svg", "judge", name), "totals of " + name + " and of people; the list below has the answers with the largest differences"}})
	}
	if v.s.totals[j]().Any() && statuses[data.Valid] > 0 {
		p.Sections = append(p.Sections, section{Title: "Points given", Plot: &picture{v.to("/plots/totals.svg", "judge", name), "histogram of totals"}, Grid: v.histogram(j)})
	}
	if t := v.s.report; t != nil {
		if rows := table.Where(t.Attacked, func(r judgequality.AttackRow) bool { return r.Judge == name }); len(rows) > 0 {
			p.Sections = append(p.Sections, section{Title: "Attacks", Grid: gridOf("Changes to answers, and the change in points", judgequality.AttackTable(rows), nil)})
		}
	}
	return p, nil
}

// transposed shows a table of one row with a line for each column.
func transposed(caption string, t *table.Table) *grid {
	g := &grid{Caption: caption, Words: 1, Header: []cell{{Text: "property"}, {Text: "value"}}}
	for _, row := range t.Rows {
		for i, text := range row {
			if text.Text != table.None {
				g.Rows = append(g.Rows, []cell{{Text: t.Header[i]}, {Text: text.Text}})
			}
		}
	}
	return g
}

// histogram is the table beside the plot of totals.
func (v *view) histogram(judge int) *grid {
	counts, shown := map[int]int{}, table.New(1, "points", "verdicts")
	for _, s := range v.s.Valid(judge) {
		counts[int(math.Floor(s.Total))]++
	}
	for _, points := range slices.Sorted(maps.Keys(counts)) {
		shown.Add(fmt.Sprintf("%d to below %d", points, points+1), strconv.Itoa(counts[points]))
	}
	return gridOf("Totals", shown, nil)
}

func (v *view) judgePlot(name string) (*table.Plot, error) {
	j := v.s.judge(v.get("judge"))
	if j < 0 {
		return nil, notFound("There is no such judge.")
	}
	return v.judgeDrawing(name, j)
}

// judgeDrawing is a judge's totals: beside people's, or how often each occurs.
func (v *view) judgeDrawing(name string, judge int) (*table.Plot, error) {
	s, low, high := v.s, v.s.Rubric.Min(), v.s.Rubric.Max()
	who := s.Judges[judge].Name
	if name == "totals" {
		var totals []float64
		for _, x := range s.Valid(judge) {
			totals = append(totals, x.Total)
		}
		return plot.Histogram("totals", plot.Frame{Title: "Totals of " + who, Axis: "points", Low: low, High: high}, totals), nil
	}
	if s.People(judge) {
		return nil, nil
	}
	people, own := s.people(), s.totals[judge]()
	counts := map[[2]float64]int{}
	for i := range s.Answers {
		x, both := people.Of(i)
		if !both {
			continue
		}
		if y, given := own.Of(i); given {
			counts[[2]float64{math.Round(2*x) / 2, math.Round(2*y) / 2}]++
		}
	}
	return plot.Bubbles("people", plot.Frame{Title: who + " and people, answer by answer", Low: low, High: high}, "points of people", who, counts), nil
}

// pairwiseSections are the sections of the page of pairs, which take long to compute.
func (b *Board) pairwiseSections(s *snapshot) func() ([]section, error) {
	return sync.OnceValues(func() (list []section, err error) {
		for _, dir := range b.Dirs {
			d, err := preferences.Document(dir, s.report, b.people)
			if err != nil {
				return nil, err
			}
			list = append(list, sectionsOf(d)...)
		}
		return list, nil
	})
}

// sectionsOf are the sections of a document.
func sectionsOf(d table.Document) (list []section) {
	for i, of := range d.Shown() {
		shown := section{Title: of.Title, Lines: slices.DeleteFunc([]string{of.Verdict, of.About}, func(text string) bool { return text == "" })}
		if i == 0 {
			shown.Lines = append([]string{d.Lead}, shown.Lines...)
		}
		if of.Table != nil {
			shown.Grid = gridOf(of.Title, of.Table, nil)
		}
		list = append(list, shown)
	}
	return list
}

// pairs is the page of pairwise judges.
func (v *view) pairs() (page, error) {
	p := page{Title: "Pairs"}
	if v.s.report == nil && v.s.Dataset != nil {
		return v.lastReport(p)
	}
	var err error
	if p.Sections, err = v.s.pairs(); err == nil && p.Sections == nil {
		p.Sections = []section{{Title: "No preferences", Lines: []string{"No judge compared pairs of answers. With `compqa run --only pairs`, judges choose the better of two answers; `compqa pairwise import` imports existing preferences."}}}
	}
	return p, err
}

// runs is the page "which record, and what changed?".
func (v *view) runs() (page, error) {
	p := page{Title: "Runs"}
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
	g := &grid{Caption: "What the results depend on; ≠ marks differences from the first record", Words: len(made) + 1, Header: []cell{{Text: "item"}}}
	for i := range made {
		name := v.Dirs[i]
		if v.static != nil {
			name = filepath.Base(name)
		}
		g.Header = append(g.Header, cell{Text: name})
	}
	add := func(name string, values []string) {
		row := []cell{{Text: name}}
		for _, x := range values {
			c := cell{Text: x}
			if x != values[0] {
				c.Text, c.Class = "≠ "+x, "differs"
			}
			row = append(row, c)
		}
		g.Rows = append(g.Rows, row)
	}
	for _, item := range items {
		var values []string
		for _, m := range made {
			values = append(values, item.of(m))
		}
		if slices.ContainsFunc(values, func(x string) bool { return x != "" }) {
			add(item.name, values)
		}
	}
	p.Sections = append(p.Sections, section{Title: "Records", Grid: g})
	for _, m := range made[1:] {
		if m.DataHash != made[0].DataHash {
			p.Notes = append(p.Notes, "These records have different questions. Points of systems that answered different questions cannot be compared.")
			break
		}
	}
	if v.static != nil {
		return p, nil // a configuration has addresses of servers
	}
	settings, order := []map[string]string{}, []string{}
	for _, m := range made {
		of := map[string]string{}
		flatten(m.Config, of)
		for name := range of {
			if !slices.Contains(order, name) {
				order = append(order, name)
			}
		}
		settings = append(settings, of)
	}
	slices.Sort(order)
	g = &grid{Caption: "The configuration, including defaults", Words: len(made) + 1, Header: slices.Clone(g.Header)}
	g.Header[0].Text = "setting"
	for _, name := range order {
		var values []string
		for _, of := range settings {
			values = append(values, of[name])
		}
		same := !slices.ContainsFunc(values, func(x string) bool { return x != values[0] })
		if len(made) == 1 || !same {
			add(name, values)
		}
	}
	s := section{Title: "Configuration", Grid: g}
	if len(made) > 1 {
		s.Title, g.Caption = "Changes of the configuration", "Settings that differ"
		if len(g.Rows) == 0 {
			s.Lines, s.Grid = []string{"The configurations are the same."}, nil
		}
	}
	p.Sections = append(p.Sections, s)
	return p, nil
}
