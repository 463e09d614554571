package sources

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"golang.org/x/text/unicode/norm"

	"compqa/data"
)

// A strict lists the fields of one of this project's own formats. Other fields are errors.
type strict struct {
	Marks  []paths // alternatives of columns; the format is recognised if one of each is there
	Fields data.Fields
}

// The names of this project's own formats in formats.yaml.
const (
	ownAnswers     = "compqa-answers"
	ownPreferences = "compqa-preferences"
	ownVerdicts    = "compqa-verdicts"
)

// ownFormat returns one of this project's own formats if the columns have its marks, or nil if another program wrote the file. {criterion}
// in a field's name stands for each of criteria.
func ownFormat(name string, columns, criteria []string) (*Format, error) {
	f, err := formatNamed(name)
	if err != nil {
		return nil, err
	}
	replacer := func(criterion string) *strings.Replacer { return strings.NewReplacer("{criterion}", criterion) }
	for _, mark := range f.Strict.Marks {
		is := func(name string) bool {
			return slices.Contains(columns, name) || strings.Contains(name, "{criterion}") &&
				slices.ContainsFunc(criteria, func(c string) bool { return slices.Contains(columns, replacer(c).Replace(name)) })
		}
		if !slices.ContainsFunc(mark, is) {
			return nil, nil
		}
	}
	copied := *f
	fields := data.Fields{}
	for _, field := range f.Strict.Fields {
		if !strings.Contains(field.Name, "{criterion}") {
			fields = append(fields, field)
			continue
		}
		for _, c := range criteria {
			one := field
			one.Name = replacer(c).Replace(field.Name)
			fields = append(fields, one)
		}
	}
	copied.Strict = &strict{Fields: fields}
	return &copied, nil
}

// asName returns a text as a name: trimmed, in Unicode's composed form (NFC).
func asName(text string) string { return norm.NFC.String(strings.TrimSpace(text)) }

// each calls read for each record of a file; what names the kind of record in errors. In a strict format, the fields are checked first. The
// errors of all rows are joined into one.
func (f *Format) each(path, what string, read func(*scope) error) error {
	if f.Strict != nil {
		return data.ReadFields(path, f.Strict.Fields, what, func(doc *data.Document, fields map[string]gjson.Result) error {
			record := newScope(doc)
			record.named = fields
			record.known = true
			return read(record)
		})
	}
	var faults data.Faults
	for record, err := range f.records(path, quiet) {
		if err != nil {
			return err
		}
		if !faults.Add(read(record)) {
			break
		}
	}
	return faults.Err(path)
}
