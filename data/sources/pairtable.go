package sources

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// sides are the ends of the names of columns that have the same of both answers: response_a and response_b.
var sides = [][2]string{{"a", "b"}, {"1", "2"}, {"0", "1"}, {"left", "right"}, {"first", "second"}, {"one", "two"}}

// tableOfPairs is the name of the format of pairs that is found by the names of columns.
const tableOfPairs = "table"

// pairTable is the format of a table or list of pairs by the names of its columns, which are those of data.ReadPairs (own), or
// in words that names.yaml has.
func pairTable(path string, own *Format, o Options) (*Format, error) {
	columns, first, err := firstColumns(path)
	if err != nil {
		return nil, err
	}
	given, err := o.columnsOf(columns, first)
	if err != nil {
		return nil, err
	}
	if len(given) == 0 && slices.Contains(columns, "a") && slices.Contains(columns, "b") || len(columns) == 0 {
		return own, nil
	}
	used := data.Among(slices.Collect(maps.Values(given)))
	named := func(role string) paths {
		if column := given[role]; column != "" {
			return paths{column}
		}
		for _, name := range names().Roles[role] {
			for _, column := range columns {
				if !used[column] && folded(column) == folded(name) {
					used[column] = true
					return paths{column}
				}
			}
		}
		return nil
	}
	f := &Format{Name: tableOfPairs, About: "a table of pairs", Source: baseName(path), Rows: tablesOfPairs}
	var zeroOne bool
	if given["a"] != "" && given["b"] != "" {
		f.Item.A, f.Item.B = named("a"), named("b")
	} else {
		f.Item.A, f.Item.B, zeroOne = bothSides(columns, names().Roles["text"], used)
	}
	f.Item.SystemA, f.Item.SystemB, _ = bothSides(columns, names().Roles["system"], used)
	if f.Item.A == nil {
		f.Item.Better, f.Item.Worse = named("better"), named("worse")
	}
	f.Item.Question = named("question")
	if f.Item.Question == nil || f.Item.A == nil && (f.Item.Better == nil || f.Item.Worse == nil) {
		return nil, first.Errorf("a pair needs a question and two answers, in columns such as question, response_a, response_b, or "+
			"question, chosen, rejected; there are %s", strings.Join(columns, ", "))
	}
	f.Item.ID, f.Item.Domain, f.Item.Cluster = named("id"), named("domain"), named("group")
	if f.Item.Better != nil {
		return f, nil
	}
	choice, by := named("choice"), named("by")
	choices := firstSecond
	if zeroOne {
		choices = zeroFirst
	}
	switch {
	case choice == nil:
	case by == nil:
		f.Item.Label, f.Item.Choices = choice, choices
	default:
		m := scoreMap{Value: choice, Choices: choices, Method: paths{"'annotation'"}, Reason: named("reason")}
		if slices.Contains(names().Judges, folded(by[0])) {
			m.Judge = by
		} else {
			m.Person = by
		}
		f.Scores, f.Majority = []scoreMap{m}, true
	}
	return f, nil
}

// columnsOf are the columns that the user's map names, by role; the value is the choice. A column that the file lacks is an error.
func (o Options) columnsOf(columns []string, first *data.Document) (map[string]string, error) {
	given := map[string]string{}
	for name, column := range o.Map {
		role, _, own := o.mapped(name)
		if !own {
			continue
		}
		if !slices.Contains(columns, column) {
			return nil, first.Errorf("--map %s=%s: there is no column %q%s", name, column, column, data.Suggest(column, "columns", columns))
		}
		given[cmp.Or(map[string]string{RoleItem: "id", RoleRater: "by", RoleValue: RoleChoice}[role], role)] = column
	}
	return given, nil
}

// tablesOfPairs are where a JSON document may have its pairs.
var tablesOfPairs = paths{"data", "rows", "items", "records", "pairs", "examples", "results"}

// firstColumns are the columns, or the names in the first object, of a file, and its first record.
func firstColumns(path string) (columns []string, first *data.Document, err error) {
	f := &Format{Rows: tablesOfPairs}
	for record, err := range f.records(path, quiet) {
		if err != nil {
			return nil, nil, err
		}
		record.object().ForEach(func(key, _ gjson.Result) bool {
			columns = append(columns, key.Str)
			return true
		})
		return columns, record.Document, nil
	}
	return nil, nil, fmt.Errorf("%s has no pairs", path)
}

// bothSides are the two columns that are named for the same word and for the sides. zeroOne: the sides are 0 and 1.
func bothSides(columns, words []string, used map[string]bool) (a, b paths, zeroOne bool) {
	at := func(word, side string) string {
		for _, column := range columns {
			name := folded(column)
			word := folded(word)
			if !used[column] && (name == word+side || name == side+word) {
				return column
			}
		}
		return ""
	}
	for _, word := range words {
		for _, side := range sides {
			first, second := at(word, side[0]), at(word, side[1])
			if first != "" && second != "" {
				used[first], used[second] = true, true
				return paths{first}, paths{second}, side[0] == "0"
			}
		}
	}
	return nil, nil, false
}
