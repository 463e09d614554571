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
)

// around are the links from one of a list to the one before it, the one after it, and the list.
func around(at, n int, address func(i int) string, list table.Link) (links []table.Link) {
	if at > 0 {
		links = append(links, table.Link{Text: "Previous (k)", Address: address(at - 1)})
	}
	if at >= 0 && at+1 < n {
		links = append(links, table.Link{Text: "Next (j)", Address: address(at + 1)})
	}
	return append(links, list)
}

// answerPage is the page "why this score?": an answer, beside up to two others to the same question.
func (v *view) answerPage(id string) (page, error) {
	var of []int
	for n, id := range []string{id, v.get("with"), v.get("with2")} {
		if at := v.s.answer(id); at >= 0 && !slices.Contains(of, at) {
			of = append(of, at)
		} else if at < 0 && (n == 0 || id != "") {
			return page{}, notFound("There is no answer with the id " + id + ".")
		}
	}
	row := &v.s.Answers[of[0]]
	p := page{Title: row.Asks(), Keys: v.static == nil}
	if len(of) == 1 {
		p.Title += ", " + v.s.SystemName(row.System)
	}
	first := words("", "")
	if v.static == nil {
		sort := v.get("sort")
		if v.filtered() == nil && v.s.people().Any() {
			sort = "difference"
		}
		l, err := v.listed(sort)
		if err != nil {
			return p, err
		}
		if len(of) == 2 && v.s.Answers[of[1]].System != row.System {
			first.Links, err = v.aroundTwo(of)
		} else if i := slices.IndexFunc(l.entries, func(e entry) bool { return e.answer == of[0] }); i >= 0 {
			first.Links = around(i, len(l.entries), func(i int) string { return v.target(*v.caseOf(v.s.Answers[l.entries[i].answer].ID)) },
				table.Link{Text: fmt.Sprintf("Answer %d of %d", i+1, len(l.entries)), Address: v.to("/answers", v.filtered()...)})
		}
		if err != nil {
			return p, err
		}
		first.Form = v.besideForm(of)
	}
	p.Fields = []field{v.selector("judge", "Judge", v.s.headline()), v.selector("group", "Criteria", "all")}
	first.Links = append(first.Links, table.Link{Text: "All answers to this question", Address: v.named("questions", row.Pair)},
		table.Link{Text: "Answers of " + v.s.SystemName(row.System),
			Address: v.to("/answers", "system", row.System, "sort", "lowest")})
	var verdicts []report.Verdict
	var reasons, raw []part
	for _, i := range of {
		db, c, err := v.column(i, of)
		if err == nil {
			err = v.addVerdicts(db, i, of, &verdicts, &reasons, &raw)
		}
		if err != nil {
			return p, err
		}
		first.Columns = append(first.Columns, c)
	}
	s := table.Section{Title: "Criteria", Verdict: "No judge has scored this answer."}
	if verdicts != nil {
		s = table.Section{Title: "Criteria" + v.on() + ", those that differ first", Table: report.CriteriaTable(v.onGroup(verdicts))}
	}
	if len(of) == 1 {
		first.Columns[0].Address = ""
	}
	p.Sections = slices.Concat([]part{first, v.show(s)}, reasons, raw)
	return p, nil
}

// besides are the answers of two systems to a question, two by two: under the same scenario, if both have one; those with
// points first.
func (v *view) besides(asked compare.Question, a, b string) (both [][2]int) {
	judge, question := v.s.JudgeNamed(cmp.Or(v.get("judge"), v.s.headline())), compare.Questions(v.s.Dataset)
	answers := table.Where(v.s.about(asked.Pair), func(i int) bool { return question(&v.s.Answers[i]) == asked })
	for _, alike := range []bool{true, false} {
		for _, i := range answers {
			for _, j := range answers {
				x, y := &v.s.Answers[i], &v.s.Answers[j]
				if x.System == a && y.System == b && x.Question == y.Question && (!alike || x.Scenario == y.Scenario && x.Repeat == y.Repeat) {
					both = append(both, [2]int{i, j})
				}
			}
		}
		if both != nil {
			break
		}
	}
	other := func(i int) int { // not under the selected scenario, or without points
		return 2*int(dataset.Indicator(v.get("scenario") != "" && v.s.Answers[i].Scenario != v.get("scenario"))) + v.unscored(judge, i)
	}
	slices.SortStableFunc(both, func(a, b [2]int) int { return other(a[0]) + other(a[1]) - other(b[0]) - other(b[1]) })
	return both
}

