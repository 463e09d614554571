package summary

import (
	"encoding/json"
	"slices"
	"strings"

	"compqa/data"
	"compqa/llm/structured"
)

var cellKeys = []string{string(data.Object1), string(data.Object2)}

// The JSON forms of replies.
type (
	groupsForm struct {
		Groups [][]int `json:"groups"`
	}
	rowForm struct {
		Label    structured.Enum `json:"label"`
		Relevant bool            `json:"relevant"`
	}
	valueForm struct {
		Supported   *bool `json:"supported"`
		WrongEntity *bool `json:"wrong_entity"`
	}
)

// schemaOf returns the JSON Schema of a reply with labels of one kind for table t.
func schemaOf(t data.ContrastTable, kind string) json.RawMessage {
	if kind == data.LabelPartition {
		return structured.Schema(groupsForm{})
	}
	return structured.Schema(structured.Keys(structured.Numbers(len(t.Rows)), func(i int) any {
		switch kind {
		case data.LabelRows:
			return rowForm{Label: structured.EnumOf(data.RowLabelNames)}
		case data.LabelConsistent:
			return structured.Keys(cellKeys, func(int) any { return []int{} })
		}
		return structured.Keys(cellKeys, func(k int) any {
			return structured.Keys(structured.Numbers(len(t.Rows[i].Cells()[k])), func(int) any { return valueForm{} })
		})
	}))
}

// read reads the labels of one kind from a reply. It returns the labels, the status, and the reason if the status is not valid.
func read(reply string, t data.ContrastTable, kind string) (data.Labels, data.Status, string) {
	l, fault := labelsIn(reply, t, kind)
	status := data.Status(fault.Status)
	reason := fault.Reason
	if status == "" {
		status, reason = l.Check(kind, t)
	}
	if status != data.Valid {
		l = data.Labels{}
	}
	return l, status, reason
}

// labelsIn reads the labels of one kind from a reply, or returns the fault that prevents it.
func labelsIn(reply string, t data.ContrastTable, kind string) (l data.Labels, f structured.Fault) {
	n := len(t.Rows)
	switch kind {
	case data.LabelPartition:
		v, err := structured.Object(reply, structured.HasKey("groups"), structured.Material{})
		var form groupsForm
		if err != nil {
			return l, structured.Faultf(structured.Unparsed, "of JSON objects with groups: %v", err)
		}
		if v.Decode(&form) != nil || form.Groups == nil {
			return l, structured.Faultf(structured.Unparsed, "groups is no list of lists of row numbers")
		}
		l.Partition = form.Groups
	case data.LabelRows:
		l.Rows, f = structured.Entries[data.RowLabel](reply, n, nil, "row", "label and relevant", structured.Material{})
		for i, r := range l.Rows {
			if r.Label == "" || r.Relevant == nil {
				return l, structured.Faultf(structured.Incomplete, "row %d has no label, or does not say whether it is relevant", i+1)
			} else if !slices.Contains(data.RowLabelNames, r.Label) {
				return l, structured.Faultf(structured.OutOfRange, "row %d has the label %q; one of %s",
					i+1, data.Clip(r.Label), strings.Join(data.RowLabelNames, ", "))
			}
		}
	case data.LabelConsistent:
		const form = "lists of numbers, object1 and object2"
		l.Consistent, f = structured.Entries[data.KeptValues](reply, n, nil, "row", form, structured.Material{})
	default:
		type labels map[string]map[string]valueForm
		var rows []labels
		rows, f = structured.Entries[labels](reply, n, nil, "row", "the values of object1 and object2", structured.Material{})
		for i, cells := range rows {
			s, fault := supportOf(cells, t.Rows[i], i+1)
			if fault.Status != "" {
				return l, fault
			}
			l.Support = append(l.Support, s)
		}
	}
	return l, f
}

// supportOf returns the labels of the values of a row. The fault says which label is missing, or that there are too many.
func supportOf(cells map[string]map[string]valueForm, row data.ContrastRow, number int) (s data.RowSupport, _ structured.Fault) {
	for k, into := range []*[]data.ValueSupport{&s.Object1, &s.Object2} {
		*into = []data.ValueSupport{}
		given, n := cells[cellKeys[k]], len(row.Cells()[k])
		for _, key := range structured.Numbers(n) {
			v := given[key]
			if v.Supported == nil || v.WrongEntity == nil {
				return s, structured.Faultf(structured.Incomplete, "row %d has no complete label of value %s of %s", number, key, cellKeys[k])
			}
			*into = append(*into, data.ValueSupport{Supported: *v.Supported, WrongEntity: *v.WrongEntity})
		}
		if len(given) > n {
			return s, structured.Faultf(structured.OutOfRange, "row %d has labels of %d values of %s; there are %d",
				number, len(given), cellKeys[k], n)
		}
	}
	return s, structured.Fault{}
}
