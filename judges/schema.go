package judges

import (
	"encoding/json"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/llm/structured"
	"compqa/rubric"
)

// sheetSchema returns the JSON Schema of a sheet of scores: an object with exactly the rubric's
// criteria, each the points of one of its levels.
//
// Scores between two levels, which the rubric's step allows, are left to people:
// a model that is made to choose can be compared with another one.
func sheetSchema(r rubric.Rubric) json.RawMessage {
	return structured.Schema(structured.Keys(r.IDs(), func(i int) any {
		return structured.EnumOf(data.Each(r.Criteria[i].Levels, func(l rubric.Level) float64 { return l.Points }))
	}))
}

// sheetForm returns a sheet of scores as a prompt shows it, in the rubric's order:
// the given scores or, where they are nil, the word points in their places.
func sheetForm(r rubric.Rubric, scores data.Scores) string {
	entries := make([]string, len(r.Criteria))
	for i, c := range r.Criteria {
		value := "points"
		if scores != nil {
			value = pointsText(scores[c.ID])
		}
		entries[i] = structured.Text(c.ID) + ": " + value
	}
	return "{" + strings.Join(entries, ", ") + "}"
}

// pointsText returns the shortest decimal form of points.
func pointsText(points float64) string { return strconv.FormatFloat(points, 'f', -1, 64) }
