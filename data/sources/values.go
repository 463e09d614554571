package sources

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"compqa/data"
)

// mostLabels is the number of labels of one criterion above which a note says how many there are.
const mostLabels = 100

// plainValue returns a value without variants that do not matter: the skin colour of an emoji, or a variation selector.
func plainValue(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\ufe0f' || r >= '\U0001f3fb' && r <= '\U0001f3ff' {
			return -1
		}
		return r
	}, norm.NFC.String(text))
}

// missingCodes returns the values that the user calls missing on this side. Each is paired with the value of the flag that names it.
func (o Options) missingCodes() (codes [][2]string) {
	for _, code := range o.Missing {
		side, value, found := strings.Cut(code, ".")
		switch {
		case !found || side != sidePeople && side != sideJudge:
			codes = append(codes, [2]string{code, code})
		case (side == sidePeople) == o.People:
			codes = append(codes, [2]string{value, code})
		}
	}
	return codes
}

// missing reports whether a value is missing: a usual word such as NA, or a code of the user.
func (o Options) missing(value string) bool {
	return Missing(value) || slices.ContainsFunc(o.missingCodes(), func(code [2]string) bool { return sameValue(code[0], value) })
}

// Unused names the values of --missing that occur in none of the logs. It returns "" if all occur.
func (o Options) Unused(logs ...*Log) string {
	unused := data.Where(o.Missing, func(code string) bool {
		return !slices.ContainsFunc(logs, func(log *Log) bool { return log != nil && log.coded[code] })
	})
	if unused == nil {
		return ""
	}
	return fmt.Sprintf("--missing %s: no score has this value", strings.Join(unused, ", "))
}

