package sources

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unique"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// A Log is what a file says: items, and what judges and people said of them.
type Log struct {
	Path   string
	Format string          // name of the format; "": a table or list that was read by the names of its columns
	Items  []Item          // one a record, but for records of people that differ in their scores alone
	Values data.Judgements // of Items, whose indices its columns have; their criteria are called by their IDs
	Left   []Left          // what was not read, and why
	Notes  []string        // what a reader of the results must know

	Readings []*Reading // what the columns of its files are; of a run's record none

	Words     map[string][]string // by criterion: words for missing values that may be labels, as none, one a place
	Empty     map[string]int      // by criterion: cells that are empty or have a code, as NA
	Stopped   map[string]string   // by criterion: why its values are left out, where the reading of it alone is wrong
	Spellings []string            // of people who are written in several ways
	Origins   map[string]int      // values with a person's name that are not the person's own and do not count; "": that do not say it

	format *Format
	tables bool            // of several logs together: each is a table
	coded  map[string]bool // values of Options.Missing that it has
	Mean   string          // who of people is their recorded mean, not one of them; "": nobody
	Run    bool            // it is of a run, which says who its raters are and has ids of its own
}

// An Item is what was judged: an answer, or two answers of a pair. Any field may be empty.
type Item struct {
	ID       string
	Repeat   int    // epoch; 0: not said
	Turn     string // of a dialogue, or another part of the item that is scored by itself
	System   string
	Scenario string // under which a run asked; "": none
	Group    string
	Question string
	Text     string
	Short    *Shortened // nil: Question and Text are whole
	Runs     []string   // what tells its log from others, where no system is named
	Pair     *data.Pair // nil: one answer
	Columns  []string   // the values of Options.Columns
	// Inclusion is the probability with which the item was chosen to be labelled, in (0, 1]; 0: not said.
	Inclusion float64
	// Confidence is the judge's in its values, in any unit: the larger, the surer; nil: not said.
	Confidence *float64
	File       string
	Line       int
}

// A Shortened is what a log that keeps only the beginning of an item's texts knows of the whole ones.
type Shortened struct {
	Question, Text string // digests; see TextKey. "": it is whole
	Words          int    // of the whole Text, where that is shortened
}

// Preferred is the criterion of choices between the answers of a pair.
const Preferred = "preference"

// Together returns several logs as one, which has their values afterwards.
func Together(logs ...*Log) *Log {
	if len(logs) == 1 {
		return logs[0]
	}
	all := &Log{Values: data.Judgements{Families: map[string]string{}}, coded: map[string]bool{}, Words: map[string][]string{},
		Empty: map[string]int{}, Stopped: map[string]string{}, Origins: map[string]int{}, tables: true}
	for _, log := range logs {
		all.tables = all.tables && log.format != nil && log.format.table != nil
		maps.Copy(all.Stopped, log.Stopped)
		all.Values.Append(&log.Values, len(all.Items))
		all.Items = append(all.Items, log.Items...)
		all.Notes = append(all.Notes, log.Notes...)
		all.Readings = append(all.Readings, log.Readings...)
		all.Spellings = append(all.Spellings, log.Spellings...)
		for criterion, words := range log.Words {
			all.Words[criterion] = append(all.Words[criterion], words...)
		}
		for origin, n := range log.Origins {
			all.Origins[origin] += n
		}
		for criterion, n := range log.Empty {
			all.Empty[criterion] += n
		}
		all.Path = cmp.Or(all.Path, log.Path)
		all.Mean = cmp.Or(all.Mean, log.Mean)
		all.Run = all.Run || log.Run
		maps.Copy(all.Values.Families, log.Values.Families)
		maps.Copy(all.coded, log.coded)
	}
	return all
}

// Clone returns a log with items and values of its own; nil of nil.
func (log *Log) Clone() *Log {
	if log == nil {
		return nil
	}
	copied := *log
	copied.Items, copied.Values = slices.Clone(log.Items), log.Values.CloneColumns()
	return &copied
}

