package validation

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/table"
	"compqa/results/validation/scales"
)

// nameSystems names the systems of items without one by what differs between logs: the model, the task, the prompt, or else
// the name of the file.
func nameSystems(items []sources.Item) {
	values := map[int]map[string]bool{}
	for _, item := range items {
		for i, run := range item.Runs {
			if values[i] == nil {
				values[i] = map[string]bool{}
			}
			values[i][run] = true
		}
	}
	for k := range items {
		var parts []string
		for i, run := range items[k].Runs {
			if len(values[i]) > 1 && run != "" {
				parts = append(parts, run)
			}
		}
		items[k].System = cmp.Or(items[k].System, strings.Join(parts, " · "))
	}
}

// A side is the log of judges or that of people, with what its items are joined by.
type side struct {
	*sources.Log
	keys  []string // of items; "": it has nothing to join by
	units []int32  // of items; noUnit: it is none
}

// A joiner builds the units of a study from the log of judges and that of people.
type joiner struct {
	*Study
	judged, people side

	textOnly  bool            // one side has no questions
	texts     bool            // both sides have texts: an empty one is an empty answer
	common    map[string]bool // systems that both sides name
	pairTexts bool            // some pairs name no systems: all are identified by their texts
	ambiguous map[string]bool // ids of several systems' items, as in logs whose ids count from 1

	by []string // the judge of each judged item

	groups []string // of units
}

// identify gives the items of both sides their keys: items with equal keys are one unit. It joins as asked, or by id if any id is in both
// logs, else by text.
//
// For example, the log has the ids 1 and 2 of the systems a and b, each counted from 1, so that the id 1 is of two items. Where people's
// file names systems too, the keys are 1 with a and 1 with b; where it names none, an error asks for a column system.
func (j *joiner) identify() error {
	j.findCommon()
	var err error
	j.Join.Method, err = j.method(j.matchedBy())
	if err != nil || j.Join.Method == ByText { // the last keys are those by text
		return err
	}
	j.findAmbiguous()
	for _, item := range j.people.Items {
		if j.ambiguous[wholeNumber(item.ID)] && item.System == "" {
			advice := "give people's file a column system"
			if j.texts {
				advice += ", or use --join text"
			}
			return fmt.Errorf("the id %q is of items of several systems: %s", item.ID, advice)
		}
	}
	j.setKeys(ByID)
	return nil
}

// findCommon finds what both sides have: questions, texts, systems, pairs with named systems; and the judge of each judged item.
func (j *joiner) findCommon() {
	both := func(part func(sources.Item) string) bool {
		has := func(i sources.Item) bool { return strings.TrimSpace(part(i)) != "" }
		return slices.ContainsFunc(j.judged.Items, has) && (len(j.people.Items) == 0 || slices.ContainsFunc(j.people.Items, has))
	}
	j.textOnly = !both(func(i sources.Item) string { return i.Question })
	j.texts = both(func(i sources.Item) string { return i.Text })
	j.common = systemsOf(j.judged.Items)
	peoples := systemsOf(j.people.Items)
	maps.DeleteFunc(j.common, func(system string, _ bool) bool { return !peoples[system] })
	withoutSystems := func(i sources.Item) bool { return i.Pair != nil && i.Pair.SystemA == "" }
	j.pairTexts = slices.ContainsFunc(j.judged.Items, withoutSystems) || slices.ContainsFunc(j.people.Items, withoutSystems)
	j.by = make([]string, len(j.judged.Items))
	for k := range j.judged.Values.Columns {
		column := &j.judged.Values.Columns[k]
		for row, item := range column.Item {
			j.by[item] = j.judged.Values.Raters[column.Rater[row]].Name
		}
	}
}

