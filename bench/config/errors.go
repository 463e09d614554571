package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"go.yaml.in/yaml/v4"

	"compqa/data"
)

// A placed error is about a part of the configuration: an entry of a section, or a key of it.
type placed struct {
	section, name string
	err           error
}

// At says in which section and entry of the configuration an error is; name is empty for the section itself.
func At(section, name string, err error) error { return &placed{section, name, err} }

func (p *placed) Error() string { return p.err.Error() }
func (p *placed) Unwrap() error { return p.err }

// wrong is what is wrong with the configuration, with its file, and its line where the error says what part it is about.
func (c *Config) Locate(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return UsageError{Err: errors.Join(data.Each(several.Unwrap(), c.Locate)...)}
	}
	if c.File == "" { // made of flags
		return UsageError{Err: err}
	}
	where := c.File
	if p, ok := errors.AsType[*placed](err); ok {
		if line := lineOf(c.File, p.section, p.name); line > 0 {
			where = fmt.Sprintf("%s:%d", c.File, line)
		}
	}
	return Usagef("%s: %w", where, err)
}

// lineOf returns the line of a part of a YAML file: of a list's entry by its name (the last one, where several have it), of a
// mapping's key, or else of the section; 0 where there is neither.
func lineOf(path, section, name string) int {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // a pipe can be read but once
		return 0
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	var document yaml.Node
	if yaml.Load(content, &document) != nil || len(document.Content) == 0 {
		return 0
	}
	joinSections(&document)
	key, value := member(document.Content[0], section)
	if key == nil {
		return 0
	}
	line := key.Line
	if value.Kind == yaml.MappingNode {
		if inner, _ := member(value, name); inner != nil {
			line = inner.Line
		}
		return line
	}
	for _, entry := range value.Content {
		if entryName(entry) == name {
			line = entry.Line
		}
	}
	return line
}

// entryName returns the name of a list's entry as the configuration has it: a scenario's id may stand by itself, and a judge of
// pairs without a name is called as its method.
func entryName(entry *yaml.Node) string {
	if entry.Kind == yaml.ScalarNode {
		return entry.Value
	}
	text := func(key string) string {
		if _, value := member(entry, key); value != nil {
			return value.Value
		}
		return ""
	}
	return cmp.Or(text("name"), text("id"), text("method"))
}

// member returns a mapping's key and its value; nil where it has none of that name.
func member(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content) && mapping.Kind == yaml.MappingNode; i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i], mapping.Content[i+1]
		}
	}
	return nil, nil
}

// A UsageError is a mistake in a command line, a configuration or an input file:
// the user can put it right, and nothing was done.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

func (e UsageError) Unwrap() error { return e.Err }

// Usagef returns a UsageError in words.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }
