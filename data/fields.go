package data

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"go.yaml.in/yaml/v4"
)

// A Field is a field of one of this project's own formats. Its kind is name (a text without space around it, or a number), text, count
// (1, 2, 3 …), number, status, table (a contrastive table), any, or words with | between them.
type Field struct {
	Name, Kind string
	Needed     bool
	Unless     string // a field in whose place this one may be missing
}

// Fields are the fields of a format, in the order in which they are checked.
type Fields []Field

// UnmarshalYAML reads an object of kinds by name. "name!" is needed, and so is "text! unless table" without a table.
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

// ReadFields reads every row of a file of one of this project's own formats: JSON Lines, a JSON list or a table. A field that the format
// does not have, a value of another kind, and a file without records are errors, and so is what each returns, which is given the values
// by the names of fields. The error lists up to mostFaults faults.
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

// check fails where a field's value is not of its kind.
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

// orList returns words as a, b or c.
func orList(words []string) string {
	last := len(words) - 1
	return fmt.Sprintf("%s or %s", strings.Join(words[:last], ", "), words[last])
}
