package sources

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// FormatFile names the format of this project's own files of pairs.
const FormatFile = "file"

// ReadPairs reads a set of pairs, and the preferences given on them, from a file or folder. format is one of PairFormatNames, or FormatFile
// for files of data.ReadPairs. With "" or TableOfPairs, the content decides. Repeated preferences of a judge on one pair are left out; the
// source of the set says how many.
func ReadPairs(path, format string, o Options) (set data.PreferenceSet, err error) {
	sets, _, _, err := ReadPairSets(path, format, o)
	for i, one := range sets {
		if i == 0 {
			set = one
		} else {
			set.Pairs = append(set.Pairs, one.Pairs...)
			set.Given = append(set.Given, one.Given...)
		}
	}
	return set, err
}

// ReadPairSets reads the sets of pairs in a file or folder. LLMBar has several sets and the completions of its judges (bar); other formats
// have one set. Options.Map names columns of a table; values of Options.Missing do not count as choices. reading gives the role of each
// column of a table, and is nil for a format without columns.
func ReadPairSets(path, format string, o Options) (sets []data.PreferenceSet, reading *Reading, bar *LLMBar, err error) {
	f, err := pairFormat(path, format, o)
	if err != nil {
		return nil, nil, nil, err
	}
	set := data.PreferenceSet{Name: f.Name, Source: f.Source}
	switch f.Name {
	case "llmbar":
		bar, err = ReadLLMBar(path)
		if err != nil {
			return nil, nil, nil, err
		}
		for i := range bar.Sets {
			bar.Sets[i].Source = f.Source
		}
		return bar.Sets, nil, bar, nil
	case FormatFile:
		set.Pairs, err = data.ReadPairs(path)
		sayOpposite(&set)
		leaveOutSame(&set)
	case "trec-news":
		set.Pairs, err = readTREC(path)
	default:
		err = f.readSet(path, &set, o)
		if f.Name == tableOfPairs && f.Item.ID != nil {
			ownIDs(&set)
		}
	}
	return []data.PreferenceSet{set}, f.Reading, nil, err
}

// sayOpposite counts the pairs with ids of their own that have the texts of another pair, in either order, and a different label. The set's
// source says how many there are.
func sayOpposite(set *data.PreferenceSet) {
	first := map[[3]string]data.Choice{}
	opposite := 0
	for _, p := range set.Pairs {
		key := [3]string{p.Question, p.A, p.B}
		label := p.Label
		if _, exchanged := first[[3]string{p.Question, p.B, p.A}]; exchanged {
			key = [3]string{p.Question, p.B, p.A}
			label = label.Swapped()
		}
		before, seen := first[key]
		if !seen {
			first[key] = label
		} else if before != label && before != data.NoChoice && label != data.NoChoice {
			opposite++
		}
	}
	if opposite > 0 {
		set.Source += fmt.Sprintf(" (%s the texts of another pair with another label: they contradict each other)",
			data.Plural(opposite, "pair has", "pairs have"))
	}
}

// readSet reads the pairs and preferences of a set, in these steps: the records, pairs of scored texts or recorded pairs, the choices of
// judges in other files, conflicts and counts, repeated preferences, and pairs of identical answers.
func (f *Format) readSet(path string, set *data.PreferenceSet, o Options) error {
	o.Columns = []string{"info.site", "info.subreddit"}
	r := newReader(f, o, &Log{Path: path})
	read := r.file
	if f.Expand != "" {
		read = r.expanded
	}
	if err := read(path); err != nil {
		return err
	}
	if f.ofPoints() {
		column := data.Column{}
		if len(r.log.Values.Columns) > 0 {
			column = r.log.Values.Columns[0]
		}
		for i, item := range r.log.Items {
			if i >= len(column.Item) || int(column.Item[i]) != i || item.Text == "" || item.About().Group == "" {
				why := errors.New("the text, what it is about or its points are missing")
				return &data.LineError{Path: item.About().File, Line: item.Line, Err: why}
			}
		}
		pairs := pairsOfPoints(f.Name, r.log)
		set.Pairs = pairs.Pairs
		set.Given = pairs.Given
	} else {
		set.Pairs = data.Each(r.log.Items, func(item Item) data.Pair { return *item.About().Pair })
		r.giveSet(set)
	}
	if err := r.outputs(path, set); err != nil {
		return err
	}
	if err := r.counted(path, set); err != nil {
		return err
	}
	together(set)
	labelled(set, f.Majority, o.Repeats)
	leaveOutSame(set)
	return nil
}

