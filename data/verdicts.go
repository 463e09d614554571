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

// ReadVerdicts reads verdicts, or human annotations, which are verdicts of
// judges whose name begins with "human", from JSON Lines or CSV: id (the
// answer's), judge, status, scores, total, and optionally reason, raw, repeat.
// In CSV the scores stand in columns named "c" and a criterion's id, for the
// given criteria. A score that is not a number is an error; whether the sheet
// is complete and in range is not looked at here.
func ReadVerdicts(path string, criteria []string) ([]Verdict, error) {
	names := slices.Clone(verdictFields)
	for _, id := range criteria {
		names = append(names, "c"+id)
	}
	var verdicts []Verdict
	lines := map[string]int{}
	err := readRows(path, names, func(r row) error {
		v, err := readVerdict(r, criteria)
		if err != nil {
			return err
		}
		key := fmt.Sprintf("%q %q %d", v.Answer, v.Judge, v.Repeat)
		if first, ok := lines[key]; ok {
			return r.errorf("line %d holds a verdict of judge %q on answer %q, repeat %d, already", first, v.Judge, v.Answer, v.Repeat)
		}
		lines[key] = r.line
		verdicts = append(verdicts, v)
		return nil
	})
	if err == nil && len(verdicts) == 0 {
		err = fmt.Errorf("%s holds no verdict", path)
	}
	return verdicts, err
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

// checkTotal refuses a total that is not the sum of the scores beside it: one
// of the two is wrong, and nobody can tell which.
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
