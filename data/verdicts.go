package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

var verdictFields = []string{"id", "judge", "status", "scores", "total", "reason", "raw", "repeat", "criteria"}

// ReadVerdicts reads verdicts from JSON Lines or CSV: id (of the answer), judge, status, scores, total, and optionally
// reason, raw, repeat, criteria (their names by id, for other programs).
// Human annotations are verdicts of judges whose names begin with "human". In CSV the score of a
// given criterion is in the column "c" followed by its id. A score that is not a number is an error; package rubric
// checks whether the scores are complete and in range. known reports whether an answer exists; a verdict on another is an error.
func ReadVerdicts(path string, criteria []string, known func(answer string) bool) (*VerdictList, error) {
	columns := Each(criteria, func(id string) string { return "c" + id })
	type key struct {
		judge, answer uint32
		repeat        int32
	}
	list, lines := &VerdictList{}, map[key]int32{}
	err := eachRecord(path, slices.Concat(verdictFields, columns), "verdicts", func(r *row) {
		v := Verdict{Answer: r.need("id"), Judge: r.need("judge"), Reason: r.text("reason"), Raw: r.text("raw"), Status: r.status(),
			Repeat: r.count("repeat", 1), Total: r.number("total"), Scores: Scores{}}
		if raw := r.raw("scores"); len(raw) > 0 {
			if scores, err := ParseScores(raw); err != nil {
				r.fail("scores is %s; an object of criterion to points is needed", Clip(string(raw)))
			} else {
				v.Scores = scores
			}
		}
		for i, id := range criteria {
			if points := r.number(columns[i]); points != nil {
				v.Scores[id] = *points
			}
		}
		checkTotal(r, v)
		if !known(v.Answer) {
			r.fail("no answer has the id %q", v.Answer)
		}
		list.Add(v)
		last := &list.rows[list.Len()-1]
		k := key{last.judge, last.answer, last.repeat}
		if first, twice := lines[k]; twice {
			r.fail("duplicate verdict of judge %q on answer %q, repeat %d: it is also on line %d", v.Judge, v.Answer, v.Repeat, first)
		}
		lines[k] = int32(r.Line)
	})
	if err != nil {
		return nil, err
	}
	return list, nil
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

// roomFor are no scores yet, with room for those of an object: a map that grows takes twice as long.
func roomFor(object []byte) Scores {
	const most = 64 // the text may be of colons
	return make(Scores, min(bytes.Count(object, []byte{':'}), most))
}

// ParseScores reads an object of criteria and points. A criterion with null has no score.
func ParseScores(text json.RawMessage) (Scores, error) {
	object := gjson.ParseBytes(text)
	ok, scores := json.Valid(text) && object.IsObject(), roomFor(text)
	object.ForEach(func(id, points gjson.Result) bool {
		if points.Type == gjson.Number {
			scores[strings.TrimSpace(id.Str)] = points.Num
		}
		ok = ok && (points.Type == gjson.Number && !math.IsInf(points.Num, 0) || points.Type == gjson.Null)
		return ok
	})
	if !ok {
		return nil, errors.New("it must be an object of criterion to points")
	}
	return scores, nil
}