// matchedBy counts the judged items that each way of joining would match. The keys are then those of ByText.
func (j *joiner) matchedBy() map[string]int {
	matched := map[string]int{}
	for _, method := range []string{ByID, ByText} {
		j.setKeys(method)
		known := map[string]bool{}
		for _, key := range j.people.keys {
			known[key] = key != ""
		}
		matched[method] = len(data.Where(j.judged.keys, func(key string) bool { return known[key] }))
	}
	return matched
}

// findAmbiguous finds the ids of several items: records with one id, of two systems, with different texts or, without texts, of one judge.
func (j *joiner) findAmbiguous() {
	j.ambiguous = map[string]bool{}
	first := map[string]int{} // item of an id
	for k := range j.judged.Items {
		item := &j.judged.Items[k]
		id := wholeNumber(item.ID)
		index, known := first[id]
		if !known {
			first[id] = k
			continue
		}
		before := &j.judged.Items[index]
		if id == "" || item.System == before.System {
			continue
		}
		withoutText := strings.TrimSpace(item.Text) == ""
		if item.TextKey() != before.TextKey() || withoutText && j.by[k] == j.by[index] {
			j.ambiguous[id] = true
		}
	}
}

// systemsOf returns the names of systems, folded.
func systemsOf(items []sources.Item) map[string]bool {
	names := map[string]bool{}
	for _, i := range items {
		if i.System != "" {
			names[folded(i.System)] = true
		}
	}
	return names
}

// method returns how items are joined, by the number of records that each way would match.
func (j *joiner) method(matched map[string]int) (string, error) {
	method := j.o.Join
	people := len(j.people.Items)
	switch {
	case method != "" && method != ByID && method != ByText:
		return "", fmt.Errorf("the join is %q; it must be %s or %s", method, ByID, ByText)
	case method != "":
	case people > 0 && matched[ByID] > 0:
		method = ByID
		if same, other := j.sameTexts(); other > same && matched[ByText] > same {
			method = ByText // as where the export has numbers of its own in place of the ids
			j.Notes = append(j.Notes, fmt.Sprintf("%s with ids of the log have another text there, so that items were joined by text; "+
				"--join id decides otherwise", data.Plural(other, "item", "items")))
		}
	case people > 0 || slices.ContainsFunc(j.judged.Items, func(i sources.Item) bool { return i.ID == "" }):
		method = ByText
	default:
		method = ByID
	}
	if people > 0 && matched[method] == 0 {
		way := "item=COLUMN,people.item=COLUMN"
		return "", &Needed{Flags: []string{"--map", cmp.Or(sources.SameValues(j.judged.Path, j.people.Path), way)}, Way: "--map " + way,
			Err: fmt.Errorf("no item of the log is among those of people, by id or by text: the log has %s; people have %s",
				example(j.judged.Items), example(j.people.Items))}
	}
	if other := map[string]string{ByID: ByText, ByText: ByID}[method]; matched[other] > matched[method] {
		j.Join.Hint = fmt.Sprintf("by %s %d records would match: --join %s", other, matched[other], other)
	}
	return method, nil
}

// sameTexts counts people's items whose id the log has too: those with the same text as one of its records, and those with
// another.
func (j *joiner) sameTexts() (same, other int) {
	texts := map[string][]string{}
	wanted := map[string]bool{}
	for i := range j.people.Items {
		wanted[j.people.Items[i].ID] = wanted[j.people.Items[i].ID] || j.people.Items[i].Text != ""
	}
	for i := range j.judged.Items {
		if item := &j.judged.Items[i]; item.ID != "" && item.Text != "" && wanted[item.ID] {
			texts[item.ID] = append(texts[item.ID], item.TextKey())
		}
	}
	for i := range j.people.Items {
		item := &j.people.Items[i]
		switch names := texts[item.ID]; {
		case names == nil || item.Text == "":
		case slices.Contains(names, item.TextKey()):
			same++
		default:
			other++
		}
	}
	return same, other
}

