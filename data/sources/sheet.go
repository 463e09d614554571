package sources

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/tidwall/gjson"
	"golang.org/x/text/unicode/norm"

	"compqa/data"
)

// A Sheet is a file seen as rows under columns: a table, a list, or records within a document. Members of nested records become columns
// named by their paths, such as scores.correct.
type Sheet struct {
	Path    string
	Columns []*Column
	rows    int // number of rows, at most mostProfiled
	format  *Format
}

// A Row is one record of a sheet.
type Row struct{ *scope }

// Place returns where the row begins, as FILE:LINE.
func (r Row) Place() string { return fmt.Sprintf("%s:%d", r.File, r.Line) }

// Text returns the value of a column, trimmed, or "" if it is missing.
func (r Row) Text(column string) string {
	text := valueOf(r.get(column))
	if Missing(text) {
		return ""
	}
	return text
}

// A Column describes the values of a column in the first mostProfiled rows.
type Column struct {
	Path    string
	Rows    int    // rows in which it occurs
	Filled  int    // rows with a value
	Numbers int    // rows with a number
	Example string // its first value

	cells  []uint64       // hashes of the values by row, 0 for a missing one; missing values at the end are left out
	values map[string]int // number of rows with each value; keeps only as many values as were asked for
	rising bool           // the values are whole numbers that count the rows
	long   int            // number of values too long for a label
	listed int            // number of cells with lists
	lists  []gjson.Result // its first lists, at most 20

	whole, last string // Path and its last part, folded
}

// folded returns the folded column name and its folded last part, which are computed once.
func (c *Column) folded() (whole, last string) {
	if c.whole == "" {
		c.whole, c.last = folded(c.Path), folded(c.Path[strings.LastIndexByte(c.Path, '.')+1:])
	}
	return c.whole, c.last
}

const (
	mostValues   = 200    // values of a column that are kept to determine its role
	mostProfiled = 20_000 // rows that are looked at to determine the roles of columns
)

// open reads the columns of a file, and keeps up to mostValues distinct values of each. Nested objects, and JSON replies of models, become
// columns for each member.
func open(path string, f *Format, mostValues int) (*Sheet, error) {
	s := &Sheet{Path: path, format: f}
	columns := map[string]*Column{}
	var visit func(prefix string, object gjson.Result, depth int)
	visit = func(prefix string, object gjson.Result, depth int) {
		object.ForEach(func(key, value gjson.Result) bool {
			path := key.Str
			if prefix != "" {
				path = prefix + gjson.Escape(key.Str)
			}
			if value.IsObject() && depth < 3 {
				visit(path+".", value, depth+1)
				return true
			}
			if reply := replyOf(value); reply.IsObject() && depth < 3 && isReply(path) {
				visit(path+".", reply, depth+1)
			}
			c := columns[path]
			if c == nil {
				c = &Column{Path: strings.Clone(path), values: map[string]int{}, rising: true}
				columns[c.Path] = c
				s.Columns = append(s.Columns, c)
			}
			c.cells = append(c.cells, make([]uint64, max(0, s.rows-1-len(c.cells)))...)
			c.add(value, mostValues)
			return true
		})
	}
	for record, err := range f.records(path, quiet) {
		if err != nil {
			return s, err
		}
		if s.rows == mostProfiled {
			break
		}
		s.rows++
		visit("", record.object(), 0)
	}
	for _, c := range s.Columns {
		if 2*c.listed < c.Filled { // only a few cells hold several labels
			c.lists = nil
		}
	}
	return s, nil
}

// add counts the value of one more row.
func (c *Column) add(value gjson.Result, mostValues int) {
	c.Rows++
	if list := parsed(value); list.IsArray() {
		c.listed++
		if len(c.lists) < 20 {
			c.lists = append(c.lists, gjson.Parse(strings.Clone(list.Raw)))
		}
	}
	text := valueOf(value)
	if Missing(text) {
		c.cells = append(c.cells, 0)
		return
	}
	c.cells = append(c.cells, maphash.String(seed, text)|1)
	x, err := strconv.Atoi(text)
	c.rising = c.rising && err == nil && (c.Filled == 0 || x > c.Filled-1 && x <= c.Filled+1)
	c.Filled++
	_, number := data.Number(text)
	switch {
	case number:
		c.Numbers++
	case len(text) > mostLabel || strings.ContainsAny(text, "\n[{"):
		c.long++
		if c.Example == "" {
			c.Example = data.Clip(text)
		}
		return
	}
	if c.Example == "" {
		c.Example = strings.Clone(text)
	}
	if _, known := c.values[text]; known || len(c.values) < mostValues {
		c.values[strings.Clone(text)]++
	}
}

