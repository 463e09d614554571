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

// pairwiseDocuments are what the page of pairs shows of a record's set, or of all sets, which takes long to compute.
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

// record returns the record whose pairs are shown, the selected one or the first that has pairs, with the names of all.
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
		p.Title, p.Lead = d.Title, plain(d.Lead)
	}
	if len(v.s.Answers) == 0 {
		p.Source = d.Source
	}
	if v.static != nil { // a copy has each text once, on the page of its pair
		d.Sections = data.Each(d.Sections, func(s table.Section) table.Section {
			s.Sides = nil
			return s
		})
	}
	if p.Sections = v.document(d, 6); err == nil && d.Sections == nil {
		p.Sections = []part{words("No preferences", "No judge compared pairs of answers. With compqa run --only pairs, judges choose the "+
			"better of two answers; compqa pairwise import imports existing preferences.")}
	}
	return p, err
}

// chooseSet adds the choice of a set of pairs to a page, with other fields.
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

// A chooser is a pairwise judge in a record.
type chooser struct {
	store         *store.Store
	judge, method string
	name          string // as pages show it
}

// chosenBy returns the pairwise judge of the address, or the first one, with the names of all.
func (v *view) chosenBy() (by chooser, names []string, err error) {
	index, _, err := v.record()
	if err != nil {
		return by, nil, err
	}
	name, s := v.get("chosen_by"), v.stores[index]
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

// shownName returns the name of a judge on pages: people may be numbered.
func (v *view) shownName(judge string) string { return cmp.Or(v.people[judge], judge) }

func (v *view) pairFilter() pairFilter {
	return pairFilter{Set: v.get("set"), System: v.get("system"), Against: v.get("against"), Show: v.get("show")}
}

// comparisons returns the list of the pairs of a judge.
func (v *view) comparisons(string) (page, error) {
	p := page{Title: "Pairs"}
	by, names, err := v.chosenBy()
	if err != nil {
		return p, err
	}
	show := field{Name: "show", Label: "Show", Options: v.options("show", [2]string{"", "all"},
		[2]string{"flips", "only where the order changes the choice"}, [2]string{"wrong", "only where people choose otherwise"},
		[2]string{"missing", "only without a valid choice in both orders"})}
	if err := v.chooseSet(&p, v.choice("chosen_by", "Chosen by", by.name, names...), show); err != nil {
		return p, err
	}
	list, err := choicesOf(by.store, by.judge, by.method, v.pairFilter())
	if err != nil {
		return p, err
	}
	p.Title = data.Plural(len(list), "pair", "pairs") + ", chosen by " + by.name
	valid := 0
	for _, c := range list {
		valid += int(dataset.Indicator(bothOrders(c.AB, c.BA).Status != ""))
	}
	s := table.Section{ID: "comparisons", Table: table.New(7, "question", "set", "A", "B", "people", "A shown first", "B shown first",
		"both orders"),
		About: fmt.Sprintf("%d are valid in both orders. “both orders” is a tie where the order changes the choice (≠).", valid)}
	if system := v.get("system"); system != "" {
		s.Verdict = strings.TrimSuffix("Pairs of "+system+" and "+v.get("against"), " and ") + "."
	}
	links := v.list(&s, len(list), func(i int) {
		c := list[i]
		question := table.Cell{Text: cmp.Or(short(c.Question), c.ID), To: v.pairOf(c.ID, by.name)}
		s.Table.Add(append([]any{question, c.Set, cmp.Or(c.SystemA, stats.Missing), cmp.Or(c.SystemB, stats.Missing),
			choiceCell(store.Chosen{Status: data.Valid, Choice: c.Label})}, choiceCells(c.AB, c.BA)...)...)
	})
	shown := v.show(s)
	shown.Links = links
	p.Sections = append(p.Sections, shown)
	return p, nil
}

// short returns the beginning of a question on one line.
func short(text string) string { return table.ShortTo(strings.Join(strings.Fields(text), " "), 80) }

// pairOf leads to a pair, with the filter of the list.
func (v *view) pairOf(id, by string) *table.Target {
	to := &table.Target{Page: "pairs", Name: id}
	if v.static == nil {
		to.Query = []string{"chosen_by", by, "system", v.get("system"), "against", v.get("against"), "show", v.get("show")}
	}
	return to
}

// pairPage returns the case of a pair: its two answers, and what each judge chose in both orders, and why.
func (v *view) pairPage(id string) (page, error) {
	for _, s := range v.stores {
		c, set, found, err := s.Pair(id)
		if err != nil {
			return page{}, err
		}
		if !found {
			continue
		}
		p := page{Title: cmp.Or(short(c.Question), id)}
		first := words("", "Set "+set+". "+map[data.Choice]string{data.ChoiceA: "People prefer A.", data.ChoiceB: "People prefer B.",
			data.ChoiceTie: "For people it is a tie."}[c.Label])
		first.Links, err = v.aroundPair(id)
		if err != nil {
			return p, err
		}
		if key := data.PairKey(c.Object1, c.Object2); c.Object1 != "" && v.s.about(key) != nil {
			first.Links = append(first.Links, table.Link{Text: "The question, and what each party chose", Address: v.named("questions", key)})
		}
		for _, side := range [][4]string{{"A", c.SystemA, c.A, c.AnswerA}, {"B", c.SystemB, c.B, c.AnswerB}} {
			card := column{Title: strings.TrimSuffix(side[0]+": "+side[1], ": "), Text: side[2]}
			if n := len(strings.Fields(side[2])); n > mostWords {
				card.Rest = data.Plural(n, "word", "words")
			}
			if v.s.answer(side[3]) >= 0 {
				card.Address = v.named("answers", side[3])
			}
			if !v.static.texts() {
				card.Text, card.Note = "", "These pages do not contain the text."
			}
			first.Columns = append(first.Columns, card)
		}
		chosen, err := v.pairChoices(s, id)
		p.Sections = append([]part{first}, chosen...)
		return p, err
	}
	return page{}, notFound("There is no pair with the id " + id + ".")
}

// aroundPair returns the links to the pairs before and after one in its list.
func (v *view) aroundPair(id string) (links []table.Link, err error) {
	by, names, err := v.chosenBy()
	switch {
	case v.static != nil || names == nil && errors.As(err, new(refusal)): // nobody compared pairs
		return nil, nil
	case err != nil:
		return nil, err
	}
	list, err := choicesOf(by.store, by.judge, by.method, v.pairFilter())
	index := slices.IndexFunc(list, func(c store.ChosenPair) bool { return c.ID == id })
	text := "Pairs of " + by.name
	if index >= 0 {
		text = fmt.Sprintf("Pair %d of %d of %s", index+1, len(list), by.name)
	}
	return around(index, len(list), func(i int) string { return v.target(*v.pairOf(list[i].ID, by.name)) },
		table.Link{Text: text, Address: v.to("/comparisons", v.pairOf("", by.name).Query...)}), err
}

// pairChoices returns the choices of all judges on a pair: in a table, and the two orders next to each
// other with their reasons, the selected judge first.
func (v *view) pairChoices(s *store.Store, id string) (list []part, err error) {
	all, err := s.ChoicesOn(id)
	if err != nil {
		return nil, err
	}
	judges, err := s.PlannedParties(store.RolePairwise)
	mark := preferences.MarkOfImport(judges)
	view := table.New(3, "judge", "A shown first", "B shown first", "both orders")
	for _, c := range all {
		name := preferences.Heading(v.shownName(c.Judge), c.Method)
		orders := words(name, "")
		for i, choice := range []store.ExplainedChoice{c.AB, c.BA} {
			card := column{Title: view.Header[i+1], Points: choiceCell(choice.Chosen).Text, Text: explanation(choice)}
			if v.static == nil {
				card.Note = choice.Reason
			} else if !v.static.Texts {
				card.Text = ""
			}
			if card.Text != "" || card.Note != "" {
				orders.Columns = append(orders.Columns, card)
			}
		}
		view.Add(append([]any{table.Cell{Text: name, Mark: mark(name), To: &table.Target{Page: "comparisons", Query: []string{"chosen_by",
			name}}}},
			choiceCells(c.AB.Chosen, c.BA.Chosen)...)...)
		switch orders.Folded = name != cmp.Or(v.get("chosen_by"), name) || v.get("chosen_by") == "" && list != nil; {
		case orders.Columns == nil:
		case orders.Folded:
			list = append(list, orders)
		default:
			list = append([]part{orders}, list...)
		}
	}
	return append([]part{v.show(table.Section{ID: "choices", Title: "Choices in both orders", Table: view})}, list...), err
}
