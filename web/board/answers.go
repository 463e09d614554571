package board

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
)

// perPage is the number of answers on a page.
const perPage = 50

// anyFailure is the filter for all statuses but valid.
const anyFailure = "not-valid"

// A filter says which answers are listed.
type filter struct {
	system, scenario, question, status, sort string
	judge                                    int    // -1: none
	criterion                                int    // index into the rubric; -1: none
	points                                   string // of the criterion, or of the total
	differs                                  float64
	byVerdict                                bool // the status is that of the judge's verdict
}

// readFilter reads the filter of an address.
func (v *view) readFilter() (f filter, err error) {
	f = filter{system: v.get("system"), scenario: v.get("scenario"), question: v.get("question"), status: v.get("status"),
		sort: v.get("sort"), points: v.get("points"), criterion: -1}
	name := v.get("judge")
	f.byVerdict = name != ""
	if name == "" {
		name = v.s.headline()
	}
	if f.judge = v.s.judge(name); f.judge < 0 && name != "" {
		return f, notFound("There is no judge " + name + ".")
	}
	if id := v.get("criterion"); id != "" {
		if f.criterion = slices.Index(v.s.Rubric.IDs(), id); f.criterion < 0 {
			return f, notFound("The rubric has no criterion " + id + ".")
		}
	}
	if text := v.get("differs"); text != "" {
		if f.differs, err = strconv.ParseFloat(text, 64); err != nil || math.IsNaN(f.differs) {
			return f, notFound("“differs” must be a number of points.")
		}
	}
	if f.points != "" {
		if x, err := strconv.ParseFloat(f.points, 64); err != nil || math.IsNaN(x) {
			return f, notFound("“points” must be a number.")
		}
	}
	return f, nil
}

// An entry is a listed answer with the points of the judge and of people.
type entry struct {
	answer        int
	points, human table.Figure
}

func (e entry) difference() table.Figure {
	if !e.points.Known() || !e.human.Known() {
		return table.Figure{}
	}
	return table.Number(*e.points.Number - *e.human.Number)
}

// entries are the answers that a filter lets through, in its order.
func (s *snapshot) entries(f filter) []entry {
	var list []entry
	people, own := s.people(), dataset.AnswerTotals{}
	switch {
	case f.criterion >= 0:
		people, own = s.onCriterion(f.criterion, s.References()...), s.onCriterion(f.criterion, f.judge)
	case f.judge >= 0:
		own = s.totals[f.judge]()
	}
	want, _ := strconv.ParseFloat(f.points, 64)
	words := strings.ToLower(f.question)
	for i := range s.Answers {
		a := &s.Answers[i]
		if s.CellOf[i] < 0 || f.system != "" && a.System != f.system || f.scenario != "" && a.Scenario != f.scenario ||
			words != "" && !strings.Contains(strings.ToLower(a.Pair+" "+a.Object1+" "+a.Object2+" "+a.Question), words) {
			continue
		}
		if f.status != "" && !s.hasStatus(f, i) {
			continue
		}
		e := entry{i, meanOf(own, i), meanOf(people, i)}
		if f.points != "" && (!e.points.Known() || *e.points.Number != want) {
			continue
		}
		if d := e.difference(); f.differs > 0 && (!d.Known() || math.Abs(*d.Number) < f.differs) {
			continue
		}
		if f.sort == "difference" && !e.difference().Known() {
			continue
		}
		list = append(list, e)
	}
	switch f.sort {
	case "lowest":
		slices.SortStableFunc(list, func(a, b entry) int { return table.CompareFigures(a.points, b.points, 1) })
	case "highest":
		slices.SortStableFunc(list, func(a, b entry) int { return table.CompareFigures(a.points, b.points, -1) })
	case "difference":
		slices.SortStableFunc(list, func(a, b entry) int {
			return table.CompareFigures(magnitude(a.difference()), magnitude(b.difference()), -1)
		})
	}
	return list
}

// hasStatus compares the status of an answer, or of a judge's verdicts on it.
func (s *snapshot) hasStatus(f filter, answer int) bool {
	is := func(status data.Status) bool {
		return string(status) == f.status || f.status == anyFailure && status != data.Valid
	}
	if !f.byVerdict {
		return is(s.Answers[answer].Status)
	}
	return slices.ContainsFunc(s.sheetsOf(f.judge, answer), func(x dataset.Sheet) bool { return is(x.Status) })
}

