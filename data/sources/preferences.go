package sources

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
)

// ReadPreferences reads preferences on pairs, in this project's own format or in that of another program. A row has the id of a pair, a
// choice (winner, preference, label …), the order in which the answers were shown, and who chose. A name in a column such as judge or
// model is a model, in any other column a person; without such a column people chose. find returns the pair with an id; an unknown pair is
// an error.
//
// In other programs' files, missing choices are skipped and counted in note. A second choice of one rater on a pair in one order is an
// error, unless Options.Repeats says that the first or the last counts. reading is nil for the own format.
func ReadPreferences(path string, find func(id string) (data.Pair, bool), o Options) (given []data.Preference, reading *Reading,
	note string, err error) {
	p, err := preferenceColumns(path, o)
	if err != nil {
		return nil, nil, "", err
	}
	r := &preferenceReader{pairFinder: p, find: find, places: map[data.Preference]int{}, lines: map[data.Preference]int{}}
	err = p.f.each(path, "preferences", func(record *scope) error {
		for _, m := range p.f.Scores {
			if err := r.read(record, m); err != nil {
				return err
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, nil, "", err
	case len(r.given) == 0:
		return nil, nil, "", fmt.Errorf("%s has no preferences", path)
	case p.f.Strict != nil:
		return r.given, nil, "", nil
	}
	return r.given, p.reading, r.note(path), nil
}

// ReadingOfPairs returns the roles of the columns of a file: of preferences if format is FormatFile, of pairs for any other format or "",
// which recognises it. The result is nil for this project's own columns and for formats without a table.
func ReadingOfPairs(path, format string, o Options) (*Reading, error) {
	if format != FormatFile {
		f, err := pairFormat(path, format, o)
		if err != nil {
			return nil, err
		}
		return f.Reading, nil
	}
	p, err := preferenceColumns(path, o)
	if err != nil || p.f.Strict != nil {
		return nil, err
	}
	return p.reading, nil
}

// preferenceColumns returns the columns of a file of preferences with their roles.
func preferenceColumns(path string, o Options) (*pairFinder, error) {
	o.People = true
	o.Alone = true
	f := &Format{Name: tableOfPairs, About: "a table of preferences", Rows: tablesOfPairs}
	columns, first, rows, err := f.pairColumns(path, o)
	if err != nil {
		return nil, fmt.Errorf("%w", noPreferences(err, path, first))
	}
	p := &pairFinder{f: f, o: o, columns: columns, first: first, rows: rows, used: map[string]bool{},
		reading: &Reading{File: filepath.Base(path), Side: sidePreferences, Format: f.Name}}
	format, err := ownFormat(ownPreferences, data.Each(columns, func(c *pairColumn) string { return c.name }), nil)
	if err != nil || format != nil && len(o.Map) == 0 && o.Missing == nil {
		p.f = format
		return p, err
	}
	p.given, err = o.pairMap(first, columns)
	if err != nil {
		return nil, err
	}
	return p, p.preferences()
}

func noPreferences(err error, path string, first *data.Document) error {
	if first == nil && strings.HasSuffix(err.Error(), "has no pairs") {
		return fmt.Errorf("%s has no preferences", path)
	}
	return err
}

// preferences finds the roles of the columns of a file of preferences. Each column of choices becomes a scoreMap.
func (p *pairFinder) preferences() error {
	if err := p.ofMap(); err != nil {
		return err
	}
	p.set(&p.f.Item.ID, "id", RoleItem)
	by, isJudge, err := p.chooser()
	if err != nil {
		return err
	}
	if c := p.byName("chooser", func(c *pairColumn) bool { return c.long > 0 }); by == nil && c != nil {
		by = p.take(c.name, RoleJudge, "its name: a model")
		isJudge = true
	}
	columns, err := p.choiceColumns()
	if err != nil {
		return err
	}
	if p.f.Item.ID == nil || len(columns) == 0 {
		return p.first.Errorf("preferences need the id of a pair and a choice, in columns such as id and winner; there are %s; say which "+
			"they are: --map item=COLUMN,choice=COLUMN", strings.Join(data.Each(p.columns, func(c *pairColumn) string { return c.name }), ", "))
	}
	order, err := p.order()
	if err != nil {
		return err
	}
	var reason paths
	p.set(&reason, "reason", RoleReason)
	for _, c := range columns {
		if err := p.choiceOf(c, order, by, isJudge, reason, ofSeveral(columns)); err != nil {
			return err
		}
	}
	if m := &p.f.Item; m.Label != nil {
		label := scoreMap{Value: m.Label, Choices: m.Choices, OfPair: m.OfPair, Reason: reason}
		if m.Order != "" {
			label.Order = paths{m.Order}
		}
		p.f.Scores = append(p.f.Scores, label)
	}
	return p.rest()
}

// A preferenceReader reads the preferences in a table.
type preferenceReader struct {
	*pairFinder
	find                   func(id string) (data.Pair, bool)
	given                  []data.Preference
	missing, again, nobody int
	places, lines          map[data.Preference]int // by rater, pair, method and order (without a choice): index in given, and line
}

// read reads the preference in one column of a row. Missing choices and rows without a rater are counted; repeated choices follow
// Options.Repeats.
func (r *preferenceReader) read(record *scope, m scoreMap) error {
	written := asName(record.text(r.f.Item.ID))
	value := valueOf(record.first(m.Value))
	pair, known := r.find(written)
	p, err := r.preference(record, m, &pair)
	switch {
	case r.f.Strict == nil && r.o.missing(value):
		r.missing++
		return nil
	case p.Judge == "":
		r.nobody++
		return nil
	case !known:
		return record.Errorf("no pair has the id %q", data.Clip(written))
	case err != nil:
		return err
	}
	chosen := data.Preference{ID: p.ID, Judge: p.Judge, Method: p.Method, Order: p.Order}
	place, twice := r.places[chosen]
	switch {
	case !twice:
		r.places[chosen] = len(r.given)
		r.lines[chosen] = record.Line
		r.given = append(r.given, p)
	case r.o.Repeats == RepeatsFirst:
		r.again++
	case r.o.Repeats == RepeatsLast:
		r.again++
		r.given[place] = p
	default:
		return record.Errorf("a second choice of %s on pair %q: the first is on line %d (--repeats first or last says which counts)", p.Judge,
			p.ID, r.lines[chosen])
	}
	return nil
}

// preference returns the preference on a pair in one column of a row. The error is that of an unreadable choice.
func (r *preferenceReader) preference(record *scope, m scoreMap, pair *data.Pair) (data.Preference, error) {
	order, _ := orderOf(valueOf(record.first(m.Order)))
	p := data.Preference{ID: pair.ID, Order: order, Status: data.Valid, Judge: record.text(slices.Concat(m.Judge, m.Person)),
		Rationale: record.text(m.Reason)}
	if m.Judge == nil {
		p.Judge = strings.TrimSuffix(data.Human+":"+strings.TrimPrefix(p.Judge, data.Human+":"), ":")
	}
	value := valueOf(record.first(m.Value))
	if r.f.Strict != nil {
		return r.ofStatus(record, m, p, value)
	}
	choice, named, err := sideNamed(record, m.Value[0], value, m.Choices, pair, r.f.Item.Is)
	if !named && !m.OfPair {
		choice = choice.In(order)
	}
	p.Choice = string(choice)
	return p, err
}

// ofStatus completes a preference of this project's own format, in which a status may replace the choice.
func (r *preferenceReader) ofStatus(record *scope, m scoreMap, p data.Preference, value string) (data.Preference, error) {
	p.Judge, p.Method, p.Reason = asName(p.Judge), record.text(m.Method), record.text(m.Error)
	p.Choice, p.Strength = strings.ToLower(value), record.text(paths{"strength"})
	p.Status = cmp.Or(data.Status(record.text(paths{"status"})), data.Valid)
	if err := data.CheckOrigin(p.Judge, record.text(paths{"origin"})); err != nil {
		return p, record.Errorf("%v", err)
	}
	switch {
	case p.Status == data.Valid && p.Choice == "":
		return p, record.Errorf("choice is missing; it must be a, b or tie; if there is no choice, status says why")
	case p.Strength != "" && p.Choice != string(data.ChoiceA) && p.Choice != string(data.ChoiceB):
		return p, record.Errorf("strength is %s, but no answer is chosen; it says how much better the chosen answer is", p.Strength)
	case p.Status != data.Valid && p.Choice != "":
		return p, record.Errorf("status is %s, but there is a choice, %q", p.Status, p.Choice)
	}
	return p, nil
}

// note says how many preferences were read from which columns, and what was left out.
func (r *preferenceReader) note(path string) string {
	var columns []string
	for _, c := range r.reading.Columns {
		if c.Role != RoleLeft {
			columns = append(columns, c.Column)
		}
	}
	note := fmt.Sprintf("%s: %s, from the columns %s", path, data.Plural(len(r.given), "preference", "preferences"), data.List(columns))
	if !slices.ContainsFunc(r.f.Scores, func(m scoreMap) bool { return m.Judge != nil || m.Person != nil }) {
		note += "; no column says who chose, so they are people's (--map person=COLUMN, or judge=COLUMN)"
	}
	for _, left := range []struct {
		n    int
		what string
	}{{r.missing, "row|rows| without a choice"}, {r.nobody, "row|rows| without a name of who chose"},
		{r.again, "repeated choice|repeated choices| on the same pair"}} {
		if left.n > 0 {
			words := strings.Split(left.what, "|")
			note += fmt.Sprintf("; left out: %s%s", data.Plural(left.n, words[0], words[1]), words[2])
		}
	}
	return note
}
