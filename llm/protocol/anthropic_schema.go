package protocol

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Anthropic's structured outputs require additionalProperties: false in every object, and
// reject limits of numbers, strings and lists (platform.claude.com, structured outputs, JSON
// Schema limitations). The reader of a reply checks its limits anyway.
var (
	rejectedKeywords = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
		"minItems", "maxItems", "uniqueItems"}
	keyedSchemas  = []string{"properties", "$defs", "definitions"} // objects whose keys are names
	valueKeywords = []string{"enum", "const", "default", "examples"}
)

// acceptedSchema is a JSON Schema that Anthropic accepts. Its keys keep their order, because
// a constrained model writes them in that order.
func acceptedSchema(schema json.RawMessage) (json.RawMessage, error) {
	return rewriteSchema(schema, false)
}

// rewriteSchema rewrites a schema, a list of schemas, or an object that has schemas under
// names. Other values stay as they are.
func rewriteSchema(value json.RawMessage, named bool) (json.RawMessage, error) {
	value = bytes.TrimSpace(value)
	read := json.NewDecoder(bytes.NewReader(value))
	open, err := read.Token()
	if delim, ok := open.(json.Delim); err != nil || !ok || delim != '{' && delim != '[' {
		return value, err
	}
	var out bytes.Buffer
	closed, object := false, value[0] == '{' && !named
	add := func(key string, member json.RawMessage) {
		if out.Len() > 0 {
			out.WriteByte(',')
		}
		if value[0] == '{' {
			name, _ := json.Marshal(key) // a string always marshals
			out.Write(append(name, ':'))
		}
		out.Write(member)
	}
	for read.More() {
		key := ""
		if value[0] == '{' {
			token, err := read.Token()
			if err != nil {
				return nil, err
			}
			key, _ = token.(string)
		}
		var member json.RawMessage
		if err := read.Decode(&member); err != nil {
			return nil, err
		}
		switch {
		case !object: // a name or an element: the member is a schema
		case slices.Contains(rejectedKeywords, key):
			continue
		case slices.Contains(valueKeywords, key):
			add(key, member)
			continue
		case key == "additionalProperties":
			closed, member = true, json.RawMessage("false")
		}
		if member, err = rewriteSchema(member, object && slices.Contains(keyedSchemas, key)); err != nil {
			return nil, err
		}
		add(key, member)
	}
	if object && !closed && isObjectSchema(value) {
		add("additionalProperties", json.RawMessage("false"))
	}
	if value[0] == '{' {
		return append(append([]byte("{"), out.Bytes()...), '}'), nil
	}
	return append(append([]byte("["), out.Bytes()...), ']'), nil
}

// isObjectSchema reports whether a schema describes an object.
func isObjectSchema(schema json.RawMessage) bool {
	var s struct {
		Type       any             `json:"type"`
		Properties json.RawMessage `json:"properties"`
	}
	return json.Unmarshal(schema, &s) == nil && (s.Type == "object" || s.Properties != nil)
}
