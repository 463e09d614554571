package validation

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"compqa/data"
	"compqa/data/sources"
	"compqa/stats"
)

// How items are joined.
const (
	ByID   = "id"
	ByText = "text"
)

// Options say how judges and people are compared. The zero value finds out what it can.
type Options struct {
	Join       string             // ByID or ByText; "": by id if any id is in both, else by text
	Pairs      map[string]string  // criterion of a judge → of people, where names differ
	Scales     map[string]string  // criterion → its scale, where it is found wrongly
	MapLinear  bool               // map the judge's scale onto people's
	Thresholds map[string]float64 // criterion, or "" for all → the least value that passes
	EpochsMean bool               // the mean over epochs instead of the first
	Columns    []string           // by whose values there are slices
	LabelsFor  float64            // half the width of an interval that labels should give; 0: not asked
	Seed       uint64
}

// A Unit is an item that was judged, or that people scored.
type Unit struct {
	ID, System, Question, Text string
	Columns                    []string
	Cluster                    int
	Words                      int // of the text
	Judged, Labelled           bool
}

// A Series holds the values of one judge or person on one criterion.
type Series struct {
	By, Criterion string
	Extra         bool
	Values        []string         // by unit; "": none
	More          map[int][]string // further values of a unit, from other epochs
	Reasons       map[int]string   // what was said, by unit
}

// A Join says what was matched.
type Join struct {
	Method           string // ByID or ByText
	Records, Matched int    // of judges
	Items, Joined    int    // of people: distinct items
	Several          int    // people's items with several records of a judge
	Same, Other      int    // values that a person gave again: the same, and another (the first is kept)
	UnmatchedRecords []string
	UnmatchedItems   []string
	Hint             string
}

// A Study is what judges and people said of the same items.
type Study struct {
	Units  []Unit
	Judges []*Series
	People []*Series
	Join   Join
	Failed map[string]int // records for which a judge has no value, by reason
	Notes  []string

	o        Options
	families map[string]string // of judges and systems, as runs declare them
}

// NewStudy joins logs of judges to the values of people, which may be nil.
func NewStudy(logs []*sources.Log, people *sources.Log, o Options) (*Study, error) {
	s := &Study{o: o, Failed: map[string]int{}, families: map[string]string{}}
	for _, log := range append(slices.Clone(logs), people) {
		if log != nil {
			maps.Copy(s.families, log.Families)
		}
		for _, note := range notesOf(log) {
			if !slices.Contains(s.Notes, note) {
				s.Notes = append(s.Notes, note)
			}
		}
	}
	nameSystems(logs)
	if people != nil {
		s.wholeNumbers(logs, people)
	}
	if people == nil {
		people = &sources.Log{}
	}
	pairsByText(append(slices.Clone(logs), people))
	method, err := s.method(logs, people)
	if err != nil {
		return nil, err
	}
	j := &joiner{keyer: keyer{method: method, textOnly: textOnly(logs, people)}, study: s, at: map[string]int{},
		series: map[[2]string]*Series{}, persons: map[string]string{}, written: map[string]string{}}
	if err := j.findAmbiguous(logs, people); err != nil {
		return nil, err
	}
	j.countRecords(logs, people)
	if err := j.judges(logs); err != nil {
		return nil, err
	}
	j.people(people)
	for _, series := range append(slices.Clone(s.Judges), s.People...) {
		series.Values = append(series.Values, make([]string, len(s.Units)-len(series.Values))...)
	}
	for i, group := range j.groups {
		j.groups[i] = cmp.Or(group, fmt.Sprint("\x00", i)) // a unit without a group or a question is a cluster of its own
	}
	for i, cluster := range stats.ClusterLabels(j.groups) {
		s.Units[i].Cluster = cluster
	}
	return s, nil
}

func notesOf(log *sources.Log) []string {
	if log == nil {
		return nil
	}
	return log.Notes
}