// criterionOf is the mean of a judge's points for an answer on one criterion.
func (s *snapshot) criterionOf(judge, answer, criterion int) table.Figure {
	sum, n := 0.0, 0
	if judge >= 0 {
		for _, x := range s.sheetsOf(judge, answer) {
			if x.Status == data.Valid {
				sum, n = sum+x.Scores[criterion], n+1
			}
		}
	}
	if n == 0 {
		return table.Figure{}
	}
	return table.Number(sum / float64(n))
}

// onCriterion is the points of judges on one criterion, by answer.
func (s *snapshot) onCriterion(criterion int, judges ...int) (t dataset.AnswerTotals) {
	for _, j := range judges {
		if j < 0 {
			continue
		}
		if !t.Any() {
			t = dataset.AnswerTotals{Sum: make([]float64, len(s.Answers)), N: make([]int32, len(s.Answers))}
		}
		for _, x := range s.SheetsOf(j) {
			if x.Status == data.Valid {
				t.Sum[x.Answer] += x.Scores[criterion]
				t.N[x.Answer]++
			}
		}
	}
	return t
}

// answers is the list of answers.
func (v *view) answers(string) (page, error) {
	var p page
	f, err := v.readFilter()
	if err != nil {
		return p, err
	}
	judge := "no judge"
	if f.judge >= 0 {
		judge = v.s.Judges[f.judge].Name
	}
	what := "total"
	if f.criterion >= 0 {
		what = v.s.ItemName(dataset.LevelCriterion, v.s.Rubric.Criteria[f.criterion].ID)
	}
	list, err := v.found(f)
	if err != nil {
		return p, err
	}
	p.Title = data.Plural(len(list), "answer", "answers")
	if v.static == nil {
		filter := words("Filter and order", "")
		filter.Folded, filter.Form = true, v.filterForm()
		p.Sections = append(p.Sections, filter)
	}
	from, to, others := v.paged(len(list))
	shown := list[from:to]
	s := table.Section{ID: "answers", Verdict: v.filterText(), About: "Points are the " + what + " by " + judge + ".",
		Table: table.New(4, "question", "system", "scenario", "status", "words", "judge", "people", "difference")}
	for _, e := range shown {
		a := &v.s.Answers[e.answer]
		difference := table.Signed(e.difference(), 2)
		if d := e.difference(); d.Known() && *d.Number != 0 {
			difference.Text, difference.Class = "≠ "+difference.Text, "differs"
		}
		status := table.Cell{Text: string(v.statusOf(f, e.answer))}
		if status.Text != string(data.Valid) {
			status.Class = "bad"
		}
		s.Table.Add(table.Cell{Text: questionText(a), To: v.caseOf(a.ID)}, a.System, a.Scenario, status, a.Words, e.points, e.human, difference)
	}
	if len(list) == 0 {
		s.About = ""
	}
	list50 := v.show(s)
	if list50.Links = nil; v.filterText() != "" {
		list50.Links = append(list50.Links, table.Link{Text: "All answers", Address: v.to("/answers", "judge", "", "scenario", "", "group", "")})
	}
	list50.Links = append(list50.Links, others...)
	p.Sections = append(p.Sections, list50)
	return p, nil
}

// paged is the part of a list of n that is on the page, and links to its other pages.
func (v *view) paged(n int) (first, last int, links []table.Link) {
	number, _ := strconv.Atoi(v.get("page"))
	pages := max(1, (n+perPage-1)/perPage)
	number = min(max(1, number), pages)
	first, last = min(n, (number-1)*perPage), min(n, number*perPage)
	if pages == 1 {
		return first, last, nil
	}
	for _, to := range []struct {
		text string
		at   int
	}{{"First", 1}, {"Previous", number - 1}, {fmt.Sprintf("Page %d of %d", number, pages), number}, {"Next", number + 1}, {"Last", pages}} {
		if to.at >= 1 && to.at <= pages && (to.at != number || strings.HasPrefix(to.text, "Page")) {
			links = append(links, table.Link{Text: to.text, Address: v.here("page", strconv.Itoa(to.at)), Here: to.at == number})
		}
	}
	return first, last, links
}

// found are the entries of a filter, also by the words of their texts.
func (v *view) found(f filter) ([]entry, error) {
	list := v.s.entries(f)
	text := v.get("text")
	if text == "" || v.static != nil {
		return list, nil
	}
	in := map[string]bool{}
	for _, s := range v.stores {
		ids, err := store.Select[string](s, `SELECT id FROM answers WHERE text LIKE ? ESCAPE '\'`,
			"%"+strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(text)+"%")
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			in[id] = true
		}
	}
	return table.Where(list, func(e entry) bool { return in[v.s.Answers[e.answer].ID] }), nil
}

