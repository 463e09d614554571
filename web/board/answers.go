package board

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
)

// anyFailure is a filter value: every status except valid, and except verdicts that the judge was not asked for.
const anyFailure = "not-valid"

// filters lists the fields of the filter of answers: the name in the address, the label in the form, and the name in sentences. The page
// of an answer has them in its address, too, so that it can lead to the next answer of the list.
var filters = []struct{ name, label, words string }{
	{"system", "System", "system"}, {"scenario", "Scenario", "scenario"}, {"judge", "Judge", "judge"}, {"group", "Criteria", "criteria"},
	{"status", "Status of the answer, or of the judge's verdict", "status"}, {"reason", "Reason of the status", "reason"},
	{"criterion", "Criterion", "criterion"},
	{"points", "Points are", "points"}, {"differs", "Differs from people by at least", "difference from people at least"},
	{"question", "Question contains", "question contains"}, {"text", "", "answer contains"}, {"sort", "Order", "order"},
	{"by", "", "sorted by"},
}

// filtered returns the filter in the address: name, value, name, value.
func (v *view) filtered() (query []string) {
	for _, f := range filters {
		if x := v.get(f.name); x != "" {
			query = append(query, f.name, x)
		}
	}
	return query
}

// A listing is the list of answers that a filter selects.
type listing struct {
	judge    int   // whose points are shown; -1: nobody's
	criteria []int // whose points are shown; nil: totals
	order    string
	entries  []entry
}

// An entry is an answer in a list, with the points of the judge and of people, and the difference between the highest and the lowest
// judge. Missing values are NaN.
type entry struct {
	answer                 int
	points, people, spread float64
}

func (e entry) difference() float64 { return e.points - e.people }

// Size returns the memory of a listing, in bytes.
func (l *listing) Size() int { return 24 * len(l.entries) }

// The orders of a list. byDifference sorts by the difference between judge and people; without people, by that among judges.
const (
	byDifference = "difference"
	byLowest     = "lowest"
	byHighest    = "highest"
	byID         = "id"
)

// currentList returns the listing of the address. It is cached, because all pages of a list and the answers opened from it need the same
// one.
func (v *view) currentList() (*listing, error) {
	return v.lists.Get(v.s.number, strings.Join(v.filtered(), "\x00"), v.filter)
}

// filter computes the listing of the address. It selects the answers by the filter, sorts them by rank, and then by a column if the
// address names one.
func (v *view) filter() (*listing, error) {
	if err := v.unknownValues(v.filterForm().Fields); err != nil {
		return nil, err
	}
	l := &listing{judge: v.s.JudgeNamed(cmp.Or(v.get("judge"), v.s.headline())), criteria: v.criteria(),
		order: cmp.Or(v.get("sort"), byDifference)}
	if c := slices.Index(v.s.Rubric.IDs(), v.get("criterion")); c >= 0 {
		l.criteria = []int{c}
	}
	totals, people := v.pointsOf(l)
	f, err := v.answerFilter(l, people.Any())
	if err != nil {
		return nil, err
	}
	apart := func(int) float64 { return math.NaN() }
	if !people.Any() && l.order == byDifference {
		apart = v.s.judgeSpread()
	}
	for i := range v.s.Answers {
		e := entry{i, mean(totals, i), mean(people, i), apart(i)}
		if f.letsThrough(e) {
			l.entries = append(l.entries, e)
		}
	}
	slices.SortStableFunc(l.entries, func(a, b entry) int {
		return cmp.Compare(a.rank(l.order, people.Any()), b.rank(l.order, people.Any()))
	})
	if sorted, column, descending := v.sortOrder(); sorted == listTable {
		v.sortEntries(l, column, descending)
	}
	return l, nil
}

// pointsOf returns the points of the listing's judge and of people, on the listing's criteria or in total.
func (v *view) pointsOf(l *listing) (judge, people dataset.AnswerTotals) {
	switch {
	case l.criteria != nil:
		return v.s.CriteriaTotals(l.criteria, l.judge), v.s.CriteriaTotals(l.criteria, v.s.References()...)
	case l.judge >= 0:
		return v.s.totals[l.judge](), v.s.people()
	}
	return dataset.AnswerTotals{}, v.s.people()
}

// An answerFilter has the conditions of a filter. A condition that the address does not name is met by all answers.
type answerFilter struct {
	*view
	judge             int // the judge whose verdict must have the status and the reason
	system, scenario  string
	questionText      string          // text that the question must contain, in lower case
	containing        map[string]bool // ids of the answers that contain the words searched for; nil: no search
	points, minSpread *float64        // the judge's points; the minimum difference from people's points
	compared          bool            // only answers that people scored
	needsEnding       bool            // a status or a reason is required
}