// sameValue reports whether two values are equal as numbers, or as texts apart from case and space around them.
func sameValue(a, b string) bool {
	x, number := data.Number(a)
	y, other := data.Number(b)
	return number && other && x == y || strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// clean prepares the values of each criterion, and notes what it changes:
//   - Values that the user calls missing are left out.
//   - Among numbers, words such as skip, and a few other texts, are left out.
//   - Equal labels are written in one way.
//   - Values that look like codes for missing ones are named in a note.
func (log *Log) clean(o Options) {
	codes := o.missingCodes()
	found := map[string]bool{}
	coded := 0
	for k := range log.Values.Columns {
		if log.Values.Criteria[k].ID == Preferred {
			continue
		}
		column := &log.Values.Columns[k]
		bad := map[int32]string{} // words that stand for missing values, with the reason
		for word, n := range column.Frequency() {
			value := column.Words[word]
			code, is := data.First(codes, func(code [2]string) bool { return sameValue(code[0], value) })
			if is && value != "" && n > 0 {
				found[code[0]] = true
				log.coded[code[1]] = true
				coded += n
				bad[int32(word)] = "the value is " + code[0]
			}
		}
		log.drop(k, bad)
		log.cleanCriterion(k, o)
	}
	if coded > 0 {
		log.Left = append(log.Left, Left{data.Plural(coded, "value", "values"),
			"--missing " + strings.Join(slices.Sorted(maps.Keys(found)), ", ")})
	}
	if o.Raters {
		return
	}
	for k := range log.Values.Columns {
		column := &log.Values.Columns[k]
		column.Keep(func(row int) bool { return column.Word[row] == data.FailedWord || column.Value(row) != "" })
	}
}

// drop makes the values of a column that are certain words missing. A judge's value counts as failed for the given reason, a person's has
// no reason.
func (log *Log) drop(k int, bad map[int32]string) {
	if len(bad) == 0 {
		return
	}
	for row, word := range log.Values.Columns[k].Word {
		reason, is := bad[word]
		if !is {
			continue
		}
		place := data.RowPlace{Column: k, Row: row}
		s := log.Values.At(place)
		s.Value = ""
		if s.IsPerson() {
			log.emptied++
		} else {
			s.Failed = true
			s.Reason = reason
		}
		log.Values.Set(place, s)
	}
}

// A label is a value of a column that is not a number.
type label struct {
	text  string // in its first spelling
	word  int32  // index in the column's words
	n     int    // number of rows
	first int    // first row
}

// labelsOf returns the labels of a column, sorted, and how many rows have each number. Afterwards, equal labels have one spelling in the
// column.
func labelsOf(column *data.Column) (labels []label, counts map[float64]int) {
	known := map[string]int{}
	counts = map[float64]int{}
	frequency := column.Frequency()
	firsts := make([]int, len(column.Words))
	for row, word := range slices.Backward(column.Word) {
		if word != data.FailedWord {
			firsts[word] = row
		}
	}
	words := make([]int32, len(column.Words))
	changed := false
	for word, n := range frequency {
		words[word] = int32(word)
		value := column.Words[word]
		if value == "" || n == 0 {
			continue
		}
		if x, ok := data.Number(value); ok {
			counts[x] += n
			continue
		}
		text := strings.Join(strings.Fields(plainValue(value)), " ")
		index, there := known[strings.ToLower(text)]
		if !there {
			index = len(labels)
			known[strings.ToLower(text)], labels = index, append(labels, label{text: text, word: column.Place(text), first: firsts[word]})
		}
		one := &labels[index]
		one.n += n
		one.first = min(one.first, firsts[word])
		changed = changed || words[word] != one.word
		words[word] = one.word
	}
	if changed {
		for row, word := range column.Word {
			if word != data.FailedWord {
				column.Word[row] = words[word]
			}
		}
	}
	slices.SortFunc(labels, func(a, b label) int { return strings.Compare(a.text, b.text) })
	return labels, counts
}

// cleanCriterion leaves out texts among the numbers of one criterion, and adds notes on values that may be codes and on many labels.
func (log *Log) cleanCriterion(k int, o Options) {
	column := &log.Values.Columns[k]
	name := log.Values.Criteria[k].ID
	labels, counts := labelsOf(column)
	numbers := 0
	total := 0
	binary := true
	for x, n := range counts {
		numbers += n
		binary = binary && (x == 0 || x == 1)
	}
	total = numbers
	for _, l := range labels {
		total += l.n
	}
	side := ""
	if o.People {
		side = "people."
	}
	place := func(row int) string { return log.Place(log.Values.At(data.RowPlace{Column: k, Row: row})) }
	if numbers > 0 && len(labels) > 0 && !binary && 2*numbers > total && !leadingNumbers(labels, counts) {
		var bad []label
		nBad := 0
		doubted := map[int32]string{}
		for _, l := range labels {
			if !doubtful(l.text) {
				bad = append(bad, l)
				nBad += l.n
				continue
			}
			doubted[l.word] = "the value is " + l.text
			log.Left = append(log.Left, Left{data.Plural(l.n, "value", "values") + " of " + name, fmt.Sprintf("%q among numbers", l.text)})
		}
		first := ""
		if nBad > 0 {
			first = place(bad[0].first)
		}
		log.drop(k, doubted)
		log.leaveBad(k, bad, nBad, 10*nBad > numbers && nBad > 1, first, side)
	}
	log.slips(name, labels, place, side)
	for _, code := range loneCodes(counts) {
		text := strconv.FormatFloat(code, 'f', -1, 64)
		row := slices.IndexFunc(column.Word, func(word int32) bool { return word != data.FailedWord && sameValue(column.Words[word], text) })
		log.Notes = append(log.Notes, fmt.Sprintf("%s: %s occurs %d × among values of %s that are all far from it, first at %s; if it stands "+
			"for a missing value: --missing %s%s", log.Path, text, counts[code], name, place(row), side, text))
	}
	if len(labels) > mostLabels && numbers == 0 {
		log.Notes = append(log.Notes, fmt.Sprintf("%s: %s has %d different labels in %d values", log.Path, name, len(labels), total))
	}
}

// flagWord returns a flag's value for a shell: quoted if it has characters other than letters, digits, "-", "_" and ".".
func flagWord(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
	}) {
		return strconv.Quote(text)
	}
	return text
}

// leaveBad leaves out the n values of a criterion that are not numbers. If there are many of them, they stay, and a note names them. first
// is the place of the first of them.
func (log *Log) leaveBad(k int, bad []label, n int, many bool, first, side string) {
	if n == 0 {
		return
	}
	name := log.Values.Criteria[k].ID
	example := bad[0].text
	if many {
		log.Notes = append(log.Notes, fmt.Sprintf("%s: %s of %s are no numbers, such as %q (%s); --missing %s leaves it out", log.Path,
			data.Plural(n, "value", "values"), name, data.Clip(example), first, flagWord(side+example)))
		return
	}
	reasons := map[int32]string{}
	for _, l := range bad {
		reasons[l.word] = "no number: " + l.text
	}
	log.drop(k, reasons)
	why := fmt.Sprintf("%q at %s is no number", data.Clip(example), first)
	if len(bad) > 1 {
		why = fmt.Sprintf("no numbers, such as %q at %s", data.Clip(example), first)
	}
	log.Left = append(log.Left, Left{data.Plural(n, "value", "values") + " of " + name, why})
}