// statusOf is the status that the filter is about: of the answer, or of the judge's verdict.
func (v *view) statusOf(f filter, answer int) data.Status {
	if f.byVerdict && f.status != "" {
		for _, x := range v.s.sheetsOf(f.judge, answer) {
			if x.Status != data.Valid {
				return x.Status
			}
		}
	}
	return v.s.Answers[answer].Status
}

// filters are the fields of a filter, with their names in the form and in words. They are in the
// address of a case, so that one can go on to the next of the list.
var filters = []struct{ name, label, words string }{
	{"system", "System", "system"}, {"scenario", "Scenario", "scenario"}, {"judge", "Judge", "judge"},
	{"status", "Status of the answer, or of the judge's verdict", "status"}, {"criterion", "Criterion", "criterion"},
	{"points", "Points are", "points"}, {"differs", "Differs from people by at least", "difference from people at least"},
	{"question", "Question contains", "question contains"}, {"text", "Answer contains", "answer contains"}, {"sort", "Order", "order"},
}

// filtered are the names and the values of the filter of the address.
func (v *view) filtered() (query []string) {
	for _, f := range filters {
		if x := v.get(f.name); x != "" {
			query = append(query, f.name, x)
		}
	}
	return query
}

// caseOf leads to an answer, with the filter of the list.
func (v *view) caseOf(id string) *table.Target {
	to := &table.Target{Page: "answers", Name: id}
	if v.static == nil {
		to.Query = v.filtered()
	}
	return to
}

func questionText(a *dataset.AnswerRow) string {
	text := a.Object1 + " or " + a.Object2
	if a.Aspect != "" {
		text += " (" + a.Aspect + ")"
	}
	return text
}

func (v *view) answerAddress(id string) string {
	return v.target(table.Target{Page: "answers", Name: id})
}

func (v *view) question(pair string) string {
	return v.target(table.Target{Page: "questions", Name: pair})
}

func (v *view) filterForm() *form {
	statuses := []string{anyFailure}
	for _, s := range data.Statuses {
		statuses = append(statuses, string(s))
	}
	criteria := [][2]string{{"", "total"}}
	for _, c := range v.s.Rubric.Criteria {
		criteria = append(criteria, [2]string{c.ID, c.ID + " " + c.Name})
	}
	options := map[string][]option{
		"system": v.values("system", "all", v.s.systems()...), "scenario": v.values("scenario", "all", v.s.Scenarios()...),
		"judge": v.values("judge", v.s.headline(), v.s.judges()...), "status": v.values("status", "any", statuses...),
		"criterion": v.options("criterion", criteria...),
		"sort": v.options("sort", [2]string{"", "by id"}, [2]string{"lowest", "fewest points first"},
			[2]string{"highest", "most points first"}, [2]string{"difference", "largest difference from people first"}),
	}
	f := &form{Action: "/answers", Button: "Show", Clear: "/answers"}
	for _, x := range filters {
		f.Fields = append(f.Fields, field{Name: x.name, Label: x.label, Value: v.get(x.name), Options: options[x.name],
			Number: x.name == "points" || x.name == "differs"})
	}
	return f
}

