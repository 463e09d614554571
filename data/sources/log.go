package sources

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unique"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// A Log is the content of a file: items, and the values that judges and people gave them.
type Log struct {
	Path   string
	Format string          // name of the format; "" for a table or list that was read by the names of its columns
	Items  []Item          // one for each record; records of people that differ only in scores share one
	Values data.Judgements // the values of Items, by index; a criterion is named by its ID
	Left   []Left          // what was not read, and why
	Notes  []string        // what a reader of the results must know

	Readings []*Reading // the roles of columns, by file; the record of a run has no readings

	Words     map[string][]string // by criterion: words such as "none" that are missing values or labels, one for each cell
	Empty     map[string]int      // by criterion: the number of cells that are empty or have a code for missing values, as NA
	Stopped   map[string]string   // by criterion: why its values are left out, if only this criterion was read wrongly
	Spellings []string            // people whose names are spelt in several ways
	Origins   map[string]int      // values under a person's name that are not the person's own, by origin; "": not given, and counted

	format  *Format
	ids     int             // number of items whose id no other item had when they were read
	tables  bool            // in a combined log: each part is a table
	emptied int             // values of people that were left out, because they are no numbers
	coded   map[string]bool // the codes of Options.Missing that occur
	Mean    string          // the rater that is the recorded mean of people, not a person; "" if there is none
	Run     bool            // the log is of a run, whose raters are known and whose ids are its own
}

// An Item is what was judged: one answer, or the two answers of a pair. Any field may be empty. An item is small, because there may be
// millions: what many items have in common, and what few have, is in their About.
type Item struct {
	ID       string
	Question string
	Text     string
	Line     int
	about    *About
}

// An About has further facts about items. Items with equal facts share one About, so it must not be changed.
type About struct {
	System   string
	Scenario string // the scenario of a run; "" if there is none
	Group    string
	Repeat   int    // number of the repetition (epoch); 0 if unknown
	Turn     string // turn of a dialogue, or another part of the item that has scores of its own
	File     string
	Short    *Shortened // nil if Question and Text are complete
	Runs     []string   // distinguish the runs of a log that names no system
	Pair     *data.Pair // nil if the item is one answer
	Columns  []string   // the values of Options.Columns
	// Inclusion is the probability, in (0, 1], with which the item was sampled for labelling; 0 if unknown.
	Inclusion float64
	// Confidence says how sure the judge was of its values, in any unit: larger is surer. nil if unknown.
	Confidence *float64
}

var nothing About

// About returns the further facts about an item.
func (i *Item) About() *About {
	if i.about == nil {
		return &nothing
	}
	return i.about
}

// With returns a copy of the item with other facts.
func (i Item) With(about About) Item {
	i.about = &about
	return i
}

// Change changes the facts about this item alone.
func (i *Item) Change(change func(*About)) {
	about := *i.About()
	change(&about)
	i.about = &about
}

// NameSystems sets the system of each item to what name returns for its facts. Items that shared their facts still do.
func NameSystems(items []Item, name func(*About) string) {
	named := map[*About]*About{}
	for k := range items {
		before := items[k].About()
		if named[before] == nil {
			named[before] = before
			if system := name(before); system != before.System {
				copied := *before
				copied.System = system
				named[before] = &copied
			}
		}
		items[k].about = named[before]
	}
}

// equal reports whether two items have the same facts.
func (a *About) equal(b *About) bool {
	return a == b || a.System == b.System && a.Scenario == b.Scenario && a.Group == b.Group && a.Repeat == b.Repeat &&
		a.Turn == b.Turn && a.File == b.File && a.Short == b.Short && slices.Equal(a.Runs, b.Runs) && a.Pair == b.Pair &&
		slices.Equal(a.Columns, b.Columns) && a.Inclusion == b.Inclusion && a.Confidence == b.Confidence
}

