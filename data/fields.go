package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
)

// A Field is a field in one of this project's own formats. Kind is one of:
//   - name: a text without space around it, or a number
//   - count: 1, 2, 3 …
//   - text, number, status, any, or table (a contrastive table)
//   - a list of allowed words, as "a|b"
type Field struct {
	Name, Kind string
	Needed     bool
	Unless     string // a field that makes this one optional
}

// Fields are the fields of a format, in the order in which they are checked.
type Fields []Field

// UnmarshalYAML reads an object from names to kinds. "name!" is required; "text! unless table" is required unless the record has a table.
func (list *Fields) UnmarshalYAML(node *yaml.Node) error {
	kinds := map[string]string{}
	if err := node.Decode(&kinds); err != nil {
		return err
	}
	for i := 0; i < len(node.Content); i += 2 {
		name := node.Content[i].Value
		kind, unless, _ := strings.Cut(kinds[name], " unless ")
		kind, needed := strings.CutSuffix(kind, "!")
		*list = append(*list, Field{name, kind, needed, unless})
	}
	return nil
}

// ReadFields reads all rows of a file in one of this project's own formats: JSON Lines, a JSON list or a table. It passes each valid row to
// each, as values by name of field. Unknown fields, values of a wrong kind, a file without records, and errors of each are errors. what
// names the kind of record. The error lists up to mostFaults faults.
func ReadFields(path string, fields Fields, what string, each func(*Document, map[string]gjson.Result) error) error {
	names := Each(fields, func(f Field) string { return f.Name })
	return eachRecord(path, names, what, func(r *row) {
		for _, f := range fields {
			r.check(f)
		}
		if r.err == nil {
			r.err = each(r.Document, r.fields)
		}
	})
}

// check records an error if the value of a field is not of the field's kind.
func (r *row) check(f Field) {
	needed := f.Needed && !r.fields[f.Unless].Exists()
	switch f.Kind {
	case "any":
	case "name":
		if needed {
			r.need(f.Name)
		} else {
			r.key(f.Name)
		}
	case "text":
		if needed {
			r.content(f.Name)
		} else {
			r.text(f.Name)
		}
	case "count":
		r.count(f.Name, 1)
	case "number":
		r.number(f.Name)
	case "status":
		r.status()
	case "table":
		r.table(f.Name)
	default:
		words := strings.Split(f.Kind, "|")
		word := strings.ToLower(strings.TrimSpace(r.text(f.Name)))
		if word != "" && !slices.Contains(words, word) {
			r.fail("%s is %q; it must be %s", f.Name, Clip(word), orList(words))
		}
	}
}

// orList joins words as "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	return fmt.Sprintf("%s or %s", strings.Join(words[:last], ", "), words[last])
}
