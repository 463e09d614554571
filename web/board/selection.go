package board

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/rubric"
)

// selected lists the fields of the selection, with their labels. The selection stays the same while the user moves between pages.
var selected = []struct{ name, label string }{{"judge", "Judge"}, {"scenario", "Scenario"}, {"group", "Criteria"}, {"set", "Set of pairs"},
	{"record", "Record"}}

// selector returns a field of the selection. any is the text of the empty value. A judge that the empty value stands for is not listed
// again.
func (v *view) selector(name, label, any string) field {
	list := [][2]string{{"", any}}
	switch name {
	case "judge":
		selected := v.get(name)
		judges := v.s.judges()
		if selected == any {
			list = nil
		}
		if selected != "" && !slices.Contains(judges, selected) {
			judges = append(judges, selected) // a baseline
		}
		for _, judge := range judges {
			if judge != any || judge == selected {
				list = append(list, [2]string{judge, v.s.judgeText(judge)})
			}
		}
	case "scenario":
		for _, scenario := range v.s.scenarios {
			list = append(list, [2]string{scenario, dataset.ScenarioName(scenario)})
		}
	case "group":
		return v.choice(name, label, any, v.s.Groups...)
	}
	return field{Name: name, Label: label, Options: v.options(name, list...)}
}

// judgeText returns the name of a judge, for lists that also have people and systems.
func (s *snapshot) judgeText(judge string) string {
	switch name, person := strings.CutPrefix(judge, data.Human+":"); {
	case judge == data.Human:
		return trust.People
	case person:
		return name + " (person)"
	case store.Named(s.Systems, judge) >= 0: // a system in the same list may have the same name
		return judge + " (judge)"
	}
	return judge
}

// selection returns the form at the top of a page. It has the page's own fields and those of the selection that can narrow the page's
// tables. unused is a sentence on selected values without effect on the page, or "".
func (v *view) selection(fields []field) (s *form, unused string) {
	if v.static != nil || v.s == nil {
		return nil, ""
	}
	var without []string
	for _, f := range selected {
		named := slices.ContainsFunc(fields, func(input field) bool { return input.Name == f.name })
		if !named && v.narrowable[f.name] {
			fields = append(fields, v.selector(f.name, f.label, "all"))
		}
		if !named && v.get(f.name) != "" && !v.narrowed[f.name] {
			without = append(without, strings.ToLower(f.label)+" "+v.get(f.name))
		}
	}
	fields = data.Where(fields, func(f field) bool { // drop fields with nothing to choose
		return f.Name != "scenario" && f.Name != "group" || len(f.Options) > 2 || v.get(f.Name) != ""
	})
	if without != nil {
		unused = "Selected, but without effect on this page: " + data.List(without) + "."
	}
	if len(fields) == 0 {
		return nil, unused
	}
	s = &form{Action: v.path, Fields: fields}
	var values []string
	for _, f := range fields {
		for _, o := range f.Options {
			if o.Selected && o.Text != "all" {
				values = append(values, f.Label+": "+o.Text)
			}
		}
		if f.Options != nil && v.get(f.Name) != "" {
			s.Clear = v.addressWith("judge", "", "scenario", "", "group", "", "set", "", "record", "", "table", "", "by", "")
		}
	}
	s.Values = cmp.Or(strings.Join(values, " · "), "All are shown; choose") // the link needs a text
	for _, name := range slices.Sorted(maps.Keys(v.query)) {
		if name != "page" && v.get(name) != "" && !slices.ContainsFunc(fields, func(f field) bool { return f.Name == name }) {
			s.Fields = append(s.Fields, field{Name: name, Value: v.get(name), Hidden: true})
		}
	}
	return s, unused
}

// to returns the address of a page with a query: name, value, name, value. Empty values are left out. It adds the selection, except fields
// that the query names. It returns "" for a page that a static site does not have.
func (v *view) to(path string, query ...string) string {
	values := url.Values{}
	for _, f := range selected {
		if (v.static == nil || f.name == "record") && v.get(f.name) != "" && !strings.Contains(path, ".css") && !strings.Contains(path, ".js") {
			values.Set(f.name, v.get(f.name))
		}
	}
	for i := 0; i+1 < len(query); i += 2 {
		values.Del(query[i])
		if query[i+1] != "" {
			values.Set(query[i], query[i+1])
		}
	}
	address := path
	if len(values) > 0 {
		address += "?" + values.Encode()
	}
	if v.static != nil {
		return v.static.link(v.address, address)
	}
	return address
}

