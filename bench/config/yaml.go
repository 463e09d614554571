package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"compqa/data"
)

// LoadYAML reads a YAML file into a struct. In a Config, top-level sections that occur twice are joined. Unknown keys, other duplicate keys
// and values of a wrong type are errors. LoadYAML returns all of them, with file and line. For an unknown key, it suggests the nearest
// valid one.
func LoadYAML(path string, into any) error {
	content, _, err := data.ReadText(path)
	if err != nil {
		return UsageError{Err: err}
	}
	if len(bytes.TrimSpace(content)) == 0 {
		return Usagef("%s is empty", path)
	}
	var document yaml.Node
	if err = yaml.Load(content, &document); err == nil {
		if c, is := into.(*Config); is {
			c.Joined = joinSections(&document)
		}
		err = document.Load(into, yaml.WithKnownFields())
		if c, is := into.(*Config); is && err == nil {
			c.join()
		}
	}
	if err == nil {
		return nil
	}
	var many *yaml.LoadErrors
	var one *yaml.LoadError
	var lines []string
	switch {
	case errors.As(err, &many):
		for _, e := range many.Errors {
			lines = append(lines, explain(path, &document, e, into))
		}
	case errors.As(err, &one):
		lines = append(lines, explain(path, &document, one, into))
	default:
		lines = append(lines, fmt.Sprintf("%s: %v", path, err))
	}
	return Usagef("%s", strings.Join(lines, "\n"))
}

// KeyLines returns the line number of each top-level key of a YAML file.
func KeyLines(path string) (map[string]int, error) {
	content, _, err := data.ReadText(path)
	if err != nil {
		return nil, UsageError{Err: err}
	}
	var document yaml.Node
	if err := yaml.Load(content, &document); err != nil {
		return nil, UsageError{Err: err}
	}
	lines := map[string]int{}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return lines, nil
	}
	top := document.Content[0].Content
	for i := 0; i+1 < len(top); i += 2 {
		lines[top[i].Value] = top[i].Line
	}
	return lines, nil
}

// joinSections joins the lists or mappings that occur twice under one top-level key, as when an example was pasted at the end of the file.
// It returns the joined keys. Other duplicate keys remain, and loading reports them as errors.
func joinSections(document *yaml.Node) (keys []string) {
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return nil
	}
	top := document.Content[0]
	first := map[string]*yaml.Node{}
	var content []*yaml.Node
	for i := 0; i+1 < len(top.Content); i += 2 {
		key := top.Content[i]
		value := top.Content[i+1]
		before := first[key.Value]
		if before != nil && before.Kind == value.Kind && (value.Kind == yaml.SequenceNode || value.Kind == yaml.MappingNode) {
			before.Content = append(before.Content, value.Content...)
			keys = append(keys, key.Value)
			continue
		}
		first[key.Value] = value
		content = append(content, key, value)
	}
	top.Content = content
	return keys
}

var (
	// Patterns of the messages of package yaml that explain rewrites.
	unknownKey   = regexp.MustCompile(`^field (.+) not found in type (\S+)$`)
	duplicateKey = regexp.MustCompile(`^mapping key "(.+)" already defined at line (\d+)$`)
	wrongType    = regexp.MustCompile("^cannot construct !!(\\S+)(?: `(.*)`)? into (\\S+)$")
)