// seed is the seed of the hashes of cells, which are compared only with each other.
var seed = maphash.MakeSeed()

// parsed returns the JSON in a text cell, or else the value itself.
func parsed(value gjson.Result) gjson.Result {
	text := strings.TrimSpace(value.Str)
	if value.Type == gjson.String && len(text) > 1 && (text[0] == '[' || strings.HasPrefix(text, `{"`)) && gjson.Valid(text) {
		return gjson.Parse(text)
	}
	return value
}

// replyOf returns the JSON object that a model wrote as its whole reply, also inside a ``` code block. For any other reply, the result does
// not exist.
func replyOf(value gjson.Result) gjson.Result {
	text := strings.TrimSpace(value.Str)
	if inner, fenced := strings.CutPrefix(text, "```"); fenced {
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(inner, "json"), "```"))
	}
	if !strings.HasPrefix(text, "{") || !gjson.Valid(text) {
		return gjson.Result{}
	}
	return gjson.Parse(text)
}

// isReply reports whether a column is named as one that holds a model's reply.
func isReply(path string) bool {
	return slices.ContainsFunc(names().Replies, func(name string) bool { return folded(name) == folded(lastPart(path)) })
}

// find returns the first column whose name, or the last part of its path, is one of names, or nil. Earlier names take precedence. Columns
// for which but is true are skipped.
func (s *Sheet) find(names []string, but func(*Column) bool) *Column {
	for _, name := range names {
		name = folded(name)
		for _, c := range s.Columns {
			if whole, last := c.folded(); (whole == name || last == name) && !but(c) {
				return c
			}
		}
	}
	return nil
}

// folded returns a name for comparison: only letters and digits, in lower case, so that "Sample ID", sample_id and sampleId are equal.
func folded(name string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFC.String(name))
	return cmp.Or(plain, strings.TrimSpace(name))
}

// wordsOf returns the words of a name in lower case: human and score for human_score, humanScore and "Human score".
func wordsOf(name string) (words []string) {
	var word []rune
	end := func() {
		if word != nil {
			words = append(words, strings.ToLower(string(word)))
			word = nil
		}
	}
	for _, r := range norm.NFC.String(name) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			end()
			continue
		}
		if unicode.IsUpper(r) && len(word) > 0 && unicode.IsLower(word[len(word)-1]) {
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}

func pathOf(c *Column) string { return c.Path }

var (
	dates = regexp.MustCompile(`^\d{4}-\d\d-\d\d|^\d{1,2}[./]\d{1,2}[./]\d{2,4}\b`)
	idEnd = regexp.MustCompile(`(?i)(^|[_ .-])(id|ids|uuid|hash|nr)$|[a-z]I[Dd]$`)
)

// repeats reports whether one of the column's kept values occurs twice.
func (c *Column) repeats() bool {
	for _, n := range c.values {
		if n > 1 {
			return true
		}
	}
	return false
}

// constant returns the only value of a column with five or more values, or "" if the values differ.
func (c *Column) constant() string {
	if len(c.values) != 1 || c.Filled < 5 || c.long > 0 {
		return ""
	}
	for value := range c.values {
		return value
	}
	return ""
}

// mostlyNumbers reports whether at least four in five values are numbers. If most values are numbers, words such as skip are not counted.
func (c *Column) mostlyNumbers() bool {
	filled := c.Filled
	for value, n := range c.values {
		if 5*c.Numbers < 4*c.Filled && 2*c.Numbers > c.Filled && doubtful(value) {
			filled -= n
		}
	}
	return c.Numbers > 0 && 5*c.Numbers >= 4*filled
}

// noScore returns the reason why the values of a column are neither scores nor labels, or "" if they may be.
func (c *Column) noScore() string {
	switch {
	case c.Filled == 0:
		return "empty"
	case c.ignored():
		return "by its name"
	case c.rising && c.Filled > 5:
		return "counts the rows"
	case c.mostlyNumbers():
		return c.beyondScale()
	case c.long > 0:
		return "text"
	}
	for value := range c.values {
		if dates.MatchString(value) {
			return "dates"
		}
	}
	switch distinct := len(c.values); {
	case idEnd.MatchString(c.Path):
		return "ids"
	case 2*distinct > c.Filled && c.Filled >= 6 && !c.known():
		return "text"
	case distinct > 12 && c.sentences():
		return "text"
	}
	return ""
}

// ignored reports whether a column's name is listed as one without scores.
func (c *Column) ignored() bool {
	whole, last := c.folded()
	return ignored()[whole] || ignored()[last]
}