func (v *view) selectedPoints() report.Selection {
	return report.Selection{Judge: v.get("judge"), Scenario: v.get("scenario"), Group: v.get("group")}
}

// unknown returns an error if the address selects a judge, scenario or group of criteria that the records do not have.
func (v *view) unknown() error {
	for name, values := range map[string][]string{"judge": names(v.s.Judges), "scenario": v.s.scenarios, "group": v.s.Groups} {
		if asked := v.get(name); asked != "" && !slices.Contains(values, asked) {
			delete(v.query, name) // so that the links of the error page do not have it
			return notFound("There is no " + name + " " + data.Clip(asked) + ".")
		}
	}
	return nil
}

// fieldOf returns the field of the selection ("judge", "scenario" or "group") that a column of a table is about, or "".
func fieldOf(header string) string {
	switch {
	case header == "judge", header == "scenario":
		return header
	case header == "criterion", header == "group", strings.HasPrefix(header, "group ("):
		return "group"
	}
	return ""
}

// valueOf returns the value of a field that a name in a table stands for, or "". For example, the name of a criterion stands for its
// group.
func (v *view) valueOf(field, name string) string {
	switch field {
	case "judge":
		if name, _, _ = strings.Cut(strings.TrimPrefix(name, raters.ShuffledPrefix), " / "); v.s.JudgeNamed(name) >= 0 {
			return name
		}
	case "scenario":
		return table.First(v.s.scenarios, func(s string) bool { return s == name || dataset.ScenarioName(s) == name })
	case "group":
		if group, _, _ := strings.Cut(name, " ("); slices.Contains(v.s.Groups, group) {
			return group
		}
		id, _, _ := strings.Cut(name, " ")
		return table.First(v.s.Rubric.Criteria, func(c rubric.Criterion) bool { return c.ID == id }).Group
	}
	return ""
}

// narrow removes from tables what is not selected: rows of other judges, scenarios and groups of criteria, and columns of other judges.
// Baselines and people stay next to a selected judge. If no table has the selected value, all tables stay unchanged.
func (v *view) narrow(sections []table.Section) []table.Section {
	for _, field := range []string{"judge", "scenario", "group"} {
		if v.ofJudge && field == "judge" {
			continue
		}
		selected := v.get(field)
		var can, does bool
		leftOut := func(name string) bool {
			if can && selected == "" {
				return false // nothing is left out
			}
			value := v.valueOf(field, name)
			can = can || value != ""
			does = does || value != "" && value == selected
			j := v.s.JudgeNamed(value)
			return value != "" && value != selected && (field != "judge" || !v.s.People(j) && !v.s.floor(j))
		}
		narrowed := slices.Clone(sections)
		for i := range narrowed {
			s := &narrowed[i]
			if s.Table != nil { // columns of figures may have the names of judges
				s.Table = s.Table.Without(func(header, name string) bool { return fieldOf(header) == field && leftOut(name) },
					func(header string) bool { return field == "judge" && leftOut(header) })
			}
		}
		v.narrowable[field] = v.narrowable[field] || can
		if !does {
			continue
		}
		v.narrowed[field] = true
		sections = narrowed
		for i, s := range sections {
			sections[i].Notes = data.Where(s.Notes, func(n table.Note) bool { return field != "judge" || n.Subject == "" || !leftOut(n.Subject) })
		}
	}
	return sections
}

// criteria returns the indices of the criteria of the selected group, or nil if no group is selected.
func (v *view) criteria() (criteria []int) {
	for i, c := range v.s.Rubric.Criteria {
		if v.get("group") != "" && c.Group == v.get("group") {
			criteria = append(criteria, i)
		}
	}
	return criteria
}

// onGroup returns the rubric and the verdicts, restricted to the criteria of the selected group.
func (v *view) onGroup(verdicts []report.Verdict) (rubric.Rubric, []report.Verdict) {
	r, criteria := v.s.Rubric, v.criteria()
	if criteria == nil {
		return r, verdicts
	}
	r.Criteria = data.Each(criteria, func(i int) rubric.Criterion { return v.s.Rubric.Criteria[i] })
	verdicts = slices.Clone(verdicts)
	for i, d := range verdicts {
		if d.Total != nil {
			verdicts[i].Total = new(r.Total(d.Scores))
		}
	}
	return r, verdicts
}

// on returns " on GROUP" for the selected group of criteria, or "".
func (v *view) on() string {
	if v.get("group") == "" {
		return ""
	}
	return " on " + v.get("group")
}
