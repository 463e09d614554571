package sources

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"compqa/data"
)

// mostLabels is the number of labels of a criterion from which on a line says how many there are.
const mostLabels = 100

// plainValue is a value without what only decorates it: the colour of an emoji's skin, a variant of a character.
func plainValue(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\ufe0f' || r >= '\U0001f3fb' && r <= '\U0001f3ff' {
			return -1
		}
		return r
	}, norm.NFC.String(text))
}

// missingCodes are the values that the user says are missing on this side, each with the flag's value that says so.
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

// missing reports whether a value is missing, by its text or as the user says.
func (o Options) missing(value string) bool {
	return Missing(value) || slices.ContainsFunc(o.missingCodes(), func(code [2]string) bool { return sameValue(code[0], value) })
}

// Unused says which values of --missing none of the logs has; "": they have all.
func (o Options) Unused(logs ...*Log) string {
	unused := data.Where(o.Missing, func(code string) bool {
		return !slices.ContainsFunc(logs, func(log *Log) bool { return log != nil && log.coded[code] })
	})
	if unused == nil {
		return ""
	}
	return fmt.Sprintf("--missing %s: no score has this value", strings.Join(unused, ", "))
}

// sameValue reports whether two values are equal as numbers, or as texts in lower case.
func sameValue(a, b string) bool {
	x, number := data.Number(a)
	y, other := data.Number(b)
	return number && other && x == y || strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// clean settles what the values of each criterion are: it leaves out the codes that the user calls missing, texts such as skip
// among numbers, and a few other texts among many numbers, each with a note; it writes equal labels in one way; and it names
// values that look like codes for missing ones.
func (log *Log) clean(o Options) {
	criteria := map[string][]int{} // places of scores
	var order []string
	for i, s := range log.Scores.All() {
		if s.Value == "" || s.Criterion == Preferred {
			continue
		}
		if criteria[s.Criterion] == nil {
			order = append(order, s.Criterion)
		}
		criteria[s.Criterion] = append(criteria[s.Criterion], i)
	}
	codes := o.missingCodes()
	found := map[string]bool{}
	coded := 0
	for _, name := range order {
		places := criteria[name]
		places = slices.DeleteFunc(places, func(index int) bool {
			code, is := data.First(codes, func(code [2]string) bool { return sameValue(code[0], log.Scores.At(index).Value) })
			if is {
				found[code[0]], log.coded[code[1]] = true, true
				coded++
				log.drop(index, "the value is "+code[0])
			}
			return is
		})
		log.cleanCriterion(name, places, o)
	}
	if coded > 0 {
		log.Left = append(log.Left, Left{data.Plural(coded, "value", "values"),
			"--missing " + strings.Join(slices.Sorted(maps.Keys(found)), ", ")})
	}
	log.Scores.Delete(func(s Score) bool { return s.Value == "" && !s.Failed && !o.Raters })
}

// drop makes a value missing: a judge's with a reason, a person's without.
func (log *Log) drop(index int, reason string) {
	s := log.Scores.At(index)
	s.Value = ""
	if !s.Person {
		s.Failed, s.Reason = true, reason
	}
	log.Scores.Set(index, s)
}

func (log *Log) cleanCriterion(name string, places []int, o Options) {
	numbers, counts, texts, binary := 0, map[float64]int{}, map[string][]int{}, true
	spelling := map[string]string{}
	for _, index := range places {
		s := log.Scores.At(index)
		if x, ok := data.Number(s.Value); ok {
			numbers++
			counts[x]++
			binary = binary && (x == 0 || x == 1)
			continue
		}
		plain := strings.ToLower(strings.Join(strings.Fields(plainValue(s.Value)), " "))
		if spelling[plain] == "" {
			spelling[plain] = strings.Join(strings.Fields(plainValue(s.Value)), " ")
		}
		if s.Value != spelling[plain] {
			s.Value = spelling[plain]
			log.Scores.Set(index, s)
		}
		texts[s.Value] = append(texts[s.Value], index)
	}
	side := ""
	if o.People {
		side = "people."
	}
	place := func(index int) string { return log.Place(log.Scores.At(index)) }
	if numbers > 0 && len(texts) > 0 && !binary && 2*numbers > len(places) && !leadingNumbers(texts) {
		var bad []string
		nBad := 0
		for _, value := range slices.Sorted(maps.Keys(texts)) {
			if !doubtful(value) {
				bad, nBad = append(bad, value), nBad+len(texts[value])
				continue
			}
			for _, index := range texts[value] {
				log.drop(index, "the value is "+value)
			}
			log.Left = append(log.Left, Left{data.Plural(len(texts[value]), "value", "values") + " of " + name,
				fmt.Sprintf("%q among numbers", value)})
		}
		log.leaveBad(name, bad, nBad, 10*nBad > numbers && nBad > 1, texts, side)
	}
	for _, code := range loneCodes(counts) {
		text := strconv.FormatFloat(code, 'f', -1, 64)
		index := places[slices.IndexFunc(places, func(index int) bool { return sameValue(log.Scores.At(index).Value, text) })]
		log.Notes = append(log.Notes, fmt.Sprintf("%s: %s occurs %d × among values of %s that are all far from it, first at %s; if it stands "+
			"for a missing value: --missing %s%s", log.Path, text, counts[code], name, place(index), side, text))
	}
	if labels := len(texts); labels > mostLabels && numbers == 0 {
		log.Notes = append(log.Notes, fmt.Sprintf("%s: %s has %d different labels in %d values", log.Path, name, labels, len(places)))
	}
}

// flagWord is a value of a flag as a shell needs it, in quotation marks where it has more than letters and digits.
func flagWord(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
	}) {
		return strconv.Quote(text)
	}
	return text
}

