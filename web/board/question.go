package board

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

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
	return data.Where(q.answers, func(i int) bool { return s.CellOf[i] >= 0 })
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

// criteriaPage is the rubric: what each criterion asks, and what each of its levels means.
func (v *view) criteriaPage(string) (page, error) {
	r := v.s.Rubric
	s := table.Section{ID: "criteria", Table: table.New(1, "criterion", "points at most")}
	for _, c := range r.Criteria {
		name := table.Cell{Text: cmp.Or(c.Name, c.ID), Row: &table.Row{Group: c.Group, About: c.Text}}
		for _, l := range c.Levels {
			name.Row.Below = append(name.Row.Below, table.Line{Value: stats.Shortest(l.Points), Text: l.Text})
		}
		s.Table.Add(name, c.Max())
	}
	p := page{Title: fmt.Sprintf("%s, %s points", data.Plural(len(r.Criteria), "criterion", "criteria"), stats.Shortest(r.Max()))}
	p.Lead = "What each judge and each person is asked about an answer, and what the points mean: " + r.Title() + "."
	p.Sections = []part{{Shown: &table.Shown{Section: &s, Level: 2, Address: v.target}}} // in the rubric's order alone
	return p, nil
}

// points are a judge's points for an answer, of the selected criteria.
func (v *view) points(judge, answer int) (points float64, scored bool) {
	if judge < 0 {
		return 0, false
	}
	if criteria := v.criteria(); criteria != nil {
		if v.ofGroup == nil {
			v.ofGroup = new(v.s.CriteriaTotals(criteria, judge))
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

// A column is an answer next to others.
type column struct {
	Title, Address, Points, Note string
	Text, Hit                    string // Hit: what was searched for
}

// questionPage is all systems on one pair of objects.
func (v *view) questionPage(pair string) (page, error) {
	answers := v.s.about(pair)
	if answers == nil {
		return page{}, notFound("There is no question about " + pair + ".")
	}
	scenarios := data.Each(answers, func(i int) string { return v.s.Answers[i].Scenario })
	slices.SortFunc(scenarios, dataset.CompareScenarios)
	scenarios = slices.Compact(scenarios)
	judge := v.s.JudgeNamed(cmp.Or(v.get("judge"), v.s.headline()))
	usual := scenarios[max(0, slices.IndexFunc(scenarios, func(s string) bool { // the first with points of the judge
		return slices.ContainsFunc(answers, func(i int) bool { return v.s.Answers[i].Scenario == s && v.unscored(judge, i) == 0 })
	}))]
	scenario := cmp.Or(v.get("scenario"), usual)
	if !slices.Contains(scenarios, scenario) {
		return page{}, notFound("There is no answer to this question under scenario " + scenario + ".")
	}
	first := &v.s.Answers[answers[0]]
	v.narrowed["scenario"] = true // links choose it
	p := page{Title: first.Subject(), Fields: []field{v.selector("judge", "Judge", v.s.headline()),
		v.selector("group", "Criteria", "all")}}
	about, all := words("", ""), len(answers)
	answers = slices.DeleteFunc(answers, func(i int) bool { return v.s.Answers[i].Scenario != scenario })
	if len(answers) < all {
		about.About = fmt.Sprintf("These are %d of %d answers, those under scenario %s. Means over all scenarios use all of them.",
			len(answers), all, scenario)
	}
	for _, name := range scenarios {
		named := name
		if v.static != nil && name == usual {
			named = "" // the page without a scenario shows the usual one
		}
		address := v.here("scenario", named)
		about.Links = append(about.Links, table.Link{Text: "Scenario " + name, Address: address, Here: name == scenario})
	}
	p.Sections = append(p.Sections, about)
	asked := map[*data.Question]bool{nil: true}
	for _, i := range answers { // of the pair, there may be questions with several aspects
		if q := v.s.Answers[i].Asked; !asked[q] {
			asked[q] = true
			if v.static == nil || scenario == usual { // a copy has each text once
				p.Sections = append(p.Sections, v.arguments(q))
			}
		}
	}
	position := func(answer int) int { return v.s.Cells[v.s.CellOf[answer]].System }
	slices.SortStableFunc(answers, func(a, b int) int {
		return cmp.Or(v.unscored(judge, a)-v.unscored(judge, b), position(a)-position(b))
	})
	p.Sections = append(p.Sections, v.differingCriteria(answers))
	if v.static != nil {
		return p, nil // a copy has each text once, on the page of its answer
	}
	texts := words("Answers", "")
	shown := answers[:min(len(answers), mostColumns)]
	for _, i := range shown {
		_, c, err := v.column(i, shown)
		if err != nil {
			return p, err
		}
		texts.Columns = append(texts.Columns, c)
	}
	if len(answers) > mostColumns {
		texts.About = fmt.Sprintf("The first %d of %d answers; the others are linked in the table above.", mostColumns, len(answers))
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
func (v *view) differingCriteria(answers []int) part {
	name := cmp.Or(v.get("judge"), v.s.headline())
	judge := v.s.JudgeNamed(name)
	if judge < 0 {
		return words("", "")
	}
	var shown []report.Verdict
	several := slices.ContainsFunc(answers, func(i int) bool { return v.s.Answers[i].Question != v.s.Answers[answers[0]].Question })
	for _, i := range answers {
		a := &v.s.Answers[i]
		verdict := report.Verdict{Verdict: data.Verdict{Judge: name, Answer: a.ID, Status: data.Valid, Scores: v.s.ScoresOn(judge, i)},
			Name: a.System + again(a.Repeat), Floor: v.s.floor(judge), To: &table.Target{Page: "answers", Name: a.ID}}
		if several && a.Aspect != "" {
			verdict.Name += " (" + a.Aspect + ")"
		}
		verdict.Total = figure(mean(v.s.totals[judge](), i)).Pointer()
		if len(v.s.SheetsOn(judge, i)) == 0 {
			verdict.Status = report.NotJudged
		} else if verdict.Total == nil {
			verdict.Status = "not valid"
		}
		shown = append(shown, verdict)
	}
	s := table.Section{Title: "Points by " + name + v.on(), About: "Criteria on which the answers differ come first.",
		Table: report.CriteriaTable(v.onGroup(shown))}
	if people := v.s.people(); people.Any() && v.get("group") == "" {
		human := []any{"people's total"}
		for _, i := range answers {
			human = append(human, figure(mean(people, i)))
		}
		s.Table.Add(human...)
	}
	// Columns lead to the answers, so the table is not sorted.
	return part{Shown: &table.Shown{Section: &s, Level: 2, Address: v.target}}
}

// column is an answer next to others, with the record that has it.
func (v *view) column(i int, answers []int) (*store.Store, column, error) {
	row := &v.s.Answers[i]
	c := column{Title: v.answerName(i, answers), Address: v.named("answers", row.ID),
		Note: fmt.Sprintf("Scenario %s, %s", row.Scenario, data.Plural(row.Words, "word", "words"))}
	if judge := v.s.JudgeNamed(cmp.Or(v.get("judge"), v.s.headline())); judge >= 0 {
		if total, known := v.points(judge, i); known {
			c.Points = stats.Shortest(math.Round(100*total) / 100)
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
		c.Text, c.Hit = a.Text, v.get("text")
	}
	return db, c, err
}
