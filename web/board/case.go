package board

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/compare"
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// neighbourLinks returns links from item index of a list of n to the previous item, the list and the next item.
func neighbourLinks(index, n int, address func(i int) string, list table.Link) []table.Link {
	links := []table.Link{{}, list, {}}
	links[1].Class = "at"
	if index > 0 {
		links[0] = table.Link{Text: "‹ Previous (k)", Address: address(index - 1)}
	}
	if index >= 0 && index+1 < n {
		links[2] = table.Link{Text: "Next (j) ›", Address: address(index + 1)}
	}
	return links
}

// answerPage returns the page "why this score?". It shows an answer next to its score sheet, or next to up to two other answers to the
// same question.
func (v *view) answerPage(id string) (page, error) {
	var same []int
	for n, id := range []string{id, v.get("with"), v.get("with2")} {
		if index := v.s.answer(id); index >= 0 && !slices.Contains(same, index) {
			same = append(same, index)
		} else if index < 0 && (n == 0 || id != "") {
			return page{}, notFound("There is no answer with the id " + id + ".")
		}
	}
	if len(same) == 1 {
		return v.casePage(same[0])
	}
	row := &v.s.Answers[same[0]]
	p := page{Title: row.Asks(), Fields: []field{v.selector("judge", "Judge", v.s.headline()),
		v.selector("group", "Criteria", "all")}}
	first := textPart("", "")
	var err error
	p.Where, err = v.listLinks(same)
	if err != nil {
		return p, err
	}
	if v.s.Answers[same[1]].System != row.System {
		first.Links = v.underScenarios(same)
	}
	first.Form = v.besideForm(same)
	var verdicts []report.Verdict
	var reasons, raw []part
	for _, i := range same {
		db, c, err := v.column(i, same)
		if err == nil {
			err = v.addVerdicts(db, i, same, &verdicts, &reasons, &raw)
		}
		if err != nil {
			return p, err
		}
		first.Columns = append(first.Columns, c)
	}
	s := table.Section{Title: "Criteria", Verdict: "No judge has scored these answers."}
	if verdicts != nil {
		s = table.Section{Title: "Criteria" + v.on() + ", those that differ first", Table: report.CriteriaTable(v.onGroup(verdicts))}
	}
	p.Sections = slices.Concat([]part{first, v.sectionPart(s)}, reasons, raw)
	p.Foot = v.relatedLinks(row)
	return p, nil
}

// listLinks returns links from one or two answers to the previous and next ones in the list that they were opened from.
func (v *view) listLinks(answers []int) ([]table.Link, error) {
	if v.static != nil {
		return nil, nil
	}
	if len(answers) == 2 && v.s.Answers[answers[1]].System != v.s.Answers[answers[0]].System {
		return v.aroundTwo(answers)
	}
	l, err := v.currentList()
	i := slices.IndexFunc(l.entries, func(e entry) bool { return e.answer == answers[0] })
	if err != nil || i < 0 {
		return nil, err
	}
	list := v.filtered()
	if i >= perPage {
		list = append(list, "page", fmt.Sprint(i/perPage+1))
	}
	return neighbourLinks(i, len(l.entries), func(i int) string { return v.target(*v.caseOf(v.s.Answers[l.entries[i].answer].ID)) },
		table.Link{Text: fmt.Sprintf("%s: %d of %d", v.orderWords(l), i+1, len(l.entries)), Address: v.to("/answers", list...)}), nil
}

// mostWords is the maximum number of words of an answer that a phone shows in full.
const mostWords = 60

