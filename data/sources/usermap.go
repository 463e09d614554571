package sources

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"compqa/data"
)

// itemKeys maps the names for an item's parts in a user's map to roles. Several names can mean one role.
var itemKeys = map[string]string{"item": "item", "id": "item", "unit": "item", "question": "question", "text": "text", "answer": "text",
	"system": "system",
	"group":  "group", "cluster": "group", "inclusion": "inclusion", "confidence": "confidence", "origin": "origin",
	"repeat": "repeat", "epoch": "repeat", "turn": "turn", "a": "a", "b": "b"}

// whoKeys are the names for the rater in a user's map.
var whoKeys = []string{"judge", "annotator", "rater", "person"}

// ParseMap reads a user's map, as "item=sample_id,judge.helpful=.scores.helpful", or a YAML file with the same names. Parts of an item are
// item, question, text, system, group, repeat, inclusion, confidence and origin. Scores are judge.CRITERION, or judge (the rater),
// criterion and value. Names that begin with people. apply to people's file: people.item, people.annotator, people.CRITERION.
func ParseMap(text string) (map[string]string, error) {
	m := map[string]string{}
	if !strings.Contains(text, "=") {
		content, path, err := data.ReadText(text)
		if err != nil {
			return nil, err
		}
		var tree map[string]any
		if err := yaml.Unmarshal(content, &tree); err != nil {
			return nil, wrongYAML(path, err, "item: sample_id, a mapping of names to paths")
		}
		return m, flatten(m, "", tree, path)
	}
	for part := range strings.SplitSeq(text, ",") {
		name, path, found := strings.Cut(part, "=")
		name = strings.TrimSpace(name)
		if !found || name == "" || strings.TrimSpace(path) == "" {
			return nil, fmt.Errorf("%q is not NAME=PATH; for instance item=sample_id,judge.helpful=.scores.helpful", part)
		}
		if m[name] != "" {
			return nil, fmt.Errorf("--map has %s twice; several columns are %s=%s|%s", name, name, m[name], strings.TrimSpace(path))
		}
		m[name] = strings.TrimSpace(path)
	}
	return m, nil
}

// flatten adds the entries of nested YAML to a map, with names joined by dots.
func flatten(into map[string]string, prefix string, tree map[string]any, file string) error {
	for name, value := range tree {
		switch value := value.(type) {
		case string:
			into[prefix+name] = value
		case map[string]any:
			if err := flatten(into, prefix+name+".", value, file); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s: %s%s is %v; a path is needed", file, prefix, name, value)
		}
	}
	return nil
}

// formatOf returns the format of a file: named or recognised, else read from a given reading or guessed from the columns. The user's map
// changes a known format.
func formatOf(path string, o Options) (f *Format, err error) {
	if o.Format != "" {
		f, err = formatNamed(o.Format)
	} else {
		f, err = recognised(path)
	}
	if err != nil {
		return nil, err
	}
	given, err := o.Given.reading(path, o.side())
	switch {
	case err != nil:
		return nil, err
	case given != nil:
		return given.again(path, f, o)
	case f == nil:
		f, err = guess(path, o)
	}
	if err != nil || f.table != nil || len(o.Map)+len(o.Judges) == 0 {
		return f, err
	}
	changed := *f
	return &changed, changed.change(path, o)
}

// change applies the user's map and judges to the format.
func (f *Format) change(file string, o Options) error {
	var one scoreMap
	var who paths
	var scores []scoreMap
	for _, name := range slices.Sorted(maps.Keys(o.Map)) {
		side, key, dotted := strings.Cut(name, ".")
		if !dotted || side != sideJudge && side != sidePeople {
			side = ""
			key = name
		}
		path := paths{strings.TrimPrefix(o.Map[name], ".")}
		part := itemKeys[key]
		if side != "" && o.People != (side == sidePeople) {
			continue
		}
		if part == RoleOrigin && o.noOrigins() {
			f.Item.Origin, f.Scores = nil, slices.Clone(f.Scores)
			for i := range f.Scores {
				f.Scores[i].Origin = nil
			}
			continue
		}
		if err := f.leads(file, path); err != nil && side == "" && o.elsewhere(o.Map[name]) {
			continue // only the other side has this column
		} else if err != nil {
			return err
		}
		switch {
		case part != "":
			f.Item.set(part, path)
		case slices.Contains(whoKeys, key):
			who = path
		case key == "criterion":
			one.Criterion = path
		case key == "value":
			one.Value = path
		case side != "" || o.Alone && o.named(key):
			scores = append(scores, scoreMap{Criterion: paths{"'" + key + "'"}, Value: path})
		default:
			return errMapName(name)
		}
	}
	if one.Value != nil {
		if one.Criterion == nil {
			one.Criterion = paths{"'" + one.Value[0] + "'"}
		}
		scores = []scoreMap{one}
	}
	for i := range scores {
		scores[i].by(o, who, file)
	}
	for _, name := range slices.Sorted(maps.Keys(o.Judges)) {
		if o.People {
			break
		}
		path := paths{strings.TrimPrefix(o.Judges[name], ".")}
		if err := f.leads(file, path); err != nil {
			return err
		}
		scores = append(scores, scoreMap{Judge: paths{"'" + name + "'"}, Value: path,
			Criterion: paths{"'" + path[0][strings.LastIndexByte(path[0], '.')+1:] + "'"}})
	}
	if scores != nil {
		f.Scores = scores
	} else if who != nil {
		f.Scores = slices.Clone(f.Scores)
		for i := range f.Scores {
			f.Scores[i].by(o, who, file)
		}
	}
	return nil
}

// set sets the path of one part of an item.
func (m *itemMap) set(part string, p paths) {
	*map[string]*paths{"item": &m.ID, "question": &m.Question, "text": &m.Text, "system": &m.System, "group": &m.Group,
		"inclusion": &m.Inclusion, "confidence": &m.Confidence, "origin": &m.Origin,
		"repeat": &m.Repeat, "turn": &m.Turn, "a": &m.A, "b": &m.B}[part] = p
}

// leads returns an error if a path has no value in the first 1000 records of a file.
func (f *Format) leads(file string, path paths) error {
	n := 0
	for record, err := range f.records(file, quiet) {
		n++
		if err != nil || record.first(path).Exists() {
			return err
		} else if n == 1000 {
			break
		}
	}
	sheet, err := open(file, f, mostValues)
	if err != nil {
		return err
	}
	return fmt.Errorf("%s has no %q%s", file, path[0], data.Suggest(path[0], "columns", data.Each(sheet.Columns, pathOf)))
}

// prefix returns "people." when people's file is read beside a judge's, else "". Names in a user's map for that file begin with it.
func (o Options) prefix() string {
	if o.People && !o.Alone {
		return sidePeople + "."
	}
	return ""
}