// leadingNumbers reports whether each label begins with its points, as "1 some" and "2: all". Points that also occur as a number, or that a
// letter follows, are not those of a label: "4r" is a slip.
func leadingNumbers(labels []label, counts map[float64]int) bool {
	return !slices.ContainsFunc(labels, func(l label) bool {
		end := strings.IndexFunc(l.text, func(r rune) bool { return !unicode.IsDigit(r) })
		if end < 1 {
			return true
		}
		next, _ := utf8.DecodeRuneInString(l.text[end:])
		points, number := data.Number(l.text[:end])
		return !number || counts[points] > 0 || unicode.IsLetter(next)
	})
}

// commonness is how many times as often as a slip the label occurs that it was meant to be.
const commonness = 5

// slips returns a note for each rare label that differs by one letter from a common one, as "yess" among many "yes".
func (log *Log) slips(name string, labels []label, place func(row int) string, side string) {
	if len(labels) > mostLabels {
		return
	}
	for _, rare := range labels {
		meant, found := data.First(labels, func(l label) bool { return commonness*rare.n <= l.n && data.Slip(rare.text, l.text) })
		if found {
			log.Notes = append(log.Notes, fmt.Sprintf("%s: %q is a label of its own of %s, one letter from %q, which occurs %d times; if it is "+
				"a typing error, correct it; --missing %s leaves it out", place(rare.first), data.Clip(rare.text), name, data.Clip(meant.text),
				meant.n, flagWord(side+rare.text)))
		}
	}
}

// key returns what identifies an item within its file: the id, or question and text, with system, turn, repeat and run.
func (i *Item) key() string {
	about := i.About()
	id := i.ID
	if id == "" {
		id = i.Question + "\x00" + i.Text
		if about.Short != nil {
			id += "\x00" + about.Short.Question + "\x00" + about.Short.Text
		}
	} else if about.System == "" && about.Turn == "" && about.Repeat == 0 && about.Runs == nil && !strings.Contains(id, "\x00") {
		return id // as it is, because there may be millions
	}
	return strings.Join([]string{id, about.System, about.Turn, strconv.Itoa(about.Repeat), strings.Join(about.Runs, "\x00")}, "\x00")
}

// A conflict is two different values that one rater gave to an item.
type conflict struct {
	first, again data.RowPlace
}

// conflicts returns the items to which one rater gave different values on one criterion, and the number of items with values. The criterion
// that but names is ignored. number maps a row to the number of its item; rows with equal numbers belong to one item.
func (log *Log) conflicts(o Options, but string, number func(data.RowPlace) int32) (found []conflict, items int) {
	scored := make([]bool, len(log.Items))
	differ := map[int32]conflict{} // by number of the item
	line := func(place data.RowPlace) int32 { return log.Values.Columns[place.Column].Line[place.Row] }
	log.eachRepeat(number, func(criterion string) bool { return criterion != but && o.compared(criterion) },
		func(first, again data.RowPlace, number int32) {
			for int(number) >= len(scored) {
				scored = append(scored, false)
			}
			if !scored[number] {
				scored[number] = true
				items++
			}
			if first == again || log.sameValues(first, again) {
				return
			}
			if before, known := differ[number]; !known || line(again) < line(before.again) {
				differ[number] = conflict{first, again}
			}
		})
	found = slices.SortedFunc(maps.Values(differ), func(a, b conflict) int {
		return cmp.Or(cmp.Compare(line(a.again), line(b.again)), cmp.Compare(a.again.Column, b.again.Column),
			cmp.Compare(a.again.Row, b.again.Row))
	})
	return found, items
}

// sameValues reports whether two rows of one column have the same value.
func (log *Log) sameValues(a, b data.RowPlace) bool {
	column := &log.Values.Columns[a.Column]
	return column.Word[a.Row] == column.Word[b.Row] || sameValue(column.Value(a.Row), column.Value(b.Row))
}

