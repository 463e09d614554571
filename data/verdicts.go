package data

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

var verdictFields = []string{"id", "judge", "status", "scores", "total", "reason", "raw", "repeat"}

// ReadVerdicts reads verdicts from JSON Lines or CSV: id (of the answer), judge, status,
// scores, total, and optionally reason, raw, repeat. Human annotations are verdicts of
// judges whose names begin with "human". In CSV the score of a given criterion is in the
// column "c" followed by its id. A score that is not a number is an error; package
// rubric checks whether the scores are complete and in range.
func ReadVerdicts(path string, criteria []string) ([]Verdict, error) {
	names := slices.Clone(verdictFields)
	for _, id := range criteria {
		names = append(names, "c"+id)
	}
	return readRecords(path, names, "verdicts", func(r row) (Verdict, []string, error) {
		v, err := readVerdict(r, criteria)
		return v, []string{fmt.Sprintf("verdict of judge %q on answer %q, repeat %d", v.Judge, v.Answer, v.Repeat)}, err
	})
}

func readVerdict(r row, criteria []string) (Verdict, error) {
	var v Verdict
	var err error
	if v.Answer, err = r.need("id"); err != nil {
		return v, err
	}
	if v.Judge, err = r.need("judge"); err != nil {
		return v, err
	}
	var status string
	if err := r.texts(map[string]*string{"status": &status, "reason": &v.Reason, "raw": &v.Raw}); err != nil {
		return v, err
	}
	if v.Status, err = ParseStatus(status); err != nil {
		return v, r.errorf("%v", err)
	}
	if v.Repeat, err = r.repeat(); err != nil {
		return v, err
	}
	if v.Total, err = r.number("total"); err != nil {
		return v, err
	}
	if v.Scores, err = readScores(r, criteria); err != nil {
		return v, err
	}
	return v, checkTotal(r, v)
}

// checkTotal returns an error if the total is not the sum of the scores: one of the two
// is wrong, and it is unknown which.
func checkTotal(r row, v Verdict) error {
	if v.Status != Valid || v.Total == nil || len(v.Scores) == 0 {
		return nil
	}
	sum := 0.0
	for _, id := range slices.Sorted(maps.Keys(v.Scores)) {
		sum += v.Scores[id]
	}
	if math.Abs(sum-*v.Total) > 1e-9*math.Max(1, math.Abs(sum)) {
		return r.errorf("total is %v, but the scores add up to %v", *v.Total, sum)
	}
	return nil
}

func readScores(r row, criteria []string) (Scores, error) {
	scores := Scores{}
	if raw := r.raw("scores"); len(raw) > 0 {
		var object map[string]*float64
		if err := json.Unmarshal(raw, &object); err != nil {
			return nil, r.errorf("scores is %s; an object of criterion to points is needed", Clip(string(raw)))
		}
		for id, points := range object {
			if points != nil {
				scores[strings.TrimSpace(id)] = *points
			}
		}
	}
	for _, id := range criteria {
		points, err := r.number("c" + id)
		if err != nil {
			return nil, err
		}
		if points != nil {
			scores[id] = *points
		}
	}
	return scores, nil
}