// nameSystems names the systems of items without one by what differs between logs: the model, the
// task, the prompt, or else the name of the file.
func nameSystems(logs []*sources.Log) {
	var varies []bool
	first := map[int]string{}
	for _, log := range logs {
		for _, item := range log.Items {
			for i, run := range item.Runs {
				if len(varies) <= i {
					varies = append(varies, false)
				}
				if before, known := first[i]; known {
					varies[i] = varies[i] || run != before
				} else {
					first[i] = run
				}
			}
		}
	}
	for _, log := range logs {
		for k := range log.Items {
			item := &log.Items[k]
			var parts []string
			for i, run := range item.Runs {
				if varies[i] && run != "" {
					parts = append(parts, run)
				}
			}
			item.System = cmp.Or(item.System, strings.Join(parts, " · "))
		}
	}
}

// wholeNumbers writes ids such as 4.0, as pandas writes a column of numbers with gaps, as 4.
// The log writes them as 4.
func (s *Study) wholeNumbers(logs []*sources.Log, people *sources.Log) {
	for _, log := range logs {
		if slices.ContainsFunc(log.Items, func(i sources.Item) bool { return strings.HasSuffix(i.ID, ".0") }) {
			return
		}
	}
	for _, i := range people.Items {
		if whole, found := strings.CutSuffix(i.ID, ".0"); !found || strings.Trim(whole, "0123456789") != "" {
			return
		}
	}
	for k := range people.Items {
		people.Items[k].ID = strings.TrimSuffix(people.Items[k].ID, ".0")
	}
	if len(people.Items) > 0 {
		s.Notes = append(s.Notes, "People's ids are written as 4.0; they were read as 4")
	}
}

// pairsByText leaves out the systems of pairs if some have none, so that all are joined by their texts.
func pairsByText(logs []*sources.Log) {
	unnamed := func(i sources.Item) bool { return i.Pair != nil && i.Pair.SystemA == "" }
	if !slices.ContainsFunc(logs, func(l *sources.Log) bool { return slices.ContainsFunc(l.Items, unnamed) }) {
		return
	}
	for _, log := range logs {
		for k := range log.Items {
			if pair := log.Items[k].Pair; pair != nil {
				texts := *pair
				texts.SystemA, texts.SystemB = "", ""
				log.Items[k].Pair = &texts
			}
		}
	}
}

// method is how items are joined: as asked, or by id if any id is in both, else by text.
func (s *Study) method(logs []*sources.Log, people *sources.Log) (string, error) {
	count := map[string]int{}
	for _, method := range []string{ByID, ByText} {
		by := keyer{method: method, textOnly: textOnly(logs, people)}
		keys := map[string]bool{}
		for i := range people.Items {
			keys[by.key(&people.Items[i])] = true
		}
		delete(keys, "")
		for _, log := range logs {
			for i := range log.Items {
				if keys[by.key(&log.Items[i])] {
					count[method]++
				}
			}
		}
	}
	method := s.o.Join
	switch {
	case method != "" && method != ByID && method != ByText:
		return "", fmt.Errorf("the join is %q; it must be %s or %s", method, ByID, ByText)
	case len(people.Items) == 0 && slices.ContainsFunc(logs, func(l *sources.Log) bool {
		return slices.ContainsFunc(l.Items, func(i sources.Item) bool { return i.ID == "" })
	}):
		return cmp.Or(method, ByText), nil
	case len(people.Items) == 0:
		return cmp.Or(method, ByID), nil
	case method == "" && count[ByID] > 0:
		method = ByID
		if same, other := sameTexts(logs, people); other > same && count[ByText] > same {
			method = ByText // as where the export has numbers of its own in place of the ids
			s.Notes = append(s.Notes, fmt.Sprintf("%s with ids of the log have another text there, so that items were joined by text; "+
				"--join id decides otherwise", data.Plural(other, "item", "items")))
		}
	case method == "":
		method = ByText
	}
	if count[method] == 0 {
		needed := &Needed{Err: fmt.Errorf("no item of the log is among those of people, by id or by text: the log has %s; people have %s",
			examples(logs[0].Items), examples(people.Items))}
		if flag := sources.SameValues(logs[0].Path, people.Path); flag != "" {
			needed.Flags = []string{"--map", flag}
		} else {
			needed.Flags = []string{"--map", "item=COLUMN,people.item=COLUMN"}
		}
		return "", needed
	}
	if other := map[string]string{ByID: ByText, ByText: ByID}[method]; count[other] > count[method] {
		s.Join.Hint = fmt.Sprintf("by %s %d records would match: --join %s", other, count[other], other)
	}
	return method, nil
}