// leaveBad leaves out the values of a criterion that are no numbers; many of them are said and stay. texts are the places of each.
func (log *Log) leaveBad(name string, bad []string, n int, many bool, texts map[string][]int, side string) {
	if n == 0 {
		return
	}
	first := log.Place(log.Scores.At(texts[bad[0]][0]))
	if many {
		log.Notes = append(log.Notes, fmt.Sprintf("%s: %s of %s are no numbers, such as %q (%s); --missing %s leaves it out", log.Path,
			data.Plural(n, "value", "values"), name, data.Clip(bad[0]), first, flagWord(side+bad[0])))
		return
	}
	for _, value := range bad {
		for _, index := range texts[value] {
			log.drop(index, "no number: "+value)
		}
	}
	why := fmt.Sprintf("%q at %s is no number", data.Clip(bad[0]), first)
	if len(bad) > 1 {
		why = fmt.Sprintf("no numbers, such as %q at %s", data.Clip(bad[0]), first)
	}
	log.Left = append(log.Left, Left{data.Plural(n, "value", "values") + " of " + name, why})
}

// leadingNumbers reports whether texts have their points in front, as "1 some" and "2: all".
func leadingNumbers(texts map[string][]int) bool {
	for text := range texts {
		if text[0] < '0' || text[0] > '9' {
			return false
		}
	}
	return true
}

// key identifies an item among those of its file.
func (i *Item) key() string {
	id := i.ID
	if id == "" {
		id = i.Question + "\x00" + i.Text
		if i.Short != nil {
			id += "\x00" + i.Short.Question + "\x00" + i.Short.Text
		}
	}
	return strings.Join([]string{id, i.System, i.Turn, strconv.Itoa(i.Repeat), strings.Join(i.Runs, "\x00")}, "\x00")
}

// A conflict is an item that one rater has several values of, which differ.
type conflict struct {
	first, again int // scores
}