// A Shortened holds facts about the whole texts of an item whose log keeps only their beginning.
type Shortened struct {
	Question, Text string // digests of the whole texts (see TextKey); "" if the text is complete
	Words          int    // number of words of the whole Text, if that is shortened
}

// Preferred is the criterion under which choices between the two answers of a pair are recorded.
const Preferred = "preference"

// Together combines several logs into one. The result takes over the values of the logs.
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
		all.emptied += log.emptied
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

// Clone returns a copy of a log with its own items and values, or nil for nil.
func (log *Log) Clone() *Log {
	if log == nil {
		return nil
	}
	copied := *log
	copied.Items, copied.Values = slices.Clone(log.Items), log.Values.CloneColumns()
	return &copied
}

// A reader reads the records of one file into a log.
type reader struct {
	*Format
	o      Options
	log    *Log
	pairs  map[[3]string]int // index of the item of a pair, by question and answers
	ids    map[string]int    // index of the item of a pair, by its id
	plain  plainTable        // the table that is being read
	latest idIndex           // in people's records
	about  *About            // the facts about the last item
	abouts map[aboutKey]*About
	pairCount
	described int   // number of records with an item
	empty     []int // lines of records with neither id nor text

	unread  *unreadColumns
	members map[string]gjson.Result // members of the current record
	used    map[string]bool         // columns that the format names
	fails   *regexp.Regexp
	origin  string           // origin of the values of the current record; see data.OriginPerson
	given   map[[2]int32]int // number of values in the current record, by criterion and rater
	models  map[string]bool  // by rater: whether the name is that of a model

	criteria map[string]string // normalised names of criteria, by spelling in the records

	marked   bool                     // the file marks the failures of graders
	doubted  map[data.RowPlace]string // values of the scores that count as failed because of the text of their reason
	absent   map[data.RowPlace]bool   // judges' scores whose record lacks the field
	rejected map[string]int           // number of rows left out, by status
	noRater  int                      // number of values without a rater

	questions map[unique.Handle[string]]bool // long questions that are kept whole

	kept      int // bytes of the texts and reasons that are kept
	shortened int // number of shortened texts and reasons
}

// A judge's log keeps up to mostKept bytes of texts and reasons whole. Further texts are shortened to mostOfText bytes. For a log of 130
// MB, validate takes 260 MB with this limit and 420 MB without it, in the same time.
const (
	mostKept   = 32 << 20
	mostOfText = 200
)

// A giver is the rater of a value and the criterion that the value is of.
type giver struct {
	data.Rater
	data.Measured
}

// Place returns where a score is, as FILE:LINE.
func (log *Log) Place(s data.Rating) string {
	return fmt.Sprintf("%s:%d", log.Items[s.Item].About().File, s.Line)
}

// keep returns a text, or its beginning if the text is long and a judge's log already keeps mostKept bytes of texts.
func (r *reader) keep(text string) (kept string, shortened bool) {
	if r.o.People || len(text) <= mostOfText || r.kept+len(text) <= mostKept {
		r.kept += len(text)
		return text, false
	}
	r.shortened++
	return strings.Clone(strings.ToValidUTF8(text[:mostOfText], "")) + "…", true
}

// keepQuestion does what keep does for the text of a question. Items with the same question share one copy.
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

// shared returns a text whose memory all equal texts share.
func shared(text string) string {
	if text == "" {
		return ""
	}
	return unique.Make(text).Value()
}

// newReader returns a reader of a file in a format.
func newReader(f *Format, o Options, log *Log) *reader {
	f = f.withOptions(o)
	return &reader{Format: f, o: o, log: log, unread: newUnread(f, o), pairs: map[[3]string]int{}, ids: map[string]int{},
		abouts: map[aboutKey]*About{}, members: map[string]gjson.Result{}, given: map[[2]int32]int{}, models: map[string]bool{},
		criteria:  map[string]string{},
		questions: map[unique.Handle[string]]bool{}, doubted: map[data.RowPlace]string{}, absent: map[data.RowPlace]bool{},
		rejected: map[string]int{}, pairCount: pairCount{labels: map[int]data.Choice{}}}
}

