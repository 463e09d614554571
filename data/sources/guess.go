package sources

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/tidwall/gjson"
	"golang.org/x/text/unicode/norm"

	"compqa/data"
)

//go:embed names.yaml
var namesYAML []byte

type nameLists struct {
	Roles            map[string][]string
	Ignored, Missing []string
	Choices          map[string]data.Choice
}

var names = sync.OnceValue(func() nameLists { return data.Must(ofYAML[nameLists](namesYAML)) })

// Missing reports whether a text stands for a missing value, such as NA.
func Missing(text string) bool {
	return slices.Contains(names().Missing, strings.ToLower(strings.TrimSpace(text)))
}

// plainName is a name of a column as names.yaml writes it.
func plainName(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(norm.NFC.String(name)), func(r rune) bool {
		return unicode.IsSpace(r) || r == '_' || r == '-' || r == '.' || r == ':'
	}), "_")
}

// A col is a column of a table, or a path in the objects of a list.
type col struct {
	path   string
	values map[string]int // how often each value occurs; at most mostValues
	filled int
	rising bool // whole numbers that count the rows
}

// mostValues is the number of values of a column that are kept to find out what it is.
const mostValues = 100

// profile looks at the columns of the first records of a file, and keeps so many of their values.
func profile(path string, f *Format, mostValues int) ([]*col, error) {
	const most = 20_000 // records
	var cols []*col
	at := map[string]*col{}
	var visit func(prefix string, object gjson.Result, depth int)
	visit = func(prefix string, object gjson.Result, depth int) {
		object.ForEach(func(key, value gjson.Result) bool {
			path := prefix + gjson.Escape(key.Str)
			if prefix == "" {
				path = key.Str
			}
			if value.IsObject() && depth < 3 {
				visit(path+".", value, depth+1)
				return true
			}
			c := at[path]
			if c == nil {
				c = &col{path: path, values: map[string]int{}, rising: true}
				at[path], cols = c, append(cols, c)
			}
			if text := valueOf(value); !Missing(text) {
				x, err := strconv.Atoi(text)
				c.rising = c.rising && err == nil && (c.filled == 0 || x > c.filled-1 && x <= c.filled+1)
				if c.filled++; len(c.values) < mostValues {
					c.values[text]++
				}
			}
			return true
		})
	}
	n := 0
	for record, err := range f.records(path, quiet) {
		if n++; err != nil || n > most {
			return cols, err
		}
		visit("", record.value, 0)
	}
	return cols, nil
}

// SameValues finds the columns of a log and of people's file that have most values in common, and
// writes them as a map; "": no two columns have half of a column's values.
func SameValues(log, people string) string {
	const most = 20_000
	best, flag := 0, ""
	of := columnsOf(people, most)
	for _, a := range columnsOf(log, most) {
		for _, b := range of {
			common := 0
			for value := range b.values {
				if a.values[value] > 0 {
					common++
				}
			}
			if common > best && common >= 5 && 2*common >= len(b.values) {
				best, flag = common, fmt.Sprintf("item=%s,people.item=%s", a.path, b.path)
			}
		}
	}
	return flag
}

// columnsOf are the columns of a file of any format; nil: it cannot be read.
func columnsOf(path string, mostValues int) []*col {
	f, err := recognised(path)
	if f == nil || err != nil {
		f = &Format{Rows: paths{"data", "rows", "items", "records", "results", "samples"}}
	}
	cols, err := profile(path, f, mostValues)
	if err != nil {
		return nil
	}
	return cols
}

// ScorePath is the first path in the records of a file whose values are scores; "": there is none.
func ScorePath(file string) string {
	c, found := data.First(columnsOf(file, mostValues), (*col).isScore)
	if !found {
		return ""
	}
	return c.path
}

func pathOf(c *col) string { return c.path }

// isScore reports whether the values of a column are points or a few labels.
func (c *col) isScore() bool {
	if c.filled == 0 || c.rising && c.filled > 3 || slices.Contains(names().Ignored, plainName(c.path)) {
		return false
	}
	numbers := true
	for text := range c.values {
		_, number := data.Number(text)
		numbers = numbers && number
		if len(text) > mostLabel || strings.ContainsAny(text, "\n[{") {
			return false
		}
	}
	return numbers || len(c.values) <= 12 && (2*len(c.values) <= c.filled || c.filled < 6)
}

// isVerdict reports whether a column with the name of a judge holds verdicts: yes and no, or numbers.
// People may have numbers for names.
func (c *col) isVerdict(people bool) bool {
	for text := range c.values {
		_, number := data.Number(text)
		_, err := strconv.ParseBool(text)
		verdict := err == nil || slices.Contains([]string{"yes", "no", "pass", "fail"}, strings.ToLower(text))
		if !verdict && (people || !number) {
			return false
		}
	}
	return c.filled > 0 && (!people || len(c.values) == 2)
}