func example(items []sources.Item) string {
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

// item returns an item of the log of judges, or after these of people's.
func (j *joiner) item(k int) *sources.Item {
	if n := len(j.judged.Items); k >= n {
		return &j.people.Items[k-n]
	}
	return &j.judged.Items[k]
}

func (j *joiner) setKeys(method string) {
	keys := make([]string, len(j.judged.Items)+len(j.people.Items))
	for k := range keys {
		i := j.item(k)
		key := ""
		switch {
		case i.Pair != nil:
			a, b := j.sides(i.Pair)
			key = folded(i.Pair.Question) + "\x00" + min(a, b) + "\x00" + max(a, b)
		case method == ByID:
			key = wholeNumber(i.ID)
			if j.ambiguous[key] && len(j.common) == 0 {
				key += "\x00" + i.System
			}
		case strings.TrimSpace(i.Text) == "" && (j.textOnly || !j.texts || strings.TrimSpace(i.Question) == ""):
		case j.textOnly && !j.texts: // no text is compared
		case j.textOnly:
			key = i.TextKey()
		default:
			key = i.QuestionKey() + "\x00" + i.TextKey()
		}
		keys[k] = sources.Digest(key)
	}
	if len(j.common) > 0 {
		j.splitSystems(keys)
	}
	j.judged.keys = keys[:len(j.judged.Items)]
	j.people.keys = keys[len(j.judged.Items):]
}

// splitSystems adds the system to keys that items of several systems share in one of the files. For example, judges scored the same empty
// answer of a and of b: the key of the text becomes two, so that a's score is not compared with people's score of b. A key of one system
// alone stays, since the other file may not name it.
func (j *joiner) splitSystems(keys []string) {
	type keyOnSide struct {
		key    string
		people bool
	}
	systemOf := map[keyOnSide]string{} // of the first item
	shared := map[string]bool{}
	for k, key := range keys {
		system := folded(j.item(k).System)
		if key == "" || system == "" || j.item(k).Pair != nil {
			continue
		}
		place := keyOnSide{key, k >= len(j.judged.Items)}
		first, known := systemOf[place]
		if !known {
			systemOf[place] = system
		} else if first != system {
			shared[key] = true
		}
	}
	for k, key := range keys {
		system := folded(j.item(k).System)
		if shared[key] && system != "" {
			keys[k] += "\x00" + system
		}
	}
}

// wholeNumber returns an id such as 4.0, as pandas writes a column of numbers with gaps, as 4.
func wholeNumber(id string) string {
	if whole, found := strings.CutSuffix(id, ".0"); found && whole != "" && strings.Trim(whole, "0123456789") == "" {
		return whole
	}
	return id
}

// alignSystems gives systems of people's file the names of the log where they differ by case, signs or what is in front of a slash,
// as openai/gpt-4o and gpt-4o, if that joins more of them and keeps all apart. It says so.
func alignSystems(judged, people *sources.Log) []string {
	ours := systemsOf(judged.Items)
	theirs := systemsOf(people.Items)
	met := func(a, b map[string]string) (n int) {
		for name := range a {
			if _, both := b[name]; both {
				n++
			}
		}
		return n
	}
	plain := func(systems map[string]bool, fold func(string) string) map[string]string { // names by their folded form
		m := map[string]string{}
		for name := range systems {
			m[fold(name)] = name
		}
		return m
	}
	before := met(plain(ours, folded), plain(theirs, folded))
	if len(ours) == 0 || len(theirs) == 0 || before == min(len(ours), len(theirs)) {
		return nil
	}
	for _, fold := range []func(string) string{sources.FoldedName, func(name string) string {
		return sources.FoldedName(name[strings.LastIndexByte(name, '/')+1:])
	}} {
		a := plain(ours, fold)
		b := plain(theirs, fold)
		if len(a) < len(ours) || len(b) < len(theirs) || met(a, b) <= before {
			continue
		}
		written := map[string]string{} // of the log
		for _, item := range judged.Items {
			if item.System != "" {
				written[fold(folded(item.System))] = item.System
			}
		}
		example := ""
		for i := range people.Items {
			item := &people.Items[i]
			name, known := written[fold(folded(item.System))]
			if item.System == "" || !known {
				continue
			}
			if item.System != name {
				example = cmp.Or(example, fmt.Sprintf("%s and %s", name, item.System))
			}
			item.System = name
		}
		return []string{fmt.Sprintf("names of systems that differ in their writing are one (%s)", example)}
	}
	return nil
}

// leastJoined is the share of the smaller side's items that must be joined: fewer are not a comparison.
const leastJoined = .1

// tooFew returns an error where next to nothing is joined: it shows the ids of both sides, and systems that do not meet.
func (j *joiner) tooFew() error {
	distinct := map[string]bool{}
	for _, key := range j.judged.keys {
		distinct[key] = key != ""
	}
	fewer := min(len(distinct), j.Join.Items)
	if j.people.Values.Len() == 0 || j.sameJudge || float64(j.Join.Joined) >= leastJoined*float64(fewer) && j.Join.Joined > 0 {
		return nil
	}
	text := fmt.Sprintf("%d of %s are on both sides: the log has %s; people have %s", j.Join.Joined,
		data.Plural(fewer, "item of the smaller side", "items of the smaller side"), examples(j.judged.Items), examples(j.people.Items))
	if ours, theirs := systemsOf(j.judged.Items), systemsOf(j.people.Items); len(ours) > 0 && len(theirs) > 0 && len(j.common) == 0 {
		text += fmt.Sprintf(". No system is in both: the log has %s; people have %s", data.Some(slices.Sorted(maps.Keys(ours))),
			data.Some(slices.Sorted(maps.Keys(theirs))))
	}
	if j.Join.Hint != "" {
		text += "; " + j.Join.Hint
	}
	return errors.New(text)
}

// examples returns ids of some items, or the beginnings of their texts.
func examples(items []sources.Item) string {
	var names []string
	for _, item := range items {
		name := cmp.Or(item.ID, item.Text, item.Question)
		if item.Pair != nil {
			name = cmp.Or(item.ID, item.Pair.Question)
		}
		if item.System != "" {
			name += " of " + item.System
		}
		if name = data.Clip(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
		if len(names) == 3 {
			break
		}
	}
	return strings.Join(names, ", ")
}

// sides name the answers of a pair: by their systems, or else by their texts.
func (j *joiner) sides(p *data.Pair) (a, b string) {
	if !j.pairTexts {
		return p.SystemA, p.SystemB
	}
	return folded(p.A), folded(p.B)
}

// folded returns a text for comparison.
func folded(text string) string { return sources.FoldedText(text) }

func (j *joiner) count() {
	j.epochs = slices.ContainsFunc(j.judged.Items, func(i sources.Item) bool { return i.Repeat > 1 })
	records := j.judgesRecords()
	several := map[string]int{} // the most records of one judge, by key
	first := map[string]string{}
	mixed := map[string]bool{} // system of a key
	labelled := map[string]bool{}
	for k := range j.people.Values.Columns {
		for _, item := range j.people.Values.Columns[k].Item {
			labelled[j.people.keys[item]] = true
		}
	}
	delete(labelled, "")
	for record, n := range records {
		several[record.key] = max(several[record.key], n)
		j.Join.Records += n
		if labelled[record.key] {
			j.Join.Matched += n
		}
	}
	shown := map[string]bool{}
	for i, key := range j.judged.keys {
		if system, known := first[key]; !known {
			first[key] = j.judged.Items[i].System
		} else if system != j.judged.Items[i].System {
			mixed[key] = true
		}
		if !labelled[key] && !shown[key] {
			j.show(&j.Join.UnmatchedRecords, &j.judged.Items[i])
			shown[key] = key != ""
		}
	}
	j.Join.Items = len(labelled)
	for i, key := range j.people.keys {
		if !labelled[key] {
			continue
		}
		delete(labelled, key) // further items with this key are the same one
		switch n := several[key]; {
		case n == 0:
			j.show(&j.Join.UnmatchedItems, &j.people.Items[i])
		case n > 1:
			j.Join.Several++
			if mixed[key] {
				j.Join.Mixed++
			}
			fallthrough
		default:
			j.Join.Joined++
		}
	}
}

// A judgesRecord is what one judge's records of an item have in common.
type judgesRecord struct{ key, judge string }

// judgesRecords are the numbers of records that judges have of each key. Rows of one criterion each, as a long table has, are one record.
func (j *joiner) judgesRecords() map[judgesRecord]int {
	records := map[judgesRecord]int{}
	scored := map[string]bool{} // keys
	for i, key := range j.judged.keys {
		records[judgesRecord{key, j.by[i]}]++
		scored[key] = scored[key] || j.by[i] != ""
	}
	if !slices.ContainsFunc(j.judged.Readings, func(r *sources.Reading) bool { return r.Column(sources.RoleCriterion) != "" }) {
		return records
	}
	maps.DeleteFunc(records, func(record judgesRecord, _ int) bool { // rows of people in a judge's file
		return record.judge == "" && record.key != "" && scored[record.key]
	})
	type value struct {
		data.Series
		key, judge string
		repeat     int
	}
	type epoch struct {
		judgesRecord
		repeat int
	}
	values := map[value]int{}
	most := map[epoch]int{}
	for _, s := range j.judged.Values.All() {
		record := judgesRecord{j.judged.keys[s.Item], j.by[s.Item]}
		if record.key == "" || records[record] < 2 {
			continue
		}
		repeat := j.judged.Items[s.Item].Repeat
		v := value{s.Series, record.key, record.judge, repeat}
		values[v]++
		most[epoch{record, repeat}] = max(most[epoch{record, repeat}], values[v])
	}
	rows := map[judgesRecord]int{}
	for epoch, n := range most {
		rows[epoch.judgesRecord] += n
	}
	for record, n := range rows {
		records[record] = min(records[record], n)
	}
	return records
}

// show adds what an item is called to a list of at most three.
func (j *joiner) show(list *[]string, i *sources.Item) {
	name := i.ID
	switch {
	case len(*list) == 3:
		return
	case i.Pair != nil:
		name = data.Clip(i.Pair.Question)
	case j.Join.Method != ByID:
		name = data.Clip(strings.Join(strings.Fields(i.Question+" | "+i.Text), " "))
	}
	*list = append(*list, name)
}

// addUnits adds the units of all items with values: of judges in the order of epochs and items, then those that people alone have. An item
// without a value, or with nothing to join by, has noUnit.
func (j *joiner) addUnits() {
	index := map[string]int32{}
	for _, s := range []*side{&j.judged, &j.people} {
		s.units = slices.Repeat([]int32{noUnit}, len(s.Items))
		order := make([]int, len(s.Items))
		rated := make([]bool, len(s.Items))
		for k := range s.Values.Columns {
			column := &s.Values.Columns[k]
			for row, item := range column.Item {
				rated[item] = rated[item] || s == &j.judged || column.Value(row) != ""
			}
		}
		for k := range order {
			order[k] = k
		}
		if s == &j.judged {
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Items[a].Repeat, s.Items[b].Repeat) })
		}
		for _, k := range order {
			if rated[k] && s.keys[k] != "" {
				s.units[k] = j.unit(&s.Items[k], s.keys[k], index)
			}
		}
	}
}

