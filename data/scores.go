package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"

	"github.com/tidwall/gjson"
)

// roomFor makes a map with room for the scores in a JSON object, because growing a map takes twice as long.
func roomFor(object []byte) Scores {
	const most = 64 // limit, since the text may consist of colons
	return make(Scores, min(bytes.Count(object, []byte{':'}), most))
}

// ParseScores reads an object from criteria to points. A criterion with null has no score. Any other value is an error.
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