// questionOf leads to the answers of two systems to a question side by side, if pages have such addresses.
func (v *view) questionOf(asked compare.Question, a, b string) *table.Target {
	if both := v.besides(asked, a, b); both != nil && v.static == nil {
		return v.twoAnswers(both[0])
	}
	return &table.Target{Page: "questions", Name: asked.Pair}
}

// twoAnswers leads to two answers side by side.
func (v *view) twoAnswers(of [2]int) *table.Target {
	return &table.Target{Page: "answers", Name: v.s.Answers[of[0]].ID, Query: []string{"with", v.s.Answers[of[1]].ID}}
}

// aroundTwo are the links from two answers to those of the same systems to other questions, in the order of the page that
// compares these systems, and under other scenarios.
func (v *view) aroundTwo(of []int) ([]table.Link, error) {
	a, b, asked := v.s.Answers[of[0]].System, v.s.Answers[of[1]].System, compare.Questions(v.s.Dataset)(&v.s.Answers[of[0]])
	c, err := v.compared(a, b)
	at := slices.IndexFunc(c.Moved, func(m compare.Move) bool { return m.Asked == asked })
	text := fmt.Sprintf("All questions of %s and %s", a, b)
	if at >= 0 {
		text = fmt.Sprintf("Question %d of %d on which %s and %s differ", at+1, len(c.Moved), a, b)
	}
	links := around(at, len(c.Moved), func(i int) string { return v.target(*v.questionOf(c.Moved[i].Asked, a, b)) },
		table.Link{Text: text, Address: v.to("/compare", "a", a, "b", b)})
	for _, two := range v.besides(asked, a, b) {
		x := &v.s.Answers[two[0]]
		links = append(links, table.Link{Text: "Scenario " + x.Scenario + again(x.Repeat), Address: v.target(*v.twoAnswers(two)),
			Here: two == [2]int(of)})
	}
	return links, err
}

// besideForm chooses the answers beside an answer: to the same question in the same scenario first.
func (v *view) besideForm(of []int) *form {
	row := &v.s.Answers[of[0]]
	f := &form{Action: "/answers/" + url.PathEscape(row.ID)}
	others := table.Where(v.s.about(row.Pair), func(i int) bool { return i != of[0] })
	if others == nil {
		return nil
	}
	options := table.Each(others[:min(len(others), 200)], func(i int) option {
		a := &v.s.Answers[i]
		text := v.s.SystemName(a.System) + ", scenario " + a.Scenario
		if a.Question != row.Question && a.Aspect != "" {
			text = v.s.SystemName(a.System) + " (" + a.Aspect + "), scenario " + a.Scenario
		}
		if a.Repeat > 1 {
			text += fmt.Sprintf(", repeat %d", a.Repeat)
		}
		return option{Value: a.ID, Text: text}
	})
	rank := func(o option) int {
		return int(dataset.Indicator(!strings.HasSuffix(o.Text, "scenario "+row.Scenario)))
	}
	slices.SortStableFunc(options, func(a, b option) int { return rank(a) - rank(b) })
	for n, name := range []string{"with", "with2"}[:min(2, len(of))] {
		list := append([]option{{Text: "nothing"}}, slices.Clone(options)...)
		for i := range list {
			list[i].Selected = n+1 < len(of) && list[i].Value == v.s.Answers[of[n+1]].ID
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

// addVerdicts adds what judges and people say of an answer: of one all verdicts, of several those of the selected
// judge and of people. The selected judge comes first, then people.
func (v *view) addVerdicts(db *store.Store, i int, of []int, shown *[]report.Verdict, reasons, raw *[]part) error {
	judge := v.get("judge")
	if judge == "" || len(of) == 1 {
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
		if len(of) > 1 {
			if rank(d) == 2 {
				continue
			}
			name = v.answerName(i, of) + ", " + name
		}
		name += again(d.Repeat)
		*shown = append(*shown, report.Verdict{Verdict: d, Name: v.s.NameOfJudge(name),
			Floor: v.s.floor(v.s.JudgeNamed(v.shownName(d.Judge))), To: to})
		if d.Reason != "" && (v.static == nil || v.static.Texts && d.Status == data.Valid) {
			*reasons = append(*reasons, words("Reason of "+name, d.Reason))
		}
	}
	if v.static == nil {
		var replies []part
		replies, err = rawReplies(db, answer, verdicts)
		for k := range replies {
			if len(of) > 1 {
				replies[k].Title += " on " + v.answerName(i, of)
			}
		}
		*raw = append(*raw, replies...)
	}
	return err
}

// again is the number of a repeat after a name.
func again(repeat int) string {
	if repeat > 1 {
		return fmt.Sprintf(" (%d)", repeat)
	}
	return ""
}

// answerName names an answer among others: by its system, and by what else differs.
func (v *view) answerName(i int, of []int) string {
	a := &v.s.Answers[i]
	name := a.System
	for _, k := range of {
		if b := &v.s.Answers[k]; k != i && b.System == a.System {
			if b.Question != a.Question && a.Aspect != "" {
				name += ", " + a.Aspect
			}
			return fmt.Sprintf("%s, scenario %s, repeat %d", name, a.Scenario, a.Repeat)
		}
	}
	return name
}

// rawReplies are the replies of models on an answer, with the calls they came in.
func rawReplies(db *store.Store, answer string, verdicts []data.Verdict) (list []part, err error) {
	calls, err := db.JudgeCalls(answer)
	for _, d := range verdicts {
		if d.Raw == "" {
			continue
		}
		s := words("Raw reply of "+d.Judge+again(d.Repeat), "")
		s.Listing, s.Folded = d.Raw, true
		for _, c := range calls {
			if c.Judge == d.Judge && c.Repeat == d.Repeat {
				s.About += fmt.Sprintf("Call %s: model %s of provider %s, finish %s\n\n", c.Key, c.Model, c.Provider, cmp.Or(c.Finish, "unknown"))
			}
		}
		list = append(list, s)
	}
	return list, err
}

type askedPair struct {
	pair, text string
	answers    []int
}

// subject is what a page about a cluster of questions is about.
func (s *snapshot) subject() string {
	if len(s.Answers) > 0 && s.Answers[0].Object1 == "" {
		return "question"
	}
	return "object pair"
}

// askedPairs are in the order of their texts.
func (s *snapshot) askedPairs() (list []askedPair) {
	for i, k := range s.Question {
		a := &s.Answers[i]
		if k == len(list) {
			list = append(list, askedPair{pair: a.Pair, text: a.Subject()})
		}
		list[k].answers = append(list[k].answers, i)
	}
	slices.SortFunc(list, func(a, b askedPair) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.text), strings.ToLower(b.text)), cmp.Compare(a.pair, b.pair))
	})
	return list
}

// about are the answers in tables to the questions about a pair of objects.
func (s *snapshot) about(pair string) (answers []int) {
	q := table.First(s.asked(), func(q askedPair) bool { return q.pair == pair })
	return table.Where(q.answers, func(i int) bool { return s.CellOf[i] >= 0 })
}

// questionList is the page of all questions, with the mean points of their answers.
func (v *view) questionList(string) (page, error) {
	asked, judge, scenario := v.s.asked(), v.s.JudgeNamed(cmp.Or(v.get("judge"), v.s.headline())), v.get("scenario")
	s := table.Section{ID: "questions", Table: table.New(1, "question", "answers")}
	p := page{Fields: []field{v.selector("scenario", "Scenario", "all")}}
	if judge >= 0 {
		p.Fields = append([]field{v.selector("judge", "Points by", v.s.headline())}, append(p.Fields, v.selector("group", "Criteria", "all"))...)
		s.Table.Header = append(s.Table.Header, "points", "scored")
		s.About = "Points are the mean" + v.on() + " by " + v.s.Judges[judge].Name + " over the answers that it scored."
	}
	var rows [][]any
	for _, q := range asked {
		sum, n, answers := 0.0, 0, 0
		for _, i := range q.answers {
			if v.s.CellOf[i] < 0 || scenario != "" && v.s.Answers[i].Scenario != scenario {
				continue
			}
			answers++
			if points, scored := v.points(judge, i); scored {
				sum, n = sum+points, n+1
			}
		}
		if answers == 0 {
			continue
		}
		row := []any{table.Cell{Text: q.text, To: &table.Target{Page: "questions", Name: q.pair}}, answers}
		if judge >= 0 {
			row = append(row, figure(sum/float64(n)), n) // without any, the sum is 0 and the mean NaN
		}
		rows = append(rows, row)
	}
	others := v.list(&s, len(rows), func(i int) { s.Table.Add(rows[i]...) })
	list := v.show(s)
	list.Links = append(list.Links, others...)
	p.Title, p.Sections = data.Plural(len(rows), v.s.subject(), v.s.subject()+"s"), []part{list}
	return p, nil
}

// points are a judge's points for an answer, of the selected criteria.
func (v *view) points(judge, answer int) (points float64, scored bool) {
	if judge < 0 {
		return 0, false
	}
	if of := v.criteria(); of != nil {
		if v.ofGroup == nil {
			v.ofGroup = new(v.s.CriteriaTotals(of, judge))
		}
		return v.ofGroup.Of(answer)
	}
	return v.s.totals[judge]().Of(answer)
}

// unscored is 1 for an answer without points of a judge, and 0 for others.
func (v *view) unscored(judge, answer int) int {
	_, scored := v.points(judge, answer)
	return int(dataset.Indicator(!scored))
}

// A column is an answer beside others.
type column struct {
	Title, Address, Points, Note string
	Text                         string
}

// questionPage is all systems on one pair of objects.
func (v *view) questionPage(pair string) (page, error) {
	of := v.s.about(pair)
	if of == nil {
		return page{}, notFound("There is no question about " + pair + ".")
	}
	scenarios := table.Each(of, func(i int) string { return v.s.Answers[i].Scenario })
	slices.SortFunc(scenarios, dataset.CompareScenarios)
	scenarios = slices.Compact(scenarios)
	scenario, judge := v.get("scenario"), v.s.JudgeNamed(cmp.Or(v.get("judge"), v.s.headline()))
	if scenario == "" { // the first with points of the judge
		scenario = scenarios[max(0, slices.IndexFunc(scenarios, func(s string) bool {
			return slices.ContainsFunc(of, func(i int) bool { return v.s.Answers[i].Scenario == s && v.unscored(judge, i) == 0 })
		}))]
	} else if !slices.Contains(scenarios, scenario) {
		return page{}, notFound("There is no answer to this question under scenario " + scenario + ".")
	}
	first := &v.s.Answers[of[0]]
	v.narrowed["scenario"] = true // links choose it
	p := page{Title: first.Subject(), Fields: []field{v.selector("judge", "Judge", v.s.headline()),
		v.selector("group", "Criteria", "all")}}
	about, all := words("", ""), len(of)
	if of = slices.DeleteFunc(of, func(i int) bool { return v.s.Answers[i].Scenario != scenario }); len(of) < all {
		about.About = fmt.Sprintf("These are %d of %d answers, those under scenario %s. Means over all scenarios use all of them.",
			len(of), all, scenario)
	}
	for _, name := range scenarios {
		about.Links = append(about.Links, table.Link{Text: "Scenario " + name, Address: v.here("scenario", name), Here: name == scenario})
	}
	p.Sections = append(p.Sections, about)
	asked := map[*data.Question]bool{nil: true}
	for _, i := range of { // of the pair, there may be questions with several aspects
		if q := v.s.Answers[i].Asked; !asked[q] {
			asked[q] = true
			p.Sections = append(p.Sections, v.arguments(q))
		}
	}
	position := func(answer int) int { return v.s.Cells[v.s.CellOf[answer]].System }
	slices.SortStableFunc(of, func(a, b int) int {
		return cmp.Or(v.unscored(judge, a)-v.unscored(judge, b), position(a)-position(b))
	})
	p.Sections = append(p.Sections, v.differingCriteria(of))
	texts := words("Answers", "")
	shown := of[:min(len(of), mostColumns)]
	for _, i := range shown {
		_, c, err := v.column(i, shown)
		if err != nil {
			return p, err
		}
		texts.Columns = append(texts.Columns, c)
	}
	if len(of) > mostColumns {
		texts.About = fmt.Sprintf("The first %d of %d answers; the others are linked in the table above.", mostColumns, len(of))
	}
	p.Sections = append(p.Sections, texts)
	return p, nil
}