// casePage returns the page of an answer next to its score sheet.
func (v *view) casePage(i int) (page, error) {
	row := &v.s.Answers[i]
	p := page{Title: row.Asks(), Wide: "case"}
	if row.Asked != nil && row.Asked.Text != "" && v.static.texts() {
		p.Title = row.Asked.Text
	}
	for _, name := range []string{"judge", "group"} {
		v.narrowed[name] = true
	}
	v.narrowed["scenario"] = true
	var err error
	p.Where, err = v.listLinks([]int{i})
	if err != nil {
		return p, err
	}
	db, text, err := v.column(i, []int{i})
	if err != nil {
		return p, err
	}
	var verdicts []report.Verdict
	var raw []part
	if err := v.addVerdicts(db, i, []int{i}, &verdicts, nil, &raw); err != nil {
		return p, err
	}
	p.Lead = v.caseLead(row, verdicts)
	answer := textPart("", "")
	answer.Answer = &text
	answer.Pane = table.Left
	p.Sections = append(p.Sections, answer)
	if row.Asked != nil && len(row.Asked.Arguments) > 0 && v.static == nil { // a static copy has them on the page of the question
		asked := v.arguments(&question{Question: *row.Asked})
		asked.Pane = table.Left
		p.Sections = append([]part{asked}, p.Sections...)
	}
	s := table.Section{ID: "sheet", Title: "Score sheet" + v.on(), Verdict: "No judge has scored this answer.", Pane: table.Right}
	if verdicts != nil {
		s.Verdict, s.Table = "", report.SheetTable(v.onGroup(verdicts))
		s.About = report.SheetAbout(s.Table)
		if v.static != nil { // a static copy has their wording on the page of the question
			for _, row := range s.Table.Rows {
				if line := row[0].Row; line != nil {
					line.About = ""
				}
			}
		}
	}
	if s.Table != nil && v.static != nil {
		s.Table.Heads = nil // the navigation has an entry for judges
	}
	sheet := part{Shown: v.titled(&s)}
	sheet.Links = append(sheet.Links, table.Link{Text: "Criteria and their levels", Address: v.to("/rubric")})
	if v.get("group") != "" {
		sheet.Links = append(sheet.Links, table.Link{Text: "All criteria", Address: v.addressWith("group", "")})
	}
	if verdicts != nil && v.static == nil {
		sheet.Links = append(sheet.Links, table.Link{Text: "CSV of this table", Address: v.addressWith("table", "sheet", "as", "csv")})
	}
	p.Sections = append(p.Sections, sheet)
	if others := v.otherAnswers(i); others != nil && v.static == nil { // in a static copy, the page of the question has them
		p.Sections = append(p.Sections, *others)
	}
	if v.static == nil {
		if f := v.besideForm([]int{i}); f != nil {
			beside := textPart("Put another answer beside this one", "")
			beside.Form = f
			p.Sections = append(p.Sections, beside)
		}
	}
	p.Sections = append(p.Sections, raw...)
	p.Foot = v.relatedLinks(row)
	return p, nil
}

// caseLead returns a sentence on the system, the length, and the points by people and the judge.
func (v *view) caseLead(row *dataset.AnswerRow, verdicts []report.Verdict) string {
	text := fmt.Sprintf("%s in %s", data.Plural(row.Words, "word", "words"), data.Plural(row.Sentences, "sentence", "sentences"))
	if v.s.hasNamedSystems() {
		text = fmt.Sprintf("Answer of **%s**, %s", v.s.SystemName(row.System), text)
	}
	if row.Scenario != data.NoScenario {
		text += ", scenario " + dataset.ScenarioName(row.Scenario)
	}
	if row.Repeat > 1 {
		text += fmt.Sprintf(", repeat %d", row.Repeat)
	}
	if row.Aspect != "" {
		text += ", aspect: " + row.Aspect
	}
	judge := cmp.Or(v.get("judge"), v.s.headline())
	var gives []string
	if points, given := v.s.people().Of(v.s.answer(row.ID)); given {
		gives = append(gives, fmt.Sprintf("People give **%s**%s", v.totalText(points), v.scale()))
	}
	for _, d := range verdicts {
		if d.Judge == judge && d.Total != nil && !data.IsHuman(d.Judge) && d.Repeat <= 1 {
			gives = append(gives, fmt.Sprintf("%s **%s**", d.Name, v.totalText(*d.Total)))
		}
	}
	if gives == nil {
		return text + "."
	}
	return text + ". " + strings.Join(gives, ", ") + "."
}

