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

// nameSystems names the system of each item that has none. The name consists of what differs between the logs: the model, the task, the
// prompt, or else the file.
func nameSystems(items []sources.Item) {
	values := map[int]map[string]bool{}
	for _, item := range items {
		for i, run := range item.About().Runs {
			if values[i] == nil {
				values[i] = map[string]bool{}
			}
			values[i][run] = true
		}
	}
	sources.NameSystems(items, func(about *sources.About) string {
		var parts []string
		for i, run := range about.Runs {
			if len(values[i]) > 1 && run != "" {
				parts = append(parts, run)
			}
		}
		return cmp.Or(about.System, strings.Join(parts, " · "))
	})
}

// A side is the log of judges or the log of people, with the key and the unit of each of its items.
type side struct {
	*sources.Log
	keys  []string // key of each item, by which items are joined; "": the item cannot be joined
	units []int32  // unit of each item; noUnit: the item is not in a unit
}

// A joiner builds the units of a study from the log of judges and the log of people.
type joiner struct {
	*Study
	judged, people side

	textOnly  bool            // one side has no questions, so that only texts are compared
	texts     bool            // both sides have texts, so that an empty text is an empty answer
	common    map[string]bool // systems that both sides name, folded
	pairTexts bool            // some pairs name no systems, so that texts identify the answers of all pairs
	ambiguous map[string]bool // ids that items of several systems have, as in logs whose ids count from 1

	by []string // name of the judge of each judged item

	groups []string // cluster of each unit: its group or question
}

