package config

import (
	"encoding/json"
	"reflect"
	"slices"
	"time"

	"github.com/invopop/jsonschema"

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
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
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
			Enum: []any{sources.RepeatsFirst, sources.RepeatsMean}})
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
