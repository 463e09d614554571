package sources

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
)

// Align rewrites the ids of two logs of the same items so that they join. It tries these ways in order:
//   - If both logs have turns of dialogues, the turn becomes a part of the id.
//   - 4.0 becomes 4: pandas writes whole numbers as 4.0 in a column with missing values.
//   - Leading zeros are removed; else letters become lower case; else the beginning that all ids of a log share is removed.
//   - If no id joins, shortened texts get the whole text of the other log (alignTexts).
//
// Zeros, case and beginnings are changed only if almost all ids of the smaller log join then. notes say what was changed. If only one log
// has turns, and the values of many items differ between turns, Align returns an error.
func Align(judged, people *Log, o Options) (notes []string, err error) {
	if people == nil {
		return nil, nil
	}
	if err := alignTurns(judged, people, o); err != nil {
		return nil, err
	}
	o.People, o.Names = false, criteriaOf(people)
	o = o.folding()
	if !slices.ContainsFunc(criteriaOf(judged), o.named) {
		o.Names = nil
	}
	if err := judged.checkRepeats(o); err != nil {
		return nil, err
	}
	if err := judged.checkBatches(o); err != nil {
		return nil, err
	}
	each := func(change func(string) string) {
		for _, log := range []*Log{judged, people} {
			log.ids = 0
			for i := range log.Items {
				log.Items[i].ID = change(log.Items[i].ID)
			}
		}
	}
	each(wholeNumber)
	a := ids(judged, wholeNumber)
	b := ids(people, wholeNumber)
	if 10*joined(a, b) >= 9*min(len(a), len(b)) && len(a) > 0 && len(b) > 0 {
		return nil, nil
	}
	if len(a) < 3 || len(b) < 3 {
		if joined(a, b) > 0 {
			return nil, nil
		}
		return alignTexts(judged, people), nil
	}
	for _, way := range []struct {
		change func(string) string
		what   string
	}{
		{withoutZeros, "leading zeros"},
		{func(id string) string { return strings.ToLower(strings.Join(strings.Fields(id), " ")) }, "upper and lower case, or space"},
	} {
		one := ids(judged, way.change)
		two := ids(people, way.change)
		if len(one) == len(a) && len(two) == len(b) && 10*joined(one, two) >= 9*min(len(one), len(two)) {
			example := fmt.Sprintf("%s and %s", judged.firstID(), people.firstID())
			each(way.change)
			return []string{fmt.Sprintf("the ids differ by %s (%s) and were joined without them", way.what, example)}, nil
		}
	}
	first := prefix(a)
	second := prefix(b)
	cut := func(id string) string { return strings.TrimPrefix(strings.TrimPrefix(id, first), second) }
	for _, cut := range []func(string) string{cut, func(id string) string { return withoutZeros(cut(id)) }} {
		one := ids(judged, cut)
		two := ids(people, cut)
		if first == second || len(one) != len(a) || len(two) != len(b) || joined(one, two) != min(len(one), len(two)) {
			continue
		}
		example := fmt.Sprintf("%s and %s", judged.firstID(), people.firstID())
		each(cut)
		return []string{fmt.Sprintf("the ids differ by their beginning (%s) and were joined without it", example)}, nil
	}
	if joined(a, b) > 0 {
		return nil, nil
	}
	return alignTexts(judged, people), nil
}

// criteriaOf returns the criterion of each series (rater and criterion) in a log.
func criteriaOf(log *Log) []string {
	return data.Each(log.Values.Series(), func(s data.Series) string { return s.ID })
}

// firstID returns the first id in a log, as an example for messages.
func (log *Log) firstID() string {
	item, _ := data.First(log.Items, func(i Item) bool { return i.ID != "" })
	return item.ID
}

// ids returns the distinct ids of the items of a log, each changed by a function. Pairs and items without an id are not counted.
func ids(log *Log, change func(string) string) map[string]bool {
	known := map[string]bool{}
	for _, item := range log.Items {
		if item.ID != "" && item.About().Pair == nil {
			known[change(item.ID)] = true
		}
	}
	return known
}

// joined returns the number of ids that are in both sets.
func joined(a, b map[string]bool) (n int) {
	for id := range a {
		if b[id] {
			n++
		}
	}
	return n
}

// wholeNumber removes ".0" from an id that is otherwise digits, such as 4.0.
func wholeNumber(id string) string {
	if whole, found := strings.CutSuffix(id, ".0"); found && whole != "" && strings.Trim(whole, "0123456789") == "" {
		return whole
	}
	return id
}

// withoutZeros removes the leading zeros of the number that ends an id: 007 becomes 7, and q007 becomes q7. Other ids stay as they are.
func withoutZeros(id string) string {
	index := strings.IndexAny(id, "0123456789")
	if index < 0 || strings.Trim(id[index:], "0123456789") != "" {
		return id
	}
	number := strings.TrimLeft(id[index:], "0")
	if number == "" {
		number = "0"
	}
	return id[:index] + number
}