// eachRepeat visits the values of the criteria that counts accepts, except those of pairs, each with the first value of its rater and item.
// number maps a row to the number of its item. Raters are visited one by one, because a map of all cells of a large table would be slow.
func (log *Log) eachRepeat(number func(data.RowPlace) int32, counts func(criterion string) bool,
	visit func(first, again data.RowPlace, number int32)) {
	for k := range log.Values.Columns {
		if !counts(log.Values.Criteria[k].ID) {
			continue
		}
		column := &log.Values.Columns[k]
		log.Values.EachFirst(k, func(row int) int32 {
			if column.Value(row) == "" || log.Items[column.Item[row]].About().Pair != nil {
				return data.NoNumber
			}
			return number(data.RowPlace{Column: k, Row: row})
		}, func(first, row int, number int32) {
			visit(data.RowPlace{Column: k, Row: first}, data.RowPlace{Column: k, Row: row}, number)
		})
	}
}

// numbers returns a function that maps a row to the number of its item. Items with equal keys have the same number.
func (log *Log) numbers(key func(*Item) string) func(data.RowPlace) int32 {
	numbers := make([]int32, len(log.Items))
	known := map[string]int32{}
	for i := range log.Items {
		if log.distinct() { // then keys are too
			numbers[i] = int32(i)
		} else {
			numbers[i] = numberOf(known, key(&log.Items[i]))
		}
	}
	return func(place data.RowPlace) int32 { return numbers[log.Values.Columns[place.Column].Item[place.Row]] }
}

// numberOf returns the number of a value, from 0. A new value gets the next number.
func numberOf[K comparable](known map[K]int32, text K) int32 {
	n, is := known[text]
	if !is {
		n = int32(len(known))
		known[text] = n
	}
	return n
}

// compared reports whether a criterion is one of the other side, or the other side's criteria are unknown.
func (o Options) compared(criterion string) bool {
	return o.named(criterion) || len(o.Names) == 0
}

// many reports whether conflicts are too frequent to be slips: more than one, in more than 2 % of the items.
func many(conflicts, items int) bool { return conflicts > 1 && 50*conflicts > items }

// checkRepeats returns an error if one rater's values of one item differ for more than 2 % of the items. Then rows with one id are probably
// not one item; the error names the column that distinguishes them. If only some criteria have such conflicts, only these are left out,
// with the reason in Stopped. A file's only criterion is checked whatever its name, since it is compared in any case.
func (log *Log) checkRepeats(o Options) error {
	if o.Repeats != "" || log.format == nil {
		return nil
	}
	if len(data.Set(criteriaOf(log))) == 1 && len(log.Stopped) == 0 {
		o.Names = nil
	}
	o = o.folding()
	numbers := log.numbers((*Item).key)
	found, items := log.conflicts(o, "", numbers)
	if !many(len(found), items) {
		return nil
	}
	bad := log.repeating(found, items)
	if len(bad) < len(data.Set(data.Where(criteriaOf(log), o.compared))) && log.unique(o) == "" {
		for name := range bad {
			log.Stopped[name] = log.repeatsText(bad[name], items, log.wayOfRepeats(numbers, items, o))
		}
		log.Values.Delete(func(s data.Rating) bool { return bad[s.ID] != nil })
		return log.checkRepeats(o) // an item counts as one conflict, whatever the criteria
	}
	way := log.wayOfRepeats(numbers, items, o)
	if column := log.unique(o); column != "" {
		way = fmt.Sprintf("the column %s makes rows unique: --map %sturn=%s", column, o.prefix(), column)
		if conflicts, _ := log.conflicts(o, column, numbers); len(conflicts) > 0 {
			found = conflicts
		}
	}
	return fmt.Errorf("%s: %s", log.Path, log.repeatsText(found, items, way))
}

// checkBatches returns an error if values of one judge differ between several tables in more than 2 % of the items.
func (log *Log) checkBatches(o Options) error {
	if o.Repeats != "" || !log.tables {
		return nil
	}
	scored := map[int32]bool{}
	differ := map[int32]bool{}
	var one, two data.Rating // an example
	log.eachRepeat(log.numbers((*Item).key), o.compared, func(first, again data.RowPlace, number int32) {
		scored[number] = true
		if first == again || log.sameValues(first, again) {
			return
		}
		a := log.Values.At(first)
		b := log.Values.At(again)
		if log.Items[a.Item].About().File == log.Items[b.Item].About().File {
			return
		}
		if len(differ) == 0 || b.Item < two.Item {
			one = a
			two = b
		}
		differ[number] = true
	})
	if !many(len(differ), len(scored)) {
		return nil
	}
	return fmt.Errorf("%d of %s have values of one judge that differ between files, for instance %s: %s gave %s on %s at %s and %s at %s. "+
		"--repeats first|last|mean says which counts; if these are two judges, give each file a column judge with another name", len(differ),
		data.Plural(len(scored), "item", "items"), data.Clip(log.Items[one.Item].ID), one.Rater.Name, data.Clip(one.Value), one.ID,
		log.Place(one), data.Clip(two.Value), log.Place(two))
}

