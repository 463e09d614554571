package llm

import (
	"encoding/json"
	"strings"
)

// Objects are the outermost JSON objects in a text, in order. Other text is ignored. The
// time is linear, except for incomplete objects, of which at most a hundred are tried.
func Objects(text string) []map[string]json.RawMessage {
	var found []map[string]json.RawMessage
	for tries := 0; tries < 100; {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			break
		}
		text = text[open:]
		d := json.NewDecoder(strings.NewReader(text))
		var o map[string]json.RawMessage
		if d.Decode(&o) != nil || o == nil {
			text = text[1:]
			tries++
			continue
		}
		found = append(found, o)
		text = text[d.InputOffset():]
	}
	return found
}
