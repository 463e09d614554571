package sources

import (
	"bytes"
	"encoding/json"
	"errors"
)

// errorLine is the line of a JSON error in the part of a file that begins at an offset.
func errorLine(content []byte, from int, err error) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		from += int(syntax.Offset)
	case errors.As(err, &kind):
		from += int(kind.Offset)
	}
	return 1 + bytes.Count(content[:min(from, len(content))], []byte("\n"))
}

// itemLines are the first lines of the items of a list, which begins after an offset.
func itemLines(content []byte, from int, items []json.RawMessage) []int {
	lines := make([]int, len(items))
	line, counted := 1, 0
	for i, text := range items {
		from += bytes.Index(content[from:], text)
		line += bytes.Count(content[counted:from], []byte("\n"))
		lines[i], counted = line, from
		from += len(text)
	}
	return lines
}