// sameTexts counts people's items whose id the logs have too: those with the same text as one of its
// records, and those with another.
func sameTexts(logs []*sources.Log, people *sources.Log) (same, other int) {
	texts := map[string][]string{}
	for _, log := range logs {
		for _, item := range log.Items {
			if item.ID != "" && item.Text != "" {
				texts[item.ID] = append(texts[item.ID], item.Text)
			}
		}
	}
	for _, item := range people.Items {
		of := texts[item.ID]
		switch {
		case of == nil || item.Text == "":
		case slices.ContainsFunc(of, func(text string) bool { return text == item.Text || folded(text) == folded(item.Text) }):
			same++
		default:
			other++
		}
	}
	return same, other
}

// examples shows the keys of the first item.
func examples(items []sources.Item) string {
	if len(items) == 0 {
		return "no items"
	}
	i := items[0]
	if i.Pair != nil {
		return fmt.Sprintf("for instance the pair %q of %q and %q", data.Clip(i.Pair.Question),
			data.Clip(cmp.Or(i.Pair.SystemA, i.Pair.A)), data.Clip(cmp.Or(i.Pair.SystemB, i.Pair.B)))
	}
	return fmt.Sprintf("for instance id %q and text %q", data.Clip(i.ID), data.Clip(i.Text))
}

// A keyer identifies items for a join.
type keyer struct {
	method    string
	textOnly  bool            // one side has no questions
	ambiguous map[string]bool // ids of several systems' items
}

// key identifies an item; "": it has nothing to join by.
func (k keyer) key(i *sources.Item) string {
	switch {
	case i.Pair != nil:
		a, b := pairSides(i.Pair)
		return folded(i.Pair.Question) + "\x00" + min(a, b) + "\x00" + max(a, b)
	case k.method == ByID && i.ID != "" && k.ambiguous[i.ID]:
		return i.ID + "\x00" + i.System
	case k.method == ByID:
		return i.ID
	case strings.TrimSpace(i.Text) == "":
		return ""
	case k.textOnly:
		return folded(i.Text)
	}
	return folded(i.Question) + "\x00" + folded(i.Text)
}

// textOnly reports whether the judges' logs or people's scores have no questions.
func textOnly(logs []*sources.Log, people *sources.Log) bool {
	has := func(log *sources.Log) bool {
		return slices.ContainsFunc(log.Items, func(i sources.Item) bool { return strings.TrimSpace(i.Question) != "" })
	}
	return !slices.ContainsFunc(logs, has) || len(people.Items) > 0 && !has(people)
}

// pairSides name the answers of a pair: by their systems, or else by their texts.
func pairSides(p *data.Pair) (a, b string) {
	if p.SystemA != "" {
		return p.SystemA, p.SystemB
	}
	return folded(p.A), folded(p.B)
}

var fold = cases.Fold()

// folded is a text for comparison: composed (NFC), every run of white space one blank, case folded.
func folded(text string) string {
	return fold.String(strings.Join(strings.Fields(norm.NFC.String(text)), " "))
}

// A joiner builds the units of a study.
type joiner struct {
	keyer
	study   *Study
	at      map[string]int
	groups  []string // of units
	series  map[[2]string]*Series
	persons map[string]string // folded name → the name
	written map[string]string // name → folded name
}

// findAmbiguous finds the ids that items of several systems have, as in logs whose ids count from 1.
// People's scores of such an item must name the system.
func (j *joiner) findAmbiguous(logs []*sources.Log, people *sources.Log) error {
	if j.method != ByID {
		return nil
	}
	first := map[string]*sources.Item{}
	j.ambiguous = map[string]bool{}
	for _, log := range logs {
		for k := range log.Items {
			item := &log.Items[k]
			if of := first[item.ID]; of == nil {
				first[item.ID] = item
			} else if of.System != item.System && folded(of.Text) != folded(item.Text) {
				j.ambiguous[item.ID] = true
			}
		}
	}
	for _, item := range people.Items {
		if j.ambiguous[item.ID] && item.System == "" {
			return fmt.Errorf("the id %q is of items of several systems: give people's file a column system, or use --join text", item.ID)
		}
	}
	return nil
}