// prefix returns the beginning that all ids share, without the digits at its end: "item-" for item-12 and item-13.
func prefix(ids map[string]bool) string {
	common := ""
	started := false
	for id := range ids {
		if !started {
			common = id
			started = true
		}
		for !strings.HasPrefix(id, common) {
			common = common[:len(common)-1]
		}
	}
	return strings.TrimRight(common, "0123456789")
}

// alignTurns appends the turn to the ids of both logs if both have turns. If only one log has turns, and the values of one rater differ
// between the turns of many items, alignTurns returns an error.
func alignTurns(judged, people *Log, o Options) error {
	turns := func(log *Log) bool {
		return slices.ContainsFunc(log.Items, func(i Item) bool { return i.About().Turn != "" })
	}
	one := turns(judged)
	other := turns(people)
	if one && other {
		for _, log := range []*Log{judged, people} {
			log.ids = 0
			for i := range log.Items {
				if item := &log.Items[i]; item.ID != "" && item.About().Turn != "" {
					item.ID += " (turn " + item.About().Turn + ")"
				}
			}
		}
		return nil
	}
	if !one && !other || o.Repeats != "" {
		return nil
	}
	with := judged
	without := people
	if other {
		with = people
		without = judged
	}
	found, items := with.conflicts(o, "", with.numbers(func(i *Item) string {
		plain := *i
		plain.Change(func(about *About) { about.Turn = "" })
		return plain.key()
	}))
	if !many(len(found), items) {
		return nil
	}
	return fmt.Errorf("%s has several rows of %d of %s, one a turn, and %s does not say the turn: add a column turn to it, or compare "+
		"the first turn, the last or their mean: --repeats first|last|mean", with.Path, len(found), data.Plural(items, "item", "items"),
		without.Path)
}

// Summary describes a log in one line: how many values, raters, criteria and items were read, and what was left out. people says that the
// raters are people, else they are judges.
func (log *Log) Summary(people bool) string {
	raters := map[string]bool{}
	criteria := map[string]bool{}
	items := make([]bool, len(log.Items))
	values := 0
	failed := 0
	missing := 0
	for k := range log.Values.Columns {
		column := &log.Values.Columns[k]
		valued := make([]bool, len(log.Values.Raters))
		for row, word := range column.Word {
			switch {
			case word == data.FailedWord:
				failed++
			case column.Words[word] == "":
				missing++
			default:
				valued[column.Rater[row]] = true
				items[column.Item[row]] = true
				values++
			}
		}
		for rater, is := range valued {
			if is {
				raters[log.Values.Raters[rater].Name] = true
				criteria[log.Values.Criteria[k].ID] = true
			}
		}
	}
	counted := 0
	keys := map[string]bool{}
	for index, valued := range items {
		item := &log.Items[index]
		switch {
		case !valued:
			continue
		case log.distinct():
			counted++
		case item.About().Pair != nil:
			keys[item.About().Pair.ID] = true
		default:
			keys[item.key()] = true
		}
	}
	counted += len(keys)
	side := "judge"
	who := data.Plural(len(raters), "judge", "judges")
	if people {
		side = "people"
		mean := raters[log.Mean] && log.Mean != ""
		if who = data.Plural(len(raters), "person", "people"); mean {
			who = data.Plural(len(raters)-1, "person", "people") + " and their mean (" + log.Mean + ")"
		}
	}
	text := fmt.Sprintf("%s: %s of %s on %s of %s (%s)", side, data.Plural(values, "value", "values"), who,
		data.Plural(len(criteria), "criterion", "criteria"), data.Plural(counted, "item", "items"), log.Path)
	missing -= log.emptied // which are among what was left out
	if missing > 0 {
		text += "; " + data.Plural(missing, "missing value", "missing values")
	}
	if failed > 0 {
		text += fmt.Sprintf("; %s without a value", data.Plural(failed, "record", "records"))
	}
	if left := leftOut(log.Left); left != "" {
		text += "; left out: " + left
	}
	return text
}

// LeftOut lists what was not read, as the end of a sentence, for example "; left out: columns a, b (text)". It returns "" if all was read.
func (log *Log) LeftOut() string { return leftText(log) }

// leftOut lists what was left out, grouped by the reason. Of more than four entries with one reason, it names three and counts the others.
func leftOut(left []Left) string {
	var reasons []string
	columns := map[string][]string{}
	for _, l := range left {
		if columns[l.Why] == nil {
			reasons = append(reasons, l.Why)
		}
		columns[l.Why] = append(columns[l.Why], l.What)
	}
	parts := data.Each(reasons, func(why string) string {
		what := columns[why]
		more := ""
		if len(what) > 4 {
			more = fmt.Sprintf(" and %d more", len(what)-3)
			what = what[:3]
		}
		text := strings.Join(what, ", ")
		if strings.HasPrefix(text, "column ") && len(what) > 1 {
			text = "columns " + strings.ReplaceAll(strings.TrimPrefix(text, "column "), ", column ", ", ")
		}
		return fmt.Sprintf("%s%s (%s)", text, more, why)
	})
	return strings.Join(parts, ", ")
}
