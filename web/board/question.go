package board

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// An askedPair is a pair of objects that questions are about, with its text and the indices of the answers.
type askedPair struct {
	pair, text string
	answers    []int
}

// subject returns what a page of questions is about: "object pair", or "question" if questions have no objects.
func (s *snapshot) subject() string {
	if len(s.Answers) > 0 && s.Answers[0].Object1 == "" {
		return "question"
	}
	return "object pair"
}

// askedPairs returns the pairs of objects that questions are about, sorted by their texts.
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

// about returns the indices of the planned answers to the questions about a pair of objects.
func (s *snapshot) about(pair string) (answers []int) {
	q := table.First(s.askedOnce(), func(q askedPair) bool { return q.pair == pair })
	return data.Where(q.answers, func(i int) bool { return s.ConditionOf[i] >= 0 })
}

// questionList returns the page of all questions, with the mean points of their answers.
func (v *view) questionList(string) (page, error) {
	asked := v.s.askedOnce()
	judge := v.s.JudgeNamed(cmp.Or(v.get("judge"), v.s.headline()))
	scenario := v.get("scenario")
	s := table.Section{ID: "questions", Table: table.New(1, "question", "answers")}
	p := page{Fields: []field{v.selector("scenario", "Scenario", "all")}}
	if judge >= 0 {
		p.Fields = append([]field{v.selector("judge", "Points by", v.s.headline())}, append(p.Fields, v.selector("group", "Criteria", "all"))...)
		s.Table.Header = append(s.Table.Header, "points", "scored")
		s.About = "Points are the mean" + v.on() + " by " + v.s.Judges[judge].Name + " over the answers that it scored."
	}
	var rows [][]any
	for _, q := range asked {
		sum := 0.0
		n := 0
		answers := 0
		for _, i := range q.answers {
			if v.s.ConditionOf[i] < 0 || scenario != "" && v.s.Answers[i].Scenario != scenario {
				continue
			}
			answers++
			if points, scored := v.points(judge, i); scored {
				sum += points
				n++
			}
		}
		if answers == 0 {
			continue
		}
		row := []any{table.Cell{Text: q.text, To: &table.Target{Page: "questions", Name: q.pair}}, answers}
		if judge >= 0 {
			row = append(row, figure(sum/float64(n)), n) // 0/0 is NaN, a missing figure
		}
		rows = append(rows, row)
	}
	others := v.list(&s, len(rows), func(i int) { s.Table.Add(rows[i]...) })
	list := v.sectionPart(s)
	list.Links = append(list.Links, others...)
	p.Title = data.Plural(len(rows), v.s.subject(), v.s.subject()+"s")
	p.Sections = []part{list}
	return p, nil
}

// criteriaPage returns the page of the rubric: what each criterion asks, and what each of its levels means.
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
	p.Sections = []part{{Shown: v.titled(&s)}} // without sorting: the rubric's order
	return p, nil
}

// points returns a judge's points for an answer on the selected criteria. scored is false if the judge gave none.
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

// unscored is a sort key: 1 for an answer that a judge did not score, otherwise 0.
func (v *view) unscored(judge, answer int) int {
	_, scored := v.points(judge, answer)
	return int(dataset.Indicator(!scored))
}

// A column is an answer that is shown next to other answers.
type column struct {
	Title, Address, Points, Note string
	Text, Hit                    string // Hit: the text around the words searched for
	Rest                         string // length of a long text, of which a phone shows only the beginning
}

// A question is one of the questions about the page's pair of objects, with its planned answers under all scenarios. If there are several
// questions, mark is the suffix of its section ids, and about that of its titles.
type question struct {
	data.Question
	answers     []int
	mark, about string
}