// conflicts finds the items with a value of one rater on one criterion and another one; but is a criterion that does not count.
// numbers are those of the scores' items: what is one item has one number.
func (log *Log) conflicts(o Options, but string, numbers []int32) (found []conflict, items int) {
	series := map[*Series]int32{}
	firsts := log.firsts(numbers, func(s Score) int32 {
		number, known := series[s.Series]
		if !known {
			number = noColumn
			if s.Criterion != but && o.compared(s.Criterion) {
				number = int32(len(series))
			}
			series[s.Series] = number
		}
		if s.Value == "" || log.Items[s.Item].Pair != nil {
			return noColumn
		}
		return number
	})
	if len(numbers) == 0 {
		return nil, 0
	}
	different := slices.Max(numbers) + 1
	scored, bad := make([]bool, different), make([]bool, different)
	for i, first := range firsts {
		if first < 0 {
			continue
		}
		number := numbers[i]
		if !scored[number] {
			scored[number] = true
			items++
		}
		if !bad[number] && !sameValue(log.Scores.At(int(first)).Value, log.Scores.At(i).Value) {
			bad[number] = true
			found = append(found, conflict{int(first), i})
		}
	}
	return found, items
}

// noColumn is the column of a score that does not count.
const noColumn = -1

// firsts are for each score the place of the first one in its column and row, which may be itself, or -1 without a column. Columns
// and rows are numbered from 0. One column is looked at after the other: a map of all cells of a large table would take longer
// than reading it.
func (log *Log) firsts(rows []int32, column func(Score) int32) []int32 {
	firsts := make([]int32, log.Scores.Len())
	var columns [][]int32 // places of scores
	most := int32(-1)
	for i, s := range log.Scores.All() {
		number := column(s)
		firsts[i] = -1
		if number == noColumn {
			continue
		}
		for int(number) >= len(columns) {
			columns = append(columns, nil)
		}
		columns[number] = append(columns[number], int32(i))
		most = max(most, rows[i])
	}
	begun := make([]int32, most+1) // by row: 1 + the place of the first score of the column
	for _, places := range columns {
		for _, place := range places {
			row := rows[place]
			if begun[row] == 0 {
				begun[row] = place + 1
			}
			firsts[place] = begun[row] - 1
		}
		for _, place := range places {
			begun[rows[place]] = 0
		}
	}
	return firsts
}

// numbers number the items of scores by their keys.
func (log *Log) numbers(key func(*Item) string) []int32 {
	ofItems, known := make([]int32, len(log.Items)), make(map[string]int32, len(log.Items))
	for i := range log.Items {
		ofItems[i] = numberOf(known, key(&log.Items[i]))
	}
	return data.Each(log.Scores.Items(), func(item int32) int32 { return ofItems[item] })
}

// numberOf is the number of a text among the different ones before it, and their number if it is another one.
func numberOf[K comparable](known map[K]int32, text K) int32 {
	n, is := known[text]
	if !is {
		n = int32(len(known))
		known[text] = n
	}
	return n
}

// compared reports whether a criterion is one of the other side, of which nothing may be known.
func (o Options) compared(criterion string) bool {
	return o.named(criterion) || len(o.Names) == 0
}

// many reports whether so many conflicts cannot be slips of a few raters.
func many(conflicts, items int) bool { return conflicts > 1 && 50*conflicts > items }

// checkRepeats is an error where values of one rater of one item differ in more than 2 % of the items: then the items are not
// those that the rater scored. It names the column that would make rows unique. Where that is so of some criteria alone, these are left
// out, with the reason in Stopped. The only criterion of a file counts whatever its name: it is compared if anything is.
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
		log.Scores.Delete(func(s Score) bool { return bad[s.Criterion] != nil })
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