// ofPoints reports whether the pairs are made from scores of single texts; see pairsOfPoints.
func (f *Format) ofPoints() bool {
	return f.Item.A == nil && f.Item.Better == nil && f.Item.Candidates == nil
}

// ownIDs gives pairs the ids of their table, without the prefix of the format.
func ownIDs(set *data.PreferenceSet) {
	strip := func(id *string) { *id = strings.TrimPrefix(*id, tableOfPairs+"-") }
	for i := range set.Pairs {
		strip(&set.Pairs[i].ID)
	}
	for i := range set.Given {
		strip(&set.Given[i].ID)
	}
	same := map[string]bool{}
	for id := range set.Same {
		same[strings.TrimPrefix(id, tableOfPairs+"-")] = true
	}
	set.Name = FormatFile
	set.Same = same
}

// leaveOutSame removes pairs of identical answers, or of two empty ones, and their preferences: no choice is right there.
func leaveOutSame(set *data.PreferenceSet) {
	same := map[string]bool{}
	empty := 0
	set.Pairs = slices.DeleteFunc(set.Pairs, func(p data.Pair) bool {
		equal := strings.TrimSpace(p.A) == strings.TrimSpace(p.B)
		if equal {
			same[p.ID] = true
			if strings.TrimSpace(p.A) == "" {
				empty++
			}
		}
		return equal
	})
	if len(same) == 0 {
		return
	}
	set.Given = slices.DeleteFunc(set.Given, func(p data.Preference) bool { return same[p.ID] })
	if n := len(same) - empty; n > 0 {
		set.Source += fmt.Sprintf(" (%s of identical answers left out)", data.Plural(n, "pair", "pairs"))
	}
	if empty > 0 {
		set.Source += fmt.Sprintf(" (%s of two empty answers left out)", data.Plural(empty, "pair", "pairs"))
	}
	set.Same = same
}

// together combines people into one judge, data.Human, if they are at least five and have fewer than two votes each on average. The voters
// of Chatbot Arena are an example. If two people voted on one pair, all stay separate.
func together(set *data.PreferenceSet) {
	people := map[string]bool{}
	voted := map[string]bool{}
	n := 0
	for _, p := range set.Given {
		if !data.IsHuman(p.Judge) {
			continue
		}
		if voted[p.ID] {
			return
		}
		people[p.Judge] = true
		voted[p.ID] = true
		n++
	}
	if len(people) < 5 || n >= 2*len(people) {
		return
	}
	for i := range set.Given {
		if data.IsHuman(set.Given[i].Judge) {
			set.Given[i].Judge = data.Human
		}
	}
	set.Source += fmt.Sprintf(" (votes of %d people, read together as %s)", len(people), data.Human)
}

// pairFormat returns the named format of pairs, or the one that the content of a file or folder shows, with the roles of its columns.
func pairFormat(path, name string, o Options) (f *Format, err error) {
	format := &Format{Name: FormatFile, Source: baseName(path)}
	switch name {
	case FormatFile:
		return format, nil
	case "", tableOfPairs:
		f, err = recognised(path)
	default:
		f, err = formatNamed(name)
	}
	if err != nil {
		return nil, err
	}
	if f != nil && f.Refuse != "" {
		return nil, fmt.Errorf("%s is %s: %s", path, f.About, f.Refuse)
	}
	if f != nil && f.Source == "" && (name == "" || name == tableOfPairs) { // Argilla's records may also have rankings
		if format, err := recognisedAmong(path, PairFormats()); err == nil && format != nil {
			f = format
		}
	}
	if f != nil && f.Source == "" {
		return nil, fmt.Errorf("%s: %s has no pairs of answers", path, f.About)
	}
	onlyLeft := len(o.Map) == 1 && o.Map["left"] != ""
	if f == nil || f.Table || len(o.Map) > 0 && !onlyLeft && !f.ofPoints() && f.Prepare == "" {
		return pairTable(path, f, format, o)
	}
	return f.byCode(path, o)
}