const noUnit = -1

// unit returns the place of an item among the units, to which it is added if it is new; index has the places of those with a key.
func (j *joiner) unit(item *sources.Item, key string, index map[string]int32) int32 {
	place, known := index[key]
	if !known {
		place = int32(len(j.Units))
		index[key] = place
		// Without an id of its own an item has that of the record.
		u := Unit{ID: cmp.Or(item.ID, "item#"+strconv.Itoa(len(j.Units)+1)), System: item.System,
			Scenario: item.Scenario, Question: item.Question, Text: item.Text, Columns: item.Columns}
		if item.Pair != nil {
			u.Question = item.Pair.Question
			u.Text = item.Pair.A + "\n\n" + item.Pair.B
		}
		group := item.QuestionKey()
		u.Words = item.WordsOfText()
		if item.Pair != nil {
			u.Words, group = len(data.Words(u.Text)), sources.Digest(folded(u.Question))
		}
		j.Units = append(j.Units, u)
		j.groups = append(j.groups, cmp.Or(item.Group, group))
		j.unitKeys = append(j.unitKeys, key)
	}
	u := &j.Units[place]
	u.Inclusion = cmp.Or(u.Inclusion, item.Inclusion, j.o.Inclusion[u.ID])
	for c, value := range item.Columns { // a column of --by may be people's alone
		if u.Columns[c] == "" && value != "" {
			u.Columns = slices.Clone(u.Columns)
			u.Columns[c] = value
		}
	}
	u.Text = cmp.Or(u.Text, item.Text)
	u.Question = cmp.Or(u.Question, item.Question)
	u.System = cmp.Or(u.System, item.System)
	return place
}

