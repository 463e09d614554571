package summary

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/llm"
)

// object is the schema of an object with exactly these keys, in their order. A model writes
// keys in the order of a schema's text.
func object(keys []string, schema func(i int) string) string {
	fields, names := make([]string, len(keys)), make([]string, len(keys))
	for i, key := range keys {
		names[i] = strconv.Quote(key)
		fields[i] = names[i] + ":" + schema(i)
	}
	return `{"type":"object","properties":{` + strings.Join(fields, ",") + `},"required":[` + strings.Join(names, ",") + `],"additionalProperties":false}`
}

// numbered are the keys 1 to n.
func numbered(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = strconv.Itoa(i + 1)
	}
	return keys
}

var cellKeys = []string{string(data.Object1), string(data.Object2)}

// schemaOf is the JSON Schema of labels of one kind for a table.
func schemaOf(t data.ContrastTable, kind string) json.RawMessage {
	const boolean, integers = `{"type":"boolean"}`, `{"type":"array","items":{"type":"integer"}}`
	if kind == data.LabelPartition {
		return json.RawMessage(object([]string{"groups"}, func(int) string { return `{"type":"array","items":` + integers + `}` }))
	}
	return json.RawMessage(object(numbered(len(t.Rows)), func(i int) string {
		switch kind {
		case data.LabelRows:
			names, _ := json.Marshal(data.RowLabelNames) // strings always encode
			return object([]string{"label", "relevant"}, func(k int) string { return []string{`{"type":"string","enum":` + string(names) + `}`, boolean}[k] })
		case data.LabelConsistent:
			return object(cellKeys, func(int) string { return integers })
		}
		return object(cellKeys, func(k int) string {
			return object(numbered(len(t.Rows[i].Cells()[k])), func(int) string {
				return object([]string{"supported", "wrong_entity"}, func(int) string { return boolean })
			})
		})
	}))
}

// read reads the labels of one kind from a reply: its last JSON object.
func read(reply string, t data.ContrastTable, kind string) (data.Labels, data.Status, string) {
	l, status, reason := labelsIn(reply, t, kind)
	if status == data.Valid {
		status, reason = l.Check(kind, t)
	}
	if status != data.Valid {
		l = data.Labels{}
	}
	return l, status, reason
}

func labelsIn(reply string, t data.ContrastTable, kind string) (l data.Labels, _ data.Status, reason string) {
	objects := llm.Objects(reply)
	if len(objects) == 0 {
		return l, data.Unparsed, "there is no JSON object in the reply"
	}
	o := objects[len(objects)-1]
	if kind == data.LabelPartition {
		if json.Unmarshal(o["groups"], &l.Partition) != nil || l.Partition == nil {
			return l, data.Unparsed, "groups is no list of lists of row numbers"
		}
		return l, data.Valid, ""
	}
	for i, row := range t.Rows {
		key := strconv.Itoa(i + 1)
		raw, has := o[key]
		if !has {
			return l, data.Incomplete, "row " + key + " is missing"
		}
		delete(o, key)
		status, wrong := data.Valid, ""
		switch kind {
		case data.LabelRows:
			var r data.RowLabel
			if json.Unmarshal(raw, &r) != nil {
				status, wrong = data.Unparsed, "is no object with label and relevant"
			} else if r.Label == "" || r.Relevant == nil {
				status, wrong = data.Incomplete, "has no label, or does not say whether it is relevant"
			} else if !slices.Contains(data.RowLabelNames, r.Label) {
				status, wrong = data.OutOfRange, fmt.Sprintf("has the label %q; one of %s", data.Clip(r.Label), strings.Join(data.RowLabelNames, ", "))
			}
			l.Rows = append(l.Rows, r)
		case data.LabelConsistent:
			var kept data.KeptValues
			if json.Unmarshal(raw, &kept) != nil {
				status, wrong = data.Unparsed, "is no object with lists of numbers, object1 and object2"
			}
			l.Consistent = append(l.Consistent, kept)
		default:
			var s data.RowSupport
			s, status, wrong = supportIn(raw, row)
			l.Support = append(l.Support, s)
		}
		if status != data.Valid {
			return l, status, "row " + key + " " + wrong
		}
	}
	if len(o) > 0 {
		return l, data.OutOfRange, fmt.Sprintf("there is no row %q; rows are 1 to %d", data.Clip(slices.Min(slices.Collect(maps.Keys(o)))), len(t.Rows))
	}
	return l, data.Valid, ""
}

// supportIn reads the support of the values of a row.
func supportIn(raw json.RawMessage, row data.ContrastRow) (s data.RowSupport, _ data.Status, wrong string) {
	var cells map[string]map[string]struct {
		Supported   *bool `json:"supported"`
		WrongEntity *bool `json:"wrong_entity"`
	}
	if json.Unmarshal(raw, &cells) != nil {
		return s, data.Unparsed, "is no object with the values of object1 and object2"
	}
	for k, into := range []*[]data.ValueSupport{&s.Object1, &s.Object2} {
		*into = []data.ValueSupport{}
		given, n := cells[cellKeys[k]], len(row.Cells()[k])
		for _, key := range numbered(n) {
			v := given[key]
			if v.Supported == nil || v.WrongEntity == nil {
				return s, data.Incomplete, "has no complete label of value " + key + " of " + cellKeys[k]
			}
			*into = append(*into, data.ValueSupport{Supported: *v.Supported, WrongEntity: *v.WrongEntity})
		}
		if len(given) > n {
			return s, data.OutOfRange, fmt.Sprintf("has labels of %d values of %s; there are %d", len(given), cellKeys[k], n)
		}
	}
	return s, data.Valid, ""
}