// totalText formats a total with at most one decimal. With a single criterion that has levels in words, it returns the word.
func (v *view) totalText(points float64) string {
	if criteria := v.s.Rubric.Criteria; len(criteria) == 1 {
		return report.LevelText(criteria[0], points)
	}
	return short1(points)
}

// scale returns " of MAXIMUM points" to follow points, or "" if levels are words.
func (v *view) scale() string {
	if v.totalText(v.s.Rubric.Max()) != short1(v.s.Rubric.Max()) {
		return ""
	}
	return " of " + short1(v.s.Rubric.Max()) + " points"
}

// short1 formats points with at most one decimal.
func short1(points float64) string { return stats.Shortest(math.Round(10*points) / 10) }

// otherAnswers returns the other answers to the same question under the same scenario, with points by people and the judge.
func (v *view) otherAnswers(i int) *part {
	row := &v.s.Answers[i]
	judge := v.s.JudgeNamed(cmp.Or(v.get("judge"), v.s.headline()))
	s := textPart("Other answers to this question and scenario", "")
	for _, k := range v.s.about(row.Pair) {
		a := &v.s.Answers[k]
		if a.Question != row.Question || a.Scenario != row.Scenario || len(s.Links) > 24 {
			continue
		}
		text := v.s.SystemName(a.System) + repeatSuffix(a.Repeat) + "  "
		if points, given := v.s.people().Of(k); given {
			text += short1(points)
		} else {
			text += stats.Missing
		}
		if points, given := v.points(judge, k); given {
			text += " · " + short1(points)
		} else {
			text += " · " + stats.Missing
		}
		s.Links = append(s.Links, table.Link{Text: text, Address: v.target(*v.caseOf(a.ID)), Here: k == i, Class: "chip"})
	}
	if len(s.Links) < 2 {
		return nil
	}
	s.Lead = "People's total"
	if judge >= 0 {
		s.Lead += ", then " + v.s.Judges[judge].Name + "'s."
	}
	return &s
}

// relatedLinks returns links from an answer to other answers to its question and by its system.
func (v *view) relatedLinks(row *dataset.AnswerRow) []table.Link {
	links := []table.Link{{Text: "This question: its arguments, all answers, what each party chose", Address: v.pageAddress("questions",
		row.Pair)}}
	if v.s.hasNamedSystems() {
		links = append(links, table.Link{Text: "Answers of " + v.s.SystemName(row.System), Address: v.to("/answers", "system", row.System, "sort",
			"lowest")})
	}
	return links
}

// besides returns pairs of answers of two systems to a question: under the same scenario if both have one, and scored pairs first.
func (v *view) besides(asked dataset.Question, a, b string) (both [][2]int) {
	judge := v.s.JudgeNamed(cmp.Or(v.get("judge"), v.s.headline()))
	question := dataset.Questions(v.s.Dataset)
	answers := data.Where(v.s.about(asked.Pair), func(i int) bool { return question(&v.s.Answers[i]) == asked })
	for _, alike := range []bool{true, false} {
		for _, i := range answers {
			for _, j := range answers {
				x := &v.s.Answers[i]
				y := &v.s.Answers[j]
				if x.System == a && y.System == b && x.Question == y.Question && (!alike || x.Scenario == y.Scenario && x.Repeat == y.Repeat) {
					both = append(both, [2]int{i, j})
				}
			}
		}
		if both != nil {
			break
		}
	}
	other := func(i int) int { // sort key: 2 for another than the selected scenario, plus 1 without points
		return 2*int(dataset.Indicator(v.get("scenario") != "" && v.s.Answers[i].Scenario != v.get("scenario"))) + v.unscored(judge, i)
	}
	slices.SortStableFunc(both, func(a, b [2]int) int { return other(a[0]) + other(a[1]) - other(b[0]) - other(b[1]) })
	return both
}