// identify sets the keys of the items of both sides. Items with equal keys become one unit. identify joins as the user asks. Otherwise it
// joins by id if both logs have some common id, and else by text.
//
// For example, the systems a and b both count their ids from 1, so that the id 1 belongs to two items. If people's file names systems, the
// keys are 1 with a and 1 with b. If it names no systems, an error asks for a column system.
func (j *joiner) identify() error {
	j.findCommon()
	var err error
	j.Join.Method, err = j.method(j.matchedBy())
	if err != nil || j.Join.Method == ByText { // matchedBy has set the keys by text
		return err
	}
	j.findAmbiguous()
	for _, item := range j.people.Items {
		if j.ambiguous[wholeNumber(item.ID)] && item.About().System == "" {
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

// findCommon finds what both sides have: questions, texts and systems. It also finds whether pairs lack systems, and who judged each judged
// item.
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
	withoutSystems := func(i sources.Item) bool {
		pair := i.About().Pair
		return pair != nil && pair.SystemA == ""
	}
	j.pairTexts = slices.ContainsFunc(j.judged.Items, withoutSystems) || slices.ContainsFunc(j.people.Items, withoutSystems)
	j.by = make([]string, len(j.judged.Items))
	for k := range j.judged.Values.Columns {
		column := &j.judged.Values.Columns[k]
		for row, item := range column.Item {
			j.by[item] = j.judged.Values.Raters[column.Rater[row]].Name
		}
	}
}

// matchedBy returns for each way of joining the number of judged items that it would match. It leaves the keys set by text.
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

// findAmbiguous finds ids that belong to several items. Two records of one id are different items if their systems differ, and either their
// texts differ or, without texts, their judge is the same.
func (j *joiner) findAmbiguous() {
	j.ambiguous = map[string]bool{}
	first := map[string]int{} // first item with an id
	for k := range j.judged.Items {
		item := &j.judged.Items[k]
		id := wholeNumber(item.ID)
		index, known := first[id]
		if !known {
			first[id] = k
			continue
		}
		before := &j.judged.Items[index]
		if id == "" || item.About().System == before.About().System {
			continue
		}
		withoutText := strings.TrimSpace(item.Text) == ""
		if item.TextKey() != before.TextKey() || withoutText && j.by[k] == j.by[index] {
			j.ambiguous[id] = true
		}
	}
}

// systemsOf returns the set of systems that items name, folded.
func systemsOf(items []sources.Item) map[string]bool {
	names := map[string]bool{}
	for _, i := range items {
		if system := i.About().System; system != "" {
			names[folded(system)] = true
		}
	}
	return names
}

// method returns how to join items: ByID or ByText. matched has the number of judged items that each would match.
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
			method = ByText // for instance, an export replaced the ids by its own numbers
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

// sameTexts compares people's items with the log's records of the same id. It counts the items whose text equals that of a record, and the
// items whose text equals none.
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
	if pair := i.About().Pair; pair != nil {
		return fmt.Sprintf("for instance the pair %q of %q and %q", data.Clip(pair.Question), data.Clip(cmp.Or(pair.SystemA, pair.A)),
			data.Clip(cmp.Or(pair.SystemB, pair.B)))
	}
	return fmt.Sprintf("for instance id %q and text %q", data.Clip(i.ID), data.Clip(i.Text))
}

// item returns an item by its index, which counts the log of judges first and then the log of people.
func (j *joiner) item(k int) *sources.Item {
	if n := len(j.judged.Items); k >= n {
		return &j.people.Items[k-n]
	}
	return &j.judged.Items[k]
}

// setKeys sets the key of each item of both sides, as a digest. A pair's key is its question and its two answers. By id, the key is the id,
// with the system if the id is ambiguous. By text, it is question and text, or only the text if a side has no questions. An item without
// these has the key "".
func (j *joiner) setKeys(method string) {
	keys := make([]string, len(j.judged.Items)+len(j.people.Items))
	for k := range keys {
		i := j.item(k)
		key := ""
		switch pair := i.About().Pair; {
		case pair != nil:
			a, b := j.sides(pair)
			key = folded(pair.Question) + "\x00" + min(a, b) + "\x00" + max(a, b)
		case method == ByID:
			key = wholeNumber(i.ID)
			if j.ambiguous[key] && len(j.common) == 0 {
				key += "\x00" + i.About().System
			}
		case strings.TrimSpace(i.Text) == "" && (j.textOnly || !j.texts || strings.TrimSpace(i.Question) == ""):
		case j.textOnly && !j.texts: // there are no texts to compare
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

// splitSystems adds the system to each key that items of several systems share within one file. For example, if a and b both gave an empty
// answer, its key becomes two keys. Otherwise a's score would be compared with people's score of b. A key of only one system stays as it
// is, since the other file may not name the system.
func (j *joiner) splitSystems(keys []string) {
	type keyOnSide struct {
		key    string
		people bool
	}
	systemOf := map[keyOnSide]string{} // system of the first item with the key
	shared := map[string]bool{}
	for k, key := range keys {
		system := folded(j.item(k).About().System)
		if key == "" || system == "" || j.item(k).About().Pair != nil {
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
		system := folded(j.item(k).About().System)
		if shared[key] && system != "" {
			keys[k] += "\x00" + system
		}
	}
}

// wholeNumber returns an id such as 4.0 without its decimal: 4. Pandas writes ids as 4.0 if their column has gaps.
func wholeNumber(id string) string {
	if whole, found := strings.CutSuffix(id, ".0"); found && whole != "" && strings.Trim(whole, "0123456789") == "" {
		return whole
	}
	return id
}

// alignSystems renames systems in people's file as the log names them. Names may differ by case, by signs, or by a prefix before a slash
// (openai/gpt-4o and gpt-4o). It renames only if this joins more systems and no two systems become one. It returns a note, or nil.
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
	plain := func(systems map[string]bool, fold func(string) string) map[string]string { // names by folded form
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
		written := map[string]string{} // name as the log writes it, by folded form
		for _, item := range judged.Items {
			if system := item.About().System; system != "" {
				written[fold(folded(system))] = system
			}
		}
		example := ""
		sources.NameSystems(people.Items, func(about *sources.About) string {
			name, known := written[fold(folded(about.System))]
			if about.System == "" || !known {
				return about.System
			}
			if about.System != name {
				example = cmp.Or(example, fmt.Sprintf("%s and %s", name, about.System))
			}
			return name
		})
		return []string{fmt.Sprintf("names of systems that differ in their writing are one (%s)", example)}
	}
	return nil
}

// leastJoined is the least share of the smaller side's items that must be joined. With fewer joined items nothing is compared.
const leastJoined = .1

// tooFew returns an error if next to nothing is joined. The error shows some ids of both sides, and the systems if the sides have none in
// common.
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

// examples returns the ids of up to three items, or the beginnings of their texts if they have no ids.
func examples(items []sources.Item) string {
	var names []string
	for _, item := range items {
		name := cmp.Or(item.ID, item.Text, item.Question)
		if pair := item.About().Pair; pair != nil {
			name = cmp.Or(item.ID, pair.Question)
		}
		if system := item.About().System; system != "" {
			name += " of " + system
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

// sides returns the names of the two answers of a pair: their systems, or their folded texts if pairTexts is set.
func (j *joiner) sides(p *data.Pair) (a, b string) {
	if !j.pairTexts {
		return p.SystemA, p.SystemB
	}
	return folded(p.A), folded(p.B)
}

// folded returns a text in the form in which texts are compared (see sources.FoldedText).
func folded(text string) string { return sources.FoldedText(text) }

// count fills in Join: how many records and items were matched, how many items have several records, and examples of unmatched ones.
func (j *joiner) count() {
	j.epochs = slices.ContainsFunc(j.judged.Items, func(i sources.Item) bool { return i.About().Repeat > 1 })
	records := j.judgesRecords()
	several := map[string]int{} // greatest number of records of one judge, by key
	first := map[string]string{}
	mixed := map[string]bool{} // keys whose records are of several systems
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
			first[key] = j.judged.Items[i].About().System
		} else if system != j.judged.Items[i].About().System {
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
		delete(labelled, key) // so that further items with this key are not counted again
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

// A judgesRecord identifies the records that one judge has of one item.
type judgesRecord struct{ key, judge string }

// judgesRecords returns how many records each judge has of each key. In a long table, where each row has one criterion, the rows of one
// epoch count as one record.
func (j *joiner) judgesRecords() map[judgesRecord]int {
	records := map[judgesRecord]int{}
	scored := map[string]bool{} // keys that a judge scored
	for i, key := range j.judged.keys {
		records[judgesRecord{key, j.by[i]}]++
		scored[key] = scored[key] || j.by[i] != ""
	}
	if !slices.ContainsFunc(j.judged.Readings, func(r *sources.Reading) bool { return r.Column(sources.RoleCriterion) != "" }) {
		return records
	}
	maps.DeleteFunc(records, func(record judgesRecord, _ int) bool { // rows of people in the judges' file
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
		repeat := j.judged.Items[s.Item].About().Repeat
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

// show adds the name of an item (its id, question or text) to a list of at most three examples.
func (j *joiner) show(list *[]string, i *sources.Item) {
	name := i.ID
	switch {
	case len(*list) == 3:
		return
	case i.About().Pair != nil:
		name = data.Clip(i.About().Pair.Question)
	case j.Join.Method != ByID:
		name = data.Clip(strings.Join(strings.Fields(i.Question+" | "+i.Text), " "))
	}
	*list = append(*list, name)
}

// addUnits adds a unit for each different key of items with values: first the judges' items, by epoch and then by place, then the items
// that only people have. An item without values or without a key gets noUnit.
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
			slices.SortStableFunc(order, func(a, b int) int {
				return cmp.Compare(s.Items[a].About().Repeat, s.Items[b].About().Repeat)
			})
		}
		for _, k := range order {
			if rated[k] && s.keys[k] != "" {
				s.units[k] = j.unit(&s.Items[k], s.keys[k], index)
			}
		}
	}
}

const noUnit = -1

// unit returns the index of an item's unit. If the key is new, it adds a unit; otherwise it only fills in what the unit lacks. index has
// the unit of each key.
func (j *joiner) unit(item *sources.Item, key string, index map[string]int32) int32 {
	about := item.About()
	place, known := index[key]
	if !known {
		place = int32(len(j.Units))
		index[key] = place
		// An item without an id gets one from its number.
		u := Unit{ID: cmp.Or(item.ID, "item#"+strconv.Itoa(len(j.Units)+1)), System: about.System, Scenario: about.Scenario,
			Question: item.Question, Text: item.Text, Columns: about.Columns}
		if about.Pair != nil {
			u.Question = about.Pair.Question
			u.Text = about.Pair.A + "\n\n" + about.Pair.B
		}
		group := item.QuestionKey()
		u.Words = item.WordsOfText()
		if about.Pair != nil {
			u.Words, group = len(data.Words(u.Text)), sources.Digest(folded(u.Question))
		}
		j.Units = append(j.Units, u)
		j.groups = append(j.groups, cmp.Or(about.Group, group))
		j.unitKeys = append(j.unitKeys, key)
	}
	u := &j.Units[place]
	u.Inclusion = cmp.Or(u.Inclusion, about.Inclusion, j.o.Inclusion[u.ID])
	for c, value := range about.Columns { // only people's file may have a column of --by
		if u.Columns[c] == "" && value != "" {
			u.Columns = slices.Clone(u.Columns)
			u.Columns[c] = value
		}
	}
	u.Text = cmp.Or(u.Text, item.Text)
	u.Question = cmp.Or(u.Question, item.Question)
	u.System = cmp.Or(u.System, about.System)
	return place
}

// addJudges adds the values of judges, and counts their failures by reason. If a judge has several records of an item, the first record of
// the lowest epoch counts. It returns Needed if the log has no values of judges.
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
	if j.judged.Format == "" { // in a known format, other scores are not a judge's: a person may have set the result of a row
		path = sources.ScorePath(j.judged.Path)
	}
	if path != "" {
		example = "judge=" + path
	}
	return &Needed{Flags: []string{"--judge", example}, Way: "--judge NAME=COLUMN",
		Err: errors.New("the log has no judge's values; name where they are")}
}

// spread moves a judge's failures on a criterion without values to its parts. A failure on "rubric" becomes failures on "rubric.correct",
// "rubric.polite" and so on.
func spread(values *data.Judgements) {
	valid := make([][]bool, len(values.Columns))
	failed := make([][]bool, len(values.Columns)) // by criterion and rater, as valid
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

// addPeople adds the values of people. If a person gave an item several values, the first one counts.
func (j *joiner) addPeople() { j.People = j.take(&j.people) }

// take takes the values of a side into the study, with units in place of items, and returns its series. It rewords and orders the values,
// and deletes values that do not count (see reword, arrange and choose).
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
	confidence := map[*data.Column]map[int]float64{} // confidence of each row that has one
	for k := range values.Columns {
		c := &values.Columns[k]
		c.Keep(func(row int) bool { return s.units[c.Item[row]] != noUnit && (s == &j.judged || c.Value(row) != "") })
		j.reword(s, c, values.Criteria[k].ID == sources.Preferred)
		s.arrange(c, len(values.Raters), s == &j.judged)
		j.choose(s, c, values.Raters)
		for row, item := range c.Item {
			if sure := s.Items[item].About().Confidence; sure != nil {
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

// reword rewrites a column's values so that both sides can be compared. It applies --same. In a pair, the answer whose name comes first in
// the alphabet becomes a. A judge's empty value becomes a failure.
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
		if pair := s.Items[c.Item[row]].About().Pair; preferred && pair != nil && words[word] != data.FailedWord {
			if a, b := j.sides(pair); a > b {
				c.Word[row] = c.Place(string(data.Choice(c.Value(row)).Swapped()))
			}
		}
	}
}

// arrange orders the rows of a column by rater, and then by unit. Rows of the same rater and unit keep their order, or if byEpoch is set
// are ordered by epoch and item.
func (s *side) arrange(c *data.Column, raters int, byEpoch bool) {
	from := make([]int32, raters+1) // first row of each rater
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
		return cmp.Or(cmp.Compare(s.Items[one].About().Repeat, s.Items[two].About().Repeat), cmp.Compare(one, two))
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

// choose deletes values that do not count, where a rater has several values of a unit. All values of people's recorded mean count.
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

// chooseOf marks in left which rows from first to last are deleted. All these rows are values of one rater on one unit. It also counts
// repeated values of people.
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

// addVersions finds judges that rated the same criterion but no item in common: versions of one judge, or judges that each have a part of
// the items. It adds one judge with the values of all of them.
func (j *joiner) addVersions() {
	if j.ofRun {
		return // a run names its judges
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

// versionsRows returns the rows of all versions of a judge, ordered by unit; the row that counts comes first. apart is false if two
// versions have a value of the same unit.
func versionsRows(versions []*Series, units int) (rows []int32, apart bool) {
	column := versions[0].column
	counted := slices.Repeat([]int32{-1}, units) // row that counts, by unit
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