// guess is the format of a table or list by the names of its columns.
func guess(path string, o Options) (*Format, error) {
	f := &Format{About: "a table", Rows: paths{"data", "rows", "items", "records", "results"}}
	cols, err := profile(path, f, mostValues)
	if err != nil {
		return nil, err
	}
	roles, used := map[string]paths{}, map[string]bool{}
	find := func(role string) {
		for _, name := range names().Roles[role] {
			for _, c := range cols {
				last := c.path[strings.LastIndexByte(c.path, '.')+1:]
				if !used[c.path] && roles[role] == nil && (plainName(c.path) == name || plainName(last) == name) &&
					(role != "by" || !c.isVerdict(o.People)) {
					roles[role], used[c.path] = paths{c.path}, true
				}
			}
		}
	}
	for _, role := range []string{"id", "repeat", "question", "text", "group", "a", "b"} {
		find(role)
	}
	f.Item = itemMap{ID: roles["id"], Repeat: roles["repeat"], Question: roles["question"], Text: roles["text"], Group: roles["group"]}
	if roles["a"] != nil && roles["b"] != nil {
		find("choice")
		find("by")
		if !strings.HasPrefix(plainName(roles["a"][0]), "output") && !strings.HasPrefix(plainName(roles["a"][0]), "answer") &&
			!strings.HasPrefix(plainName(roles["a"][0]), "response") { // else they are texts
			f.Item.SystemA, f.Item.SystemB = roles["a"], roles["b"]
		}
		f.Item.A, f.Item.B, f.Item.Text = roles["a"], roles["b"], nil
		f.Scores = []scoreMap{{Value: roles["choice"], Choices: names().Choices, Method: paths{"'annotation'"}}}
		f.Scores[0].by(o, roles["by"], path)
		return f, nil
	}
	for _, role := range []string{"system", "by", "criterion", "reason"} {
		find(role)
	}
	f.Item.System = roles["system"]
	if roles["by"] != nil || roles["criterion"] != nil {
		find("value")
	}
	m := scoreMap{Reason: roles["reason"], Criterion: roles["criterion"], Value: roles["value"]}
	m.by(o, roles["by"], path)
	if m.Value != nil && m.Criterion == nil {
		m.Criterion = paths{"'" + m.Value[0] + "'"}
	}
	if m.Value != nil {
		f.Scores = []scoreMap{m}
		return f, nil
	}
	scores := data.Where(cols, func(c *col) bool { return !used[c.path] && c.isScore() })
	f.Scores = byAnnotator(m, data.Each(scores, pathOf), roles["by"] == nil && o.People, o.Names)
	return f, nil
}

// by sets who scores: those in a column, or else one judge or person with the name of the file.
func (m *scoreMap) by(o Options, column paths, path string) {
	who := append(slices.Clone(column), "'"+strings.ReplaceAll(baseName(path), "'", "’")+"'")
	if o.People {
		m.Person = who
	} else {
		m.Judge = who
	}
}

// byAnnotator makes one scoreMap for each column with scores. Columns named CRITERION_ANNOTATOR, or
// ANNOTATOR_CRITERION, for every pair of two names are the scores of several people.
func byAnnotator(m scoreMap, columns []string, several bool, criteria []string) (maps []scoreMap) {
	split := func(string) (criterion, annotator string) { return "", "" }
	switch {
	case several && ofAnnotators(columns):
		criterion := "score"
		if len(criteria) == 1 {
			criterion = criteria[0]
		}
		split = func(name string) (string, string) { return criterion, name }
	case several:
		split = splitting(columns, criteria)
	}
	for _, path := range columns {
		one := m
		one.Criterion, one.Value = paths{"'" + strings.ReplaceAll(path, `\`, "") + "'"}, paths{path}
		if criterion, annotator := split(path); annotator != "" {
			one.Criterion, one.Person = paths{"'" + criterion + "'"}, paths{"'" + annotator + "'"}
		}
		maps = append(maps, one)
	}
	return maps
}

var numbered = regexp.MustCompile(`^(.+?)_?(?:[0-9]+|[a-z])$`)

// ofAnnotators reports whether all columns have the names of people without a criterion, as "Rater 1" and "Rater 2".
func ofAnnotators(columns []string) bool {
	return len(columns) > 1 && !slices.ContainsFunc(columns, func(name string) bool {
		m := numbered.FindStringSubmatch(plainName(name))
		return m == nil || !slices.Contains(names().Roles["by"], m[1])
	})
}

// splitting finds how names of columns consist of a criterion and an annotator.
func splitting(columns, criteria []string) func(string) (criterion, annotator string) {
	best, split := 0, func(string) (string, string) { return "", "" }
	for _, sep := range []string{"_", ".", "/", ":", " - ", "-", " "} {
		for _, cut := range []func(string, string) (string, string){cutLast, cutFirst} {
			first, second, whole := map[string]bool{}, map[string]bool{}, 0
			for _, c := range columns {
				if a, b := cut(c, sep); a != "" && b != "" {
					first[a], second[b], whole = true, true, whole+1
				}
			}
			fits := func(names, others map[string]bool) int { // how likely names are criteria and others annotators
				known := 0
				for name := range names {
					if slices.ContainsFunc(criteria, func(c string) bool { return SameCriterion(c, name) }) {
						known++
					}
				}
				switch {
				case whole == 0 || 4*whole < 3*len(names)*len(others):
					return 0
				case known > 0:
					return 100*known + whole
				case len(others) < 2 || len(names) < 2 && (len(criteria) > 0 || sep == "."):
					return 0
				}
				return whole
			}
			if fit := fits(first, second); fit > best {
				best, split = fit, func(name string) (string, string) { return cut(name, sep) }
			}
			if fit := fits(second, first); fit > best && len(criteria) > 0 {
				best, split = fit, func(name string) (string, string) { a, b := cut(name, sep); return b, a }
			}
		}
	}
	return split
}

func cutFirst(name, sep string) (string, string) {
	a, b, _ := strings.Cut(name, sep)
	return a, b
}

func cutLast(name, sep string) (string, string) {
	if at := strings.LastIndex(name, sep); at >= 0 {
		return name[:at], name[at+len(sep):]
	}
	return "", ""
}

// SameCriterion reports whether the name of a judge's criterion, for instance rubric.correct, and
// that of people are of the same criterion: equal, or equal in the last part.
func SameCriterion(judge, people string) bool {
	return plainName(judge) == plainName(people) || plainName(judge[strings.LastIndexByte(judge, '.')+1:]) == plainName(people)
}