// A reader collects the records of a file.
type reader struct {
	*Format
	o      Options
	log    *Log
	pairs  map[[3]string]int // item of a pair, by question and answers
	ids    map[string]int    // item of a pair, by its id
	latest map[string]int    // the last item with an id, of people's records
	pairCount
	described int   // records with an item
	empty     []int // lines of records with neither id nor text

	unread  *unreadColumns
	members map[string]gjson.Result // of the record that is read
	used    map[string]bool         // columns that a map names
	fails   *regexp.Regexp
	origin  string           // of the values of the record that is read
	given   map[[2]int32]int // how often, in the record that is read, by criterion and rater
	models  map[string]bool  // raters, and whether they have the name of a model

	criteria map[string]string // names, by how records write them

	marked   bool                     // the file marks the failures of graders
	doubted  map[data.RowPlace]string // values of scores that failed by their reason's text
	absent   map[data.RowPlace]bool   // scores of judges whose record lacks the field
	rejected map[string]int           // rows by the status that leaves them out
	noRater  int                      // values that nobody gave

	questions map[unique.Handle[string]]bool // long ones that are kept

	kept      int // bytes of texts and reasons
	shortened int // texts and reasons
}

// A log of a judge keeps texts and reasons of so many bytes whole; of longer logs, further ones are shortened. With it, validate takes
// 260 MB for a log of 130 MB, and without it 420 MB, in the same time.
const (
	mostKept   = 32 << 20
	mostOfText = 200
)

// A giver is who gives a value of a record on which criterion.
type giver struct {
	data.Rater
	data.Measured
}

// Place returns where a score is, as FILE:LINE.
func (log *Log) Place(s data.Rating) string {
	return fmt.Sprintf("%s:%d", log.Items[s.Item].File, s.Line)
}

// keep returns a text, or its beginning where a judge's log has too many long ones to keep all.
func (r *reader) keep(text string) (kept string, shortened bool) {
	if r.o.People || len(text) <= mostOfText || r.kept+len(text) <= mostKept {
		r.kept += len(text)
		return text, false
	}
	r.shortened++
	return strings.Clone(strings.ToValidUTF8(text[:mostOfText], "")) + "…", true
}

// keepQuestion returns keep for the text of a question, which items share: it is kept once.
func (r *reader) keepQuestion(text string) (kept string, shortened bool) {
	if len(text) <= mostOfText {
		return shared(text), false
	}
	handle := unique.Make(text)
	if r.questions[handle] {
		return handle.Value(), false
	}
	kept, shortened = r.keep(text)
	if shortened {
		return shared(kept), true
	}
	r.questions[handle] = true
	return handle.Value(), false
}

// shared returns a copy of a text that equal texts share.
func shared(text string) string {
	if text == "" {
		return ""
	}
	return unique.Make(text).Value()
}

func newReader(f *Format, o Options, log *Log) *reader {
	f = f.withOptions(o)
	return &reader{Format: f, o: o, log: log, unread: newUnread(f, o), pairs: map[[3]string]int{}, ids: map[string]int{},
		latest: map[string]int{}, members: map[string]gjson.Result{}, given: map[[2]int32]int{}, models: map[string]bool{},
		criteria:  map[string]string{},
		questions: map[unique.Handle[string]]bool{}, doubted: map[data.RowPlace]string{}, absent: map[data.RowPlace]bool{},
		rejected: map[string]int{}, pairCount: pairCount{labels: map[int]data.Choice{}}}
}