// explain rewords an error of package yaml in terms of the file, without Go types. Examples:
//   - unknown key "modles"; did you mean "models"?
//   - models is there already, at line 3: keep one of the two lines
//   - rpm: many (text) where a whole number is needed
func explain(path string, document *yaml.Node, e *yaml.LoadError, root any) string {
	where := fmt.Sprintf("%s:%d: ", path, max(1, int(e.Mark.Line)))
	if m := unknownKey.FindStringSubmatch(e.Message); m != nil {
		if m[1] == "api_key" || m[1] == "key" || m[1] == "token" {
			return where + fmt.Sprintf("%s: a configuration must not contain keys; name the environment variable with the key in api_key_env", m[1])
		}
		names := yamlKeys(reflect.TypeOf(root), m[2])
		return where + fmt.Sprintf("unknown key %q%s", m[1], data.Suggest(m[1], "keys here", names))
	}
	if m := duplicateKey.FindStringSubmatch(e.Message); m != nil {
		return where + fmt.Sprintf("%s is there already, at line %s: keep one of the two lines", m[1], m[2])
	}
	if m := wrongType.FindStringSubmatch(e.Message); m != nil {
		needed := NeededText(m[3])
		if keys := yamlKeys(reflect.TypeOf(root), m[3]); 0 < len(keys) && len(keys) <= mostKeys {
			needed += " of " + strings.Join(keys, ", ")
		}
		return where + keyAt(document, e.Mark) + fmt.Sprintf("%s where %s is needed", foundText(m[1], m[2]), needed)
	}
	return where + e.Message
}

// mostKeys is the largest number of valid keys that the error of a wrong value lists.
const mostKeys = 8

// keyAt returns the key of the value at the mark, followed by a colon. For an element of a list it returns "".
func keyAt(node *yaml.Node, mark yaml.Mark) string {
	for i, child := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 1 && child.Line == int(mark.Line) && child.Column == int(mark.Column) {
			return node.Content[i-1].Value + ": "
		}
		if key := keyAt(child, mark); key != "" {
			return key
		}
	}
	return ""
}

// foundText describes a YAML value by its text and its type, for instance "many (text)".
func foundText(tag, value string) string {
	names := map[string]string{"str": "text", "int": "a whole number", "float": "a fraction", "bool": "true or false", "seq": "a list",
		"map": "a mapping"}
	name := cmp.Or(names[tag], tag)
	if value != "" {
		return fmt.Sprintf("%s (%s)", value, name)
	}
	return name
}

// NeededText returns the words for the values of a Go type, for instance "a whole number" for int.
func NeededText(goType string) string {
	for _, kind := range [][2]string{{"[]", "a list"}, {"string", "text"}, {"bool", "true or false"},
		{"time.Duration", "a duration such as 30s or 5m"}, {"int", "a whole number"}, {"uint", "a whole number"}, {"float", "a number"}} {
		if strings.HasPrefix(goType, kind[0]) {
			return kind[1]
		}
	}
	return "a mapping"
}

// yamlKeys returns the keys of the struct type with a name. It searches root and all types below it.
func yamlKeys(root reflect.Type, name string) []string {
	seen := map[reflect.Type]bool{}
	var find func(t reflect.Type) []string
	find = func(t reflect.Type) []string {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || seen[t] {
			return nil
		}
		seen[t] = true
		if t.String() == name {
			return ownKeys(t)
		}
		for i := range t.NumField() {
			if keys := find(t.Field(i).Type); keys != nil {
				return keys
			}
		}
		return nil
	}
	return find(root)
}

// ownKeys returns the YAML keys of a struct type, in the order of its fields.
func ownKeys(t reflect.Type) (keys []string) {
	eachKey(reflect.Zero(t), func(key string, _ reflect.Value) { keys = append(keys, key) })
	return keys
}

// eachKey calls do with each YAML key of a struct and the value of its field. It includes the keys of inlined structs.
func eachKey(v reflect.Value, do func(key string, value reflect.Value)) {
	for i := range v.NumField() {
		key, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		switch {
		case strings.Contains(options, "inline") && v.Field(i).Kind() == reflect.Struct:
			eachKey(v.Field(i), do)
		case key != "" && key != "-":
			do(key, v.Field(i))
		}
	}
}

// keysOf returns the YAML keys of a struct whose values are not zero, with the values.
func keysOf(entry any) map[string]any {
	set := map[string]any{}
	eachKey(reflect.ValueOf(entry), func(key string, value reflect.Value) {
		if value.Kind() == reflect.Pointer && !value.IsNil() {
			value = value.Elem()
		}
		if !value.IsZero() {
			set[key] = value.Interface()
		}
	})
	return set
}

// UnwrapPath drops the operation and path from a file error, for messages that already name the file.
func UnwrapPath(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
