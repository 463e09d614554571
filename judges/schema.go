package judges

import (
	"encoding/json"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/llm/structured"
	"compqa/rubric"
)

// sheetSchema returns the JSON Schema of a score sheet: an object with exactly the rubric's criteria, and the points of one of its levels
// for each. Scores between two levels, which the rubric's step allows, are left to people: a model that must choose a level is easier to
// compare with other models.
func sheetSchema(r rubric.Rubric) json.RawMessage {
	return structured.Schema(structured.Keys(r.IDs(), func(i int) any {
		return structured.EnumOf(data.Each(r.Criteria[i].Levels, func(l rubric.Level) float64 { return l.Points }))
	}))
}

// sheetForm returns a score sheet as a prompt shows it, in the rubric's order. If scores is nil, the word "points" stands for each score.
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