// Options say how a file is read.
type Options struct {
	Format     string            // name; "": recognised by content
	People     bool              // the scores of people are wanted, not those of judges
	Map        map[string]string // paths that the user names: see userMap
	Judges     map[string]string // judges that the user names, with the paths of their values
	JudgeNames []string          // raters whom the user calls judges; others are people
	JudgeHere  bool              // people's file has them, too: no other file may
	Names      []string          // of criteria that are looked for in the names of columns
	Columns    []string          // columns, or paths, that are kept with each item
	Confidence bool              // a judge's column with that name is its confidence
	Sets       []string          // criteria whose values are sets of answers, also lists
	Missing    []string          // values that are missing; people.VALUE and judge.VALUE on one side
	Repeats    string            // of values of one rater of one item: RepeatsFirst, RepeatsLast or RepeatsMean; "": refused where they differ
	Other      []string          // files of the other side: a value of the same row is not compared with itself
	Raters     bool              // raters of one criterion are compared with each other: columns that nobody names are raters
	Alone      bool              // no file of the other side is read: names of Map without a side are of this file
	Leave      []string          // people who are left out
	Scales     map[string]string // of criteria, "" for all others, as the user says; the caller applies them
	Given      *Readings         // what the user says that columns are; nil: it is found out

	folded map[string]bool // of Names; see folding
}

// What counts where one rater has several values of an item.
const (
	RepeatsFirst = "first"
	RepeatsLast  = "last"
	RepeatsMean  = "mean"
)

// Read reads what judges, or people, said of items.
func Read(path string, o Options) (*Log, error) {
	f, err := formatOf(path, o)
	if err != nil {
		return nil, err
	}
	log, err := f.read(path, o)
	if err != nil || !o.People || log.Values.Len() > 0 || f.Source == "" || o.Format != "" {
		return log, err
	}
	// A table of pairs may have the columns of a set of pairs, and people's choices in its own words.
	f, err = guess(path, o)
	if err != nil {
		return nil, err
	}
	if log, err := f.read(path, o); err == nil && log.Values.Len() > 0 {
		return log, nil
	}
	return log, nil
}

func (f *Format) read(path string, o Options) (*Log, error) {
	log := &Log{Path: path, Words: map[string][]string{}, Empty: map[string]int{}, coded: map[string]bool{},
		Stopped: map[string]string{}, Origins: map[string]int{}}
	if f.Refuse != "" {
		return nil, fmt.Errorf("%s is %s: %s", path, f.About, f.Refuse)
	}
	log.Format = f.Name
	log.Readings = []*Reading{f.reading(path, o)}
	if f.Note != "" {
		log.Notes = append(log.Notes, f.Note)
	}
	r := newReader(f, o, log)
	if err := r.file(path); err != nil {
		return nil, err
	}
	if len(r.empty) > 0 {
		why := fmt.Sprintf("neither id nor text, first on line %d", r.empty[0])
		if len(log.Items) > 0 && len(r.empty) > r.described/2 {
			why += "; merged cells of a spreadsheet are empty in CSV: save it as .xlsx, or write the id in each row"
		}
		log.Left = append(log.Left, Left{data.Plural(len(r.empty), "row", "rows"), why})
	}
	r.settle()
	if err := r.unread.assume(log.Readings[0], o); err != nil {
		return nil, err
	}
	if slices.ContainsFunc(log.Values.Raters, func(r data.Rater) bool { return r.IsPerson() != o.People }) {
		log.Values.Delete(func(s data.Rating) bool { return s.IsPerson() != o.People })
	}
	if err := log.raters(o); err != nil {
		return nil, err
	}
	log.clean(o)
	log.format = f
	if o.People {
		if not := log.NotPeoples(); not != "" && log.Values.Len() == 0 {
			return nil, fmt.Errorf("%s: %s", path, not)
		} else if not != "" {
			log.Left = append(log.Left, Left{data.Plural(log.notOwn(), "label", "labels"), "not people's own"})
		}
		if err := log.persons(o); err != nil {
			return log, err
		} // those of judges count where people have the criterion: see Align
		return log, log.checkRepeats(o)
	}
	return log, nil
}

