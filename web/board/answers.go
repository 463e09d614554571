package board

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/rubric"
)

// anyFailure is the filter for all statuses but valid.
const anyFailure = "not-valid"

// filters are the fields of a filter, with their names in the form and in words. They are in the
// address of a case, so that one can go on to the next of the list.
var filters = []struct{ name, label, words string }{
	{"system", "System", "system"}, {"scenario", "Scenario", "scenario"}, {"judge", "Judge", "judge"}, {"group", "Criteria", "criteria"},
	{"status", "Status of the answer, or of the judge's verdict", "status"}, {"reason", "Reason of the status", "reason"},
	{"criterion", "Criterion", "criterion"},
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

type listing struct {
	judge    int   // whose points; -1: nobody's
	criteria []int // of what; nil: of the total
	entries  []entry
}

// An entry is a listed answer with the points of the judge and of people, NaN where there are none.
type entry struct {
	answer      int
	own, people float64
}

func (e entry) difference() float64 { return e.own - e.people }

func (l *listing) Size() int { return 24 * len(l.entries) }

// listed are the answers that the filter of the address lets through, in an order. They are kept: the pages of a
// list, and the cases that follow each other, need the same ones.
func (v *view) listed(sort string) (*listing, error) {
	return v.lists.Get(v.s.number, strings.Join(append(v.filtered(), sort), "\x00"), func() (*listing, error) { return v.filter(sort) })
}

// filter makes the listing of the address in an order.
func (v *view) filter(sort string) (*listing, error) {
	if err := v.unknownValues(v.filterForm().Fields); err != nil {
		return nil, err
	}
	l := &listing{judge: v.s.JudgeNamed(cmp.Or(v.get("judge"), v.s.headline())), criteria: v.criteria()}
	if c := slices.Index(v.s.Rubric.IDs(), v.get("criterion")); c >= 0 {
		l.criteria = []int{c}
	}
	points, _ := strconv.ParseFloat(v.get("points"), 64)
	differs, _ := strconv.ParseFloat(v.get("differs"), 64)
	own, people := dataset.AnswerTotals{}, v.s.people()
	if l.criteria != nil {
		own, people = v.s.CriteriaTotals(l.criteria, l.judge), v.s.CriteriaTotals(l.criteria, v.s.References()...)
	} else if l.judge >= 0 {
		own = v.s.totals[l.judge]()
	}
	in, err := v.containing(v.get("text"))
	if err != nil {
		return nil, err
	}
	system, scenario, words := v.get("system"), v.get("scenario"), strings.ToLower(v.get("question"))
	for i := range v.s.Answers {
		a, e := &v.s.Answers[i], entry{i, mean(own, i), mean(people, i)}
		if v.s.CellOf[i] >= 0 && (system == "" || a.System == system) && (scenario == "" || a.Scenario == scenario) &&
			(words == "" || strings.Contains(strings.ToLower(a.Asks()+" "+a.Pair+" "+a.Question), words)) &&
			(v.get("points") == "" || e.own == points) && (v.get("differs") == "" || math.Abs(e.difference()) >= differs) &&
			(sort != "difference" || !math.IsNaN(e.difference())) && (in == nil || in[a.ID]) &&
			(v.get("status")+v.get("reason") == "" || v.results(l.judge, i) != nil) {
			l.entries = append(l.entries, e)
		}
	}
	rank := func(e entry) float64 { // the lowest comes first
		switch {
		case sort == "difference":
			return -math.Abs(e.difference())
		case math.IsNaN(e.own):
			return math.Inf(1)
		case sort == "highest":
			return -e.own
		}
		return e.own
	}
	if sort == "difference" || sort == "highest" || sort == "lowest" {
		slices.SortStableFunc(l.entries, func(a, b entry) int { return cmp.Compare(rank(a), rank(b)) })
	}
	return l, nil
}

// A result is the status of an answer or of a verdict, and its reason.
type result struct {
	status data.Status
	reason string
}

// results are those with the status and the reason of the filter: verdicts of a judge that the address names, else the
// answer.
func (v *view) results(judge, answer int) (list []result) {
	all := []result{{v.s.Answers[answer].Status, v.s.Answers[answer].Reason}}
	if v.get("judge") != "" {
		all = table.Each(v.s.SheetsOn(judge, answer), func(x dataset.Sheet) result { return result{x.Status, x.Reason} })
	}
	status, reason := v.get("status"), v.get("reason")
	return table.Where(all, func(r result) bool {
		return (status == "" || string(r.status) == status || status == anyFailure && r.status != data.Valid) &&
			(reason == "" || r.reason == reason)
	})
}

// containing are the ids of the answers whose text contains words; nil: no words are asked for.
func (v *view) containing(words string) (map[string]bool, error) {
	if words == "" {
		return nil, nil
	}
	var in []string
	for _, s := range v.stores {
		ids, err := s.AnswersContaining(words)
		if err != nil {
			return nil, err
		}
		in = append(in, ids...)
	}
	return data.Among(in), nil
}

func (v *view) answers(string) (page, error) {
	l, err := v.listed(v.get("sort"))
	if err != nil {
		return page{}, err
	}
	p := page{Title: v.counted(l), Fields: []field{v.selector("judge", "Judge", v.s.headline()+"; status of answers"),
		v.selector("scenario", "Scenario", "all"), v.selector("group", "Criteria", "all")}}
	if v.static == nil {
		filter := words("Filter and order", "")
		filter.Folded, filter.Form = true, v.filterForm()
		p.Sections = append(p.Sections, filter)
	}
	judge, what := "no judge", "the total"
	if l.judge >= 0 {
		judge = v.s.Judges[l.judge].Name
	}
	if id := v.get("criterion"); id != "" {
		what = "those on criterion " + v.s.ItemName(dataset.LevelCriterion, id) + ","
	} else if l.criteria != nil {
		what = "those" + v.on() + ","
	}
	s := table.Section{ID: "answers", About: "Points are " + what + " by " + v.s.NameOfJudge(judge) + ".",
		Table: table.New(4, "question", "system", "scenario", "status", "words", "judge", "people", "difference")}
	for _, f := range filters {
		if value := v.get(f.name); value != "" {
			s.Verdict += map[bool]string{true: "Filters: ", false: "; "}[s.Verdict == ""] + f.words + ": " + value
		}
	}
	others := v.list(&s, len(l.entries), func(i int) {
		e := l.entries[i]
		a, d := &v.s.Answers[e.answer], figure(e.difference())
		difference := table.Signed(d, 2)
		if d.Known() && *d.Number != 0 {
			difference.Text, difference.Class = "≠ "+difference.Text, "differs"
		}
		status := table.Cell{Text: string(a.Status)}
		if v.get("status") != "" {
			wrong := table.First(v.results(l.judge, e.answer), func(r result) bool { return r.status != data.Valid })
			status.Text = cmp.Or(string(wrong.status), status.Text)
		}
		if status.Text != string(data.Valid) {
			status.Class = "bad"
		}
		s.Table.Add(table.Cell{Text: a.Asks() + again(a.Repeat), To: v.caseOf(a.ID)}, a.System, a.Scenario, status, a.Words, figure(e.own),
			figure(e.people), difference)
	})
	if len(l.entries) == 0 {
		s.About = ""
	}
	list := v.show(s)
	if s.Verdict != "" {
		list.Links = append(list.Links, table.Link{Text: "All answers", Address: v.to("/answers", "judge", "", "scenario", "", "group", "")})
	}
	list.Links = append(list.Links, others...)
	p.Sections = append(p.Sections, list)
	return p, nil
}

// counted is the number of answers of a list, and of what else it was opened for, so that the number that leads to a list
// is in its title: verdicts, score sheets of people, or results that are planned and not recorded.
func (v *view) counted(l *listing) string {
	answers := data.Plural(len(l.entries), "answer", "answers")
	switch {
	case v.get("status")+v.get("reason") != "":
		n, what := 0, map[bool]string{true: "verdict", false: "answer"}[v.get("judge") != ""]
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
	case v.get("sort") == "difference" && l.judge >= 0 && v.s.References() != nil:
		listed := data.Among(table.Each(l.entries, func(e entry) string { return v.s.Answers[e.answer].ID }))
		both := []dataset.Contestant{{Kind: dataset.KindOfJudge, Judge: l.judge}}
		final := v.s.RatedBy(v.s.References()[0], both, false).At(dataset.LevelFinal)
		places := final.Pairs(final.Raters[1], final.Raters[0]).Units
		n := len(table.Where(places, func(unit int) bool { return listed[final.Units[unit].ID] }))
		if n != len(l.entries) {
			return fmt.Sprintf("%s with %s of people", answers, data.Plural(n, "score sheet", "score sheets"))
		}
	}
	return answers
}

// list adds the rows of one page of a list of n, sorted as the address says, and returns links to the other pages.
func (v *view) list(s *table.Section, n int, add func(i int)) (links []table.Link) {
	number, _ := strconv.Atoi(v.get("page"))
	size, pages := perPage, max(1, (n+perPage-1)/perPage)
	if v.get("as") != "" {
		size, pages = n, 1 // a file has all rows
	}
	number = min(max(1, number), pages)
	for _, to := range []struct {
		text string
		at   int
	}{{"First", 1}, {"Previous", number - 1}, {fmt.Sprintf("Page %d of %d", number, pages), number}, {"Next", number + 1}, {"Last", pages}} {
		if pages > 1 && to.at >= 1 && to.at <= pages && (to.at != number || strings.HasPrefix(to.text, "Page")) {
			links = append(links, table.Link{Text: to.text, Address: v.here("page", strconv.Itoa(to.at)), Here: to.at == number})
		}
	}
	first, last := min(n, (number-1)*size), min(n, number*size)
	of, column, descending := v.sorted()
	whole := of == s.Key()
	for i := range n {
		if whole || first <= i && i < last {
			add(i)
		}
	}
	if whole {
		s.Table.Sort(column, descending)
		s.Table.Rows = s.Table.Rows[first:last]
	}
	return links
}

// caseOf leads to an answer, with the filter of the list.
func (v *view) caseOf(id string) *table.Target {
	to := &table.Target{Page: "answers", Name: id}
	if v.static == nil {
		to.Query = v.filtered()
	}
	return to
}

func (v *view) filterForm() *form {
	statuses := append([]string{anyFailure}, table.Each(data.Statuses, func(s data.Status) string { return string(s) })...)
	criteria := append([][2]string{{"", "total"}}, table.Each(v.s.Rubric.Criteria, func(c rubric.Criterion) [2]string {
		return [2]string{c.ID, c.ID + " " + c.Name}
	})...)
	options := map[string][]option{
		"system": v.values("system", "all", names(v.s.Systems)...), "status": v.values("status", "any", statuses...),
		"criterion": v.options("criterion", criteria...),
		"sort": v.options("sort", [2]string{"", "by id"}, [2]string{"lowest", "fewest points first"},
			[2]string{"highest", "most points first"}, [2]string{"difference", "largest difference from people first"}),
	}
	f := &form{Action: "/answers", Clear: "/answers"}
	for _, x := range filters {
		of := field{Name: x.name, Label: x.label, Value: v.get(x.name), Options: options[x.name],
			Number: x.name == "points" || x.name == "differs"}
		// The selection at the top of the page has fields of its own; a reason comes from the list of failures.
		of.Hidden = x.name == "judge" || x.name == "scenario" || x.name == "group" || x.name == "reason"
		if !of.Hidden || of.Value != "" {
			f.Fields = append(f.Fields, of)
		}
	}
	return f
}