// filterText names the filters in words.
func (v *view) filterText() string {
	var parts []string
	for _, f := range filters {
		if value := v.get(f.name); value != "" {
			parts = append(parts, f.words+": "+value)
		}
	}
	if parts == nil {
		return ""
	}
	return "Filters: " + strings.Join(parts, "; ")
}

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
	at := v.s.answer(id)
	if at < 0 {
		return page{}, notFound("There is no answer with the id " + id + ".")
	}
	row := &v.s.Answers[at]
	of := []int{at}
	for _, name := range []string{"with", "with2"} {
		if other := v.get(name); other != "" {
			i := v.s.answer(other)
			if i < 0 {
				return page{}, notFound("There is no answer with the id " + other + ".")
			}
			of = append(of, i)
		}
	}
	p := page{Title: questionText(row) + ", " + row.System, Keys: v.static == nil}
	if len(of) > 1 {
		p.Title = questionText(row)
	}
	first := words("", "")
	if v.static == nil {
		f, err := v.readFilter()
		if err != nil {
			return p, err
		}
		if v.filtered() == nil && v.s.people().Any() {
			f.sort = "difference"
		}
		list, err := v.found(f)
		if err != nil {
			return p, err
		}
		if i := slices.IndexFunc(list, func(e entry) bool { return e.answer == at }); i >= 0 {
			first.Links = around(i, len(list), func(i int) string { return v.target(*v.caseOf(v.s.Answers[list[i].answer].ID)) },
				table.Link{Text: fmt.Sprintf("Answer %d of %d", i+1, len(list)), Address: v.to("/answers", v.filtered()...)})
		}
		first.Form = v.besideForm(at, of)
	}
	first.Links = append(first.Links, table.Link{Text: "All answers to this question", Address: v.question(row.Pair)},
		table.Link{Text: "Answers of " + row.System,
			Address: v.to("/answers", "system", row.System, "sort", "lowest", "scenario", "", "judge", "")})
	columns, err := v.columns(of)
	if err != nil {
		return p, err
	}
	if first.Columns = columns; len(of) == 1 {
		first.Columns[0].Address = ""
	}
	p.Sections = append(p.Sections, first)
	return v.caseVerdicts(p, of)
}

// besideForm chooses the answers beside an answer: to the same question in the same scenario first.
func (v *view) besideForm(at int, of []int) *form {
	row := &v.s.Answers[at]
	f := &form{Action: "/answers/" + url.PathEscape(row.ID), Button: "Show"}
	var options []option
	for i := range v.s.Answers {
		if a := &v.s.Answers[i]; a.Pair == row.Pair && i != at && v.s.CellOf[i] >= 0 && len(options) < 200 {
			text := a.System + ", scenario " + a.Scenario
			if a.Repeat > 1 {
				text += fmt.Sprintf(", repeat %d", a.Repeat)
			}
			options = append(options, option{Value: a.ID, Text: text})
		}
	}
	if options == nil {
		return nil
	}
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
	query := append(v.filtered(), "group", v.get("group"), "set", v.get("set"))
	for i := 0; i < len(query); i += 2 {
		if query[i+1] != "" {
			f.Fields = append(f.Fields, field{Name: query[i], Value: query[i+1], Hidden: true})
		}
	}
	return f
}

// caseVerdicts adds what judges and people say of the answers of a case: of one all verdicts, of
// several those of the selected judge and of people.
func (v *view) caseVerdicts(p page, of []int) (page, error) {
	judge := v.get("judge")
	if judge == "" || len(of) == 1 {
		judge = v.s.headline()
	}
	var shown []report.Verdict
	var reasons, raw []part
	for _, i := range of {
		row := &v.s.Answers[i]
		db, _, err := v.recorded(row.ID)
		if err != nil {
			return p, err
		}
		verdicts, err := db.VerdictsOn(row.ID)
		if err != nil {
			return p, err
		}
		slices.SortStableFunc(verdicts, func(a, b data.Verdict) int { return v.verdictRank(a.Judge, judge) - v.verdictRank(b.Judge, judge) })
		for _, d := range verdicts {
			name := v.shownName(d.Judge)
			to := table.ToJudge(name)
			if len(of) > 1 {
				if d.Judge != judge && !data.IsHuman(d.Judge) {
					continue
				}
				name = v.answerName(i, of) + ", " + name
			}
			if d.Repeat > 1 {
				name += fmt.Sprintf(" (%d)", d.Repeat)
			}
			shown = append(shown, report.Verdict{Name: name, To: to, Scores: d.Scores, Status: d.Status, Total: d.Total})
			if d.Reason != "" && (v.static == nil || v.static.Texts && d.Status == data.Valid) {
				reasons = append(reasons, words("Reason of "+name, d.Reason))
			}
		}
		if v.static == nil {
			replies, err := rawReplies(db, row.ID, verdicts)
			if err != nil {
				return p, err
			}
			raw = append(raw, replies...)
		}
	}
	s := table.Section{Title: "Criteria, those that differ first", Table: report.CriteriaTable(v.s.Rubric, shown)}
	if shown == nil {
		s = table.Section{Title: "Criteria", Verdict: "No judge has scored this answer."}
	}
	p.Sections = append(append(append(p.Sections, v.show(s)), reasons...), raw...)
	return p, nil
}

// verdictRank sorts verdicts: the selected judge, people, others.
func (v *view) verdictRank(name, judge string) int {
	switch {
	case name == judge:
		return 0
	case data.IsHuman(name):
		return 1
	}
	return 2
}