// questionsOf groups answers by their question. Questions are in the order of their first answers.
func (s *snapshot) questionsOf(answers []int) (list []*question) {
	for _, i := range answers {
		a := &s.Answers[i]
		asked := table.First(list, func(q *question) bool { return q.ID == a.Question })
		if asked == nil {
			asked = &question{Question: data.Question{ID: a.Question, Object1: a.Object1, Object2: a.Object2, Aspect: a.Aspect}}
			if a.Asked != nil {
				asked.Question = *a.Asked
				asked.ID = a.Question
			}
			if len(list) > 0 {
				asked.mark = fmt.Sprintf("-%d", len(list)+1)
			}
			list = append(list, asked)
		}
		asked.answers = append(asked.answers, i)
	}
	for _, asked := range list {
		if len(list) > 1 && asked.Aspect != "" {
			asked.about = " (" + asked.Aspect + ")"
		}
	}
	return list
}

// questionPage returns the page of a pair of objects. For each question about the pair it shows the arguments, the contrastive tables, the
// answers under one scenario with their points, and what each party chose.
func (v *view) questionPage(pair string) (page, error) {
	all := v.s.about(pair)
	if all == nil {
		return page{}, notFound("There is no question about " + pair + ".")
	}
	answers, scenarios, usual, err := v.underScenario(all)
	if err != nil {
		return page{}, err
	}
	v.narrowed["scenario"] = true // the page has links to choose the scenario
	asked := v.s.questionsOf(all)
	p := page{Title: v.s.Answers[all[0]].Subject(), Fields: []field{v.selector("judge", "Judge", v.s.headline()),
		v.selector("group", "Criteria", "all")}}
	if len(asked) == 1 && asked[0].Text != "" && v.static.texts() {
		p.Title = asked[0].Text
	}
	first := v.static == nil || v.s.Answers[answers[0]].Scenario == usual // a static copy has each text once
	var chosen []part
	for _, q := range asked {
		choices, err := v.choices(q)
		if err != nil {
			return p, err
		}
		if p.Lead == "" {
			p.Lead = q.lead(choices)
		}
		if first {
			p.Sections = append(p.Sections, slices.Concat([]part{v.arguments(q)}, v.contrasts(q))...)
			chosen = append(chosen, v.choicesTable(q, choices))
		}
	}
	about := textPart("Answers", fmt.Sprintf("These are %d of %d answers, those under scenario %s. Means over all scenarios use all of them.",
		len(answers), len(all), dataset.ScenarioName(v.s.Answers[answers[0]].Scenario)))
	if len(answers) == len(all) {
		about.About = ""
	}
	about.Links = scenarios
	p.Sections = append(p.Sections, about)
	criteria := v.differingCriteria(answers)
	if v.static == nil { // a static copy has the texts on the pages that the table links
		texts, err := v.answerFolds(answers)
		if err != nil {
			return p, err
		}
		p.Sections = append(p.Sections, texts...)
		criteria.Folded = criteria.Table != nil
	}
	p.Sections = append(append(p.Sections, criteria), chosen...)
	return p, nil
}

// underScenario returns the answers under the selected scenario, scored ones first, and links to all scenarios. usual is the scenario that
// an address without a scenario shows: the first one with points of the judge.
func (v *view) underScenario(all []int) (answers []int, links []table.Link, usual string, err error) {
	scenarios := data.Each(all, func(i int) string { return v.s.Answers[i].Scenario })
	slices.SortFunc(scenarios, dataset.CompareScenarios)
	scenarios = slices.Compact(scenarios)
	judge := v.s.JudgeNamed(cmp.Or(v.get("judge"), v.s.headline()))
	usual = scenarios[max(0, slices.IndexFunc(scenarios, func(s string) bool { // the first scenario with points of the judge
		return slices.ContainsFunc(all, func(i int) bool { return v.s.Answers[i].Scenario == s && v.unscored(judge, i) == 0 })
	}))]
	scenario := cmp.Or(v.get("scenario"), usual)
	if !slices.Contains(scenarios, scenario) {
		return nil, nil, "", notFound("There is no answer to this question under scenario " + dataset.ScenarioName(scenario) + ".")
	}
	for _, name := range scenarios {
		named := name
		if v.static != nil && name == usual {
			named = "" // the address without a scenario shows the usual one
		}
		links = append(links, table.Link{Text: "Scenario " + dataset.ScenarioName(name), Address: v.addressWith("scenario", named),
			Here: name == scenario})
	}
	answers = data.Where(all, func(i int) bool { return v.s.Answers[i].Scenario == scenario })
	position := func(answer int) int { return v.s.Conditions[v.s.ConditionOf[answer]].System }
	slices.SortStableFunc(answers, func(a, b int) int {
		return cmp.Or(v.unscored(judge, a)-v.unscored(judge, b), position(a)-position(b))
	})
	return answers, links, usual, nil
}