// preferenceOf turns a rating into a preference on the pair with an id.
func preferenceOf(s data.Rating, pair string) data.Preference {
	p := data.Preference{ID: pair, Judge: s.Rater.Name, Method: s.Method, Order: s.Order, Status: data.Valid, Choice: s.Value,
		Rationale: s.Reason}
	if s.IsPerson() {
		p.Judge = data.Human + ":" + strings.TrimPrefix(s.Rater.Name, data.Human+":")
	}
	if s.Failed {
		p.Status = data.Unparsed
		p.Rationale = ""
		p.Reason = s.Reason
	}
	return p
}

// labelled removes repeated preferences. With majority, it makes the choice of most people the label of each pair. If one judge chose
// differently on the same pair in the same order, all of these choices are removed, because it is unknown which is right. The user can say
// which counts (repeats).
func labelled(set *data.PreferenceSet, majority bool, repeats string) {
	type key struct{ id, judge, method, order string }
	keyOf := func(p data.Preference) key { return key{p.ID, p.Judge, p.Method, p.Order} }
	counts := map[key]int{}
	opposite := map[key]bool{} // judge, pair and order with choices that contradict each other
	for i, p := range set.Given {
		first, seen := counts[keyOf(p)]
		if seen && repeats == "" && p.Choice != set.Given[first].Choice && p.Status == data.Valid {
			opposite[keyOf(p)] = true
		}
		if !seen || repeats == RepeatsLast {
			counts[keyOf(p)] = i
		}
	}
	var given []data.Preference
	votes := map[string][]data.Choice{}
	again := 0
	for i, p := range set.Given {
		switch {
		case opposite[keyOf(p)]:
			continue
		case counts[keyOf(p)] != i:
			again++
			continue
		}
		if data.IsHuman(p.Judge) && p.Status == data.Valid {
			votes[p.ID] = append(votes[p.ID], data.Choice(p.Choice))
		}
		given = append(given, p)
	}
	set.Given = given
	if again > 0 {
		set.Source += fmt.Sprintf(" (%s of a judge on the same pair again left out)", data.Plural(again, "preference", "preferences"))
	}
	if len(opposite) > 0 {
		set.Source += fmt.Sprintf(" (%s left out: one judge chose differently on the same pair)",
			data.Plural(len(opposite), "conflict of choices", "conflicts of choices"))
	}
	for i := range set.Pairs {
		if majority {
			set.Pairs[i].Label, _ = data.Majority(votes[set.Pairs[i].ID])
		}
	}
}

// domain returns the domain that a name stands for, by itemMap.Domains, or the name itself.
func (m itemMap) domain(name string) string {
	for domain, words := range m.Domains {
		if slices.Contains(strings.Fields(words), name) {
			return domain
		}
	}
	return name
}

