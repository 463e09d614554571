package compare

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// Records compares what the results of records depend on: program, hashes of inputs, and seed. names are the headings of the records.
func Records(names []string, made []store.Provenance) table.Section {
	items := []string{"program", "questions", "hash of the questions", "hash of the rubric", "hash of the release", "seed"}
	records := data.Each(made, func(m store.Provenance) map[string]string {
		return map[string]string{items[0]: strings.TrimSpace(m.Program + " " + m.Revision), items[1]: m.Dataset, items[2]: m.DataHash,
			items[3]: m.RubricHash, items[4]: m.ReleaseHash, items[5]: strconv.FormatInt(m.Seed, 10)}
	})
	items = slices.DeleteFunc(items, func(item string) bool {
		return !slices.ContainsFunc(records, func(values map[string]string) bool { return values[item] != "" })
	})
	return table.Section{Title: "Records", About: "What the results depend on; ≠ marks differences from the first record.",
		Table: beside("item", names, items, records)}
}

// Results compares the contents of records, and the points that a judge gave to the systems in several of them.
func Results(names []string, stores []*store.Store, x *dataset.Dataset, judge string) ([]table.Section, error) {
	contents, err := contentsOf(names, stores)
	if err != nil {
		return nil, err
	}
	changes, err := Changes(x, judge)
	return []table.Section{contents, changes}, err
}

// contentsOf compares the numbers of results in records, and who made them, without people.
func contentsOf(names []string, stores []*store.Store) (table.Section, error) {
	records := make([]map[string]string, len(stores))
	var items []string
	for i, s := range stores {
		contents, err := s.Contents()
		if err != nil {
			return table.Section{}, err
		}
		records[i] = map[string]string{}
		items = nil
		for _, c := range contents {
			records[i][c.Item] = c.Text
			items = append(items, c.Item)
		}
	}
	return table.Section{Title: "What is in each record", Table: beside("item", names, items, records)}, nil
}

// Settings returns the configuration of a single record, or the settings that differ between several records.
func Settings(names []string, made []store.Provenance) table.Section {
	var records []map[string]string
	settings := map[string]string{} // of all records
	for _, m := range made {
		values := map[string]string{}
		flatten("", gjson.Parse(m.Config), values)
		maps.Copy(settings, values)
		records = append(records, values)
	}
	list := slices.DeleteFunc(slices.Sorted(maps.Keys(settings)), func(name string) bool {
		return len(records) > 1 && !slices.ContainsFunc(records, func(values map[string]string) bool { return values[name] != records[0][name] })
	})
	s := table.Section{Title: "Configuration", About: "Including defaults.", Table: beside("setting", names, list, records)}
	if len(records) > 1 {
		if s.Title, s.About = "Changes of the configuration", ""; len(list) == 0 {
			s.Verdict = "The configurations are the same."
		}
	}
	return s
}

// beside returns a row for each item, with its value in each record. A value that differs from the first record's is marked.
func beside(what string, names, items []string, records []map[string]string) *table.Table {
	t := table.New(1+len(names), append([]string{what}, names...)...)
	for _, item := range items {
		row := []any{item}
		for _, values := range records {
			c := table.Cell{Text: values[item]}
			if c.Text != records[0][item] {
				c.Text = "≠ " + c.Text
				c.Class = "differs"
			}
			row = append(row, c)
		}
		t.Add(row...)
	}
	return t
}

// Changes compares the points that a judge gave to systems with different answers in several records.
func Changes(x *dataset.Dataset, judge string) (table.Section, error) {
	s := table.Section{Title: "Changes of the results", Table: table.New(3, "system", "first", "second", "questions", differenceHead),
		About: "Mean points by " + judge + " on the questions under the scenarios of both, the first minus the second, with 95 % intervals. " +
			"Systems with equal " +
			"answers are one system, and have no row."}
	first := map[string]string{} // by the name of a system without the record: its name in the first record
	for _, system := range x.Systems {
		base, renamed := x.Renamed[system.Name]
		if !renamed {
			continue
		}
		before, several := first[base]
		if !several {
			first[base] = system.Name
			continue
		}
		var c Comparison
		if err := c.Add(judge, Side{Dataset: x, System: before}, Side{Dataset: x, System: system.Name}); err != nil {
			return s, err
		}
		if r := c.Rows[0]; r.Questions > 0 {
			s.Table.Add(table.Cell{Text: base, To: &table.Target{Page: "compare", Query: []string{"a", before, "b", system.Name}}},
				before+": "+r.A.Text(2), system.Name+": "+r.B.Text(2), r.Questions, table.Signed(r.Difference, 2))
		}
	}
	if len(s.Table.Rows) == 0 {
		s.Verdict = "Systems that are in several records have the same answers there."
	}
	return s, nil
}

// flatten writes the values of a JSON value into a map, by their paths, as "models.gpt.temperature". An element of a list is under its
// name, or else under its number.
func flatten(path string, value gjson.Result, into map[string]string) {
	if !value.IsObject() && !value.IsArray() {
		if value.Type != gjson.Null {
			into[path] = value.String()
		}
		return
	}
	n := 0
	value.ForEach(func(key, object gjson.Result) bool {
		n++
		name := key.Str
		if value.IsArray() {
			name = cmp.Or(object.Get("Name").Str, object.Get("name").Str, strconv.Itoa(n))
		}
		flatten(strings.TrimPrefix(path+"."+name, "."), object, into)
		return true
	})
}