// Options say how a file is read. "This side" is the side that is read: people if People is set, else judges.
type Options struct {
	Format     string            // name of the format; "" to recognise it by content
	People     bool              // read the scores of people, not those of judges
	Map        map[string]string // the user's map from roles and criteria to paths; see ParseMap
	Judges     map[string]string // judges that the user names, with the paths of their values
	JudgeNames []string          // raters that the user calls judges; all others are people
	JudgeHere  bool              // people's file must have a rater of JudgeNames
	Names      []string          // criteria of the other side, which are looked for among the names of columns
	Columns    []string          // columns or paths whose values are kept with each item
	Confidence bool              // read a judge's column with a name such as confidence as its confidence
	Sets       []string          // criteria whose values are sets of answers, which may be lists
	Missing    []string          // values that count as missing; people.VALUE and judge.VALUE on one side only
	Repeats    string            // which of a rater's values of one item counts: a Repeats… constant; "": an error if they differ
	Other      []string          // files of the other side, so that a value is not compared with itself
	Raters     bool              // compare raters with each other: value columns without another role are raters
	Alone      bool              // the other side has no file: names of Map without a side belong to this file
	Leave      []string          // names of people to leave out
	Scales     map[string]string // scales that the user gives, by criterion; "" for all others. The caller applies them
	Given      *Readings         // the roles of columns as the user gave them back; nil: they are determined

	folded map[string]bool // folded names of Names; see folding
}

// The values of Options.Repeats: which value counts if one rater has several of one item.
const (
	RepeatsFirst = "first"
	RepeatsLast  = "last"
	RepeatsMean  = "mean"
)

// Read reads the values that judges, or people (Options.People), gave to the items of a file. A set of pairs without people's choices in
// its format's own columns is read again as a plain table.
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

// read reads a file in the format and checks the log:
//   - Rows without an item are counted.
//   - Scores that depend on the whole file are settled.
//   - Raters of the other side, and labels that are not people's own, are left out.
//   - For people, repeated values that differ are an error (checkRepeats).
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
		} else if not != "" && !o.Raters { // ReadRatings says it in full
			log.Left = append(log.Left, Left{data.Plural(log.notOwn(), "label", "labels"), "not people's own"})
		}
		if err := log.persons(o); err != nil {
			return log, err
		} // repeats of judges are checked in Align, for the criteria that people have too
		return log, log.checkRepeats(o)
	}
	return log, nil
}

// settle revises scores after the whole file was read, and notes what was left out:
//   - Scores that counted as failed because of their reason's text are restored if the file marks failures itself.
//   - A record without a field does not count as failed if another record of the item has the field.
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
				s.Failed = false // clean removes values that are missing and not failed
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

// file reads all records of a file or folder.
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