// settle takes back what later records of the file decide: failures by their text where the file marks failures itself, and
// records without a field where another record of the item has it. It counts rows whose status leaves them out.
func (r *reader) settle() {
	values := &r.log.Values
	for place, value := range r.doubted {
		if r.marked {
			s := values.At(place)
			s.Failed = value == ""
			s.Value = value
			values.Set(place, s)
		}
	}
	type keyed struct {
		data.Series
		key string
	}
	given := map[keyed]bool{}
	keyOf := func(s data.Rating) keyed { return keyed{s.Series, r.log.Items[s.Item].key()} }
	if len(r.absent) > 0 {
		for place, s := range values.All() {
			if !r.absent[place] && (s.Failed || s.Value != "") {
				given[keyOf(s)] = true
			}
		}
		for place := range r.absent {
			if s := values.At(place); given[keyOf(s)] {
				s.Failed = false // without a value: clean leaves it out
				values.Set(place, s)
			}
		}
	}
	for _, status := range slices.Sorted(maps.Keys(r.rejected)) {
		r.log.Left = append(r.log.Left, Left{data.Plural(r.rejected[status], "row", "rows"), "status " + status})
	}
	if r.noRater > 0 {
		r.log.Left = append(r.log.Left, Left{data.Plural(r.noRater, "value", "values"), "the rater is missing"})
	}
	if r.shortened > 0 {
		r.log.Notes = append(r.log.Notes, fmt.Sprintf("%s has more than %d MiB of texts: %s shortened to %d characters in tables and pages; "+
			"items are joined, and words counted, by the whole texts", r.log.Path, mostKept>>20,
			data.Plural(r.shortened, "text is", "texts are"), mostOfText))
	}
	if r.table != nil {
		r.log.Left = append(r.log.Left, r.table.left()...)
		for _, c := range r.table.columns(RoleItem) {
			if c.Assumed {
				r.log.Notes = append(r.log.Notes, fmt.Sprintf("%s: the column %q is read as the item's id (--map %sitem=COLUMN)", r.log.Path, c.Column,
					r.o.prefix()))
			}
		}
	}
}

