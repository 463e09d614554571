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

// SchemaName is the name of the schema file that init writes next to compqa.yaml, for editors.
const SchemaName = "compqa.schema.json"

// Schema returns the JSON Schema (2020-12) of compqa.yaml, derived from the Go types that the file is read into. The program itself checks
// more, for instance duplicate names, unknown providers, and keys that exclude each other.
func Schema() ([]byte, error) {
	s, err := schemaOfConfig()
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// schemaOfConfig builds the schema: the structure from the Go types, then required keys, provider types, minimums, and descriptions.
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

// structSchema returns the schema of a struct. Its properties are the YAML keys of the struct and of its inlined structs. Other nested
// structs are added to defs.
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

// valueSchema returns the schema of a YAML value of a Go type.
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
			defs[t.Name()] = &jsonschema.Schema{} // so that a struct that contains itself ends the recursion
			*defs[t.Name()] = *structSchema(t, defs)
		}
		return &jsonschema.Schema{Ref: "#/$defs/" + t.Name()}
	case t.Kind() == reflect.Interface:
		return &jsonschema.Schema{}
	}
	return &jsonschema.Schema{Type: "integer"}
}

// tagged applies the jsonschema tag of a field to its schema. The tag is "enum=ONE,enum=OTHER" or "oneof_type=ONE;OTHER".
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

// objectSchema returns the schema of a mapping with these keys and no others. All values are texts.
func objectSchema(texts ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, PropertyOrder: texts,
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, name := range texts {
		s.Properties[name] = &jsonschema.Schema{Type: "string"}
	}
	return s
}

// keyTexts has the description of each key, grouped by the type that has the key.
//
//go:embed keys.yaml
var keyTexts []byte

// sharedKeys lists the types whose keys occur in other types, in the order in which they are searched for a description.
var sharedKeys = []string{"Task", "Entry"}

// keySections has the descriptions of keys.yaml by type, then by key.
type keySections map[string]map[string]string

// sectionOf returns the description of a type's key: its own, or that of a shared type; "" if there is none.
func (s keySections) sectionOf(name, key string) string {
	text := s[name][key]
	for _, shared := range sharedKeys {
		text = cmp.Or(text, s[shared][key])
	}
	return text
}

// describe sets the description of each key in a schema. A key without a description is an error.
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
			p.Description = texts.sectionOf(name, key)
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

// A Key is a key of compqa.yaml with its description.
type Key struct{ Name, About string }

// PairSetKeys returns the keys of an entry of pairs with their descriptions. It does not build the schema, because every command needs
// these keys for its help when it starts. A faulty keys.yaml gives empty descriptions; a test of Keys then fails.
func PairSetKeys() []Key {
	var texts keySections
	_ = yaml.Unmarshal(keyTexts, &texts)
	return data.Each(ownKeys(reflect.TypeFor[PairSet]()), func(key string) Key { return Key{key, texts.sectionOf("PairSet", key)} })
}

// Keys returns the manual page of compqa.yaml in Markdown: all keys with their types and descriptions.
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
	said := map[string]bool{"Asked": true} // the keys of Asked occur only in every entry
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

// kindOf returns the type of a value in one or two words, for instance "text", "list" or "integer or text".
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

// mapped returns the schema of a type with its own YAML form, such as a duration. It returns nil for other types, whose fields give their
// schema.
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
		// The definition of price contains the struct that this schema refers to.
		s.AdditionalProperties = structSchema(reflect.TypeFor[llm.Price](), map[string]*jsonschema.Schema{})
		return s
	}
	return nil
}