// markup matches Markdown marks at the beginning of lines and around words.
var markup = regexp.MustCompile("(?m)^[ \\t]*(?:[-*#>]+[ \\t]+)|\\*\\*|__|`")

// answerFolds returns answers, each collapsed behind its points, its choice and its first words.
func (v *view) answerFolds(answers []int) (list []part, err error) {
	for _, i := range answers[:min(len(answers), mostAnswers)] {
		_, c, err := v.column(i, answers)
		if err != nil {
			return nil, err
		}
		a := &v.s.Answers[i]
		begin := []string{table.ShortTo(strings.Join(strings.Fields(markup.ReplaceAllString(c.Text, "")), " "), mostBegin)}
		if choice := a.Choice().Named(a.Object1, a.Object2, "neither object"); choice != "" {
			begin = append([]string{"chooses " + choice}, begin...)
		}
		if c.Points != "" {
			begin = append([]string{c.Points + " points"}, begin...)
		}
		answer := textPart(c.Title, "")
		answer.Fold = strings.Join(begin, " · ")
		answer.Folded = true
		answer.Answer = &c
		answer.Links = []table.Link{{Text: "Score sheet", Address: c.Address}}
		list = append(list, answer)
	}
	if left := len(answers) - len(list); left > 0 {
		list = append(list, textPart("", fmt.Sprintf("%s more: the table by criterion links them.", data.Plural(left, "answer", "answers"))))
	}
	return list, nil
}

// arguments returns the arguments of a question, each with the object that it favours.
func (v *view) arguments(q *question) part {
	s := table.Section{ID: "arguments" + q.mark, Title: data.Plural(len(q.Arguments), "argument", "arguments") + q.about}
	p := part{Shown: v.titled(&s)}
	switch {
	case len(q.Arguments) == 0:
		s.Title = "Arguments" + q.about
		s.About = "No arguments are recorded."
		return p
	case !v.static.texts():
		s.About = "These pages do not contain the texts."
	default:
		s.Table = table.New(4, "number", "argument", "favours", "aspect")
		s.Table.Look = "list"
		for i, argument := range q.Arguments {
			s.Table.Add(fmt.Sprint(i+1), argument.Text, cmp.Or(argument.Favours.Choice().Named(q.Object1, q.Object2, "neither"), stats.Missing),
				cmp.Or(argument.Aspect, stats.Missing))
		}
	}
	s.Fold = favouring(q.Question)
	p.Folded = true
	return p
}

// favouring says in words how many arguments favour each object.
func favouring(q data.Question) string {
	counts := map[data.Favours]int{}
	for _, argument := range q.Arguments {
		counts[argument.Favours]++
	}
	text := fmt.Sprintf("%d for %s, %d for %s", counts[data.Object1], q.Object1, counts[data.Object2], q.Object2)
	if n := counts[data.Neither]; n > 0 {
		text += fmt.Sprintf(", %d for neither", n)
	}
	if n := counts[""]; n > 0 {
		text += fmt.Sprintf(", %d do not say", n)
	}
	return text
}