// sentences reports whether the values have at least four words on average, as labels seldom do.
func (c *Column) sentences() bool {
	words := 0
	for value := range c.values {
		words += len(strings.Fields(value))
	}
	return words >= 4*len(c.values)
}

// known reports whether the values look like the labels of a scale: at most 12 different ones of at most 12 characters.
func (c *Column) known() bool {
	for value := range c.values {
		if len([]rune(value)) > 12 {
			return false
		}
	}
	return len(c.values) <= 12
}

// beyondScale returns the reason why numbers are not on a rating scale: they are ids, or too large or too many, as counts of tokens. It
// returns "" if they may be scores. Lone outliers are ignored, since they may be codes for missing values.
func (c *Column) beyondScale() string {
	counts := map[float64]int{}
	whole := true
	for text, n := range c.values {
		if x, ok := data.Number(text); ok {
			counts[x] += n
			whole = whole && x == math.Trunc(x)
		}
	}
	for _, x := range loneCodes(counts) {
		delete(counts, x)
	}
	most := 0.0
	for x := range counts {
		most = max(most, math.Abs(x))
	}
	distinct := len(counts)
	switch {
	case idEnd.MatchString(c.Path) && !c.repeats() && c.Filled > 5:
		return "ids"
	case most > 1000, most > 100 && distinct > 20, whole && distinct > 101:
		return fmt.Sprintf("numbers up to %s, on no scale", strconv.FormatFloat(most, 'f', -1, 64))
	}
	return ""
}

// loneCodes returns values that lie far outside the dense range of all others, such as −1, 99 and 999: they may be codes for missing
// values.
func loneCodes(counts map[float64]int) (codes []float64) {
	total := 0
	values := make([]float64, 0, len(counts))
	for x, n := range counts {
		total += n
		values = append(values, x)
	}
	slices.Sort(values)
	lone := func(x, next, low, high float64, whole bool) bool {
		gap := math.Abs(x - next)
		width := high - low
		known := slices.Contains([]float64{-1, -2, -8, -9, -77, -88, -98, -99, -999, 77, 88, 98, 99, 888, 998, 999, 9999}, x)
		return 4*counts[x] <= total && whole && high <= 100 &&
			(known && (gap > width || x < 0 && low >= 0 && width > 1) || gap > max(10, 3*width))
	}
	for len(values) > 2 {
		first := values[0]
		last := values[len(values)-1]
		whole := true
		for _, x := range values {
			whole = whole && 2*x == math.Trunc(2*x)
		}
		switch {
		case lone(last, values[len(values)-2], first, values[len(values)-2], whole):
			codes = append(codes, last)
			values = values[:len(values)-1]
		case lone(first, values[1], values[1], last, whole):
			codes = append(codes, first)
			values = values[1:]
		default:
			return codes
		}
	}
	return codes
}

// SameValues finds a column of a log and a column of people's file that share nine in ten ids. It returns them as a value of --map, or ""
// if there are none. Scores, constants and columns with repeated values do not count as ids.
func SameValues(log, people string) string {
	best := 0
	flag := ""
	columns := idColumns(people, true)
	for _, a := range idColumns(log, false) {
		for _, b := range columns {
			common := 0
			for value := range b.values {
				if a.values[value] > 0 {
					common++
				}
			}
			if common > best && common >= 5 && 10*common >= 9*min(len(a.values), len(b.values)) {
				best = common
				flag = fmt.Sprintf("item=%s,people.item=%s", a.Path, b.Path)
			}
		}
	}
	return flag
}

// idColumns returns the columns of a file that may be ids. Their values are all different, or, in people's file, each value occurs equally
// often.
func idColumns(path string, people bool) []*Column {
	return data.Where(columnsOf(path, mostProfiled), func(c *Column) bool {
		most := 0
		for _, n := range c.values {
			most = max(most, n)
		}
		unique := most == 1 || people && most*len(c.values) == c.Filled
		return len(c.values) >= 5 && unique && c.long == 0
	})
}

// columnsOf returns the columns of a file of any format, or nil if it cannot be read.
func columnsOf(path string, mostValues int) []*Column {
	f, err := recognised(path)
	if f == nil || err != nil {
		sheet, err := OpenSheet(path)
		if err != nil {
			return nil
		}
		f = sheet.format
	}
	sheet, err := open(path, f, mostValues)
	if err != nil {
		return nil
	}
	return sheet.Columns
}

