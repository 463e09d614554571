package sources

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"golang.org/x/text/unicode/norm"

	"compqa/data"
)

// A strict is what a file of one of this project's own formats has, and nothing else.
type strict struct {
	Marks  []paths // columns by which it is recognised
	Fields data.Fields
}

// The formats of this project in formats.yaml.
const (
	ownAnswers     = "compqa-answers"
	ownPreferences = "compqa-preferences"
	ownVerdicts    = "compqa-verdicts"
)

// ownFormat returns one of this project's formats, if it has these columns; nil: another program wrote them. {criterion} stands
// for each of several criteria.
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

// asName returns a text as a name: without space around it, in Unicode's composed form.
func asName(text string) string { return norm.NFC.String(strings.TrimSpace(text)) }

// each calls read for each record of a file, of which what says what they are. Of a strict format the fields are checked first. Faults of
// rows are one error.
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
