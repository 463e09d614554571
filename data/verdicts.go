package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

var verdictFields = []string{"id", "judge", "status", "scores", "total", "reason", "raw", "repeat", "criteria"}

// ReadVerdicts reads verdicts from JSON Lines or CSV: id (of the answer), judge, status, scores, total, and optionally
// reason, raw, repeat, criteria (their names by id, for other programs).
// Human annotations are verdicts of judges whose names begin with "human". In CSV the score of a
// given criterion is in the column "c" followed by its id. A score that is not a number is an error; package rubric
// checks whether the scores are complete and in range. known reports whether an answer exists; a verdict on another is an error.
func ReadVerdicts(path string, criteria []string, known func(answer string) bool) ([]Verdict, error) {
	names := slices.Concat(verdictFields, Each(criteria, func(id string) string { return "c" + id }))
	return readRecords(path, names, "verdicts", func(r *row) (Verdict, []string) {
		v := Verdict{Answer: r.need("id"), Judge: r.need("judge"), Reason: r.text("reason"), Raw: r.text("raw"), Status: r.status(),
			Repeat: r.count("repeat", 1), Total: r.number("total"), Scores: Scores{}}
		if raw := r.raw("scores"); len(raw) > 0 {
			if scores, err := ParseScores(raw); err != nil {
				r.fail("scores is %s; an object of criterion to points is needed", Clip(string(raw)))
			} else {
				v.Scores = scores
			}
		}
		for _, id := range criteria {
			if points := r.number("c" + id); points != nil {
				v.Scores[id] = *points
			}
		}
		checkTotal(r, v)
		if !known(v.Answer) {
			r.fail("no answer has the id %q", v.Answer)
		}
		return v, []string{fmt.Sprintf("verdict of judge %q on answer %q, repeat %d", v.Judge, v.Answer, v.Repeat)}
	})
}

// checkTotal fails if the total is not the sum of the scores: one of the two is wrong, and it is unknown which.
func checkTotal(r *row, v Verdict) {
	if v.Status != Valid || v.Total == nil || len(v.Scores) == 0 {
		return
	}
	sum := 0.0
	for _, id := range slices.Sorted(maps.Keys(v.Scores)) {
		sum += v.Scores[id]
	}
	if math.Abs(sum-*v.Total) > 1e-9*math.Max(1, math.Abs(sum)) {
		r.fail("total is %v, but the scores add up to %v", *v.Total, sum)
	}
}

// ParseScores reads an object of criteria and points. A criterion with null has no score.
func ParseScores(text json.RawMessage) (Scores, error) {
	var points map[string]*float64
	if err := json.Unmarshal(text, &points); err != nil || points == nil {
		return nil, errors.New("it must be an object of criterion to points")
	}
	scores := make(Scores, len(points))
	for id, p := range points {
		if p != nil {
			scores[strings.TrimSpace(id)] = *p
		}
	}
	return scores, nil
}