// addJudges adds the values of judges: of several records of an item the first of the lowest epoch.
func (j *joiner) addJudges() error {
	type failure struct {
		item   int32
		reason string
	}
	values := &j.judged.Values
	failed := map[failure]bool{}
	for k := range values.Columns {
		for row, word := range values.Columns[k].Word {
			if word != data.FailedWord {
				continue
			}
			score := values.At(data.RowPlace{Column: k, Row: row})
			if example := (failure{score.Item, cmp.Or(score.Reason, "failed")}); !failed[example] {
				failed[example] = true
				j.Failed[example.reason]++
			}
		}
	}
	spread(values)
	j.addUnits()
	j.Judges = j.take(&j.judged)
	if len(j.Judges) > 0 {
		return nil
	}
	example := "NAME=PATH"
	path := ""
	if j.judged.Format == "" { // the records of a known format have values that are not a judge's, as the result of a row that a person set
		path = sources.ScorePath(j.judged.Path)
	}
	if path != "" {
		example = "judge=" + path
	}
	return &Needed{Flags: []string{"--judge", example}, Way: "--judge NAME=COLUMN",
		Err: errors.New("the log has no judge's values; name where they are")}
}

// spread makes a judge's failures on "rubric", where it has no other values, failures on each of "rubric.correct", "rubric.polite" …
func spread(values *data.Judgements) {
	valid := make([][]bool, len(values.Columns))
	failed := make([][]bool, len(values.Columns)) // by rater
	for k := range values.Columns {
		valid[k] = make([]bool, len(values.Raters))
		failed[k] = make([]bool, len(values.Raters))
		for row, word := range values.Columns[k].Word {
			rater := values.Columns[k].Rater[row]
			valid[k][rater] = valid[k][rater] || word != data.FailedWord
			failed[k][rater] = failed[k][rater] || word == data.FailedWord
		}
	}
	for k, whole := range values.Criteria {
		for rater := range values.Raters {
			if !failed[k][rater] || valid[k][rater] {
				continue
			}
			var parts []int32
			for part, c := range values.Criteria {
				if valid[part][rater] && strings.HasPrefix(c.ID, whole.ID+".") {
					parts = append(parts, int32(part))
				}
			}
			if parts == nil {
				continue
			}
			values.Columns[k].Keep(func(row int) bool {
				moved := int(values.Columns[k].Rater[row]) == rater
				for _, part := range parts {
					if moved {
						values.AddRow(part, int32(rater), values.At(data.RowPlace{Column: k, Row: row}))
					}
				}
				return !moved
			})
		}
	}
}

