package config

import (
	"cmp"
	_ "embed"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v4"

	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/pairwise"
	"compqa/llm"
)

// SchemaName is the file that init writes next to compqa.yaml, for editors.
const SchemaName = "compqa.schema.json"

// Schema returns the JSON Schema (2020-12) of compqa.yaml, from the types that it is read into. The program
// checks more: names that occur twice, providers that do not exist, what goes together.
func Schema() ([]byte, error) {
	s, err := schemaOfConfig()
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

func schemaOfConfig() (*jsonschema.Schema, error) {
	defs := map[string]*jsonschema.Schema{}
	s := structSchema(reflect.TypeFor[Config](), defs)
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = "compqa.yaml"
	s.Defs = defs
	for definition, property := range map[string]string{"Model": "name", "scorer": "name", "labeller": "name", "chooser": "name",
		"Provider": "type"} {
		defs[definition].Required = []string{property}
	}
	for _, name := range llm.TypeNames(func(llm.ProviderType) bool { return true }) {
		kind := defs["Provider"].Properties["type"]
		kind.Enum = append(kind.Enum, name)
	}
	for _, def := range defs {
		for key, p := range def.Properties {
			if (p.Type == "integer" || p.Type == "number") && !slices.Contains([]string{"seed", "retries"}, key) {
				p.Minimum = new(float64)
			}
		}
	}
	return s, describe(s)
}

// structSchema returns the schema of a struct by the keys of its fields, as ownKeys has them. Structs below it are definitions.
func structSchema(t reflect.Type, defs map[string]*jsonschema.Schema) *jsonschema.Schema {
	s := objectSchema()
	for i := range t.NumField() {
		field := t.Field(i)
		key, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case strings.Contains(options, "inline") && field.Type.Kind() == reflect.Struct:
			inner := structSchema(field.Type, defs)
			maps.Copy(s.Properties, inner.Properties)
			s.PropertyOrder = append(s.PropertyOrder, inner.PropertyOrder...)
		case key != "" && key != "-":
			s.Properties[key] = tagged(valueSchema(field.Type, defs), field.Tag.Get("jsonschema"))
			s.PropertyOrder = append(s.PropertyOrder, key)
		}
	}
	return s
}

// valueSchema returns the schema of a value that YAML has.
func valueSchema(t reflect.Type, defs map[string]*jsonschema.Schema) *jsonschema.Schema {
	if s := mapped(t); s != nil {
		return s
	}
	switch {
	case t.Kind() == reflect.Pointer:
		return valueSchema(t.Elem(), defs)
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()), t.Kind() == reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case t.Kind() == reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case t.Kind() == reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	case t.Kind() == reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: valueSchema(t.Elem(), defs)}
	case t.Kind() == reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: valueSchema(t.Elem(), defs)}
	case t.Kind() == reflect.Struct:
		if defs[t.Name()] == nil {
			defs[t.Name()] = &jsonschema.Schema{} // while its fields are read
			*defs[t.Name()] = *structSchema(t, defs)
		}
		return &jsonschema.Schema{Ref: "#/$defs/" + t.Name()}
	case t.Kind() == reflect.Interface:
		return &jsonschema.Schema{}
	}
	return &jsonschema.Schema{Type: "integer"}
}

// tagged returns a schema as the tag of its field has it: enum=ONE,enum=OTHER, or oneof_type=ONE;OTHER.
func tagged(s *jsonschema.Schema, tag string) *jsonschema.Schema {
	if types, is := strings.CutPrefix(tag, "oneof_type="); is {
		s = &jsonschema.Schema{}
		for name := range strings.SplitSeq(types, ";") {
			s.OneOf = append(s.OneOf, &jsonschema.Schema{Type: name})
		}
		return s
	}
	for word := range strings.SplitSeq(tag, ",") {
		if value, is := strings.CutPrefix(word, "enum="); is {
			s.Enum = append(s.Enum, value)
		}
	}
	return s
}

// objectSchema returns a mapping with these keys, each a text, and no others.
func objectSchema(texts ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, PropertyOrder: texts,
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, name := range texts {
		s.Properties[name] = &jsonschema.Schema{Type: "string"}
	}
	return s
}

// keyTexts says what each key means, by the type that has it.
//
//go:embed keys.yaml
var keyTexts []byte

// sharedKeys are the types whose keys others have as their own, in the order in which a text is looked for.
var sharedKeys = []string{"Task", "Entry"}

// keySections are the texts of keys.yaml: by the type that has a key, and by key.
type keySections map[string]map[string]string

// of returns the text of a key of a type, "" without one.
func (s keySections) of(name, key string) string {
	text := s[name][key]
	for _, shared := range sharedKeys {
		text = cmp.Or(text, s[shared][key])
	}
	return text
}

// describe gives each key of a schema its text; one without a text is an error.
func describe(s *jsonschema.Schema) error {
	var texts keySections
	if err := yaml.Unmarshal(keyTexts, &texts); err != nil {
		return fmt.Errorf("keys.yaml: %w", err)
	}
	options := map[string]string{}
	for _, o := range pairwise.EntryOptions {
		if o.About != "" {
			options[o.Name] = o.Text()
		}
	}
	maps.Copy(options, texts["chooser"])
	texts["chooser"] = options
	definitions := maps.Clone(s.Defs)
	definitions["Config"] = s
	var missing []string
	for name, def := range definitions {
		for key, p := range def.Properties {
			p.Description = texts.of(name, key)
			if p.Description == "" {
				missing = append(missing, name+"."+key)
			}
		}
	}
	if missing != nil {
		slices.Sort(missing)
		return fmt.Errorf("keys.yaml says nothing about %s", strings.Join(missing, ", "))
	}
	return nil
}

