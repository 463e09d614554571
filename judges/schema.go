package judges

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/rubric"
)

// sheetSchema is the JSON Schema of a sheet of scores: an object with exactly
// the rubric's criteria, each the points of one of its levels. It is written by
// hand because a model writes keys in the order in which a schema's text names
// them, and a Go map would sort them as 1, 10, 11, …
//
// Scores between two levels, which the rubric's step allows, are left to people:
// a model that is made to choose can be compared with another one.
func sheetSchema(r rubric.Rubric) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	for i, c := range r.Criteria {
		if i > 0 {
			b.WriteByte(',')
		}
		points := make([]string, len(c.Levels))
		kind := "integer"
		for j, l := range c.Levels {
			points[j] = pointsText(l.Points)
			if l.Points != math.Trunc(l.Points) {
				kind = "number"
			}
		}
		b.WriteString(jsonText(c.ID) + `:{"type":"` + kind + `","enum":[` + strings.Join(points, ",") + `]}`)
	}
	b.WriteString(`},"required":[`)
	for i, id := range r.IDs() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(jsonText(id))
	}
	b.WriteString(`],"additionalProperties":false}`)
	return b.Bytes()
}

// sheetForm is a sheet of scores as a prompt shows it, in the rubric's order:
// the given scores or, where they are nil, the word points in their places.
func sheetForm(r rubric.Rubric, scores data.Scores) string {
	entries := make([]string, len(r.Criteria))
	for i, c := range r.Criteria {
		value := "points"
		if scores != nil {
			value = pointsText(scores[c.ID])
		}
		entries[i] = jsonText(c.ID) + ": " + value
	}
	return "{" + strings.Join(entries, ", ") + "}"
}

// pointsText is the shortest decimal form of points.
func pointsText(points float64) string { return strconv.FormatFloat(points, 'f', -1, 64) }

// jsonText is a text as a JSON string.
func jsonText(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has one
	}
	return string(text)
}