// answerFilter reads the conditions from the address. scored says that people scored some answers.
func (v *view) answerFilter(l *listing, scored bool) (f answerFilter, err error) {
	f = answerFilter{view: v, judge: l.judge, system: v.get("system"), scenario: v.get("scenario"),
		questionText: strings.ToLower(v.get("question")), points: v.number("points"), minSpread: v.number("differs"),
		compared: v.get("sort") == byDifference && scored, needsEnding: v.get("status")+v.get("reason") != ""}
	f.containing, err = v.containing(v.get("text"))
	return f, err
}

// number returns a number in the address, or nil.
func (v *view) number(name string) *float64 {
	x, err := strconv.ParseFloat(v.get(name), 64)
	if err != nil {
		return nil
	}
	return &x
}

// letsThrough reports whether a planned answer meets all conditions. For example, ?system=llama&differs=3 selects the answers of llama to
// which the judge gave at least three points more or less than people. Answers that people did not score do not meet the condition
// differs.
func (f *answerFilter) letsThrough(e entry) bool {
	a := &f.s.Answers[e.answer]
	planned := f.s.ConditionOf[e.answer] >= 0
	return planned && (f.system == "" || a.System == f.system) && (f.scenario == "" || a.Scenario == f.scenario) &&
		f.asks(a) && (f.containing == nil || f.containing[a.ID]) && f.meetsPoints(e) &&
		(!f.needsEnding || f.results(f.judge, e.answer) != nil)
}

// asks reports whether the answer's question, or the names of its objects, contains the required text.
func (f *answerFilter) asks(a *dataset.AnswerRow) bool {
	return f.questionText == "" || strings.Contains(strings.ToLower(a.Asks()+" "+a.Pair+" "+a.Question), f.questionText)
}

// meetsPoints reports whether an answer meets the conditions on points. A missing value is NaN, which meets no condition.
func (f *answerFilter) meetsPoints(e entry) bool {
	return (f.points == nil || e.points == *f.points) &&
		(f.minSpread == nil || math.Abs(e.difference()) >= *f.minSpread) &&
		(!f.compared || !math.IsNaN(e.difference()))
}

// rank returns the sort key of an entry for an order; the lowest key comes first. Entries without the values come last. For byID all keys
// are equal, which keeps the order of ids.
func (e entry) rank(order string, scored bool) float64 {
	key := 0.0
	switch order {
	case byDifference:
		key = -math.Abs(e.difference())
		if !scored && !math.IsNaN(e.spread) {
			key = -e.spread
		}
	case byHighest:
		key = -e.points
	case byLowest:
		key = e.points
	}
	if math.IsNaN(key) {
		return math.Inf(1)
	}
	return key
}

// judgeSpread returns a function for the difference between the highest and lowest total of judges for an answer. It is NaN if fewer than
// two judges scored the answer.
func (s *snapshot) judgeSpread() func(answer int) float64 {
	var totals []dataset.AnswerTotals
	for _, j := range s.Scorers() {
		totals = append(totals, s.totals[j]())
	}
	return func(answer int) float64 {
		var values []float64
		for _, t := range totals {
			if total, given := t.Of(answer); given {
				values = append(values, total)
			}
		}
		if len(values) < 2 {
			return math.NaN()
		}
		return slices.Max(values) - slices.Min(values)
	}
}

// listTable is the id of the section with the list of answers.
const listTable = "answers"

// sortEntries sorts a listing by a column of its table, as shown in the table.
func (v *view) sortEntries(l *listing, column string, descending bool) {
	t := listHead()
	entries := make(map[*table.Cell]entry, len(l.entries))
	for _, e := range l.entries {
		row := v.listRow(l, e)
		t.Rows = append(t.Rows, row)
		entries[&row[0]] = e
	}
	t.Sort(column, descending)
	for i, row := range t.Rows {
		l.entries[i] = entries[&row[0]]
	}
}

func listHead() *table.Table {
	return table.New(4, "question", "system", "scenario", "status", "judge", "people", "difference", "words")
}

