package dataset

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"compqa/data"
	"compqa/rubric"
)

// points parses the scores of valid sheets, in the order of the rubric's criteria.
// Sheets with equal scores share a slice, because a million sheets have few different
// ones.
type points struct {
	criteria []rubric.Criterion
	known    map[[16]byte][]float64 // by the hash of their JSON
}

func newPoints(r rubric.Rubric) *points {
	return &points{criteria: r.Criteria, known: map[[16]byte][]float64{}}
}

// read parses the scores of a valid sheet; an incomplete sheet is an error.
func (p *points) read(encoded string) ([]float64, error) {
	sum := sha256.Sum256([]byte(encoded))
	hash := [16]byte(sum[:16])
	if row, ok := p.known[hash]; ok {
		return row, nil
	}
	var scores data.Scores
	if err := json.Unmarshal([]byte(encoded), &scores); err != nil {
		return nil, err
	}
	row := make([]float64, len(p.criteria))
	for i, c := range p.criteria {
		points, ok := scores[c.ID]
		if !ok {
			return nil, fmt.Errorf("it is recorded as valid, but criterion %s has no score", c.ID)
		}
		row[i] = points
	}
	p.known[hash] = row
	return row, nil
}