// A Key is a key of compqa.yaml with its text.
type Key struct{ Name, About string }

// PairSetKeys returns the keys of an entry of pairs, in the order of the reference, without the whole schema, as all commands make their
// help when they start. A faulty keys.yaml gives empty texts, and fails in a test of Keys.
func PairSetKeys() []Key {
	var texts keySections
	_ = yaml.Unmarshal(keyTexts, &texts)
	return data.Each(ownKeys(reflect.TypeFor[PairSet]()), func(key string) Key { return Key{key, texts.of("PairSet", key)} })
}

// Keys returns the reference of compqa.yaml, as a page of the manual in Markdown: all keys with their types.
func Keys() (string, error) {
	s, err := schemaOfConfig()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# Keys of compqa.yaml\n\nFrom the JSON Schema that `compqa schema` prints. Defaults stand in brackets. " +
		"A value is a text where no\nother type stands behind the key.\n")
	sections := []struct{ title, definition string }{{"The file", ""}, {"arguments", "Arguments"}, {"An entry of providers", "Provider"},
		{"Every entry of models and judges", "chooser"},
		{"An entry of models", "Model"}, {"roles of a model", "Role"},
		{"An entry of judges", "scorer"}, {"An entry of summary_judges", "labeller"},
		{"escalate", "Escalation"}, {"An entry of pairs", "PairSet"}, {"An entry of pairwise", "chooser"},
		{"texts", "Texts"}, {"reads", "Reads"}, {"price, and an entry of prices", "Price"}, {"long", "LongPrice"}, {"run", "Run"}}
	var texts keySections
	if err := yaml.Unmarshal(keyTexts, &texts); err != nil {
		return "", err
	}
	entry := texts["Entry"]
	said := map[string]bool{"Asked": true} // Asked has keys of every entry alone
	for _, section := range sections {
		def := s
		if section.definition != "" {
			def = s.Defs[section.definition]
		}
		fmt.Fprintf(&b, "\n## %s\n\n", section.title)
		for _, key := range def.PropertyOrder {
			p := def.Properties[key]
			if (entry[key] == p.Description) != strings.HasPrefix(section.title, "Every") {
				continue
			}
			kind := " (" + kindOf(p) + ")"
			if kind == " (text)" {
				kind = ""
			}
			fmt.Fprintf(&b, "- `%s`%s: %s\n", key, kind, p.Description)
		}
		said[section.definition] = true
	}
	for name := range s.Defs {
		if !said[name] {
			return "", fmt.Errorf("the page of keys leaves out %s", name)
		}
	}
	return b.String(), nil
}

// kindOf returns the type of a value in a word or two.
func kindOf(s *jsonschema.Schema) string {
	switch {
	case len(s.Enum) > 0:
		var words []string
		for _, v := range s.Enum {
			words = append(words, fmt.Sprint(v))
		}
		return strings.Join(words, ", ")
	case len(s.OneOf) > 0:
		var kinds []string
		for _, one := range s.OneOf {
			if kind := kindOf(one); !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
		return strings.Join(kinds, " or ")
	case strings.HasPrefix(s.Pattern, "^-?([0-9.]+"):
		return "duration"
	case s.Ref != "" || s.Type == "object":
		return "mapping"
	case s.Type == "array":
		return "list"
	case s.Type == "string":
		return "text"
	}
	return s.Type
}

// mapped returns the schema of a type that YAML writes in a form of its own; nil: as its fields say.
func mapped(t reflect.Type) *jsonschema.Schema {
	text := func() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }
	list := func() *jsonschema.Schema { return &jsonschema.Schema{Type: "array"} }
	either := func(schemas ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{OneOf: schemas} }
	switch t {
	case reflect.TypeFor[time.Duration]():
		return &jsonschema.Schema{Type: "string", Pattern: `^-?([0-9.]+(ns|us|µs|ms|s|m|h))+$`, Examples: []any{"30s", "10m"}}
	case reflect.TypeFor[scenario]():
		s := objectSchema("id", "template")
		s.Required = []string{"id"}
		return either(&jsonschema.Schema{Type: "integer"}, text(), s)
	case reflect.TypeFor[Repeats]():
		return either(&jsonschema.Schema{Type: "integer", Minimum: new(float64)}, &jsonschema.Schema{Type: "string",
			Enum: []any{sources.RepeatsFirst, sources.RepeatsLast, sources.RepeatsMean}})
	case reflect.TypeFor[codes]():
		return either(text(), &jsonschema.Schema{Type: "number"}, list())
	case reflect.TypeFor[assigned]():
		return either(text(), &jsonschema.Schema{Type: "object", AdditionalProperties: text()})
	case reflect.TypeFor[perScales]():
		return either(text(), list(), &jsonschema.Schema{Type: "object", AdditionalProperties: either(text(), list())})
	case reflect.TypeFor[Effort]():
		return either(text(), objectSchema("reasoning", "verbosity"))
	case reflect.TypeFor[Prices]():
		s := objectSchema("file")
		// What it refers to is defined by price.
		s.AdditionalProperties = structSchema(reflect.TypeFor[llm.Price](), map[string]*jsonschema.Schema{})
		return s
	}
	return nil
}