// addPeople adds the values of people: the first that a person gave.
func (j *joiner) addPeople() { j.People = j.take(&j.people) }

// take makes the values of a side those of units, and returns its series.
func (j *joiner) take(s *side) []*Series {
	values := &j.judgements
	kind := data.KindJudge
	extra := map[string]bool{}
	tuned := map[string]bool{}
	if s == &j.people {
		values = &j.labels
		kind = data.KindPerson
	}
	*values = s.Values
	s.Values = data.Judgements{}
	for _, r := range values.Raters {
		tuned[r.Name] = tuned[r.Name] || r.Tuned
	}
	for _, c := range slices.Backward(values.Criteria) {
		extra[c.ID] = c.Extra
	}
	values.Rename(func(r data.Rater) data.Rater { return data.Rater{Name: r.Name, Kind: kind, Tuned: tuned[r.Name]} },
		func(c data.Measured) data.Measured { return data.Measured{ID: c.ID, Extra: extra[c.ID]} })
	confidence := map[*data.Column]map[int]float64{} // by row
	for k := range values.Columns {
		c := &values.Columns[k]
		c.Keep(func(row int) bool { return s.units[c.Item[row]] != noUnit && (s == &j.judged || c.Value(row) != "") })
		j.reword(s, c, values.Criteria[k].ID == sources.Preferred)
		s.arrange(c, len(values.Raters), s == &j.judged)
		j.choose(s, c, values.Raters)
		for row, item := range c.Item {
			if sure := s.Items[item].Confidence; sure != nil {
				if confidence[c] == nil {
					confidence[c] = map[int]float64{}
				}
				confidence[c][row] = *sure
			}
			c.Item[row] = s.units[item]
			u := &j.Units[c.Item[row]]
			u.Judged = u.Judged || s == &j.judged
			u.Labelled = u.Labelled || s == &j.people
		}
	}
	list := seriesIn(values)
	for _, series := range list {
		for unit, row := range series.firsts() {
			if sure, known := confidence[series.column][row]; known {
				series.Confidence[unit] = sure
			}
		}
	}
	return list
}