// listRow returns the table row of an answer in the list.
func (v *view) listRow(l *listing, e entry) []table.Cell {
	a, d := &v.s.Answers[e.answer], figure(e.difference())
	difference := table.Points(e.difference())
	if d.Known && d.Value > 0 {
		difference.Text = "+" + difference.Text
	}
	if d.Known && d.Value > 0 {
		difference.Mark = "▲"
		difference.Class = "more"
	} else if d.Known && d.Value < 0 {
		difference.Mark = "▼"
		difference.Class = "less"
	}
	status := table.Cell{Text: string(a.Status)}
	if v.get("status") != "" {
		wrong := table.First(v.results(l.judge, e.answer), func(r result) bool { return r.status != data.Valid })
		status.Text = cmp.Or(string(wrong.status), status.Text)
	}
	if status.Text != string(data.Valid) {
		status.Class = "bad"
	}
	t := table.New(4)
	t.Add(table.Cell{Text: a.Asks() + repeatSuffix(a.Repeat), To: v.caseOf(a.ID)}, v.s.SystemName(a.System), dataset.ScenarioName(a.Scenario),
		status, table.Points(e.points),
		table.Points(e.people),
		difference, a.Words)
	return t.Rows[0]
}

// orderWords says in words how a listing is sorted.
func (v *view) orderWords(l *listing) string {
	judge := "the judge"
	if l.judge >= 0 {
		judge = v.s.Judges[l.judge].Name
	}
	switch _, column, _ := v.sortOrder(); {
	case column != "":
		return "Sorted by " + column
	case l.order == byLowest:
		return "Fewest points of " + judge
	case l.order == byHighest:
		return "Most points of " + judge
	case l.order == byID:
		return "Answers by id"
	case v.s.people().Any():
		return "Largest differences of " + judge + " from people"
	}
	return "Largest differences among judges"
}

// A result is the status and reason of an answer or of a verdict.
type result struct {
	status data.Status
	reason string
}

// results returns the results that have the status and the reason that the filter asks for. If the address names a judge, they are the
// judge's verdicts on the answer, else the answer itself.
func (v *view) results(judge, answer int) (list []result) {
	all := []result{{v.s.Answers[answer].Status, v.s.Answers[answer].Reason}}
	if v.get("judge") != "" {
		all = data.Each(v.s.SheetsOn(judge, answer), func(x data.Given) result { return result{x.Status, x.Reason} })
	}
	status := v.get("status")
	reason := v.get("reason")
	return data.Where(all, func(r result) bool {
		failed := r.status != data.Valid && !strings.HasPrefix(r.reason, data.NotAsked)
		return (status == "" || string(r.status) == status || status == anyFailure && failed) &&
			(reason == "" || r.reason == reason)
	})
}

// mostTexts is the maximum size in bytes of texts kept in memory for searches. If there are more, each search reads them from the records.
const mostTexts = 256 << 20

var errTooLarge = errors.New("the texts are too large to be kept")