// choice reads a preference. If answer b was shown first, a choice of the first answer is a choice of b. The name of a system, or a letter
// in a format with OfPair, always names the pair's own answer. A judge's unreadable choice counts as failed. A person's is an error, unless
// it is missing.
func (r *reader) choice(m *scoreMap, place *scope, s data.Rating, by giver, swapped bool) error {
	by.ID, by.Method = Preferred, place.text(m.Method)
	order, known := orderOf(place.text(m.Order))
	if !known {
		return nil // JudgeBench has judgments in two orders
	}
	by.Order = order
	value := place.first(m.Value)
	choice, named, err := sideNamed(place, m.Value[0], valueOf(value), m.Choices, r.log.Items[s.Item].About().Pair, r.Item.Is)
	switch {
	case err == nil && choice != "":
		if !named && swapped != (by.Order == data.OrderBA && !m.OfPair) {
			choice = choice.Swapped()
		}
		s.Value = string(choice)
	case (by.IsPerson() || data.IsHuman(by.Rater.Name)) && r.o.missing(valueOf(value)):
		r.noChoice++
		return nil
	case by.IsPerson() || errors.As(err, new(ambiguousChoice)) || undeclared(m.Choices, valueOf(value)):
		return err
	default:
		s.Failed, s.Reason = true, unreadable(value)
		r.leaveUnread(place, valueOf(value))
	}
	r.give(by, s)
	return nil
}

// undeclared reports whether a value is a number although no code of choices is one, so that its meaning is unknown.
func undeclared(choices map[string]data.Choice, value string) bool {
	_, number := data.Number(value)
	return number && !slices.ContainsFunc(slices.Collect(maps.Keys(choices)), func(code string) bool { _, is := data.Number(code); return is })
}

// orderOf returns the order in which a pair was shown, from the text of a file: "ab" or "ba", or whether the answers were exchanged
// ("true").
func orderOf(text string) (order string, known bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "", "0", "false", "no", data.OrderAB, "a,b", "a_b", "a-b", "ab.", "original", "unswapped", "not swapped", "a first",
		"a_first", "[0, 1]":
		return data.OrderAB, true
	case "1", "true", "yes", data.OrderBA, "b,a", "b_a", "b-a", "swapped", "reversed", "flipped", "exchanged", "b first", "b_first", "[1, 0]":
		return data.OrderBA, true
	}
	return "", false
}

// The values of itemMap.Is: what a column of choices names, as the user's map says.
const (
	choiceOfSystem = "system"
	choiceOfSide   = "side"
)

// ambiguousChoice is the error of a value that is the name of one answer's system and also a word for the other answer.
type ambiguousChoice struct{ error }

// sideNamed returns the choice that a value names. named says that the value is the name of a system, so that the order in which the
// answers were shown does not matter. is restricts what values may name: choiceOfSystem, choiceOfSide, or "" for both.
func sideNamed(place *scope, path, value string, choices map[string]data.Choice, pair *data.Pair, is string) (c data.Choice, named bool,
	err error) {
	bySystem := data.Choice("")
	if value != "" && is != choiceOfSide {
		bySystem = map[string]data.Choice{pair.SystemA: data.ChoiceA, pair.SystemB: data.ChoiceB}[value]
	}
	bySide := data.Choice("")
	known := false
	if is != choiceOfSystem || bySystem == "" {
		bySide, known = chosen(choices, value)
	}
	switch {
	case bySystem != "" && known && bySide != bySystem:
		return "", false, ambiguousChoice{place.Errorf("%s is %q, which is the system of answer %s and the name of the other side; say "+
			"which it is: --map choice.system=%s, or --map choice.side=%s", path, data.Clip(value), bySystem, path, path)}
	case bySystem != "":
		return bySystem, true, nil
	case known:
		return bySide, false, nil
	}
	return "", false, notOne(place, path, value, choices)
}

// notOne returns the error of a value that stands for no choice.
func notOne(place *scope, path, value string, choices map[string]data.Choice) error {
	codes := strings.Join(slices.Sorted(maps.Keys(choices)), ", ")
	if codes != "" {
		codes = "one of " + codes + ", "
	}
	return place.Errorf("%s is %q; it must be %sa word such as A, Response 1, left, tie, both bad, or the name of one of the two systems",
		path, data.Clip(value), codes)
}

// unreadable says why a value is not a choice, as the reason of a failed preference.
func unreadable(value gjson.Result) string {
	if text := valueOf(value); text != "" {
		return fmt.Sprintf("the published result is %q", data.Clip(text))
	}
	return "there is no published result"
}