// answerName names an answer among others: by its system, and by what else differs.
func (v *view) answerName(i int, of []int) string {
	a := &v.s.Answers[i]
	name := a.System
	for _, k := range of {
		if b := &v.s.Answers[k]; k != i && b.System == a.System {
			return fmt.Sprintf("%s, scenario %s, repeat %d", name, a.Scenario, a.Repeat)
		}
	}
	return name
}

// failure is the status of an answer, with its reason. An error of a server contains its address,
// so static pages have the status alone.
func (v *view) failure(row *dataset.AnswerRow) string {
	if v.static != nil {
		return "Status: " + string(row.Status) + "."
	}
	return "Status: " + string(row.Status) + ". " + row.Reason
}

// rawReplies are the replies of models on an answer, with the calls they came in.
func rawReplies(db *store.Store, answer string, verdicts []data.Verdict) (list []part, err error) {
	type call struct {
		Judge                        string
		Repeat                       int
		Key, Model, Provider, Finish string
	}
	calls, err := store.Select[call](db, `SELECT v.judge, v.repeat, c.key, c.model, c.provider, c.finish FROM parties j
		CROSS JOIN verdicts v ON j.role = 'judge' AND v.judge = j.name AND v.answer = ?
		CROSS JOIN json_each(v.calls) e CROSS JOIN calls c ON c.id = e.value ORDER BY e.key`, answer)
	for _, d := range verdicts {
		if d.Raw == "" {
			continue
		}
		s := words("Raw reply of "+d.Judge, "")
		if s.Listing, s.Folded = d.Raw, true; d.Repeat > 1 {
			s.Title += fmt.Sprintf(" (%d)", d.Repeat)
		}
		for _, c := range calls {
			if c.Judge == d.Judge && c.Repeat == d.Repeat {
				s.About += fmt.Sprintf("Call %s: model %s of provider %s, finish %s\n\n", c.Key, c.Model, c.Provider, cmp.Or(c.Finish, "unknown"))
			}
		}
		list = append(list, s)
	}
	return list, err
}

// An askedPair is a pair of objects that has answers.
type askedPair struct {
	pair, text string
	answers    int
}

// askedPairs are in the order of their texts.
func (s *snapshot) askedPairs() (list []askedPair) {
	at := map[string]int{}
	for i := range s.Answers {
		a := &s.Answers[i]
		k, known := at[a.Pair]
		if !known {
			k, at[a.Pair] = len(list), len(list)
			list = append(list, askedPair{pair: a.Pair, text: a.Object1 + " or " + a.Object2})
		}
		list[k].answers++
	}
	slices.SortFunc(list, func(a, b askedPair) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.text), strings.ToLower(b.text)), cmp.Compare(a.pair, b.pair))
	})
	return list
}

// questionList is the page of all questions.
func (v *view) questionList(string) (page, error) {
	asked := v.s.asked()
	s := table.Section{ID: "questions", Table: table.New(1, "question", "answers")}
	for _, q := range asked {
		s.Table.Add(table.Cell{Text: q.text, To: &table.Target{Page: "questions", Name: q.pair}}, q.answers)
	}
	return page{Title: data.Plural(len(asked), "pair of objects", "pairs of objects"), Sections: []part{v.show(s)}}, nil
}

// A column is an answer beside others.
type column struct {
	Title, Address, Points, Note string
	Text                         string
}

// mostColumns is the number of answers side by side.
const mostColumns = 12