// eachText calls do with the text of each answer, in lower case.
func (b *Board) eachText(do func(store.TextOf) error) error {
	for _, s := range b.stores {
		err := s.EachText(func(a store.TextOf) error {
			a.Text = strings.ToLower(a.Text)
			return do(a)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lowerTexts returns the texts of all answers in lower case, or nil if they exceed mostTexts.
func (b *Board) lowerTexts() (list []store.TextOf, err error) {
	size := 0
	err = b.eachText(func(a store.TextOf) error {
		list = append(list, a)
		if size += len(a.Text); size > mostTexts {
			return errTooLarge
		}
		return nil
	})
	if errors.Is(err, errTooLarge) {
		return nil, nil
	}
	return list, err
}

// containing returns the ids of the answers that contain some words, in any case. It returns nil if words is "".
func (v *view) containing(words string) (map[string]bool, error) {
	if words == "" {
		return nil, nil
	}
	words = strings.ToLower(words)
	in := map[string]bool{}
	add := func(a store.TextOf) error {
		if strings.Contains(a.Text, words) {
			in[a.ID] = true
		}
		return nil
	}
	kept, err := v.s.texts()
	if err == nil && kept == nil {
		err = v.eachText(add)
	}
	for _, a := range kept {
		add(a)
	}
	return in, err
}

// answers returns the page with the list of answers that a filter selects. It drops the column of statuses if all answers are valid, and
// adds the beginnings of the answers and the form of the filter unless the site is static.
func (v *view) answers(string) (page, error) {
	l, err := v.currentList()
	if err != nil {
		return page{}, err
	}
	p := page{Title: v.countText(l), Fields: []field{v.selector("judge", "Judge", v.s.headline()+"; status of answers"),
		v.selector("scenario", "Scenario", "all"), v.selector("group", "Criteria", "all"), {Name: "sort", Label: "Order", Options: v.orders()}}}
	judge := "no judge"
	what := "the total"
	if l.judge >= 0 {
		judge = v.s.Judges[l.judge].Name
	}
	if id := v.get("criterion"); id != "" {
		what = "those on criterion " + v.s.ItemName(dataset.LevelCriterion, id) + ","
	} else if l.criteria != nil {
		what = "those" + v.on() + ","
	}
	p.Lead = v.orderWords(l) + " come first. Points are " + what + " by " + v.s.NameOfJudge(judge) + "."
	s := table.Section{ID: listTable, Table: listHead()}
	for _, f := range filters {
		if value := v.get(f.name); value != "" && f.name != "by" {
			before := "; "
			if s.Verdict == "" {
				before = "Filters: "
			}
			s.Verdict += before + f.words + ": " + value
		}
	}
	var shown []int
	others := v.pages(&s, len(l.entries), func(i int) {
		shown = append(shown, l.entries[i].answer)
		s.Table.Rows = append(s.Table.Rows, v.listRow(l, l.entries[i]))
	})
	index := slices.Index(s.Table.Header, "status")
	// If all answers are valid, drop the column of statuses.
	if v.get("as") == "" && !slices.ContainsFunc(s.Table.Rows, func(row []table.Cell) bool { return row[index].Class != "" }) {
		s.Table.Header, s.Table.Words = slices.Delete(s.Table.Header, index, index+1), s.Table.Words-1
		for i, row := range s.Table.Rows {
			s.Table.Rows[i] = slices.Delete(row, index, index+1)
		}
	}
	if v.get("as") == "" && v.static == nil { // a static copy has each text once
		if err := v.addBeginnings(s.Table, shown); err != nil {
			return p, err
		}
	}
	if len(l.entries) == 0 {
		p.Lead = ""
	}
	list := v.sectionPart(s)
	if s.Verdict != "" {
		list.Links = append(list.Links, table.Link{Text: "All answers", Address: v.to("/answers", "judge", "", "scenario", "", "group", "")})
	}
	list.Links = append(list.Links, others...)
	p.Sections = append(p.Sections, list)
	if v.static == nil {
		filter := textPart("Filter", "")
		filter.Folded, filter.Form = true, v.filterForm()
		p.Sections = append([]part{filter}, p.Sections...)
	}
	return p, nil
}

// mostBegun is the maximum number of characters of an answer that a list shows.
const mostBegun = 140

// withoutMarks removes Markdown marks.
var withoutMarks = strings.NewReplacer("**", "", "#", "", "`", "")

// addBeginnings shows below each row the beginning of its answer, or the text around the words searched for.
func (v *view) addBeginnings(t *table.Table, answers []int) error {
	texts := map[string]data.Answer{}
	ids := data.Each(answers, func(i int) string { return v.s.Answers[i].ID })
	for _, s := range v.stores {
		found, err := s.Answers(ids)
		if err != nil {
			return err
		}
		for id, a := range found {
			if _, has := texts[id]; !has {
				texts[id] = a
			}
		}
	}
	for k, id := range ids {
		text := strings.Join(strings.Fields(withoutMarks.Replace(texts[id].Text)), " ")
		if found := table.Finder(v.get("text")).FindStringIndex(text); found != nil && found[0] > mostBegun/2 {
			text = "… " + strings.ToValidUTF8(text[found[0]-mostBegun/3:], "")
		}
		t.Rows[k][0].Row = &table.Row{About: table.ShortTo(text, mostBegun), Hit: v.get("text")}
	}
	return nil
}

// countText returns the number in the title: that of answers. If a link with another count led to the list, it adds that count: verdicts,
// score sheets of people, or results not yet recorded. So a number that leads to a list is also in the title of the list.
func (v *view) countText(l *listing) string {
	answers := data.Plural(len(l.entries), "answer", "answers")
	switch {
	case v.get("status")+v.get("reason") != "":
		n := 0
		what := "answer"
		if v.get("judge") != "" {
			what = "verdict"
		}
		for _, e := range l.entries {
			n += len(v.results(l.judge, e.answer))
		}
		planned := n
		if v.s.report != nil && v.get("status") == anyFailure &&
			v.get("reason")+v.get("points")+v.get("differs")+v.get("question")+v.get("text") == "" {
			planned = v.s.report.NotValid(v.get("judge"), v.get("system"), v.get("scenario"))
		}
		switch {
		case planned > n:
			return fmt.Sprintf("%s, of which %d not recorded; %s", data.Plural(planned, what, what+"s"), planned-n, answers)
		case n != len(l.entries):
			return data.Plural(n, what, what+"s") + " on " + answers
		}
	case v.get("sort") == byDifference && l.judge >= 0 && v.s.References() != nil:
		listed := data.Among(data.Each(l.entries, func(e entry) string { return v.s.Answers[e.answer].ID }))
		criteria, _ := raters.BySheet(v.s.Judgements, v.s.References()[0], l.judge)
		final := raters.Sums(dataset.LevelFinal, criteria)
		places := final.Pairs(final.Raters[1], final.Raters[0]).Units
		n := len(data.Where(places, func(unit int) bool { return listed[final.Units[unit].ID] }))
		if n != len(l.entries) {
			return fmt.Sprintf("%s with %s of people", answers, data.Plural(n, "score sheet", "score sheets"))
		}
	}
	return answers
}

// list calls add for each row of one page of a list of n rows, sorted as the address says. It returns links to the other pages.
func (v *view) list(s *table.Section, n int, add func(i int)) (links []table.Link) {
	sorted, column, descending := v.sortOrder()
	if sorted != s.Key() {
		return v.pages(s, n, add)
	}
	for i := range n {
		add(i)
	}
	s.Table.Sort(column, descending)
	all := s.Table.Rows
	s.Table.Rows = nil
	return v.pages(s, n, func(i int) { s.Table.Rows = append(s.Table.Rows, all[i]) })
}

// pages calls add for each row of one page of a list of n rows. It returns links to the other pages.
func (v *view) pages(s *table.Section, n int, add func(i int)) (links []table.Link) {
	number, _ := strconv.Atoi(v.get("page"))
	size := perPage
	pages := max(1, (n+perPage-1)/perPage)
	switch {
	case v.get("as") != "":
		size = n
		pages = 1 // a downloaded file has all rows
	case v.static != nil && v.filtered() != nil && n > mostCopied:
		size = mostCopied
		pages = 1 // the unfiltered list has all answers
		s.About = fmt.Sprintf("The first %d of %d are listed. This copy has all answers in the list without a filter.", size, n)
	}
	number = min(max(1, number), pages)
	for _, to := range []struct {
		text  string
		index int
	}{{"First", 1}, {"Previous", number - 1}, {fmt.Sprintf("Page %d of %d", number, pages), number}, {"Next", number + 1}, {"Last", pages}} {
		if pages > 1 && to.index >= 1 && to.index <= pages && (to.index != number || strings.HasPrefix(to.text, "Page")) {
			links = append(links, table.Link{Text: to.text, Address: v.addressWith("page", strconv.Itoa(to.index)), Here: to.index == number})
		}
	}
	for i := min(n, (number-1)*size); i < min(n, number*size); i++ {
		add(i)
	}
	return links
}

// caseOf returns the target of a link to an answer, with the filter of the list.
func (v *view) caseOf(id string) *table.Target {
	return &table.Target{Page: "answers", Name: id, Query: v.filtered()}
}

// orders returns the options of the field for the order.
func (v *view) orders() []option {
	return v.options("sort", [2]string{"", "largest differences first"}, [2]string{byDifference, "only those that people scored"},
		[2]string{byLowest, "fewest points first"}, [2]string{byHighest, "most points first"}, [2]string{byID, "by id"})
}

// filterForm returns the form of the filter. Fields that other forms of the page show are hidden.
func (v *view) filterForm() *form {
	statuses := append([]string{anyFailure}, data.Each(data.Statuses, func(s data.Status) string { return string(s) })...)
	criteria := append([][2]string{{"", "total"}}, data.Each(v.s.Rubric.Criteria, func(c rubric.Criterion) [2]string {
		return [2]string{c.ID, c.ID + " " + c.Name}
	})...)
	options := map[string][]option{
		"system": v.values("system", "all", names(v.s.Systems)...), "status": v.values("status", "any", statuses...),
		"criterion": v.options("criterion", criteria...),
		"sort":      v.orders(),
	}
	f := &form{Action: "/answers", Clear: "/answers"}
	for _, x := range filters {
		input := field{Name: x.name, Label: x.label, Value: v.get(x.name), Options: options[x.name],
			Number: x.name == "points" || x.name == "differs"}
		// Hide fields that the selection at the top or the search show, and the reason, which only links set.
		input.Hidden = x.name == "judge" || x.name == "scenario" || x.name == "group" || x.name == "reason" || x.name == "sort" || x.label == ""
		if !input.Hidden || input.Value != "" {
			f.Fields = append(f.Fields, input)
		}
	}
	return f
}
