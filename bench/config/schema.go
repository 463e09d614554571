package config

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/invopop/jsonschema"
	"go.yaml.in/yaml/v4"

	"compqa/data/sources"
	"compqa/llm"
)

// SchemaName is the file that init writes beside compqa.yaml, for editors.
const SchemaName = "compqa.schema.json"

// Schema is the JSON Schema (2020-12) of compqa.yaml, from the types that it is read into. The program
// checks more: names that occur twice, providers that do not exist, what goes together.
func Schema() ([]byte, error) {
	r := &jsonschema.Reflector{FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, Mapper: mapped, ExpandedStruct: true}
	s := r.Reflect(&Config{})
	s.ID, s.Title = "", "compqa.yaml"
	for definition, property := range map[string]string{"Model": "name", "Judge": "name", "SummaryJudge": "name", "PairwiseJudge": "name",
		"Provider": "type"} {
		s.Definitions[definition].Required = append(s.Definitions[definition].Required, property)
	}
	if kind, ok := s.Definitions["Provider"].Properties.Get("type"); ok {
		for _, name := range llm.TypeNames(func(llm.ProviderType) bool { return true }) {
			kind.Enum = append(kind.Enum, name)
		}
	}
	for _, def := range s.Definitions {
		for p := def.Properties.Oldest(); p != nil; p = p.Next() {
			if p.Value.Type == "integer" || p.Value.Type == "number" {
				if !slices.Contains([]string{"seed", "retries"}, p.Key) {
					p.Value.Minimum = json.Number("0")
				}
			}
		}
	}
	if err := describe(s); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// keyTexts says what each key means, by the type that has it.
//
//go:embed keys.yaml
var keyTexts []byte

// sharedKeys are the types whose keys others have as their own, in the order in which a text is looked for.
var sharedKeys = []string{"Task", "Entry"}

// describe gives each key of a schema its text; one without a text is an error.
func describe(s *jsonschema.Schema) error {
	var texts map[string]map[string]string
	if err := yaml.Unmarshal(keyTexts, &texts); err != nil {
		return fmt.Errorf("keys.yaml: %w", err)
	}
	definitions := maps.Clone(s.Definitions)
	definitions["Config"] = s
	var missing []string
	for name, def := range definitions {
		for p := def.Properties.Oldest(); p != nil; p = p.Next() {
			text := texts[name][p.Key]
			for _, shared := range sharedKeys {
				if text == "" {
					text = texts[shared][p.Key]
				}
			}
			if text == "" {
				missing = append(missing, name+"."+p.Key)
			}
			described := *p.Value // several definitions may share one
			described.Description = text
			def.Properties.Set(p.Key, &described)
		}
	}
	if missing != nil {
		slices.Sort(missing)
		return fmt.Errorf("keys.yaml says nothing about %s", strings.Join(missing, ", "))
	}
	return nil
}

// Keys is the reference of compqa.yaml, as a page of the manual in Markdown: all keys with their types.
func Keys() (string, error) {
	text, err := Schema()
	if err != nil {
		return "", err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# Keys of compqa.yaml\n\nThis page is made from the JSON Schema that `compqa schema` prints. Defaults stand in " +
		"brackets. A value is a text where no\n" +
		"other type stands behind the key.\n")
	sections := []struct{ title, definition string }{{"The file", ""}, {"arguments", "Arguments"}, {"An entry of providers", "Provider"},
		{"Every entry of models and judges", "PairwiseJudge"},
		{"An entry of models", "Model"}, {"roles of a model", "Role"},
		{"An entry of judges", "Judge"}, {"An entry of summary_judges", "SummaryJudge"},
		{"An entry of pairs", "PairSet"}, {"An entry of pairwise", "PairwiseJudge"},
		{"texts", "Texts"}, {"reads", "Reads"}, {"price, and an entry of prices", "Price"}, {"long", "LongPrice"}, {"run", "Run"}}
	var texts map[string]map[string]string
	if err := yaml.Unmarshal(keyTexts, &texts); err != nil {
		return "", err
	}
	entry, said := texts["Entry"], map[string]bool{"Asked": true} // Asked has keys of every entry alone
	for _, section := range sections {
		def := &s
		if section.definition != "" {
			def = s.Definitions[section.definition]
		}
		fmt.Fprintf(&b, "\n## %s\n\n", section.title)
		for p := def.Properties.Oldest(); p != nil; p = p.Next() {
			if (entry[p.Key] == p.Value.Description) != strings.HasPrefix(section.title, "Every") {
				continue
			}
			kind := " (" + kindOf(p.Value) + ")"
			if kind == " (text)" {
				kind = ""
			}
			fmt.Fprintf(&b, "- `%s`%s: %s\n", p.Key, kind, p.Value.Description)
		}
		said[section.definition] = true
	}
	for name := range s.Definitions {
		if !said[name] && s.Definitions[name].Properties.Len() > 0 {
			return "", fmt.Errorf("the page of keys leaves out %s", name)
		}
	}
	return b.String(), nil
}

// kindOf is the type of a value in a word or two.
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

// mapped is the schema of a type that YAML writes in a form of its own; nil: as its fields say.
func mapped(t reflect.Type) *jsonschema.Schema {
	text, number := &jsonschema.Schema{Type: "string"}, &jsonschema.Schema{Type: "number"}
	either := func(of ...*jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{OneOf: of} }
	object := func(names ...string) *jsonschema.Schema {
		s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
		for _, name := range names {
			s.Properties.Set(name, text)
		}
		return s
	}
	switch t {
	case reflect.TypeFor[time.Duration]():
		return &jsonschema.Schema{Type: "string", Pattern: `^-?([0-9.]+(ns|us|µs|ms|s|m|h))+$`, Examples: []any{"30s", "10m"}}
	case reflect.TypeFor[scenario]():
		s := object("id", "template")
		s.Required = []string{"id"}
		return either(&jsonschema.Schema{Type: "integer"}, text, s)
	case reflect.TypeFor[Repeats]():
		return either(&jsonschema.Schema{Type: "integer", Minimum: json.Number("0")}, &jsonschema.Schema{Type: "string",
			Enum: []any{sources.RepeatsFirst, sources.RepeatsLast, sources.RepeatsMean}})
	case reflect.TypeFor[codes]():
		return either(text, number, &jsonschema.Schema{Type: "array"})
	case reflect.TypeFor[assigned]():
		return either(text, &jsonschema.Schema{Type: "object", AdditionalProperties: text})
	case reflect.TypeFor[perScales]():
		list := &jsonschema.Schema{Type: "array"}
		return either(text, list, &jsonschema.Schema{Type: "object", AdditionalProperties: either(text, list)})
	case reflect.TypeFor[Effort]():
		return either(text, object("reasoning", "verbosity"))
	case reflect.TypeFor[Prices]():
		prices := (&jsonschema.Reflector{FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, DoNotReference: true}).Reflect(llm.Price{})
		prices.Version, prices.ID = "", ""
		s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: prices}
		s.Properties.Set("file", text)
		return s
	}
	return nil
}