// arguments are the text of a question and its arguments.
func (v *view) arguments(q *data.Question) part {
	lines := []string{q.Text}
	for i, arg := range q.Arguments {
		line := fmt.Sprintf("[%d] %s", i+1, arg.Text)
		if arg.Favours != "" {
			line += " (favours " + map[data.Favours]string{data.Object1: q.Object1, data.Object2: q.Object2}[arg.Favours] + ")"
		}
		lines = append(lines, line)
	}
	if !v.static.texts() {
		lines = []string{"These pages do not contain the texts."}
	}
	arguments := words(data.Plural(len(q.Arguments), "argument", "arguments"), strings.Join(lines, "\n\n"))
	arguments.Folded = true
	return arguments
}

// differingCriteria is the points of the selected judge, a column for each system.
func (v *view) differingCriteria(of []int) part {
	name := cmp.Or(v.get("judge"), v.s.headline())
	judge := v.s.JudgeNamed(name)
	if judge < 0 {
		return words("", "")
	}
	var shown []report.Verdict
	several := slices.ContainsFunc(of, func(i int) bool { return v.s.Answers[i].Question != v.s.Answers[of[0]].Question })
	for _, i := range of {
		a := &v.s.Answers[i]
		of := report.Verdict{Verdict: data.Verdict{Judge: name, Answer: a.ID, Status: data.Valid, Scores: v.s.ScoresOn(judge, i)},
			Name: a.System + again(a.Repeat), Floor: v.s.floor(judge), To: &table.Target{Page: "answers", Name: a.ID}}
		if several && a.Aspect != "" {
			of.Name += " (" + a.Aspect + ")"
		}
		of.Total = figure(mean(v.s.totals[judge](), i)).Number
		if len(v.s.SheetsOn(judge, i)) == 0 {
			of.Status = report.NotJudged
		} else if of.Total == nil {
			of.Status = "not valid"
		}
		shown = append(shown, of)
	}
	s := table.Section{Title: "Points by " + name + v.on(), About: "Criteria on which the answers differ come first.",
		Table: report.CriteriaTable(v.onGroup(shown))}
	if people := v.s.people(); people.Any() && v.get("group") == "" {
		human := []any{"people's total"}
		for _, i := range of {
			human = append(human, figure(mean(people, i)))
		}
		s.Table.Add(human...)
	}
	// Columns lead to the answers, so the table is not sorted.
	return part{Shown: &table.Shown{Section: &s, Level: 2, Address: v.target}}
}

// column is an answer beside others, with the record that has it.
func (v *view) column(i int, of []int) (*store.Store, column, error) {
	row := &v.s.Answers[i]
	c := column{Title: v.answerName(i, of), Address: v.named("answers", row.ID),
		Note: fmt.Sprintf("Scenario %s, %s", row.Scenario, data.Plural(row.Words, "word", "words"))}
	if judge := v.s.JudgeNamed(cmp.Or(v.get("judge"), v.s.headline())); judge >= 0 {
		if total, known := v.points(judge, i); known {
			c.Points = table.Shortest(math.Round(100*total) / 100)
		}
	}
	db, a, err := v.recorded(row.ID)
	switch {
	case !v.static.texts():
		c.Note = "These pages do not contain the text."
	case row.Status != data.Valid:
		// The reason of a server contains its address.
		if c.Note = "Status: " + string(row.Status) + "."; v.static == nil {
			c.Note += " " + row.Reason
		}
	case strings.TrimSpace(a.Text) == "":
		c.Note = "The answer is empty."
	default:
		c.Text = a.Text
	}
	return db, c, err
}