// unit is the place of an item, which is added if it is new.
func (j *joiner) unit(item *sources.Item) int {
	key := j.key(item)
	if key == "" {
		return -1
	}
	at, known := j.at[key]
	if !known {
		at = len(j.study.Units)
		j.at[key] = at
		u := Unit{ID: item.ID, System: item.System, Question: item.Question, Text: item.Text, Columns: item.Columns}
		if item.Pair != nil {
			u.Question, u.Text = item.Pair.Question, item.Pair.A+"\n\n"+item.Pair.B
		}
		u.Words = len(data.Words(u.Text))
		j.study.Units = append(j.study.Units, u)
		j.groups = append(j.groups, cmp.Or(item.Group, folded(u.Question)))
	}
	u := &j.study.Units[at]
	u.Text, u.Question, u.System = cmp.Or(u.Text, item.Text), cmp.Or(u.Question, item.Question), cmp.Or(u.System, item.System)
	return at
}

// judges adds the values of judges: of several records of an item the first of the lowest epoch.
func (j *joiner) judges(logs []*sources.Log) error {
	for _, log := range logs {
		type failure struct {
			item   int32
			reason string
		}
		failed := map[failure]bool{}
		for _, score := range log.Scores {
			if of := (failure{score.Item, cmp.Or(score.Reason, "failed")}); score.Failed && !failed[of] {
				failed[of] = true
				j.study.Failed[of.reason]++
			}
		}
		scores := spread(log.Scores)
		if slices.ContainsFunc(log.Items, func(i sources.Item) bool { return i.Repeat > 1 }) {
			slices.SortStableFunc(scores, func(a, b sources.Score) int { return cmp.Compare(log.Items[a.Item].Repeat, log.Items[b.Item].Repeat) })
		}
		for _, score := range scores {
			item := &log.Items[score.Item]
			at := j.unit(item)
			if at < 0 {
				continue
			}
			j.study.Units[at].Judged = true
			j.seriesOf(&j.study.Judges, score.By, score).add(at, score, item)
		}
	}
	if len(j.study.Judges) == 0 {
		needed := &Needed{Flags: []string{"--judge", "NAME=PATH"}, Err: errors.New("the log has no judge's values; name where they are")}
		if path := sources.ScorePath(logs[0].Path); path != "" {
			needed.Flags[1] = "judge=" + path
		}
		return needed
	}
	return nil
}

// spread makes of a judge's failure on "rubric" one on each of "rubric.correct", "rubric.polite" …
func spread(scores []sources.Score) []sources.Score {
	if !slices.ContainsFunc(scores, func(s sources.Score) bool { return s.Failed }) {
		return scores
	}
	valid := map[[2]string]bool{} // judge and criterion
	for _, s := range scores {
		if !s.Failed {
			valid[[2]string{s.By, s.Criterion}] = true
		}
	}
	parts := map[[2]string][]sources.Score{}
	var all []sources.Score
	for _, s := range scores {
		whole := [2]string{s.By, s.Criterion}
		if !s.Failed || valid[whole] {
			all = append(all, s)
			continue
		}
		if _, known := parts[whole]; !known {
			parts[whole] = nil
			for _, of := range scores {
				if of.By == s.By && strings.HasPrefix(of.Criterion, s.Criterion+".") && valid[[2]string{of.By, of.Criterion}] &&
					!slices.ContainsFunc(parts[whole], func(p sources.Score) bool { return p.Criterion == of.Criterion }) {
					parts[whole] = append(parts[whole], of)
				}
			}
		}
		for _, part := range parts[whole] {
			s.Series = part.Series
			all = append(all, s)
		}
		if parts[whole] == nil {
			all = append(all, s)
		}
	}
	return all
}

// people adds the values of people: the first that a person gave.
func (j *joiner) people(log *sources.Log) {
	for _, score := range log.Scores {
		at := j.unit(&log.Items[score.Item])
		if at < 0 || score.Value == "" {
			continue
		}
		by := j.person(score.By)
		j.study.Units[at].Labelled = true
		series := j.seriesOf(&j.study.People, by, score)
		before := ""
		if at < len(series.Values) {
			before = series.Values[at]
		}
		value := oriented(score, &log.Items[score.Item])
		switch {
		case before == "":
			series.add(at, score, &log.Items[score.Item])
		case before == value:
			j.study.Join.Same++
		default:
			j.study.Join.Other++
		}
	}
}

