package board

import (
	"encoding/json"
	"fmt"
)

// flatten writes the values of a JSON text by their paths; elements of lists with a name are
// under the name.
func flatten(text string, into map[string]string) {
	var value any
	if json.Unmarshal([]byte(text), &value) == nil {
		flattenValue("", value, into)
	}
}

func flattenValue(path string, value any, into map[string]string) {
	below := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	switch x := value.(type) {
	case map[string]any:
		for name, of := range x {
			flattenValue(below(name), of, into)
		}
	case []any:
		for i, of := range x {
			name := fmt.Sprint(i + 1)
			if fields, is := of.(map[string]any); is {
				for _, key := range []string{"name", "Name"} {
					if text, is := fields[key].(string); is && text != "" {
						name = text
					}
				}
			}
			flattenValue(below(name), of, into)
		}
	case nil:
	default:
		into[path] = fmt.Sprint(x)
	}
}