// contrasts returns the contrastive tables of a question, one for each system that wrote one.
func (v *view) contrasts(q *question) (list []part) {
	shown := map[string]bool{}
	for _, i := range q.answers {
		a := &v.s.Answers[i]
		if a.Summary == nil || a.Summary.Table == nil || len(a.Summary.Table.Rows) == 0 || shown[a.System] {
			continue
		}
		shown[a.System] = true
		s := table.Section{ID: fmt.Sprintf("contrast%s-%d", q.mark, len(list)+1), Fold: rowsFavour(a.Summary.Table, a),
			Title: "Contrastive table of " + v.s.SystemName(a.System)}
		p := part{Shown: v.titled(&s)}
		p.Folded = true
		p.Links = []table.Link{{Text: "The answer", Address: v.pageAddress("answers", a.ID)}}
		if !v.static.texts() {
			s.About = "These pages do not contain the texts."
			list = append(list, p)
			continue
		}
		s.Table = table.New(4, "attribute", a.Object1, a.Object2, "favours")
		s.About = "Numbers in brackets are the sources of a value."
		s.Table.Look = "list"
		for _, row := range a.Summary.Table.Rows {
			s.Table.Add(row.Attribute, sourced(row.Object1), sourced(row.Object2),
				cmp.Or(data.Favours(row.Favours).Choice().Named(a.Object1, a.Object2, "neither"), stats.Missing))
		}
		list = append(list, p)
	}
	if list == nil {
		return []part{textPart("", "No system made a contrastive table of this question.")}
	}
	return list
}

// sourced returns the values of a table cell, each with the ids of its sources.
func sourced(values []data.ContrastValue) string {
	return cmp.Or(strings.Join(data.Each(values, func(value data.ContrastValue) string {
		var ids []string
		for _, e := range value.Evidence {
			if !slices.Contains(ids, e.Source) {
				ids = append(ids, e.Source)
			}
		}
		return value.Value + " [" + strings.Join(ids, ", ") + "]"
	}), "; "), stats.Missing)
}

// differingCriteria returns a table of the selected judge's points by criterion, with a column for each answer.
func (v *view) differingCriteria(answers []int) part {
	name := cmp.Or(v.get("judge"), v.s.headline())
	judge := v.s.JudgeNamed(name)
	if judge < 0 {
		return textPart("", "")
	}
	var shown []report.Verdict
	several := slices.ContainsFunc(answers, func(i int) bool { return v.s.Answers[i].Question != v.s.Answers[answers[0]].Question })
	for _, i := range answers {
		a := &v.s.Answers[i]
		verdict := report.Verdict{Verdict: data.Verdict{Judge: name, Answer: a.ID, Status: data.Valid, Scores: v.s.ScoresOn(judge, i)},
			Name: a.System + repeatSuffix(a.Repeat), Floor: v.s.floor(judge), To: &table.Target{Page: "answers", Name: a.ID}}
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
	s := table.Section{Title: "Points by " + name + v.on() + ", by criterion", About: "Criteria on which the answers differ come first.",
		Table: report.CriteriaTable(v.onGroup(shown))}
	if people := v.s.people(); people.Any() && v.get("group") == "" {
		human := []any{"people's total"}
		for _, i := range answers {
			human = append(human, figure(mean(people, i)))
		}
		s.Table.Add(human...)
	}
	// The header cells link the answers, so they cannot be used for sorting.
	return part{Shown: v.titled(&s)}
}

// column returns an answer to show next to others, and the record that has it.
func (v *view) column(i int, answers []int) (*store.Store, column, error) {
	row := &v.s.Answers[i]
	c := column{Title: v.answerName(i, answers), Address: v.pageAddress("answers", row.ID),
		Note: data.Plural(row.Words, "word", "words")}
	if row.Scenario != data.NoScenario {
		c.Note = fmt.Sprintf("Scenario %s, %s", dataset.ScenarioName(row.Scenario), c.Note)
	}
	if judge := v.s.JudgeNamed(cmp.Or(v.get("judge"), v.s.headline())); judge >= 0 {
		if total, known := v.points(judge, i); known {
			c.Points = stats.Shortest(math.Round(100*total) / 100)
		}
	}
	db, a, err := v.findAnswer(row.ID)
	switch {
	case !v.static.texts():
		c.Note = "These pages do not contain the text."
	case row.Status != data.Valid:
		// A reason given by a server contains its address, so a static copy leaves it out.
		if c.Note = "Status: " + string(row.Status) + "."; v.static == nil {
			c.Note += " " + row.Reason
		}
	case strings.TrimSpace(a.Text) == "":
		c.Note = "The answer is empty."
	default:
		c.Text, c.Hit = a.Text, v.get("text")
		if row.Words > mostWords {
			c.Rest = data.Plural(row.Words, "word", "words")
		}
	}
	return db, c, err
}
