package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"

	"github.com/tidwall/gjson"
)

// roomFor makes a map with room for the scores of an object: a map that grows takes twice as long.
func roomFor(object []byte) Scores {
	const most = 64 // the text may be of colons
	return make(Scores, min(bytes.Count(object, []byte{':'}), most))
}

// ParseScores reads an object of criteria and points. A criterion with null has no score.
func ParseScores(text json.RawMessage) (Scores, error) {
	object := gjson.ParseBytes(text)
	ok := json.Valid(text) && object.IsObject()
	scores := roomFor(text)
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