// ScorePath returns the path of the first column whose values may be scores and vary, or "".
func ScorePath(file string) string {
	c, found := data.First(columnsOf(file, mostValues), func(c *Column) bool {
		return c.noScore() == "" && c.constant() == "" && c.lists == nil
	})
	if !found {
		return ""
	}
	return c.Path
}

// A Left is something in a file that was not read, and the reason.
type Left struct {
	What string // for example "column tokens"
	Why  string
}

// tableRows are the keys under which a document of no known format may have its records.
var tableRows = paths{"data", "rows", "items", "records", "results", "samples", "examples", "annotations", "responses", "evaluations"}

// OpenSheet opens a file as a sheet. In a JSON document, the records come from a list with a usual key, or else from its longest list of
// objects.
func OpenSheet(path string) (*Sheet, error) {
	f := &Format{About: "a table", Rows: tableRows}
	if listPath := largestList(path); listPath != "" {
		f.Rows = paths{listPath}
	}
	return open(path, f, mostValues)
}

// Rows yields the rows of a sheet. note receives what was guessed about the file.
func (s *Sheet) Rows(note func(string)) func(yield func(Row, error) bool) {
	return func(yield func(Row, error) bool) {
		for record, err := range s.format.records(s.Path, note) {
			if !yield(Row{record}, err) {
				return
			}
		}
	}
}

// onlyDocument returns the JSON value of a file that is a single document. For tables and files of several documents it returns no value.
func onlyDocument(path string) (document gjson.Result) {
	n := 0
	for doc, err := range data.Documents(path, quiet) {
		n++
		if err != nil || n > 1 || doc.Table != nil {
			return gjson.Result{}
		}
		document = doc.Value
	}
	return document
}

// keyed recognises a JSON file with one object of records by id, or of columns, which is not read. It returns a hint how to write the file
// instead, or "" for other files.
func keyed(path string) (way string) {
	document := onlyDocument(path)
	if document.Get("columns").IsArray() && document.Get("data.0").IsArray() {
		return "has columns and data apart, as pandas' to_json(orient=\"split\") writes them: write a record a row, with " +
			"to_json(path, orient=\"records\")"
	}
	members := 0
	rows := true
	columns := true
	shared := map[string]int{}
	document.ForEach(func(_, member gjson.Result) bool {
		members++
		rows = rows && member.IsObject()
		count := 0
		member.ForEach(func(key, _ gjson.Result) bool {
			shared[key.Str]++
			columns = columns && key.Str == strconv.Itoa(count)
			count++
			return true
		})
		columns = columns && count > 1
		return rows
	})
	common := 0
	for _, times := range shared {
		if 2*times > members {
			common++
		}
	}
	switch {
	case !document.IsObject() || !rows || members == 0 || common == 0:
		return ""
	case columns:
		return "has an object for each column, as pandas' to_json() writes them: write a record a row, with " +
			"to_json(path, orient=\"records\")"
	case members >= 3:
		return "is one object, whose members are records by their ids: write a list of records, for instance with " +
			"jq 'to_entries | map({id: .key} + .value)'"
	}
	return ""
}

// largestList returns the path of the longest list of objects in a file that is a single document. It returns "" if there is none, or if
// one of tableRows leads to a list.
func largestList(path string) (best string) {
	document := onlyDocument(path)
	for _, name := range tableRows {
		if list := document.Get(name); list.IsArray() && list.Get("0").IsObject() {
			return ""
		}
	}
	most := 1
	var visit func(prefix string, value gjson.Result, depth int)
	visit = func(prefix string, value gjson.Result, depth int) {
		value.ForEach(func(key, member gjson.Result) bool {
			path := prefix + gjson.Escape(key.Str)
			switch {
			case member.IsArray() && member.Get("0").IsObject():
				if length := int(member.Get("#").Int()); length > most {
					best = path
					most = length
				}
			case member.IsObject() && depth < 3:
				visit(path+".", member, depth+1)
			}
			return true
		})
	}
	if document.IsObject() {
		visit("", document, 0)
	}
	return best
}

func (s *Sheet) column(path string) *Column {
	c, _ := data.First(s.Columns, func(c *Column) bool { return c.Path == path })
	return c
}

// isVerdict reports whether a column that is named for judges or people holds verdicts: yes and no, or numbers. Among people, numbers may
// be names, so that only two different words for verdicts count.
func (c *Column) isVerdict(people bool) bool {
	for text := range c.values {
		_, number := data.Number(text)
		verdict := slices.Contains(names().Verdicts, strings.ToLower(text))
		if !verdict && (people || !number) {
			return false
		}
	}
	return c.Filled > 0 && c.long == 0 && (!people || len(c.values) == 2)
}