// person is one name for the ways in which a person's name is written.
func (j *joiner) person(name string) string {
	if known, ok := j.written[name]; ok {
		return j.persons[known]
	}
	written := name
	name = strings.Join(strings.Fields(norm.NFC.String(name)), " ")
	key := fold.String(name)
	j.written[written] = key
	if known, ok := j.persons[key]; ok && known != name {
		j.persons[key] = key
		for _, s := range j.study.People {
			if s.By == known {
				s.By = key
				j.series[[2]string{"\x00" + key, s.Criterion}] = s
			}
		}
	} else if !ok {
		j.persons[key] = name
	}
	return j.persons[key]
}

func (j *joiner) seriesOf(list *[]*Series, by string, score sources.Score) *Series {
	key := [2]string{by, score.Criterion}
	if score.Person {
		key[0] = "\x00" + key[0]
	}
	s := j.series[key]
	if s == nil {
		s = &Series{By: by, Criterion: score.Criterion, Extra: score.Extra, More: map[int][]string{}, Reasons: map[int]string{}}
		j.series[key] = s
		*list = append(*list, s)
	}
	return s
}

// add adds a value or a failure.
func (s *Series) add(at int, score sources.Score, item *sources.Item) {
	for len(s.Values) <= at {
		s.Values = append(s.Values, "")
	}
	value := oriented(score, item)
	if _, several := s.More[at]; several || s.Values[at] != "" {
		s.More[at] = append(s.More[at], value)
		return
	}
	if s.Values[at] = value; score.Reason != "" {
		s.Reasons[at] = score.Reason
	}
	if value == "" {
		s.More[at] = nil // a further value is not the first
	}
}

// oriented is a value; of a pair, with a as the answer whose name is first in the alphabet.
func oriented(score sources.Score, item *sources.Item) string {
	if item.Pair == nil || score.Criterion != sources.Preferred {
		return score.Value
	}
	if a, b := pairSides(item.Pair); a > b {
		return string(data.Choice(score.Value).Swapped())
	}
	return score.Value
}

// countRecords counts what is matched.
func (j *joiner) countRecords(logs []*sources.Log, people *sources.Log) {
	join := &j.study.Join
	join.Method = j.method
	type record struct{ key, judge string }
	records := map[record]int{}
	several := map[string]int{} // the most records of one judge, by key
	labelled, scored := map[string]bool{}, map[int32]bool{}
	for _, score := range people.Scores {
		scored[score.Item] = true
		labelled[j.key(&people.Items[score.Item])] = true
	}
	delete(labelled, "")
	for _, log := range logs {
		judges := map[int32]string{}
		for _, score := range log.Scores {
			judges[score.Item] = score.By
		}
		for i := range log.Items {
			join.Records++
			key := j.key(&log.Items[i])
			of := record{key, judges[int32(i)]}
			records[of]++
			if several[key] = max(several[key], records[of]); labelled[key] {
				join.Matched++
			} else if len(join.UnmatchedRecords) < 3 {
				join.UnmatchedRecords = append(join.UnmatchedRecords, shownKey(&log.Items[i], j.method))
			}
		}
	}
	seen := map[string]bool{}
	for i := range people.Items {
		key := j.key(&people.Items[i])
		if key == "" || seen[key] || !scored[int32(i)] {
			continue
		}
		seen[key] = true
		join.Items++
		switch n := several[key]; {
		case n > 1:
			join.Several++
			fallthrough
		case n == 1:
			join.Joined++
		case len(join.UnmatchedItems) < 3:
			join.UnmatchedItems = append(join.UnmatchedItems, shownKey(&people.Items[i], j.method))
		}
	}
}

func shownKey(i *sources.Item, method string) string {
	switch {
	case i.Pair != nil:
		return data.Clip(i.Pair.Question)
	case method == ByID:
		return i.ID
	}
	return data.Clip(strings.Join(strings.Fields(i.Question+" | "+i.Text), " "))
}