// firstSecond and zeroFirst are the codes of tables whose answers are numbered 1 and 2, or 0 and 1. Words are left to ChoiceOf.
var (
	firstSecond = map[string]data.Choice{"1": data.ChoiceA, "2": data.ChoiceB, "1.5": data.ChoiceTie}
	zeroFirst   = map[string]data.Choice{"0": data.ChoiceA, "1": data.ChoiceB, "0.5": data.ChoiceTie}
)

// chosen returns the choice that a value stands for: a code of the format, else a word that ChoiceOf knows. A number between 1 and 2 other
// than 1.5 is rounded.
func chosen(choices map[string]data.Choice, value string) (data.Choice, bool) {
	for _, word := range []string{value, strings.ToLower(value)} {
		if choice, known := choices[word]; known {
			return choice, true
		}
	}
	x, ok := data.Number(value)
	if !ok {
		choice, known := ChoiceOf(value)
		return choice.Choice, known
	}
	if choices["1.5"] != "" && x > 1 && x < 2 && x != 1.5 {
		x = math.Round(x)
	}
	choice, known := choices[strconv.FormatFloat(x, 'g', -1, 64)]
	return choice, known
}

// placed puts the better answer first or second, by a hash of the id, so that its place does not give it away. The label follows the
// answer.
func placed(p data.Pair) data.Pair {
	h := fnv.New32a()
	h.Write([]byte(p.ID))
	if h.Sum32()%2 == 1 {
		p.A, p.B, p.Label = p.B, p.A, p.Label.Swapped()
		p.SystemA, p.SystemB = p.SystemB, p.SystemA
	}
	return p
}

// outputs reads the files of a folder that contain the choices of judges.
func (r *reader) outputs(folder string, set *data.PreferenceSet) error {
	outputs := map[string]outputMap{}
	for _, o := range r.Outputs {
		files, _ := (&Format{Files: o.Files}).files(folder) // an error means that there are no outputs
		for _, path := range files {
			if name := filepath.Base(path); path != folder && !globbed(o.Without, name) && !globbed(r.Files, name) {
				outputs[path] = o
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(outputs)) {
		if err := r.outputFile(path, outputs[path], set); err != nil {
			return err
		}
	}
	return nil
}

// outputFile reads the choices of one judge. Each record belongs to the pair with its id, or else to the pair at the same position.
func (r *reader) outputFile(path string, o outputMap, set *data.PreferenceSet) error {
	judge := matched(o.Judge, baseName(path))
	if judge == "example" {
		judge = r.Name // auto-j's own outputs
	}
	m := &scoreMap{Value: o.Value, Choices: o.Choices, Order: paths{"'" + o.Order + "'"}, Method: paths{"'" + r.Name + "'"}}
	r.log.Values = data.Judgements{}
	n := 0
	for doc, err := range data.Documents(path, func(string) {}) {
		if err != nil {
			return err
		}
		record := newScope(&doc)
		index := n
		known := n < len(set.Pairs)
		n++
		if o.ID != nil {
			index, known = r.ids[r.Name+"-"+record.text(o.ID)]
		}
		if !known {
			return record.Errorf("this result is of no pair: there are %d pairs", len(set.Pairs))
		}
		s := data.Rating{Item: int32(index), Reason: record.text(o.Reason)}
		if err := r.choice(m, record, s, giver{Rater: data.Rater{Name: judge, Kind: data.KindJudge}}, false); err != nil {
			return err
		}
	}
	if o.ID == nil && n < len(set.Pairs) {
		return fmt.Errorf("%s has %d outputs; there are %d pairs", path, n, len(set.Pairs))
	}
	r.giveSet(set)
	return nil
}

// giveSet appends the scores that were read to the preferences of a set.
func (r *reader) giveSet(set *data.PreferenceSet) {
	for _, s := range r.log.Values.All() {
		set.Given = append(set.Given, preferenceOf(s, set.Pairs[s.Item].ID))
	}
}
