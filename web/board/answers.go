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
	f = filter{system: v.get("system"), scenario: v.get("scenario"), question: v.get("question"), status: v.get("status"), sort: v.get("sort"), points: v.get("points"), criterion: -1}
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
		slices.SortStableFunc(list, func(a, b entry) int { return missingLast(a.points, b.points, 1) })
	case "highest":
		slices.SortStableFunc(list, func(a, b entry) int { return missingLast(a.points, b.points, -1) })
	case "difference":
		slices.SortStableFunc(list, func(a, b entry) int { return missingLast(magnitude(a.difference()), magnitude(b.difference()), -1) })
	}
	return list
}

func missingLast(a, b table.Figure, sign int) int {
	if a.Known() != b.Known() {
		if a.Known() {
			return -1
		}
		return 1
	}
	return sign * compareFigures(a, b)
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
func (v *view) answers() (page, error) {
	p := page{Title: "Answers"}
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
	if v.static == nil {
		p.Sections = append(p.Sections, section{Fold: "Filter and order", Form: v.filterForm()})
	}
	list := v.s.entries(f)
	number, _ := strconv.Atoi(v.get("page"))
	number = max(1, number)
	pages := max(1, (len(list)+perPage-1)/perPage)
	number = min(number, pages)
	shown := list[min(len(list), (number-1)*perPage):min(len(list), number*perPage)]
	s := section{Title: data.Plural(len(list), "answer", "answers")}
	if text := v.filterText(); text != "" {
		s.Lines = append(s.Lines, text)
		s.Links = append(s.Links, cell{Text: "All answers", Address: v.to("/answers")})
	}
	if len(list) == 0 {
		p.Sections = append(p.Sections, s)
		return p, nil
	}
	g := &grid{Caption: "Points are the " + what + " by " + judge, Words: 5, Header: []cell{{Text: "question"}, {Text: "system"}, {Text: "scenario"}, {Text: "status"}, {Text: "answer"}, {Text: "words"}, {Text: judge}, {Text: "people"}, {Text: "difference"}}}
	for _, e := range shown {
		a := &v.s.Answers[e.answer]
		difference := cell{Text: e.difference().Text(2)}
		if d := e.difference(); d.Known() && *d.Number != 0 {
			difference.Text, difference.Class = fmt.Sprintf("≠ %+.2f", *d.Number), "differs"
		}
		g.Rows = append(g.Rows, []cell{{Text: questionText(a), Address: v.question(a.Pair)}, {Text: a.System}, {Text: a.Scenario}, {Text: string(a.Status)},
			{Text: "read", Address: v.answerAddress(a.ID)}, {Text: strconv.Itoa(a.Words)}, {Text: e.points.Text(2)}, {Text: e.human.Text(2)}, difference})
	}
	s.Grid = g
	p.Sections = append(p.Sections, s)
	if pages > 1 {
		around := section{Lines: []string{fmt.Sprintf("Page %d of %d", number, pages)}}
		for _, to := range []struct {
			text string
			at   int
		}{{"First", 1}, {"Previous", number - 1}, {"Next", number + 1}, {"Last", pages}} {
			if to.at >= 1 && to.at <= pages && to.at != number {
				around.Links = append(around.Links, cell{Text: to.text, Address: v.here("page", strconv.Itoa(to.at))})
			}
		}
		p.Sections = append(p.Sections, around)
	}
	return p, nil
}

func questionText(a *dataset.AnswerRow) string {
	text := a.Object1 + " or " + a.Object2
	if a.Aspect != "" {
		text += " (" + a.Aspect + ")"
	}
	return text
}

func (v *view) answerAddress(id string) string { return v.to("/answers/" + url.PathEscape(id)) }

func (v *view) question(pair string) string { return v.to("/questions/" + url.PathEscape(pair)) }

func (v *view) filterForm() *form {
	criteria := v.choice("criterion", "Criterion", "total")
	for _, c := range v.s.Rubric.Criteria {
		criteria.Options = append(criteria.Options, option{c.ID, c.ID + " " + c.Name, v.get("criterion") == c.ID})
	}
	order := field{Name: "sort", Label: "Order", Options: []option{{"", "by id", v.get("sort") == ""}, {"lowest", "fewest points first", v.get("sort") == "lowest"}, {"highest", "most points first", v.get("sort") == "highest"},
		{"difference", "largest difference from people first", v.get("sort") == "difference"}}}
	statuses := []string{anyFailure}
	for _, s := range data.Statuses {
		statuses = append(statuses, string(s))
	}
	return &form{Action: "/answers", Button: "Show", Clear: "/answers", Fields: []field{
		v.choice("system", "System", "all", v.s.systems()...), v.choice("scenario", "Scenario", "all", v.s.Scenarios()...), v.choice("judge", "Judge", v.s.headline(), v.s.judges()...),
		v.choice("status", "Status of the answer, or of the judge's verdict", "any", statuses...), criteria,
		{Name: "points", Label: "Points are", Value: v.get("points"), Number: true}, {Name: "differs", Label: "Differs from people by at least", Value: v.get("differs"), Number: true},
		{Name: "question", Label: "Question contains", Value: v.get("question")}, order}}
}

// filterText names the filters in words.
func (v *view) filterText() string {
	var parts []string
	for _, f := range [][2]string{{"system", "system"}, {"scenario", "scenario"}, {"judge", "judge"}, {"status", "status"}, {"criterion", "criterion"}, {"points", "points"},
		{"differs", "difference from people at least"}, {"question", "question contains"}, {"sort", "order"}} {
		if value := v.get(f[0]); value != "" {
			parts = append(parts, f[1]+": "+value)
		}
	}
	if parts == nil {
		return ""
	}
	return "Filters: " + strings.Join(parts, "; ")
}

// An answerText is the text of an answer.
type answerText struct {
	Text, Raw string
	Note      string
}

// answerPage is the page "why this score?".
func (v *view) answerPage(id string) (page, error) {
	at := v.s.answer(id)
	if at < 0 {
		return page{}, notFound("There is no answer with the id " + id + ".")
	}
	row := &v.s.Answers[at]
	p := page{Title: questionText(row) + ", " + row.System}
	db, a, err := v.recorded(id)
	if err != nil {
		return p, err
	}
	about := section{Lines: []string{"Scenario " + row.Scenario + ", repeat " + strconv.Itoa(row.Repeat) + ", " + data.Plural(row.Words, "word", "words") + "; id " + id},
		Links: []cell{{Text: "All answers to this question", Address: v.question(row.Pair)}, {Text: "Answers of " + row.System, Address: v.to("/answers", "system", row.System, "sort", "lowest")}}}
	p.Sections = append(p.Sections, about)
	text := section{Title: "Answer", Answer: &answerText{Text: a.Text, Raw: a.Text}}
	switch {
	case !v.static.texts():
		text.Answer = &answerText{Note: "These pages do not contain the text."}
	case row.Status != data.Valid:
		text.Answer.Note = v.failure(row)
	case strings.TrimSpace(a.Text) == "":
		text.Answer = &answerText{Note: "The answer is empty."}
	}
	p.Sections = append(p.Sections, text)
	verdicts, err := db.VerdictsOn(id)
	if err != nil {
		return p, err
	}
	p.Sections = append(p.Sections, v.sheets(verdicts)...)
	if v.static == nil {
		replies, err := rawReplies(db, id, verdicts)
		p.Sections = append(p.Sections, replies...)
		return p, err
	}
	return p, nil
}

// failure is the status of an answer, with its reason. An error of a server contains its address,
// so static pages have the status alone.
func (v *view) failure(row *dataset.AnswerRow) string {
	if v.static != nil {
		return "Status: " + string(row.Status) + "."
	}
	return "Status: " + string(row.Status) + ". " + row.Reason
}

// sheets are the verdicts on an answer side by side, with their reasons.
func (v *view) sheets(verdicts []data.Verdict) []section {
	if len(verdicts) == 0 {
		return []section{{Title: "Verdicts", Lines: []string{"No judge has scored this answer."}}}
	}
	reference := -1 // the verdict that others are compared with
	for i, d := range verdicts {
		if d.Status != data.Valid {
			continue
		}
		if data.IsHuman(d.Judge) && (reference < 0 || !data.IsHuman(verdicts[reference].Judge)) {
			reference = i
		} else if reference < 0 && d.Judge == v.s.headline() {
			reference = i
		}
	}
	g := &grid{Words: 1, Header: []cell{{Text: "criterion"}}, Caption: "Points on each criterion"}
	if reference >= 0 {
		g.Caption += "; ≠ marks points other than those of " + v.judgeName(verdicts[reference].Judge)
	}
	total := []cell{{Text: "total"}}
	for _, d := range verdicts {
		name := v.judgeName(d.Judge)
		if d.Repeat > 1 {
			name += fmt.Sprintf(" (%d)", d.Repeat)
		}
		g.Header = append(g.Header, cell{Text: name, Address: v.judgeAddress(v.judgeName(d.Judge))})
		if d.Status == data.Valid && d.Total != nil {
			total = append(total, cell{Text: table.FigureOf(d.Total).Text(2)})
		} else {
			total = append(total, cell{Text: string(d.Status), Class: "bad"})
		}
	}
	for _, c := range v.s.Rubric.Criteria {
		line := []cell{{Text: c.ID + " " + c.Name}}
		for _, d := range verdicts {
			points, given := d.Scores[c.ID]
			of := cell{Text: table.None}
			if given {
				of.Text = table.Shortest(points)
				if reference >= 0 && d.Status == data.Valid && verdicts[reference].Scores[c.ID] != points {
					of.Text, of.Class = "≠ "+of.Text, "differs"
				}
			}
			line = append(line, of)
		}
		g.Rows = append(g.Rows, line)
	}
	g.Rows = append(g.Rows, total)
	list := []section{{Title: "Verdicts", Grid: g}}
	for _, d := range verdicts {
		if d.Reason != "" && (v.static == nil || v.static.Texts && d.Status == data.Valid) {
			list = append(list, section{Title: "Reason of " + v.judgeName(d.Judge), Lines: []string{d.Reason}})
		}
	}
	return list
}

// rawReplies are the replies of models on an answer, with the calls they came in.
func rawReplies(db *store.Store, answer string, verdicts []data.Verdict) (list []section, err error) {
	type call struct {
		judge                        string
		repeat                       int
		key, model, provider, finish string
	}
	calls, err := store.Query(db, `SELECT v.judge, v.repeat, c.key, c.model, c.provider, c.finish FROM parties j CROSS JOIN verdicts v ON j.role = 'judge' AND v.judge = j.name AND v.answer = ?
		CROSS JOIN json_each(v.calls) e CROSS JOIN calls c ON c.id = e.value ORDER BY e.key`, []any{answer}, func(c *call) []any {
		return []any{&c.judge, &c.repeat, &c.key, &c.model, &c.provider, &c.finish}
	})
	for _, d := range verdicts {
		if d.Raw == "" {
			continue
		}
		s := section{Fold: "Raw reply of " + d.Judge, Answer: &answerText{Raw: d.Raw}}
		if d.Repeat > 1 {
			s.Fold += fmt.Sprintf(" (%d)", d.Repeat)
		}
		for _, c := range calls {
			if c.judge == d.Judge && c.repeat == d.Repeat {
				s.Lines = append(s.Lines, fmt.Sprintf("Call %s: model %s of provider %s, finish %s", c.key, c.model, c.provider, cmp.Or(c.finish, "unknown")))
			}
		}
		list = append(list, s)
	}
	return list, err
}

// judgeName is a judge's name; people are numbered on static pages.
func (v *view) judgeName(name string) string { return v.static.nameOf(name) }

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
func (v *view) questionList() (page, error) {
	p := page{Title: "Questions"}
	asked := v.s.asked()
	g := &grid{Caption: "Pairs of objects", Words: 1, Header: []cell{{Text: "question"}, {Text: "answers"}}}
	for _, q := range asked {
		g.Rows = append(g.Rows, []cell{{Text: q.text, Address: v.question(q.pair)}, {Text: strconv.Itoa(q.answers)}})
	}
	p.Sections = []section{{Title: data.Plural(len(asked), "pair of objects", "pairs of objects"), Grid: g}}
	return p, nil
}

// A column is one system's answer on the page of a question.
type column struct {
	Title, Address string
	Lines          []string
	Text           string
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
	if scenario == "" {
		scenario = scenarios[0]
	} else if !slices.Contains(scenarios, scenario) {
		return page{}, notFound("There is no answer to this question under scenario " + scenario + ".")
	}
	first := &v.s.Answers[of[0]]
	p := page{Title: first.Object1 + " or " + first.Object2}
	about := section{}
	for _, name := range scenarios {
		c := cell{Text: "Scenario " + name, Address: v.to(v.path, "scenario", name)}
		if name == scenario {
			c.Class = "here"
		}
		about.Links = append(about.Links, c)
	}
	p.Sections = append(p.Sections, about)
	if q := first.Asked; q != nil {
		s := section{Fold: data.Plural(len(q.Arguments), "argument", "arguments"), Lines: []string{q.Text}}
		for i, arg := range q.Arguments {
			line := fmt.Sprintf("[%d] %s", i+1, arg.Text)
			if arg.Favours != "" {
				line += " (favours " + map[data.Favours]string{data.Object1: q.Object1, data.Object2: q.Object2}[arg.Favours] + ")"
			}
			s.Lines = append(s.Lines, line)
		}
		if !v.static.texts() {
			s.Lines = []string{"These pages do not contain the texts."}
		}
		p.Sections = append(p.Sections, s)
	}
	of = slices.DeleteFunc(of, func(i int) bool { return v.s.Answers[i].Scenario != scenario })
	position := map[string]int{}
	for i, s := range v.s.Systems {
		position[s.Name] = i
	}
	slices.SortStableFunc(of, func(a, b int) int {
		return cmp.Compare(position[v.s.Answers[a].System], position[v.s.Answers[b].System])
	})
	p.Sections = append(p.Sections, v.differingCriteria(of))
	columns, err := v.columns(of[:min(len(of), mostColumns)])
	if err != nil {
		return p, err
	}
	texts := section{Title: "Answers", Columns: columns}
	if len(of) > mostColumns {
		texts.Lines = []string{fmt.Sprintf("The first %d of %d answers; the others are linked in the table above.", mostColumns, len(of))}
	}
	p.Sections = append(p.Sections, texts)
	return p, nil
}

// differingCriteria is the points of the headline judge, a column for each system.
func (v *view) differingCriteria(of []int) section {
	judge := v.s.judge(v.s.headline())
	if judge < 0 {
		return section{}
	}
	only := v.get("only") != ""
	g := &grid{Caption: "Points by " + v.s.headline(), Words: 1, Header: []cell{{Text: "criterion"}}}
	for _, i := range of {
		name := v.s.Answers[i].System
		if n := v.s.Answers[i].Repeat; n > 1 {
			name += fmt.Sprintf(" (%d)", n)
		}
		g.Header = append(g.Header, cell{Text: name, Address: v.answerAddress(v.s.Answers[i].ID)})
	}
	for k, c := range v.s.Rubric.Criteria {
		row, differs := []cell{{Text: c.ID + " " + c.Name}}, false
		for _, i := range of {
			text := v.s.criterionOf(judge, i, k)
			shown := table.None
			if text.Known() {
				shown = table.Shortest(*text.Number)
			}
			row = append(row, cell{Text: shown})
			differs = differs || shown != row[1].Text
		}
		if differs || !only {
			g.Rows = append(g.Rows, row)
		}
	}
	own, people := v.s.totals[judge](), v.s.people()
	totals, human := []cell{{Text: "total"}}, []cell{{Text: "people's total"}}
	for _, i := range of {
		totals, human = append(totals, cell{Text: meanOf(own, i).Text(2)}), append(human, cell{Text: meanOf(people, i).Text(2)})
	}
	g.Rows = append(g.Rows, totals)
	if people.Any() {
		g.Rows = append(g.Rows, human)
	}
	s := section{Title: "Points", Grid: g}
	if v.static == nil {
		s.Links = []cell{{Text: map[bool]string{true: "All criteria", false: "Only criteria that differ"}[only], Address: v.here("only", map[bool]string{true: "", false: "1"}[only])}}
	}
	return s
}

func (v *view) columns(of []int) (list []column, err error) {
	for _, i := range of {
		row := &v.s.Answers[i]
		c := column{Title: row.System, Address: v.answerAddress(row.ID)}
		_, a, err := v.recorded(row.ID)
		if err != nil {
			return nil, err
		}
		switch {
		case !v.static.texts():
			c.Lines = []string{"These pages do not contain the text."}
		case row.Status != data.Valid:
			c.Lines = []string{v.failure(row)}
		case strings.TrimSpace(a.Text) == "":
			c.Lines = []string{"The answer is empty."}
		default:
			c.Text = a.Text
		}
		list = append(list, c)
	}
	return list, nil
}
