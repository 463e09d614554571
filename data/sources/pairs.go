package sources

import (
	"cmp"
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

// FormatFile is the name of the format of this project's own files of pairs.
const FormatFile = "file"

// ReadPairs reads a set of pairs, with the preferences that were given on it, from a file or folder
// in one of the formats of PairFormats or of data.ReadPairs (FormatFile); "" recognises the format
// by content. A preference of a judge on the same pair again is left out, which the source says.
func ReadPairs(path, format string, o Options) (set data.PreferenceSet, err error) {
	sets, _, err := ReadPairSets(path, format, o)
	for i, of := range sets {
		if i == 0 {
			set = of
		} else {
			set.Pairs, set.Given = append(set.Pairs, of.Pairs...), append(set.Given, of.Given...)
		}
	}
	return set, err
}

// ReadPairSets reads the sets of pairs in a file or folder: one, or those of LLMBar, with the
// completions of its judges. Options.Map names columns of a table, and values of Options.Missing are no choices.
func ReadPairSets(path, format string, o Options) (sets []data.PreferenceSet, bar *LLMBar, err error) {
	f, err := pairFormat(path, format, o)
	if err != nil {
		return nil, nil, err
	}
	set := data.PreferenceSet{Name: f.Name, Source: f.Source}
	switch f.Name {
	case "llmbar":
		bar, err = ReadLLMBar(path)
		if err != nil {
			return nil, nil, err
		}
		for i := range bar.Sets {
			bar.Sets[i].Source = f.Source
		}
		return bar.Sets, bar, nil
	case FormatFile:
		set.Pairs, err = data.ReadPairs(path)
		leaveOutSame(&set)
	case "trec-news":
		set.Pairs, err = readTREC(path)
	default:
		if err = f.readSet(path, &set, o); f.Name == tableOfPairs && f.Item.ID != nil {
			ownIDs(&set)
		}
	}
	return []data.PreferenceSet{set}, nil, err
}

// readSet reads the pairs and preferences of a set.
func (f *Format) readSet(path string, set *data.PreferenceSet, o Options) error {
	o.Columns = []string{"info.site", "info.subreddit"}
	r := newReader(f, o, &Log{Path: path})
	if err := r.file(path); err != nil {
		return err
	}
	if f.Item.A == nil && f.Item.Better == nil {
		for i, item := range r.log.Items {
			if i >= len(r.log.Scores) || int(r.log.Scores[i].Item) != i || item.Text == "" || item.Group == "" {
				return &data.LineError{Path: item.File, Line: item.Line, Err: errors.New("the text, what it is about or its points are missing")}
			}
		}
		of := pairsOfPoints(f.Name, r.log)
		set.Pairs, set.Given = of.Pairs, of.Given
	} else {
		set.Pairs = data.Each(r.log.Items, func(item Item) data.Pair { return *item.Pair })
		r.give(set)
	}
	if err := r.outputs(path, set); err != nil {
		return err
	}
	if r.left > 0 {
		set.Source += fmt.Sprintf(" (%s without a prompt or a common beginning left out)", data.Plural(r.left, "pair", "pairs"))
	}
	if len(set.Pairs) == 0 {
		return fmt.Errorf("%s: there are no two answers to one question, with a prompt or a common beginning", path)
	}
	if r.unlabelled > 0 {
		set.Source += fmt.Sprintf(" (%s without a choice)", data.Plural(r.unlabelled, "pair", "pairs"))
	}
	together(set)
	labelled(set, f.Majority)
	leaveOutSame(set)
	return nil
}

// ownIDs gives pairs the ids that their table has.
func ownIDs(set *data.PreferenceSet) {
	own := func(id *string) { *id = strings.TrimPrefix(*id, tableOfPairs+"-") }
	for i := range set.Pairs {
		own(&set.Pairs[i].ID)
	}
	for i := range set.Given {
		own(&set.Given[i].ID)
	}
	same := map[string]bool{}
	for id := range set.Same {
		same[strings.TrimPrefix(id, tableOfPairs+"-")] = true
	}
	set.Name, set.Same = FormatFile, same
}

// leaveOutSame leaves out pairs of identical answers, of which no choice is right.
func leaveOutSame(set *data.PreferenceSet) {
	same := map[string]bool{}
	set.Pairs = slices.DeleteFunc(set.Pairs, func(p data.Pair) bool {
		equal := strings.TrimSpace(p.A) == strings.TrimSpace(p.B) && p.A != ""
		if equal {
			same[p.ID] = true
		}
		return equal
	})
	if len(same) == 0 {
		return
	}
	set.Given = slices.DeleteFunc(set.Given, func(p data.Preference) bool { return same[p.ID] })
	set.Source += fmt.Sprintf(" (%s of identical answers left out)", data.Plural(len(same), "pair", "pairs"))
	set.Same = same
}

// together makes one judge of people who have fewer than two votes each on average, as the voters of Chatbot Arena, unless
// two of them voted on one pair.
func together(set *data.PreferenceSet) {
	people, voted, n := map[string]bool{}, map[string]bool{}, 0
	for _, p := range set.Given {
		if !data.IsHuman(p.Judge) {
			continue
		}
		if voted[p.ID] {
			return
		}
		people[p.Judge], voted[p.ID] = true, true
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

// pairFormat is the format of pairs with a name, or that of a file or folder.
func pairFormat(path, name string, o Options) (f *Format, err error) {
	own := &Format{Name: FormatFile, Source: baseName(path)}
	switch name {
	case FormatFile:
		return own, nil
	case "":
		f, err = recognised(path)
		if err == nil && (f == nil || len(o.Map) > 0) {
			f, err = pairTable(path, own, o)
		}
	default:
		f, err = formatNamed(name)
	}
	if err == nil && f.Source == "" {
		err = fmt.Errorf("%s: %s has no pairs of answers", path, f.About)
	}
	return f, err
}

// preference is a score as a preference on a pair.
func (s Score) preference(pair string) data.Preference {
	p := data.Preference{ID: pair, Judge: s.By, Method: s.Method, Order: s.Order, Status: data.Valid, Choice: s.Value, Rationale: s.Reason}
	if s.Person {
		p.Judge = data.Human + ":" + strings.TrimPrefix(s.By, data.Human+":")
	}
	if s.Failed {
		p.Status, p.Rationale, p.Reason = data.Unparsed, "", s.Reason
	}
	return p
}

// labelled leaves out repeated preferences, and makes the majority of people the labels of pairs.
func labelled(set *data.PreferenceSet, majority bool) {
	seen, votes, before := map[[4]string]bool{}, map[string][]data.Choice{}, len(set.Given)
	set.Given = slices.DeleteFunc(set.Given, func(p data.Preference) bool {
		key := [4]string{p.ID, p.Judge, p.Method, p.Order}
		if seen[key] {
			return true
		}
		seen[key] = true
		if data.IsHuman(p.Judge) && p.Status == data.Valid {
			votes[p.ID] = append(votes[p.ID], data.Choice(p.Choice))
		}
		return false
	})
	if again := before - len(set.Given); again > 0 {
		set.Source += fmt.Sprintf(" (%s of a judge on the same pair again left out)", data.Plural(again, "preference", "preferences"))
	}
	for i := range set.Pairs {
		if majority {
			set.Pairs[i].Label, _ = data.Majority(votes[set.Pairs[i].ID])
		}
	}
}

// readPair adds the pair of a record, if it is new. It returns its place, -1 for a pair without a
// question, and whether the record has its answers in the other order.
func (r *reader) readPair(record *scope, item Item) (at int, swapped bool, err error) {
	m := r.Item
	p := data.Pair{Question: strings.TrimSpace(record.text(m.Question)), Label: data.NoChoice, Domain: m.domain(record.text(m.Domain)),
		SystemA: record.text(m.SystemA), SystemB: record.text(m.SystemB)}
	if a, b, found := strings.Cut(record.text(m.Systems), "_"); found {
		p.SystemA, p.SystemB = a, b
	}
	if p.SystemA == p.SystemB {
		p.SystemA, p.SystemB = "", ""
	}
	first, second := record.first(slices.Concat(m.A, m.Better)), record.first(slices.Concat(m.B, m.Worse))
	switch {
	case !first.Exists() || !second.Exists() || first.Type == gjson.Null || second.Type == gjson.Null:
		way := ""
		if r.o.People {
			way = "; say where the two answers are: --map people.a=PATH,people.b=PATH"
		}
		return 0, false, record.Errorf("%s or %s is missing%s", slices.Concat(m.A, m.Better)[0], slices.Concat(m.B, m.Worse)[0], way)
	case m.Each || m.Better != nil && (listed(first) || listed(second)):
		at, err := r.candidates(record, item, p, first, second)
		return at, false, err
	case m.Better != nil:
		var prompt string
		prompt, p.A, p.B = prompted(first, second)
		if p.Question == "" {
			p.Question = strings.TrimSpace(prompt)
		}
	default:
		p.A, p.B = textOf(first), textOf(second)
	}
	if p.Question == "" && m.Question == nil {
		p.Question = item.ID
	}
	if p.Question == "" && m.Better == nil {
		return 0, false, record.Errorf("%s is missing", strings.Join(append(slices.Clone(m.Question), "the question or an id"), " or "))
	}
	if m.Label != nil {
		var known bool
		p.Label, known = chosen(m.Choices, valueOf(record.first(m.Label)), p.SystemA, p.SystemB)
		if r.o.missing(valueOf(record.first(m.Label))) {
			p.Label = data.NoChoice
			r.unlabelled++
		} else if !known {
			return 0, false, notOne(record, m.Label[0], valueOf(record.first(m.Label)), m.Choices)
		}
	}
	p.Cluster = data.QuestionCluster(record.text(m.Cluster))
	if p.Cluster == "" {
		p.Cluster = data.QuestionCluster(p.Question)
	}
	at, swapped = r.addPair(item, p)
	return at, swapped, nil
}

// listed reports whether a value has several texts, which are candidates; a conversation has messages.
func listed(v gjson.Result) bool {
	texts := v.Array()
	return v.IsArray() && len(texts) > 0 && (texts[0].Type == gjson.String || listed(texts[0]))
}

// candidates adds a pair of each better answer with each worse one, whose item is the record. Ids end with the places of both.
func (r *reader) candidates(record *scope, item Item, p data.Pair, better, worse gjson.Result) (at int, err error) {
	if p.Question == "" {
		return 0, record.Errorf("the question is missing")
	}
	p.Cluster, p.Item = data.QuestionCluster(p.Question), cmp.Or(item.ID, strconv.Itoa(record.Line))
	for i, chosen := range better.Array() {
		for k, rejected := range worse.Array() {
			p.A, p.B = textOf(chosen), textOf(rejected)
			of := item
			of.ID = fmt.Sprintf("%s:%d-%d", p.Item, i+1, k+1)
			at, _ = r.addPair(of, p)
		}
	}
	if len(better.Array()) == 0 || len(worse.Array()) == 0 {
		return 0, record.Errorf("there is no better answer, or no worse one")
	}
	return at, nil
}

// addPair adds a pair, unless the same answers to the same question are there, in either order.
func (r *reader) addPair(item Item, p data.Pair) (at int, swapped bool) {
	number := strconv.Itoa(len(r.log.Items) + r.left + 1)
	p.ID = r.Name + "-" + cmp.Or(item.ID, number)
	at, known := r.ids[p.ID]
	switch {
	case r.Item.Better != nil:
		if known { // those of RewardBench are of its subsets
			p.ID += "-" + number
		}
	case known && item.ID != "":
		switch other := r.log.Items[at].Pair; {
		case other.A == p.B && other.B == p.A && p.A != p.B:
			return at, true
		case other.A == p.A && other.B == p.B || r.o.Format != "" || r.Source == "":
			return at, false
		}
		p.ID += "-" + number // an id of a question, with other answers
	case item.ID != "":
	default:
		for _, texts := range [][2]string{{p.A, p.B}, {p.B, p.A}} {
			if at, known := r.pairs[[3]string{p.Question, texts[0], texts[1]}]; known {
				return at, texts[0] != p.A
			}
		}
		r.pairs[[3]string{p.Question, p.A, p.B}] = len(r.log.Items)
	}
	r.ids[p.ID] = len(r.log.Items)
	if r.Item.Better != nil {
		if p.Question == "" {
			r.left++
			return -1, false
		}
		p = placed(p)
	}
	item.Pair = &p
	r.log.Items = append(r.log.Items, item)
	return len(r.log.Items) - 1, false
}

func (m itemMap) domain(name string) string {
	for domain, words := range m.Domains {
		if slices.Contains(strings.Fields(words), name) {
			return domain
		}
	}
	return name
}

// choice reads a preference. A choice of an answer shown first is of b where b was shown first.
func (r *reader) choice(m *scoreMap, place *scope, s Score, of Series, swapped bool) error {
	of.Criterion, of.Order, of.Method = Preferred, data.OrderAB, place.text(m.Method)
	if order := place.text(m.Order); order == "1" || order == data.OrderBA {
		of.Order = data.OrderBA
	} else if order != "" && order != "0" && order != data.OrderAB {
		return nil // JudgeBench has two orders
	}
	value := place.first(m.Value)
	pair := r.log.Items[s.Item].Pair
	choice, known := chosen(m.Choices, valueOf(value), pair.SystemA, pair.SystemB)
	switch {
	case known:
		if swapped != (of.Order == data.OrderBA) {
			choice = choice.Swapped()
		}
		s.Value = string(choice)
	case of.Person && r.o.missing(valueOf(value)):
		return nil
	case of.Person:
		return notOne(place, m.Value[0], valueOf(value), m.Choices)
	default:
		s.Failed, s.Reason = true, unreadable(value)
	}
	s.Series = r.series(of)
	r.log.Scores = append(r.log.Scores, s)
	return nil
}

// notOne is an error of a value that stands for no choice.
func notOne(at *scope, path, value string, choices map[string]data.Choice) error {
	return at.Errorf("%s is %q; it must be one of %s, a word such as A, Response 1, left, tie, both bad, or the name of "+
		"one of the two systems", path, data.Clip(value), strings.Join(slices.Sorted(maps.Keys(choices)), ", "))
}

// unreadable says why a value is no choice.
func unreadable(value gjson.Result) string {
	if text := valueOf(value); text != "" {
		return fmt.Sprintf("the published result is %q", data.Clip(text))
	}
	return "there is no published result"
}

// firstSecond and zeroFirst are what numbers mean in tables whose answers are 1 and 2, or 0 and 1; words are those of ChoiceOf.
var (
	firstSecond = map[string]data.Choice{"1": data.ChoiceA, "2": data.ChoiceB, "1.5": data.ChoiceTie}
	zeroFirst   = map[string]data.Choice{"0": data.ChoiceA, "1": data.ChoiceB, "0.5": data.ChoiceTie}
)

// chosen is the choice that a value stands for: one of the format's own codes, the name of one of the systems, or a word of
// ChoiceOf. A number between two choices is the nearer one.
func chosen(choices map[string]data.Choice, value, systemA, systemB string) (data.Choice, bool) {
	for _, word := range []string{value, strings.ToLower(value)} {
		if choice, known := choices[word]; known {
			return choice, true
		}
	}
	switch {
	case value == "":
		return "", false
	case value == systemA:
		return data.ChoiceA, true
	case value == systemB:
		return data.ChoiceB, true
	}
	x, ok := data.Number(value)
	if !ok {
		said, known := ChoiceOf(value)
		return said.Choice, known
	}
	if choices["1.5"] != "" && x > 1 && x < 2 && x != 1.5 {
		x = math.Round(x)
	}
	choice, known := choices[strconv.FormatFloat(x, 'g', -1, 64)]
	return choice, known
}

// placed puts the better answer first or second, by a hash of the id, so that the place says nothing.
func placed(p data.Pair) data.Pair {
	h := fnv.New32a()
	h.Write([]byte(p.ID))
	p.Label = data.ChoiceA
	if h.Sum32()%2 == 1 {
		p.A, p.B, p.Label = p.B, p.A, data.ChoiceB
		p.SystemA, p.SystemB = p.SystemB, p.SystemA
	}
	return p
}

// outputs reads the files of a folder that have the choices of judges.
func (r *reader) outputs(folder string, set *data.PreferenceSet) error {
	of := map[string]outputMap{}
	for _, o := range r.Outputs {
		files, _ := (&Format{Files: o.Files}).files(folder) // a folder without outputs has none
		for _, path := range files {
			if name := filepath.Base(path); path != folder && !globbed(o.Without, name) && !globbed(r.Files, name) {
				of[path] = o
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(of)) {
		if err := r.outputFile(path, of[path], set); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) outputFile(path string, o outputMap, set *data.PreferenceSet) error {
	judge := matched(o.Judge, baseName(path))
	if judge == "example" {
		judge = r.Name // of auto-j: its own outputs
	}
	m := &scoreMap{Value: o.Value, Choices: o.Choices, Order: paths{"'" + o.Order + "'"}, Method: paths{"'" + r.Name + "'"}}
	r.log.Scores = nil
	n := 0
	for doc, err := range data.Documents(path, func(string) {}) {
		if err != nil {
			return err
		}
		record := newScope(&doc)
		at, known := n, n < len(set.Pairs)
		n++
		if o.ID != nil {
			at, known = r.ids[r.Name+"-"+record.text(o.ID)]
		}
		if !known {
			return record.Errorf("this result is of no pair: there are %d pairs", len(set.Pairs))
		}
		s := Score{Item: int32(at), Reason: record.text(o.Reason)}
		if err := r.choice(m, record, s, Series{By: judge}, false); err != nil {
			return err
		}
	}
	if o.ID == nil && n < len(set.Pairs) {
		return fmt.Errorf("%s has %d outputs; there are %d pairs", path, n, len(set.Pairs))
	}
	r.give(set)
	return nil
}

// give adds the scores that were read as preferences.
func (r *reader) give(set *data.PreferenceSet) {
	for _, s := range r.log.Scores {
		set.Given = append(set.Given, s.preference(set.Pairs[s.Item].ID))
	}
}