// repeating returns the criteria that have too many conflicts, with these conflicts.
func (log *Log) repeating(found []conflict, items int) map[string][]conflict {
	bad := map[string][]conflict{}
	for _, c := range found {
		name := log.Values.Criteria[c.first.Column].ID
		bad[name] = append(bad[name], c)
	}
	maps.DeleteFunc(bad, func(_ string, conflicts []conflict) bool { return !many(len(conflicts), items) })
	return bad
}

// wayOfRepeats says what a user can do about differing values of one rater.
func (log *Log) wayOfRepeats(numbers func(data.RowPlace) int32, items int, o Options) string {
	if log.format.table == nil || 2*log.repeated(numbers) < items || log.dated() {
		return "--repeats first|last|mean says which counts"
	}
	return fmt.Sprintf("no column says which is which, so rows are not ratings; if one says who scored: --map %srater=COLUMN", o.prefix())
}

// repeatsText describes the conflicts with an example; way says what to do.
func (log *Log) repeatsText(found []conflict, items int, way string) string {
	one := log.Values.At(found[0].first)
	two := log.Values.At(found[0].again)
	item := log.Items[one.Item]
	return fmt.Sprintf("%d of %s have values of one rater that differ, for instance %s: %s gave %s on %s on line %d and %s on line %d. %s",
		len(found), data.Plural(items, "item", "items"), data.Clip(cmp.Or(item.ID, item.Text)), one.Rater.Name, data.Clip(one.Value), one.ID,
		one.Line, data.Clip(two.Value), two.Line, way)
}

// repeated returns the number of items that have several values of one rater on one criterion.
func (log *Log) repeated(numbers func(data.RowPlace) int32) int {
	twice := map[int32]bool{}
	log.eachRepeat(numbers, func(string) bool { return true }, func(first, again data.RowPlace, number int32) {
		if first != again {
			twice[number] = true
		}
	})
	return len(twice)
}

// dated reports whether the file has a column of times, from which one knows which value was given last.
func (log *Log) dated() bool {
	sheet, err := open(log.Path, log.format, mostValues)
	return err == nil && slices.ContainsFunc(sheet.Columns, func(c *Column) bool {
		return slices.ContainsFunc(names().Roles["when"], func(name string) bool { return folded(name) == folded(c.Path) })
	})
}

// unique returns the column that distinguishes rows with the same id, or "". Only columns whose names contain a word for turns are
// considered, not columns that have another role or hold texts.
func (log *Log) unique(o Options) string {
	f := log.format
	sheet, err := open(log.Path, f, mostValues)
	if err != nil {
		return ""
	}
	used := map[string]bool{}
	if f.table != nil {
		for _, c := range f.table.Columns {
			used[c.Column] = c.Role != RoleLeft
		}
	}
	columns := slices.DeleteFunc(sheet.Columns, func(c *Column) bool {
		return used[c.Path] || c.constant() != "" || c.lists != nil || len(c.values)+c.long < 2 || c.long > 0 ||
			!slices.ContainsFunc(wordsOf(c.Path), func(word string) bool { return slices.Contains(names().Turns, word) })
	})
	slices.SortStableFunc(columns, func(a, b *Column) int { return cmp.Compare(len(a.values)+a.long, len(b.values)+b.long) })
	values := map[string][]string{} // values of the columns, by FILE:LINE
	for record, err := range f.records(log.Path, quiet) {
		if err != nil {
			return ""
		}
		place := fmt.Sprintf("%s:%d", record.File, record.Line)
		for _, c := range columns {
			values[place] = append(values[place], valueOf(record.get(c.Path)))
		}
	}
	for k, c := range columns {
		known := map[string]int32{}
		found, items := log.conflicts(o, c.Path, func(place data.RowPlace) int32 {
			s := log.Values.At(place)
			key := log.Items[s.Item].key()
			if row := values[log.Place(s)]; k < len(row) {
				key += "\x00" + row[k]
			}
			return numberOf(known, key)
		})
		if !many(len(found), items) && items > 0 {
			return c.Path
		}
	}
	return ""
}