// checkBatches is an error where several tables have values of one judge that differ in more than 2 % of the items.
func (log *Log) checkBatches(o Options) error {
	if o.Repeats != "" || !log.tables {
		return nil
	}
	numbers := log.numbers((*Item).key)
	known := map[Series]int32{}
	firsts := log.firsts(numbers, func(s Score) int32 {
		if s.Value == "" || !o.compared(s.Criterion) || log.Items[s.Item].Pair != nil {
			return noColumn
		}
		return numberOf(known, *s.Series)
	})
	scored, differ, example := map[int32]bool{}, map[int32]bool{}, [2]int{}
	for i, first := range firsts {
		if first < 0 {
			continue
		}
		scored[numbers[i]] = true
		a, b := log.Scores.At(int(first)), log.Scores.At(i)
		if log.Items[a.Item].File == log.Items[b.Item].File || sameValue(a.Value, b.Value) {
			continue
		}
		if len(differ) == 0 {
			example = [2]int{int(first), i}
		}
		differ[numbers[i]] = true
	}
	if !many(len(differ), len(scored)) {
		return nil
	}
	one, two := log.Scores.At(example[0]), log.Scores.At(example[1])
	return fmt.Errorf("%d of %s have values of one judge that differ between files, for instance %s: %s gave %s on %s at %s and %s at %s. "+
		"--repeats first|last|mean says which counts; if these are two judges, give each file a column judge with another name", len(differ),
		data.Plural(len(scored), "item", "items"), data.Clip(log.Items[one.Item].ID), one.By, data.Clip(one.Value), one.Criterion,
		log.Place(one),
		data.Clip(two.Value), log.Place(two))
}

// repeating are the conflicts of the criteria that have too many.
func (log *Log) repeating(found []conflict, items int) map[string][]conflict {
	bad := map[string][]conflict{}
	for _, c := range found {
		name := log.Scores.At(c.first).Criterion
		bad[name] = append(bad[name], c)
	}
	maps.DeleteFunc(bad, func(_ string, conflicts []conflict) bool { return !many(len(conflicts), items) })
	return bad
}

// wayOfRepeats says what a user can do about values that differ.
func (log *Log) wayOfRepeats(numbers []int32, items int, o Options) string {
	if log.format.table == nil || 2*log.repeated(numbers) < items || log.dated() {
		return "--repeats first|last|mean says which counts"
	}
	return fmt.Sprintf("no column says which is which, so rows are not ratings; if one says who scored: --map %srater=COLUMN", o.prefix())
}

// repeatsText says that values of one rater of one item differ, with an example.
func (log *Log) repeatsText(found []conflict, items int, way string) string {
	one, two := log.Scores.At(found[0].first), log.Scores.At(found[0].again)
	item := log.Items[one.Item]
	return fmt.Sprintf("%d of %s have values of one rater that differ, for instance %s: %s gave %s on %s on line %d and %s on line %d. %s",
		len(found), data.Plural(items, "item", "items"), data.Clip(cmp.Or(item.ID, item.Text)), one.By, data.Clip(one.Value), one.Criterion,
		one.Line, data.Clip(two.Value), two.Line, way)
}

// repeated is the number of items of which a rater has several values on a criterion.
func (log *Log) repeated(numbers []int32) int {
	type place struct {
		*Series
		item int32
	}
	known, twice := map[place]bool{}, map[int32]bool{}
	for i, s := range log.Scores.All() {
		spot := place{s.Series, numbers[i]}
		twice[numbers[i]] = twice[numbers[i]] || known[spot]
		known[spot] = s.Value != ""
	}
	n := 0
	for _, is := range twice {
		if is {
			n++
		}
	}
	return n
}

// dated reports whether the file has a column of times, which say what was given last.
func (log *Log) dated() bool {
	sheet, err := open(log.Path, log.format, mostValues)
	return err == nil && slices.ContainsFunc(sheet.Columns, func(c *Column) bool {
		return slices.ContainsFunc(names().Roles["when"], func(name string) bool { return folded(name) == folded(c.Path) })
	})
}

// unique is the column that tells rows with the same id apart, among those whose name is one for turns; "": none does. A column of
// values, of raters or of texts is none, whatever it makes unique.
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
	values := map[string][]string{} // of columns, by place
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
		numbers := make([]int32, log.Scores.Len())
		for i, s := range log.Scores.All() {
			key := log.Items[s.Item].key()
			if row := values[log.Place(s)]; k < len(row) {
				key += "\x00" + row[k]
			}
			numbers[i] = numberOf(known, key)
		}
		found, items := log.conflicts(o, c.Path, numbers)
		if !many(len(found), items) && items > 0 {
			return c.Path
		}
	}
	return ""
}