// questionPage is all systems on one pair of objects.
func (v *view) questionPage(pair string) (page, error) {
	var of []int
	var scenarios []string
	for i := range v.s.Answers {
		if a := &v.s.Answers[i]; a.Pair == pair && v.s.CellOf[i] >= 0 {
			of = append(of, i)
			if !slices.Contains(scenarios, a.Scenario) {
				scenarios = append(scenarios, a.Scenario)
			}
		}
	}
	if of == nil {
		return page{}, notFound("There is no question about " + pair + ".")
	}
	slices.SortFunc(scenarios, dataset.CompareScenarios)
	scenario := v.get("scenario")
	if scenario == "" || scenario == dataset.AllScenarios {
		scenario = scenarios[0]
	} else if !slices.Contains(scenarios, scenario) {
		return page{}, notFound("There is no answer to this question under scenario " + scenario + ".")
	}
	first := &v.s.Answers[of[0]]
	p := page{Title: first.Object1 + " or " + first.Object2}
	about := words("", "")
	for _, name := range scenarios {
		about.Links = append(about.Links, table.Link{Text: "Scenario " + name, Address: v.here("scenario", name), Here: name == scenario})
	}
	p.Sections = append(p.Sections, about)
	if q := first.Asked; q != nil {
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
		p.Sections = append(p.Sections, arguments)
	}
	of = slices.DeleteFunc(of, func(i int) bool { return v.s.Answers[i].Scenario != scenario })
	position := map[string]int{}
	for i, s := range v.s.Systems {
		position[s.Name] = i
	}
	chosen := func(i int) int {
		return 1 - int(dataset.Indicator(v.s.Answers[i].System == v.get("a") || v.s.Answers[i].System == v.get("b")))
	}
	slices.SortStableFunc(of, func(a, b int) int {
		return cmp.Or(cmp.Compare(chosen(a), chosen(b)), cmp.Compare(position[v.s.Answers[a].System], position[v.s.Answers[b].System]))
	})
	if len(of) > 1 && chosen(of[1]) == 0 {
		about.Links = append(about.Links, table.Link{Text: "Only " + v.get("a") + " and " + v.get("b") + ", with reasons",
			Address: v.target(table.Target{Page: "answers", Name: v.s.Answers[of[0]].ID, Query: []string{"with", v.s.Answers[of[1]].ID}})})
		p.Sections[0] = about
	}
	p.Sections = append(p.Sections, v.differingCriteria(of))
	columns, err := v.columns(of[:min(len(of), mostColumns)])
	if err != nil {
		return p, err
	}
	texts := words("Answers", "")
	if texts.Columns = columns; len(of) > mostColumns {
		texts.About = fmt.Sprintf("The first %d of %d answers; the others are linked in the table above.", mostColumns, len(of))
	}
	p.Sections = append(p.Sections, texts)
	return p, nil
}

// differingCriteria is the points of the selected judge, a column for each system.
func (v *view) differingCriteria(of []int) part {
	name := cmp.Or(v.get("judge"), v.s.headline())
	judge := v.s.judge(name)
	if judge < 0 {
		return words("", "")
	}
	var shown []report.Verdict
	for _, i := range of {
		a := &v.s.Answers[i]
		of := report.Verdict{Name: a.System, To: &table.Target{Page: "answers", Name: a.ID}, Scores: data.Scores{}, Status: data.Valid}
		if a.Repeat > 1 {
			of.Name += fmt.Sprintf(" (%d)", a.Repeat)
		}
		for k, c := range v.s.Rubric.Criteria {
			if points := v.s.criterionOf(judge, i, k); points.Known() {
				of.Scores[c.ID] = *points.Number
			}
		}
		of.Total = meanOf(v.s.totals[judge](), i).Number
		if of.Total == nil {
			of.Status = "not valid"
		}
		shown = append(shown, of)
	}
	s := table.Section{Title: "Points by " + name, About: "Criteria on which the answers differ come first.",
		Table: report.CriteriaTable(v.s.Rubric, shown)}
	if people := v.s.people(); people.Any() {
		human := []any{"people's total"}
		for _, i := range of {
			human = append(human, meanOf(people, i))
		}
		s.Table.Add(human...)
	}
	// Columns lead to the answers, so the table is not sorted.
	return part{Shown: &table.Shown{Section: &s, Level: 2, Address: v.target}}
}

func (v *view) columns(of []int) (list []column, err error) {
	judge := v.s.judge(cmp.Or(v.get("judge"), v.s.headline()))
	for _, i := range of {
		row := &v.s.Answers[i]
		c := column{Title: v.answerName(i, of), Address: v.answerAddress(row.ID),
			Note: fmt.Sprintf("Scenario %s, %s", row.Scenario, data.Plural(row.Words, "word", "words"))}
		if judge >= 0 {
			if total := meanOf(v.s.totals[judge](), i); total.Known() {
				c.Points = table.Shortest(math.Round(100**total.Number) / 100)
			}
		}
		_, a, err := v.recorded(row.ID)
		if err != nil {
			return nil, err
		}
		switch {
		case !v.static.texts():
			c.Note = "These pages do not contain the text."
		case row.Status != data.Valid:
			c.Note = v.failure(row)
		case strings.TrimSpace(a.Text) == "":
			c.Note = "The answer is empty."
		default:
			c.Text = a.Text
		}
		list = append(list, c)
	}
	return list, nil
}
