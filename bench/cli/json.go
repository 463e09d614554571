package cli

import (
	"encoding/json"
	"io"
	"reflect"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"compqa/results/table"
)

// JSON is the flag --json of a command. With it, the command prints a value of type T. `compqa schema COMMAND` prints the JSON Schema of T.
type JSON[T any] struct{ On bool }

// Add adds the flag --json to the flags of a command.
func (j *JSON[T]) Add(set *pflag.FlagSet) {
	flag := set.VarPF(&jsonFlag{&j.On, reflect.TypeFor[T]()}, jsonName, "",
		"print JSON (compqa schema COMMAND prints its JSON Schema)")
	flag.NoOptDefVal = "true"
}

// Print writes value as JSON.
func (JSON[T]) Print(w io.Writer, value T) error { return table.WriteJSON(w, value) }

const jsonName = "json"

// jsonFlag is a boolean flag that also holds the type of the value that is printed with --json.
type jsonFlag struct {
	on      *bool
	printed reflect.Type
}

func (f *jsonFlag) String() string   { return strconv.FormatBool(*f.on) }
func (f *jsonFlag) Type() string     { return "bool" }
func (f *jsonFlag) IsBoolFlag() bool { return true }

func (f *jsonFlag) Set(text string) error { return json.Unmarshal([]byte(text), f.on) }

// SchemaOf returns the JSON Schema (2020-12) of what a command prints with --json. It returns nil if the command has no such flag.
func SchemaOf(cmd *cobra.Command) (*jsonschema.Schema, error) {
	flag, is := flagValue(cmd.Flags().Lookup(jsonName)).(*jsonFlag)
	if !is {
		return nil, nil
	}
	schema, err := jsonschema.ForType(flag.printed, &jsonschema.ForOptions{TypeSchemas: ownSchemas(flag.printed)})
	if err == nil {
		schema.Schema, schema.Title = "https://json-schema.org/draft/2020-12/schema", cmd.CommandPath()+" --json"
	}
	return schema, err
}

// ownSchemas finds the types within t that are written to JSON as another type, which their method JSONType returns. It maps each to the
// schema of that other type.
func ownSchemas(t reflect.Type) map[reflect.Type]*jsonschema.Schema {
	schemas := map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[json.RawMessage](): {}}
	seen := map[reflect.Type]bool{}
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		if other, is := reflect.Zero(t).Interface().(interface{ JSONType() reflect.Type }); is && t.Kind() != reflect.Pointer {
			visit(other.JSONType())
			if schema, err := jsonschema.ForType(other.JSONType(), &jsonschema.ForOptions{TypeSchemas: schemas}); err == nil {
				schemas[t] = schema
			}
			return
		}
		switch t.Kind() {
		case reflect.Struct:
			for i := range t.NumField() {
				visit(t.Field(i).Type)
			}
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			visit(t.Elem())
		}
	}
	visit(t)
	return schemas
}

func flagValue(f *pflag.Flag) pflag.Value {
	if f == nil {
		return nil
	}
	return f.Value
}