// file reads the records of a file or folder.
func (r *reader) file(path string) error {
	for record, err := range r.records(path, func(text string) { r.log.Notes = append(r.log.Notes, text) }) {
		if err == nil {
			err = r.read(record)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read reads one record.
func (r *reader) read(record *scope) error {
	clear(r.members)
	clear(r.given)
	record.named = r.members
	record.known = false
	if twice := data.DuplicateKey(record.value, false); twice != "" { // names of columns are all different
		return record.Errorf("the key %q occurs twice", data.Clip(twice))
	}
	r.unread.read(record)
	item := Item{File: record.File, Line: record.Line, ID: record.part(r.Item.ID), System: shared(record.part(r.Item.System)),
		Group: shared(record.part(r.Item.Group))}
	if text := record.part(r.Item.Inclusion); text != "" {
		var ok bool
		item.Inclusion, ok = data.Number(text)
		if !ok || item.Inclusion <= 0 || item.Inclusion > 1 {
			return record.Errorf("the probability of inclusion is %q; it is above 0 and at most 1 (--map inclusion=COLUMN)", data.Clip(text))
		}
	}
	if confidence := record.part(r.Item.Confidence); confidence != "" {
		x, ok := data.Number(confidence)
		if ok {
			item.Confidence = &x
		} else if !r.o.missing(confidence) {
			return record.Errorf("the confidence is %q; it is a number, the larger the surer (--map confidence=COLUMN)", data.Clip(confidence))
		}
	}
	r.origin = record.part(r.Item.Origin)
	status := strings.ToLower(record.part(r.Status))
	if slices.Contains(names().Rejected, status) {
		r.rejected[status]++
		return nil
	}
	index := 0
	swapped := false
	if r.Item.A != nil || r.Item.Better != nil || r.Item.Candidates != nil {
		var err error
		item.ID = strings.Clone(item.ID)
		index, swapped, err = r.readPair(record, item)
		if err != nil || index < 0 {
			return err
		}
	} else {
		question := record.question(r.Item.Question)
		text := record.text(r.Item.Text)
		short := Shortened{}
		shortened := false
		item.Question, shortened = r.keepQuestion(question)
		if shortened {
			short.Question = Digest(FoldedText(question))
		}
		item.Text, shortened = r.keep(text)
		if shortened {
			short.Text, short.Words = Digest(FoldedText(text)), len(data.Words(text))
		}
		if short != (Shortened{}) {
			kept := short
			item.Short = &kept
		}
		if repeat := record.part(r.Item.Repeat); repeat != "" {
			item.Repeat, _ = strconv.Atoi(repeat)
		}
		item.Turn = shared(record.part(r.Item.Turn))
		for _, run := range r.Runs {
			item.Runs = append(item.Runs, runParts(record, run)...)
		}
		for _, column := range r.o.Columns {
			item.Columns = append(item.Columns, record.text(columnPaths(column)))
		}
		if item.ID == "" && item.Text == "" && (item.Question == "" || item.System == "") { // a row of means has no system
			r.empty = append(r.empty, record.Line)
			return nil
		}
		index = r.place(item)
		r.described++
	}
	whole := [...]*scope{record}
	for i := range r.Scores {
		m := &r.Scores[i]
		places := whole[:]
		if m.Match != "" || m.Each != nil || len(m.If) > 0 {
			places = m.places(record)
		}
		for _, place := range places {
			if err := r.score(m, place, index, swapped); err != nil {
				return err
			}
		}
	}
	return nil
}

// place returns the place of a record's item among those of the log. Rows of a long table, one a person and criterion, have one item.
func (r *reader) place(item Item) int {
	identified := r.o.People && item.ID != ""
	if last := len(r.log.Items) - 1; identified {
		if last >= 0 && r.log.Items[last].same(&item) {
			return last
		}
		if index, known := r.latest[item.ID]; known && r.log.Items[index].same(&item) {
			return index
		}
	}
	item.ID = strings.Clone(item.ID)
	if identified {
		r.latest[item.ID] = len(r.log.Items)
	}
	r.log.Items = append(r.log.Items, item)
	return len(r.log.Items) - 1
}

// same reports whether nothing but the line tells two items apart.
func (i *Item) same(other *Item) bool {
	return i.ID == other.ID && i.Repeat == other.Repeat && i.Turn == other.Turn && i.System == other.System &&
		i.Scenario == other.Scenario && i.Group == other.Group && i.Question == other.Question && i.Text == other.Text &&
		i.Short == other.Short && slices.Equal(i.Runs, other.Runs) && i.Pair == other.Pair &&
		slices.Equal(i.Columns, other.Columns) && i.Inclusion == other.Inclusion &&
		i.Confidence == other.Confidence && i.File == other.File
}

// runParts returns the parts of a run's name: of an object its members, as name=value.
func runParts(record *scope, run paths) (parts []string) {
	value := record.first(run)
	if !value.IsObject() {
		return []string{record.text(run)}
	}
	for member := range record.members(value) {
		parts = append(parts, member.key+"="+textOf(member.value))
	}
	return parts
}

// of is the format for a side: what is anybody's is a judge's or a person's.
func (f *Format) withOptions(o Options) *Format {
	if !slices.ContainsFunc(f.Scores, func(m scoreMap) bool { return m.Who != nil }) {
		return f
	}
	copied := *f
	copied.Scores = slices.Clone(f.Scores)
	for i := range copied.Scores {
		if m := &copied.Scores[i]; m.Who != nil && o.People {
			m.Person = m.Who
		} else if m.Who != nil {
			m.Judge = m.Who
		}
	}
	return &copied
}

// all returns the values of a record that may have a score.
func (m *scoreMap) all(record *scope) (places []*scope) {
	switch {
	case m.Match != "":
		pattern := regexp.MustCompile(m.Match)
		for place := range record.members(record.object()) {
			if found := pattern.FindStringSubmatch(place.key); found != nil {
				place.key = found[1]
				places = append(places, place)
			}
		}
	case m.Each == nil:
		places = []*scope{record}
	}
	for _, path := range m.Each {
		for place := range record.each(path) {
			places = append(places, place)
		}
		if places != nil {
			break
		}
	}
	return places
}

// places returns those that have a score by their condition.
func (m *scoreMap) places(record *scope) []*scope {
	return slices.DeleteFunc(m.all(record), func(s *scope) bool {
		for path, want := range m.If {
			values, not := strings.CutPrefix(want, "!")
			if slices.Contains(strings.Split(values, "|"), valueOf(s.get(path))) == not {
				return true
			}
		}
		return false
	})
}

// A newRating is a rating that is read. doubted: it failed by the text of the reason.
type newRating struct {
	data.Rating
	doubted bool
}

// score reads the values at one place.
func (r *reader) score(m *scoreMap, place *scope, item int, swapped bool) error {
	by := giver{Rater: data.Rater{Name: place.part(m.Judge), Kind: data.KindJudge},
		Measured: data.Measured{ID: r.criterion(place.part(m.Criterion))}}
	s := newRating{Rating: data.Rating{Item: int32(item), Line: int32(place.Line), Reason: place.text(m.Reason)}}
	if person := place.part(m.Person); person != "" || m.Judge == nil && m.Person != nil {
		by.Rater.Name = person
		by.Kind = data.KindPerson
	}
	known := func(reading *Reading) bool { return slices.Contains(reading.Judges, by.Rater.Name) }
	if by.IsPerson() && !r.o.isJudge(by.Rater.Name) && !slices.ContainsFunc(r.log.Readings, known) {
		if not, err := r.notPersons(m, place, by.Rater.Name); not || err != nil {
			return err
		}
	}
	if by.Rater.Name == "" && m.Choices != nil {
		return place.Errorf("%s is missing", strings.Join(slices.Concat(m.Judge, m.Person), " or "))
	}
	if by.Rater.Name == "" && r.o.Raters {
		r.noRater++
		return nil
	}
	if by.Rater.Name == "" {
		by.Rater.Name = "-"
	}
	if why := place.text(m.Error); why != "" {
		s.Failed = true
		s.Reason = why
	} else if place.first(m.Mark).Type == gjson.True {
		s.Failed = true
		r.marked = true
	} else if m.Failed != "" && r.failure(m.Failed).MatchString(s.Reason) {
		s.Failed = true
		s.doubted = true
	}
	s.Reason, _ = r.keep(s.Reason)
	if m.Choices != nil {
		return r.choice(m, place, s.Rating, by, swapped)
	}
	if m.Columns != nil {
		r.columns(m, place, s, by)
		return nil
	}
	if m.Value != nil {
		r.add(s, by, by.ID, place.first(m.Value))
	}
	if lead := m.Values[m.Lead]; m.Lead != "" && !s.Failed && place.get(lead).Exists() && valueOf(place.get(lead)) == "" {
		s.Failed = true
		s.Reason = cmp.Or(s.Reason, "there is no "+m.Lead) // deepeval fails what has no number
	}
	if m.Values != nil {
		for _, name := range slices.Sorted(maps.Keys(m.Values)) {
			r.add(s, by, by.ID+"."+name, place.get(m.Values[name]))
		}
	}
	if extra := place.first(m.Extra); extra.IsObject() && !s.Failed {
		for member := range place.members(extra) {
			if text := valueOf(member.value); member.value.Type != gjson.JSON && text != "" && len(text) <= mostLabel {
				named := by
				named.Extra = true
				r.add(s, named, named.ID+"."+m.Extra[0]+"."+member.key, member.value)
			}
		}
	}
	return nil
}

// criterion returns the name of a criterion with one blank between words.
func (r *reader) criterion(written string) string {
	name, known := r.criteria[written]
	if !known {
		name = data.Clip(strings.Join(strings.Fields(written), " "))
		r.criteria[strings.Clone(written)] = name
	}
	return name
}

// mostLabel is the length of the longest text that is a label, in bytes.
const mostLabel = 60

func (r *reader) failure(pattern string) *regexp.Regexp {
	if r.fails == nil {
		r.fails = regexp.MustCompile(strings.ReplaceAll(pattern, "| |", "|")) // of a text that YAML folds
	}
	return r.fails
}

// columns reads the columns that the map names nowhere else.
func (r *reader) columns(m *scoreMap, place *scope, s newRating, by giver) {
	if r.used == nil {
		r.used = map[string]bool{}
		i := r.Item
		for _, list := range []paths{i.ID, i.Repeat, i.Question, i.Text, i.System, i.Group, i.Inclusion, i.Confidence, i.Origin, m.Judge,
			m.Person, m.Reason, m.Columns} {
			for _, path := range list {
				r.used[path] = true
				for _, inner := range placeholder.FindAllStringSubmatch(path, -1) {
					r.used[inner[1]] = true
				}
			}
		}
	}
	for member := range place.members(place.object()) {
		if !r.used[member.key] {
			r.add(s, by, member.key, member.value)
		}
	}
}

// add adds a value, or each value of an object, as "criterion.name".
func (r *reader) add(s newRating, by giver, criterion string, value gjson.Result) {
	value = parsed(value)
	if value.IsArray() {
		list := value.Array()
		if len(list) == 1 {
			value = list[0]
		} else if !by.IsPerson() {
			for i, part := range list {
				if scores(list) { // a list of texts is not a score
					r.add(s, by, fmt.Sprintf("%s.%d", criterion, i), part)
				}
			}
			return
		}
	}
	for _, name := range []string{"rating", "number", "choices"} { // of Label Studio
		if value.Type != gjson.JSON {
			break
		}
		if inner := value.Get(name); inner.Exists() {
			value = inner
		}
	}
	if value.IsObject() {
		value.ForEach(func(name, inner gjson.Result) bool {
			r.add(s, by, criterion+"."+name.Str, inner)
			return true
		})
		return
	}
	by.ID = criterion
	if !by.IsPerson() {
		values := &r.log.Values
		place := [2]int32{values.CriterionPlace(by.Measured), values.RaterPlace(by.Rater)}
		r.given[place]++
		if n := r.given[place]; n > 1 { // as two assertions with one metric
			by.ID = fmt.Sprintf("%s (%d)", criterion, n)
		}
	}
	if s.Failed {
		place := r.give(by, s.Rating)
		if s.doubted {
			r.doubted[place] = valueOf(value)
		}
		return
	}
	s.Value = r.o.valueOrMissing(r.log, by.ID, valueOf(value), value.Exists())
	lacks := s.Value == "" && !by.IsPerson()
	if lacks {
		s.Failed = true
		s.Reason = cmp.Or(s.Reason, "there is no value")
	}
	if s.Value != "" || lacks || r.o.Raters {
		place := r.give(by, s.Rating)
		if lacks && !value.Exists() && r.table != nil {
			r.absent[place] = true
		}
	}
}

// scores reports whether the values of a list are scores of their own, as of an inspect_ai scorer that returns a list.
func scores(list []gjson.Result) bool {
	return !slices.ContainsFunc(list, func(v gjson.Result) bool {
		_, number := data.Number(v.String())
		return v.Type == gjson.JSON || v.Type == gjson.String && !number && len(v.Str) > 1
	})
}

// give adds a rating of a rater and a criterion.
func (r *reader) give(by giver, rating data.Rating) data.RowPlace {
	values := &r.log.Values
	return values.AddRow(values.CriterionPlace(by.Measured), values.RaterPlace(by.Rater), rating)
}

// valueOf returns the text of a number, a truth value or a label.
func valueOf(v gjson.Result) string {
	switch v.Type {
	case gjson.True:
		return "true"
	case gjson.False:
		return "false"
	case gjson.JSON:
		return strings.Join(data.Each(v.Array(), textOf), "; ")
	}
	return strings.TrimSpace(textOf(v))
}

// columnPaths returns where a column may be that a user names.
func columnPaths(name string) paths {
	name = strings.TrimPrefix(name, ".")
	return paths{name, "metadata." + name, "vars." + name, "doc." + name, "data." + name}
}