// questionOf returns a target for two systems' answers to a question, side by side. Without such answers, and on a static site, the target
// is the page of the question.
func (v *view) questionOf(asked dataset.Question, a, b string) *table.Target {
	if both := v.besides(asked, a, b); both != nil && v.static == nil {
		return v.twoAnswers(both[0])
	}
	return &table.Target{Page: "questions", Name: asked.Pair}
}

// twoAnswers returns a target for two answers, side by side.
func (v *view) twoAnswers(pair [2]int) *table.Target {
	return &table.Target{Page: "answers", Name: v.s.Answers[pair[0]].ID, Query: []string{"with", v.s.Answers[pair[1]].ID}}
}

// aroundTwo returns links from two answers to the same systems' answers to the previous and next questions, in the order of the page that
// compares the systems.
func (v *view) aroundTwo(answers []int) ([]table.Link, error) {
	a, b, asked := v.s.Answers[answers[0]].System, v.s.Answers[answers[1]].System, dataset.Questions(v.s.Dataset)(&v.s.Answers[answers[0]])
	if v.s.report == nil { // it is not known yet whose points are compared
		return nil, nil
	}
	c, err := v.s.report.Two(a, b, v.selectedPoints())
	index := slices.IndexFunc(c.Moved, func(m compare.Move) bool { return m.Asked == asked })
	text := fmt.Sprintf("All questions of %s and %s", a, b)
	if index >= 0 {
		text = fmt.Sprintf("Question %d of %d on which %s and %s differ", index+1, len(c.Moved), a, b)
	}
	return neighbourLinks(index, len(c.Moved), func(i int) string { return v.target(*v.questionOf(c.Moved[i].Asked, a, b)) },
		table.Link{Text: text, Address: v.to("/compare", "a", a, "b", b)}), err
}

// underScenarios returns links from two answers to the same systems' answers under other scenarios.
func (v *view) underScenarios(answers []int) (links []table.Link) {
	a, b, asked := v.s.Answers[answers[0]].System, v.s.Answers[answers[1]].System, dataset.Questions(v.s.Dataset)(&v.s.Answers[answers[0]])
	for _, two := range v.besides(asked, a, b) {
		x := &v.s.Answers[two[0]]
		links = append(links, table.Link{Text: "Scenario " + dataset.ScenarioName(x.Scenario) + repeatSuffix(x.Repeat),
			Address: v.target(*v.twoAnswers(two)),
			Here:    two == [2]int(answers)})
	}
	return links
}

// besideForm returns a form that chooses which answers to show next to an answer. Those to the same question and scenario come first.
func (v *view) besideForm(answers []int) *form {
	row := &v.s.Answers[answers[0]]
	f := &form{Action: "/answers/" + url.PathEscape(row.ID)}
	others := data.Where(v.s.about(row.Pair), func(i int) bool { return i != answers[0] })
	if others == nil {
		return nil
	}
	options := data.Each(others[:min(len(others), 200)], func(i int) option {
		a := &v.s.Answers[i]
		text := v.s.SystemName(a.System)
		if a.Question != row.Question && a.Aspect != "" {
			text += " (" + a.Aspect + ")"
		}
		if a.Scenario != data.NoScenario {
			text += ", scenario " + dataset.ScenarioName(a.Scenario)
		}
		if a.Repeat > 1 {
			text += fmt.Sprintf(", repeat %d", a.Repeat)
		}
		return option{Value: a.ID, Text: text}
	})
	rank := func(o option) int {
		return int(dataset.Indicator(v.s.Answers[v.s.answer(o.Value)].Scenario != row.Scenario))
	}
	slices.SortStableFunc(options, func(a, b option) int { return rank(a) - rank(b) })
	for n, name := range []string{"with", "with2"}[:min(2, len(answers))] {
		list := append([]option{{Text: "nothing"}}, slices.Clone(options)...)
		for i := range list {
			list[i].Selected = n+1 < len(answers) && list[i].Value == v.s.Answers[answers[n+1]].ID
		}
		f.Fields = append(f.Fields, field{Name: name, Label: map[string]string{"with": "Beside", "with2": "and"}[name], Options: list})
	}
	query := append(v.filtered(), "set", v.get("set"))
	for i := 0; i < len(query); i += 2 {
		if query[i+1] != "" {
			f.Fields = append(f.Fields, field{Name: query[i], Value: query[i+1], Hidden: true})
		}
	}
	return f
}

