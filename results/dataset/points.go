package dataset

import (
	"encoding/json"
	"fmt"

	"compqa/data"
	"compqa/rubric"
)

// readPoints parses the scores of a valid sheet, in the order of the rubric's criteria; an
// incomplete sheet is an error.
func readPoints(r rubric.Rubric, encoded string) ([]float64, error) {
	var scores data.Scores
	if err := json.Unmarshal([]byte(encoded), &scores); err != nil {
		return nil, err
	}
	row := make([]float64, len(r.Criteria))
	for i, c := range r.Criteria {
		points, ok := scores[c.ID]
		if !ok {
			return nil, fmt.Errorf("it is recorded as valid, but criterion %s has no score", c.ID)
		}
		row[i] = points
	}
	return row, nil
}
