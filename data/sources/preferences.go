package sources

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
)

// ReadPreferences reads preferences on pairs, in the form of data.ReadPreferences or in the words of other programs: the id of
// a pair, a choice (winner, preference, label …), in which order the answers were shown, and who chose. find returns the pair that
// an id means; of a pair that is not known ok is false. Who is named in a column such as judge or model is a model, in any other a
// person; without such a column the choices are of people. Values that are missing are left out, and counted in the note. Of several
// choices of one rater on a pair in one order, which are faults, Options.Repeats counts the first.
func ReadPreferences(path string, find func(id string) (data.Pair, bool), o Options) (given []data.Preference, reading *Reading,
	note string,
	err error) {
	p, err := preferenceColumns(path, o)
	if err != nil {
		return nil, nil, "", err
	}
	if len(o.Map) == 0 && o.Missing == nil && o.Repeats == "" && p.named("judge") && p.named("choice") && p.named("id") {
		given, err = data.ReadPreferences(path, func(id string) bool { _, known := find(id); return known })
		return given, nil, "", err
	}
	if err := p.preferences(); err != nil {
		return nil, nil, "", err
	}
	r := &preferenceReader{pairFinder: p, find: find, lines: map[[3]string]int{}}
	for record, err := range p.f.records(path, quiet) {
		if err != nil {
			return nil, nil, "", err
		}
		for _, m := range p.f.Scores {
			r.read(record, m)
		}
		if len(r.faults) >= 20 {
			break
		}
	}
	if r.faults != nil {
		return nil, nil, "", errors.Join(r.faults...)
	}
	if len(r.given) == 0 {
		return nil, nil, "", fmt.Errorf("%s has no preferences", path)
	}
	return r.given, p.reading, r.note(path), nil
}

// ReadingOfPairs says what the columns of a file of preferences (FormatFile) or of pairs (any other format, or "" to recognise it) are;
// nil for this project's own columns and for formats without a table.
func ReadingOfPairs(path, format string, o Options) (*Reading, error) {
	if format != FormatFile {
		f, err := pairFormat(path, format, o)
		if err != nil {
			return nil, err
		}
		return f.Reading, nil
	}
	p, err := preferenceColumns(path, o)
	if err != nil || len(o.Map) == 0 && p.named("judge") && p.named("choice") && p.named("id") {
		return nil, err
	}
	if err := p.preferences(); err != nil {
		return nil, err
	}
	return p.reading, nil
}

// preferenceColumns are the columns of a file of preferences.
func preferenceColumns(path string, o Options) (*pairFinder, error) {
	o.People, o.Alone = true, true
	f := &Format{Name: tableOfPairs, About: "a table of preferences", Rows: tablesOfPairs}
	columns, first, rows, err := f.pairColumns(path, o)
	if err != nil {
		return nil, fmt.Errorf("%w", noPreferences(err, path, first))
	}
	p := &pairFinder{f: f, o: o, columns: columns, first: first, rows: rows, used: map[string]bool{},
		reading: &Reading{File: filepath.Base(path), Side: sidePreferences, Format: f.Name}}
	p.given, err = o.pairMap(first, columns)
	return p, err
}

func noPreferences(err error, path string, first *data.Document) error {
	if first == nil && strings.HasSuffix(err.Error(), "has no pairs") {
		return fmt.Errorf("%s has no preferences", path)
	}
	return err
}

// preferences finds the roles of the columns of a file of preferences. Each column of choices is a map of scores.
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
		by, isJudge = p.take(c.name, RoleJudge, "its name: a model"), true
	}
	columns, err := p.choiceColumns()
	if err != nil {
		return err
	}
	if p.f.Item.ID == nil || len(columns) == 0 {
		return p.first.Errorf("preferences need the id of a pair and a choice, in columns such as id and winner; there are %s; say which "+
			"they are: "+
			"--map item=COLUMN,choice=COLUMN", strings.Join(data.Each(p.columns, func(c *pairColumn) string { return c.name }), ", "))
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

// A preferenceReader reads the preferences of a table.
type preferenceReader struct {
	*pairFinder
	find                   func(id string) (data.Pair, bool)
	given                  []data.Preference
	faults                 []error
	missing, again, nobody int
	lines                  map[[3]string]int
}

// read reads the preference in one column of a row.
func (r *preferenceReader) read(record *scope, m scoreMap) {
	written, value := record.text(r.f.Item.ID), valueOf(record.first(m.Value))
	order, _ := orderOf(valueOf(record.first(m.Order)))
	pair, known := r.find(written)
	p := data.Preference{ID: pair.ID, Order: order, Status: data.Valid, Judge: record.text(slices.Concat(m.Judge, m.Person)),
		Rationale: record.text(m.Reason)}
	if m.Judge == nil {
		p.Judge = strings.TrimSuffix(data.Human+":"+strings.TrimPrefix(p.Judge, data.Human+":"), ":")
	}
	key := [3]string{p.ID, p.Judge, p.Order}
	choice, named, err := sideNamed(record, m.Value[0], value, m.Choices, &pair, r.f.Item.Is)
	if !named && !m.OfPair {
		choice = choice.In(order)
	}
	p.Choice = string(choice)
	switch {
	case r.o.missing(value):
		r.missing++
		return
	case p.Judge == "":
		r.nobody++
		return
	case known && r.lines[key] > 0 && r.o.Repeats == RepeatsFirst:
		r.again++
		return
	case !known:
		r.faults = append(r.faults, record.Errorf("no pair has the id %q", data.Clip(written)))
	case err != nil:
		r.faults = append(r.faults, err)
	case r.lines[key] > 0:
		r.faults = append(r.faults, record.Errorf("%s has chosen on pair %q before, on line %d (--repeats first counts the first choice)",
			p.Judge, p.ID, r.lines[key]))
	default:
		r.given = append(r.given, p)
	}
	r.lines[key] = record.Line
}

// note says what was read, and what was left out.
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
		{r.again, "later choice|later choices| on the same pair"}} {
		if left.n > 0 {
			words := strings.Split(left.what, "|")
			note += fmt.Sprintf("; left out: %s%s", data.Plural(left.n, words[0], words[1]), words[2])
		}
	}
	return note
}