// addVerdicts adds the verdicts on an answer. For a single answer they are all verdicts, for several only those of the selected judge and
// people. The selected judge comes first, then people.
func (v *view) addVerdicts(db *store.Store, i int, criteria []int, shown *[]report.Verdict, reasons, raw *[]part) error {
	judge := v.get("judge")
	if judge == "" || len(criteria) == 1 {
		judge = v.s.headline()
	}
	answer := v.s.Answers[i].ID
	verdicts, err := db.VerdictsOn(answer)
	if err != nil {
		return err
	}
	rank := func(d data.Verdict) int {
		return int(2 - 2*dataset.Indicator(d.Judge == judge) - dataset.Indicator(d.Judge != judge && data.IsHuman(d.Judge)))
	}
	slices.SortStableFunc(verdicts, func(a, b data.Verdict) int { return rank(a) - rank(b) })
	for _, d := range verdicts {
		name := v.shownName(d.Judge)
		to := table.ToJudge(name)
		if len(criteria) > 1 {
			if rank(d) == 2 {
				continue
			}
			name = v.answerName(i, criteria) + ", " + name
		}
		name += repeatSuffix(d.Repeat)
		if v.static != nil && (!v.static.Texts || d.Status != data.Valid) {
			d.Reason = "" // the reason of a failure may contain the address of a server
		}
		j := v.s.JudgeNamed(v.shownName(d.Judge))
		if v.static != nil && v.s.floor(j) {
			continue // a baseline gives every answer the same points
		}
		*shown = append(*shown, report.Verdict{Verdict: d, Name: v.s.NameOfJudge(name), Floor: v.s.floor(j),
			Base: j >= 0 && v.s.Judges[j].Kind == dataset.KindEmbedded, To: to})
		if d.Reason != "" && reasons != nil {
			*reasons = append(*reasons, textPart("Reason of "+name, d.Reason))
		}
	}
	if v.static == nil {
		var replies []part
		replies, err = rawReplies(db, answer, verdicts)
		for k := range replies {
			if len(criteria) > 1 {
				replies[k].Title += " on " + v.answerName(i, criteria)
			}
		}
		*raw = append(*raw, replies...)
	}
	return err
}

// repeatSuffix returns the number of a repeat, to follow a name, or "" for the first.
func repeatSuffix(repeat int) string {
	if repeat > 1 {
		return fmt.Sprintf(" (%d)", repeat)
	}
	return ""
}

// answerName names an answer among others by its system, and by whatever else differs between them.
func (v *view) answerName(i int, answers []int) string {
	a := &v.s.Answers[i]
	name := v.s.SystemName(a.System)
	for _, k := range answers {
		if b := &v.s.Answers[k]; k != i && b.System == a.System {
			if b.Question != a.Question && a.Aspect != "" {
				name += ", " + a.Aspect
			}
			return fmt.Sprintf("%s, scenario %s, repeat %d", name, dataset.ScenarioName(a.Scenario), a.Repeat)
		}
	}
	return name
}

// rawReplies returns the raw replies of models that verdicts on an answer were read from, with their calls.
func rawReplies(db *store.Store, answer string, verdicts []data.Verdict) (list []part, err error) {
	calls, err := db.JudgeCalls(answer)
	for _, d := range verdicts {
		if d.Raw == "" {
			continue
		}
		s := textPart("Raw reply of "+d.Judge+repeatSuffix(d.Repeat), "")
		s.Listing = d.Raw
		s.Folded = true
		for _, c := range calls {
			if c.Judge == d.Judge && c.Repeat == d.Repeat {
				s.About += fmt.Sprintf("Call %s: model %s of provider %s, finish %s\n\n", c.Key, c.Model, c.Provider, cmp.Or(c.Finish, "unknown"))
			}
		}
		list = append(list, s)
	}
	return list, err
}