// reword writes values as they are compared: in the words of --same, and of a pair a is the answer whose name is first in the alphabet. A
// judge who gave no value failed.
func (j *joiner) reword(s *side, c *data.Column, preferred bool) {
	words := data.Each(slices.Clone(c.Words), func(word string) int32 {
		if word == "" {
			return data.FailedWord
		}
		return c.Place(cmp.Or(j.o.Same[scales.Canonical(word)], word))
	})
	for row, word := range c.Word {
		if word == data.FailedWord {
			continue
		}
		c.Word[row] = words[word]
		if pair := s.Items[c.Item[row]].Pair; preferred && pair != nil && words[word] != data.FailedWord {
			if a, b := j.sides(pair); a > b {
				c.Word[row] = c.Place(string(data.Choice(c.Value(row)).Swapped()))
			}
		}
	}
}

// arrange orders the rows of a column by rater and unit. Those of one rater and unit stay as they are, or are by epoch and item.
func (s *side) arrange(c *data.Column, raters int, byEpoch bool) {
	from := make([]int32, raters+1) // rows of raters in order
	for _, rater := range c.Rater {
		from[rater+1]++
	}
	for rater := range raters {
		from[rater+1] += from[rater]
	}
	order, next := make([]int32, len(c.Item)), slices.Clone(from)
	for row, rater := range c.Rater {
		order[next[rater]] = int32(row)
		next[rater]++
	}
	compare := func(a, b int32) int {
		one := c.Item[a]
		two := c.Item[b]
		first := cmp.Compare(s.units[one], s.units[two])
		if first != 0 || !byEpoch {
			return first
		}
		return cmp.Or(cmp.Compare(s.Items[one].Repeat, s.Items[two].Repeat), cmp.Compare(one, two))
	}
	for rater := range raters {
		rows := order[from[rater]:from[rater+1]]
		if !slices.IsSortedFunc(rows, compare) {
			slices.SortStableFunc(rows, compare)
		}
	}
	if !slices.IsSorted(order) {
		c.Arrange(order)
	}
}

