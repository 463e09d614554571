package board

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/preferences"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// pairwiseDocuments returns a function for the document that the page of pairs shows, for a record and a set, or all sets. It caches
// documents, which take long to compute.
func (b *Board) pairwiseDocuments(s *snapshot) func(record int, set string) (table.Document, error) {
	var mu sync.Mutex
	known := map[string]table.Document{}
	return func(record int, set string) (d table.Document, err error) {
		mu.Lock()
		defer mu.Unlock()
		key := fmt.Sprint(record, "/", set)
		d = known[key]
		if d.Sections == nil {
			d, err = preferences.Document(b.Dirs[record], s.report, b.people, set)
			if err == nil {
				known[key] = d
			}
		}
		return d, err
	}
}

// record returns the index of the record whose pairs are shown: the selected one, or the first that has pairs. names belong to all
// records.
func (v *view) record() (index int, names []string, err error) {
	names = dataset.Labels(v.Dirs)
	if index = slices.Index(names, v.get("record")); index >= 0 {
		return index, names, nil
	}
	for i, s := range v.stores {
		if has, err := s.HasPairs(); has || err != nil {
			return i, names, err
		}
	}
	return 0, names, nil
}

// pairs returns the page of preferences on the pairs of a set, or of all sets.
func (v *view) pairs(string) (page, error) {
	p := page{Title: "Pairs"}
	if err := v.chooseSet(&p); err != nil {
		return p, err
	}
	record, _, err := v.record()
	if err != nil {
		return p, err
	}
	d, err := v.s.pairs(record, v.get("set"))
	if d.Title != "" {
		p.Title, p.Lead = d.Title, withoutBold(d.Lead)
	}
	if len(v.s.Answers) == 0 {
		p.Source = d.Source
	}
	if v.static != nil { // a static copy has each text only on the page of its pair
		d.Sections = data.Each(d.Sections, func(s table.Section) table.Section {
			s.Sides = nil
			return s
		})
	}
	if p.Sections = v.document(d, 6); err == nil && d.Sections == nil {
		p.Sections = []part{textPart("No preferences", "No judge compared pairs of answers. With compqa run --only pairs, judges choose the "+
			"better of two answers; compqa pairwise import imports existing preferences.")}
	}
	return p, err
}

// chooseSet adds fields to a page: the choice of a set of pairs, and other fields.
func (v *view) chooseSet(p *page, fields ...field) error {
	index, records, err := v.record()
	if err != nil {
		return err
	}
	found, err := v.stores[index].PairSets()
	if err != nil {
		return err
	}
	sets := v.choice("set", "Set of pairs", "all", data.Each(found, func(s store.PairSet) string { return s.Name })...)
	record := v.choice("record", "Record", "the first with pairs", records...)
	if len(found) > 1 || fields != nil {
		p.Fields = append(fields, sets)
	}
	if len(records) > 1 {
		p.Fields = append(p.Fields, record)
		p.Title += " of record " + records[index]
	}
	for i, name := range records {
		if v.static != nil && len(records) > 1 {
			p.Choices = append(p.Choices, table.Link{Text: "Record " + name, Address: v.to("/pairs", "record", name), Here: i == index})
		}
	}
	return v.unknownValues([]field{sets, record})
}

// A chooser is a judge of pairs in a record.
type chooser struct {
	store         *store.Store
	judge, method string
	name          string // the name that pages show
}

// chosenBy returns the judge of pairs that the address names, or else the first one, and the names of all.
func (v *view) chosenBy() (by chooser, names []string, err error) {
	index, _, err := v.record()
	if err != nil {
		return by, nil, err
	}
	name := v.get("chosen_by")
	s := v.stores[index]
	judges, err := s.PlannedParties(store.RolePairwise)
	for _, j := range judges {
		names = append(names, preferences.Heading(v.shownName(j.Name), j.Method))
		if c := (chooser{s, j.Name, j.Method, names[len(names)-1]}); by.store == nil && (name == "" || name == c.name) {
			by = c
		}
	}
	if err == nil && by.store == nil {
		err = notFound("No judge compared pairs of answers.")
		if name != "" {
			err = notFound("No judge of this name compared pairs: " + data.Clip(name) + ".")
		}
	}
	return by, names, err
}

// shownName returns the name of a judge that pages show. People may be numbered instead of named.
func (v *view) shownName(judge string) string { return cmp.Or(v.people[judge], judge) }

// The kinds of choices to which a list of pairs can be narrowed.
const (
	showFlips   = "flips"   // the choices in the two orders differ
	showWrong   = "wrong"   // people chose otherwise
	showMissing = "missing" // no valid choice in both orders
)

// listedPairs returns a judge's pairs that the address selects: by the set, by one or two systems, and by the kind of choices.
func (v *view) listedPairs(by chooser) ([]store.ChosenPair, error) {
	list, err := by.store.ChosenPairs(by.judge, by.method, v.get("set"), v.get("system"), v.get("against"))
	return data.Where(list, func(c store.ChosenPair) bool {
		both := bothOrders(c.AB, c.BA)
		valid := both.Status != ""
		switch v.get("show") {
		case showFlips:
			return valid && c.AB.Choice != c.BA.Choice
		case showWrong:
			return valid && c.Label.Decided() && both.Choice != c.Label
		case showMissing:
			return !valid
		}
		return true
	}), err
}

// comparisons returns the page that lists a judge's pairs.
func (v *view) comparisons(string) (page, error) {
	p := page{Title: "Pairs"}
	by, names, err := v.chosenBy()
	if err != nil {
		return p, err
	}
	show := field{Name: "show", Label: "Show", Options: v.options("show", [2]string{"", "all"},
		[2]string{showFlips, "only where the order changes the choice"}, [2]string{showWrong, "only where people choose otherwise"},
		[2]string{showMissing, "only without a valid choice in both orders"})}
	if err := v.chooseSet(&p, v.choice("chosen_by", "Chosen by", by.name, names...), show); err != nil {
		return p, err
	}
	list, err := v.listedPairs(by)
	if err != nil {
		return p, err
	}
	p.Title = data.Plural(len(list), "pair", "pairs") + ", chosen by " + by.name
	valid := len(data.Where(list, func(c store.ChosenPair) bool { return bothOrders(c.AB, c.BA).Status != "" }))
	s := table.Section{ID: "comparisons", Table: table.New(7, "question", "set", "A", "B", "people", "A shown first", "B shown first",
		"both orders"),
		About: fmt.Sprintf("%d are valid in both orders. “both orders” is a tie where the order changes the choice (≠).", valid)}
	if system := v.get("system"); system != "" {
		s.Verdict = strings.TrimSuffix("Pairs of "+system+" and "+v.get("against"), " and ") + "."
	}
	links := v.list(&s, len(list), func(i int) {
		c := list[i]
		question := table.Cell{Text: cmp.Or(shortQuestion(c.Question), c.ID), To: v.pairOf(c.ID, by)}
		people := choiceCell(store.Chosen{Status: data.Valid, Choice: c.Label})
		cells := []any{question, c.Set, cmp.Or(c.SystemA, stats.Missing), cmp.Or(c.SystemB, stats.Missing), people}
		s.Table.Add(append(cells, choiceCells(c.AB, c.BA)...)...)
	})
	shown := v.sectionPart(s)
	shown.Links = links
	p.Sections = append(p.Sections, shown)
	return p, nil
}

// shortQuestion returns the beginning of a question, at most 80 characters on one line.
func shortQuestion(text string) string {
	return table.ShortTo(strings.Join(strings.Fields(text), " "), 80)
}

// pairOf returns a target for a pair, with the filter of the list.
func (v *view) pairOf(id string, by chooser) *table.Target {
	to := &table.Target{Page: "pairs", Name: id}
	if v.static == nil {
		to.Query = v.filteredPairs(by)
	}
	return to
}

// filteredPairs returns the filter of a judge's list of pairs, besides the selection: name, value, name, value. The page of a pair has the
// filter in its address, so that it can lead to the next pair of the list.
func (v *view) filteredPairs(by chooser) []string {
	return []string{"chosen_by", by.name, "system", v.get("system"), "against", v.get("against"), "show", v.get("show")}
}