// read reads one record: the item or the pair, then all its scores. Records with a status for rejected ones, and records without an item,
// are counted and skipped.
func (r *reader) read(record *scope) error {
	clear(r.members)
	clear(r.given)
	record.named = r.members
	record.known = false
	if !record.cells { // columns of a table have different names
		if twice := data.DuplicateKey(record.value, false); twice != "" {
			return record.Errorf("the key %q occurs twice", data.Clip(twice))
		}
	}
	r.unread.read(record)
	item := Item{Line: record.Line, ID: record.part(r.Item.ID)}
	about := About{File: record.File, System: shared(record.part(r.Item.System)), Group: shared(record.part(r.Item.Group))}
	if text := record.part(r.Item.Inclusion); text != "" {
		var ok bool
		about.Inclusion, ok = data.Number(text)
		if !ok || about.Inclusion <= 0 || about.Inclusion > 1 {
			return record.Errorf("the probability of inclusion is %q; it is above 0 and at most 1 (--map inclusion=COLUMN)", data.Clip(text))
		}
	}
	if confidence := record.part(r.Item.Confidence); confidence != "" {
		x, ok := data.Number(confidence)
		if ok {
			about.Confidence = &x
		} else if !r.o.missing(confidence) {
			return record.Errorf("the confidence is %q; it is a number, the larger the surer (--map confidence=COLUMN)", data.Clip(confidence))
		}
	}
	r.origin = record.part(r.Item.Origin)
	status := strings.ToLower(record.part(r.Status))
	if status != "" && slices.Contains(names().Rejected, status) {
		r.rejected[status]++
		return nil
	}
	index := 0
	swapped := false
	if r.Item.A != nil || r.Item.Better != nil || r.Item.Candidates != nil {
		var err error
		item.ID = strings.Clone(item.ID)
		index, swapped, err = r.readPair(record, item.With(about))
		if err != nil || index < 0 {
			return err
		}
	} else {
		index = r.readItem(record, item, about)
		if index < 0 {
			return nil
		}
	}
	if record.cells && r.table != nil && r.addPlain(record.Document, int32(index)) {
		return nil
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

// readItem reads the question, the text and the other facts of an item, and returns its index in the log. It returns -1 for a record
// without an item, which it counts.
func (r *reader) readItem(record *scope, item Item, about About) int {
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
		about.Short = &kept
	}
	if repeat := record.part(r.Item.Repeat); repeat != "" {
		about.Repeat, _ = strconv.Atoi(repeat)
	}
	about.Turn = shared(record.part(r.Item.Turn))
	for _, run := range r.Runs {
		about.Runs = append(about.Runs, runParts(record, run)...)
	}
	for _, column := range r.o.Columns {
		about.Columns = append(about.Columns, record.text(columnPaths(column)))
	}
	if item.ID == "" && item.Text == "" && (item.Question == "" || about.System == "") { // a row of means has no system
		r.empty = append(r.empty, record.Line)
		return -1
	}
	item.about = r.share(about)
	r.described++
	return r.place(item)
}

// place returns the index of an item in the log and adds the item if it is new. The rows of a long table (one for each person and
// criterion) share one item.
func (r *reader) place(item Item) int {
	identified := r.o.People && item.ID != ""
	next := len(r.log.Items)
	if identified && next > 0 && r.log.Items[next-1].same(&item) {
		return next - 1
	}
	if identified {
		latest := r.latest.slot(item.ID, r.log.Items)
		switch before := int(*latest) - 1; {
		case before >= 0 && r.log.Items[before].same(&item):
			return before
		case before < 0 && !strings.Contains(item.ID, "\x00"):
			r.log.ids++
		}
		*latest = int32(next + 1)
	}
	item.ID = strings.Clone(item.ID)
	r.log.Items = append(r.log.Items, item)
	return next
}

// An idIndex finds the last item with an id. It holds no texts, because there may be millions.
type idIndex struct {
	slots []int32 // 1 + the index of an item; 0 is free
	used  int
}

// slot returns the slot of an id, which is free if the id is new. The caller then fills it.
func (x *idIndex) slot(id string, items []Item) *int32 {
	if 2*x.used >= len(x.slots) {
		before := x.slots
		*x = idIndex{slots: make([]int32, max(1<<10, 2*len(before)))}
		for _, index := range before {
			if index > 0 {
				*x.slot(items[index-1].ID, items) = index
			}
		}
	}
	for hash := maphash.String(seed, id); ; hash++ {
		slot := &x.slots[hash%uint64(len(x.slots))]
		if *slot == 0 {
			x.used++
			return slot
		}
		if items[*slot-1].ID == id {
			return slot
		}
	}
}

// distinct reports whether all items are known to have different ids.
func (log *Log) distinct() bool { return log.ids == len(log.Items) }

// same reports whether two items are equal apart from their line.
func (i *Item) same(other *Item) bool {
	return i.ID == other.ID && i.Question == other.Question && i.Text == other.Text && i.About().equal(other.About())
}

// share returns facts about an item: those of an item before it, if they are equal.
func (r *reader) share(about About) *About {
	if r.about != nil && r.about.equal(&about) {
		return r.about
	}
	key := aboutKey{about.System, about.Group, about.Turn, about.Repeat}
	r.about = r.abouts[key]
	if r.about == nil || !r.about.equal(&about) {
		if len(r.abouts) == mostShared {
			clear(r.abouts)
		}
		kept := about
		r.about = &kept
		r.abouts[key] = r.about
	}
	return r.about
}

// mostShared is the number of different facts that later items may share.
const mostShared = 1 << 12

// An aboutKey has the facts in which the items of a file usually differ.
type aboutKey struct {
	system, group, turn string
	repeat              int
}

// runParts returns what identifies a run: a text, or the members of an object as name=value.
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

// withOptions returns the format for one side: scores that could be anybody's (scoreMap.Who) become people's or judges'.
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

// all returns the places in a record that may hold a score: members that match a pattern, the entries at the first path of Each that has
// any, or the record itself.
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

// places returns the places of all that meet the conditions of the map (scoreMap.If).
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

// A newRating is a rating that is being read. doubted says that it counts as failed only because of its reason's text.
type newRating struct {
	data.Rating
	doubted bool
}

// score reads the values at one place of a record. Steps: who gave the value; whether a person's value is the person's own; whether the
// judge failed; then a choice, all free columns, one value, or several named values, and extra values.
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
		s.Reason = cmp.Or(s.Reason, "there is no "+m.Lead) // deepeval counts a metric without a number as failed
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

// criterion returns the name of a criterion with single blanks, shortened if it is very long.
func (r *reader) criterion(written string) string {
	name, known := r.criteria[written]
	if !known {
		name = data.Clip(strings.Join(strings.Fields(written), " "))
		r.criteria[strings.Clone(written)] = name
	}
	return name
}

// mostLabel is the length in bytes of the longest text that can be a label.
const mostLabel = 60

// failure returns the compiled pattern of reasons that mean a failure.
func (r *reader) failure(pattern string) *regexp.Regexp {
	if r.fails == nil {
		r.fails = regexp.MustCompile(strings.ReplaceAll(pattern, "| |", "|")) // YAML folds a long pattern with blanks
	}
	return r.fails
}

// columns reads every member of a place that the format names nowhere else as the value of a criterion with the member's name.
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

// add records a value of a criterion. An object gives one value for each member, as criterion "C.name"; a judge's list of scores gives
// "C.0", "C.1" and so on. A repeated criterion of a judge in one record becomes "C (2)". A judge's missing value counts as failed.
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
	for _, name := range []string{"rating", "number", "choices"} { // keys of Label Studio
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

// scores reports whether each entry of a list is a score, as in the list of an inspect_ai scorer. Longer texts and objects are not scores.
func scores(list []gjson.Result) bool {
	return !slices.ContainsFunc(list, func(v gjson.Result) bool {
		_, number := data.Number(v.String())
		return v.Type == gjson.JSON || v.Type == gjson.String && !number && len(v.Str) > 1
	})
}

// give adds a rating with its rater and criterion, and returns its row.
func (r *reader) give(by giver, rating data.Rating) data.RowPlace {
	values := &r.log.Values
	return values.AddRow(values.CriterionPlace(by.Measured), values.RaterPlace(by.Rater), rating)
}

// valueOf returns a number, a truth value or a label as text. The entries of a list are joined by "; ".
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

// columnPaths returns the paths where a column that a user names may be, such as metadata.NAME.
func columnPaths(name string) paths {
	name = strings.TrimPrefix(name, ".")
	return paths{name, "metadata." + name, "vars." + name, "doc." + name, "data." + name}
}