// choose deletes the rows of a unit that do not count, where a rater has several.
func (j *joiner) choose(s *side, c *data.Column, raters []data.Rater) {
	var left []bool
	for first := 0; first < len(c.Item); {
		last := first
		for last+1 < len(c.Item) && c.Rater[last+1] == c.Rater[first] && s.units[c.Item[last+1]] == s.units[c.Item[first]] {
			last++
		}
		if last > first {
			if left == nil {
				left = make([]bool, len(c.Item))
			}
			if !(s == &j.people && raters[c.Rater[first]].Name == j.meanBy && j.meanBy != "") { // each of its sheets of an item counts
				j.chooseOf(s, c, first, last, left)
			}
		}
		first = last + 1
	}
	if left != nil {
		c.Keep(func(row int) bool { return !left[row] })
	}
}

// chooseOf sets which of the rows of a unit are left out.
func (j *joiner) chooseOf(s *side, c *data.Column, first, last int, left []bool) {
	for row := first; row <= last; row++ {
		left[row] = j.o.Last && row < last || !j.o.Last && row > first && s == &j.people && !j.o.PeoplesMean
		switch {
		case s == &j.judged || row == first:
		case c.Word[row] == c.Word[first]:
			j.Join.Same++
		default:
			j.Join.Other++
		}
	}
}

// addVersions adds for judges of one criterion, no two of which have an item, one judge with the values of all: they are versions of
// one, or each has a part of the items.
func (j *joiner) addVersions() {
	if j.ofRun {
		return // a run says who its judges are
	}
	values := &j.judgements
	for _, versions := range table.Grouped(j.Judges, func(s *Series) string { return s.ID }) {
		if len(versions) < 2 || versions[0].Extra {
			continue
		}
		rows, apart := versionsRows(versions, len(j.Units))
		if !apart {
			continue
		}
		names := data.Each(versions, func(s *Series) string { return s.Rater.Name })
		criterion := values.CriterionPlace(*versions[0].Measured)
		rater := data.Rater{Name: strings.Join(few(names), " + "), Kind: data.KindJudge}
		place := int32(len(values.Raters))
		all := map[int]float64{}
		values.Raters = append(values.Raters, rater)
		for _, row := range rows {
			values.AddRow(criterion, place, values.At(data.RowPlace{Column: int(criterion), Row: int(row)}))
		}
		for _, s := range versions {
			maps.Copy(all, s.Confidence)
		}
		one := seriesOn(values, data.Series{Rater: &rater, Measured: versions[0].Measured}, criterion, place)
		one.Versions = names
		one.Confidence = all
		j.Judges = append([]*Series{one}, j.Judges...)
	}
}

// versionsRows returns the rows of versions of a judge, by unit, and first of each unit the row that counts. apart: each unit has a value
// of one version at most.
func versionsRows(versions []*Series, units int) (rows []int32, apart bool) {
	column := versions[0].column
	counted := slices.Repeat([]int32{-1}, units) // rows
	for _, s := range versions {
		for unit, row := range s.firsts() {
			valued := counted[unit] >= 0 && column.Word[counted[unit]] != data.FailedWord
			if column.Word[row] != data.FailedWord && valued {
				return nil, false
			}
			if !valued {
				counted[unit] = int32(row)
			}
		}
	}
	rows = data.Where(counted, func(row int32) bool { return row >= 0 })
	for _, s := range versions {
		for row := s.from + 1; row < s.to; row++ {
			if column.Item[row] == column.Item[row-1] {
				rows = append(rows, int32(row))
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(column.Item[a], column.Item[b]) })
	return rows, true
}