// pairPage returns the page of a pair: both answers, and what each judge chose in both orders and why.
func (v *view) pairPage(id string) (page, error) {
	for _, s := range v.stores {
		c, set, found, err := s.Pair(id)
		if err != nil {
			return page{}, err
		}
		if !found {
			continue
		}
		p := page{Title: cmp.Or(shortQuestion(c.Question), id)}
		people := map[data.Choice]string{data.ChoiceA: "People prefer A.", data.ChoiceB: "People prefer B.",
			data.ChoiceTie: "For people it is a tie."}
		first := textPart("", "Set "+set+". "+people[c.Label])
		first.Links, err = v.aroundPair(id)
		if err != nil {
			return p, err
		}
		if key := data.PairKey(c.Object1, c.Object2); c.Object1 != "" && v.s.about(key) != nil {
			first.Links = append(first.Links, table.Link{Text: "The question, and what each party chose", Address: v.pageAddress("questions", key)})
		}
		first.Columns = []column{v.sideColumn("A", c.SystemA, c.A, c.AnswerA), v.sideColumn("B", c.SystemB, c.B, c.AnswerB)}
		chosen, err := v.pairChoices(s, id)
		p.Sections = append([]part{first}, chosen...)
		return p, err
	}
	return page{}, notFound("There is no pair with the id " + id + ".")
}

// sideColumn returns a column with one side of a pair: its text and, if it is an answer of the run, a link to the answer.
func (v *view) sideColumn(side, system, text, answer string) column {
	c := column{Title: strings.TrimSuffix(side+": "+system, ": "), Text: text}
	if n := len(strings.Fields(text)); n > mostWords {
		c.Rest = data.Plural(n, "word", "words")
	}
	if v.s.answer(answer) >= 0 {
		c.Address = v.pageAddress("answers", answer)
	}
	if !v.static.texts() {
		c.Text = ""
		c.Note = "These pages do not contain the text."
	}
	return c
}

// aroundPair returns links to the previous and next pair of the list.
func (v *view) aroundPair(id string) (links []table.Link, err error) {
	if v.static != nil {
		return nil, nil
	}
	by, names, err := v.chosenBy()
	if names == nil && errors.As(err, new(refusal)) { // the record has no judges of pairs
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := v.listedPairs(by)
	index := slices.IndexFunc(list, func(c store.ChosenPair) bool { return c.ID == id })
	text := "Pairs of " + by.name
	if index >= 0 {
		text = fmt.Sprintf("Pair %d of %d of %s", index+1, len(list), by.name)
	}
	return neighbourLinks(index, len(list), func(i int) string { return v.target(*v.pairOf(list[i].ID, by)) },
		table.Link{Text: text, Address: v.to("/comparisons", v.filteredPairs(by)...)}), err
}

// pairChoices returns the choices of all judges on a pair: a table, and for each judge the two orders side by side with their reasons. The
// choices of the selected judge, or else of the first judge, are expanded; those of the selected judge come first.
func (v *view) pairChoices(s *store.Store, id string) (list []part, err error) {
	all, err := s.ChoicesOn(id)
	if err != nil {
		return nil, err
	}
	judges, err := s.PlannedParties(store.RolePairwise)
	mark := preferences.MarkOfImport(judges)
	view := table.New(3, "judge", "A shown first", "B shown first", "both orders")
	selected := v.get("chosen_by")
	for _, c := range all {
		name := preferences.Heading(v.shownName(c.Judge), c.Method)
		cell := table.Cell{Text: name, Mark: mark(name), To: &table.Target{Page: "comparisons", Query: []string{"chosen_by", name}}}
		view.Add(append([]any{cell}, choiceCells(c.AB.Chosen, c.BA.Chosen)...)...)
		orders := textPart(name, "")
		for i, choice := range []store.ExplainedChoice{c.AB, c.BA} {
			if column := v.orderColumn(view.Header[i+1], choice); column.Text != "" || column.Note != "" {
				orders.Columns = append(orders.Columns, column)
			}
		}
		if orders.Columns == nil {
			continue
		}
		opened := name == selected || selected == "" && list == nil
		orders.Folded = !opened
		if opened {
			list = append([]part{orders}, list...)
		} else {
			list = append(list, orders)
		}
	}
	return append([]part{v.sectionPart(table.Section{ID: "choices", Title: "Choices in both orders", Table: view})}, list...), err
}

// orderColumn returns a column with a judge's choice in one order, and its reason.
func (v *view) orderColumn(title string, choice store.ExplainedChoice) column {
	c := column{Title: title, Points: choiceCell(choice.Chosen).Text, Text: explanation(choice)}
	if v.static == nil {
		c.Note = choice.Reason
	} else if !v.static.Texts {
		c.Text = ""
	}
	return c
}
