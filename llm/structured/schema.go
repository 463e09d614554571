package structured

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Fields lists the keys of an object in their order, for an object without a Go type.
type Fields []Field

// A Field is a key with an example of its value.
type Field struct {
	Name  string
	Value any
}

// An Enum lists the allowed values of a value.
type Enum []any

// EnumOf returns an Enum of these values.
func EnumOf[T any](values []T) Enum {
	list := make(Enum, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}

// Keys returns fields with these names. value returns the example value of the i-th field.
func Keys(names []string, value func(i int) any) Fields {
	fields := make(Fields, len(names))
	for i, name := range names {
		fields[i] = Field{name, value(i)}
	}
	return fields
}

// Numbers returns the keys "1" to "n".
func Numbers(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = strconv.Itoa(i + 1)
	}
	return keys
}

// Schema returns the JSON Schema of an example's type. Structs are described by their json tags, Fields and Enum by their contents, and
// lists by the type of their items. Objects have exactly their keys, all required, because providers accept nothing else. The keys keep
// their order in the schema's text, because a model writes them in this order. Libraries that use Go maps would sort them: 1, 10, 11, …
func Schema(example any) json.RawMessage { return json.RawMessage(schemaOf(reflect.ValueOf(example))) }

// schemaOf returns the JSON Schema of the type of a value, as text.
func schemaOf(v reflect.Value) string {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch value := v.Interface().(type) {
	case Fields:
		return objectSchema(value)
	case Enum:
		return enumSchema(value)
	}
	switch t := v.Type(); t.Kind() {
	case reflect.Struct:
		var fields Fields
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			fields = append(fields, Field{name, v.Field(i).Interface()})
		}
		return objectSchema(fields)
	case reflect.Pointer:
		return schemaOf(reflect.Zero(t.Elem()))
	case reflect.Slice:
		item := reflect.Zero(t.Elem())
		if v.Len() > 0 {
			item = v.Index(0)
		}
		return `{"type":"array","items":` + schemaOf(item) + `}`
	case reflect.String:
		return `{"type":"string"}`
	case reflect.Bool:
		return `{"type":"boolean"}`
	case reflect.Int:
		return `{"type":"integer"}`
	default:
		panic(fmt.Sprintf("no JSON Schema of %s", t))
	}
}

func objectSchema(fields Fields) string {
	properties := make([]string, len(fields))
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = Text(f.Name)
		properties[i] = names[i] + ":" + schemaOf(reflect.ValueOf(f.Value))
	}
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(names, ",") +
		`],"additionalProperties":false}`
}

func enumSchema(values Enum) string {
	kind := "integer"
	list := make([]string, len(values))
	for i, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // strings and numbers have one
		}
		list[i] = string(text)
		switch {
		case strings.HasPrefix(list[i], `"`):
			kind = "string"
		case strings.ContainsAny(list[i], ".e"):
			kind = "number"
		}
	}
	return `{"type":"` + kind + `","enum":[` + strings.Join(list, ",") + `]}`
}
