package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"go.yaml.in/yaml/v4"

	"compqa/data"
)

// An entryError carries the section of the configuration that it is about, and the name of an entry or key in it.
type entryError struct {
	section, name string
	err           error
}

// At attaches a section and an entry's or key's name to an error. An empty name means the whole section.
func At(section, name string, err error) error { return &entryError{section, name, err} }

func (p *entryError) Error() string { return p.err.Error() }
func (p *entryError) Unwrap() error { return p.err }

// Locate returns a UsageError with the file in front, and with the line if the error came from At. It locates each error of a joined error.
// If the configuration has no file, it adds nothing.
func (c *Config) Locate(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		return UsageError{Err: errors.Join(data.Each(several.Unwrap(), c.Locate)...)}
	}
	if c.File == "" { // the configuration was built from flags
		return UsageError{Err: err}
	}
	where := c.File
	if p, ok := errors.AsType[*entryError](err); ok {
		if line := lineOf(c.File, p.section, p.name); line > 0 {
			where = fmt.Sprintf("%s:%d", c.File, line)
		}
	}
	return Usagef("%s: %w", where, err)
}

// lineOf returns the line of a part of a YAML file, or 0 if it finds none. In a list it finds the last entry with the name, in a mapping
// the key with the name; otherwise it returns the line of the section.
func lineOf(path, section, name string) int {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // a pipe can be read only once
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

// entryName returns the name of a list entry. A bare word is its own name. Otherwise it is the first of the keys name, id and method. A
// scenario has an id, and a pairwise judge without a name is called after its method.
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

// member returns the key and value nodes with a name in a mapping; both are nil if the mapping has no such key.
func member(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content) && mapping.Kind == yaml.MappingNode; i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i], mapping.Content[i+1]
		}
	}
	return nil, nil
}

// A UsageError is a mistake in a command line, a configuration or an input file. The user can correct it, and the command has changed
// nothing.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

func (e UsageError) Unwrap() error { return e.Err }

// Usagef returns a UsageError with a formatted message.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }
