package data

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// ParseScores reads an object from criteria to points. A criterion with null has no score. Any other value is an error.
func ParseScores(text string) (Scores, error) {
	scores, plain := plainScores(text)
	if plain {
		return scores, nil
	}
	scores = Scores{}
	object := gjson.Parse(text)
	ok := json.Valid([]byte(text)) && object.IsObject()
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

// plainScores reads an object such as {"1":2,"2":0.5}, the usual form of scores: ids are ASCII without escapes or space around them, and
// all values are numbers. plain is false for any other text, which may be valid too. Parsers of JSON take three times as long, and scores
// are read with every verdict.
func plainScores(text string) (scores Scores, plain bool) {
	members, opened := strings.CutPrefix(text, "{")
	members, closed := strings.CutSuffix(members, "}")
	if !opened || !closed {
		return nil, false
	}
	const most = 64                                                 // limit, since the text may consist of commas
	scores = make(Scores, min(strings.Count(members, ",")+1, most)) // growing a map takes twice as long
	for member := range strings.SplitSeq(members, ",") {
		id, points, found := strings.Cut(member, `":`)
		id, quoted := strings.CutPrefix(strings.TrimLeft(id, " "), `"`)
		x, number := pointsOf(strings.TrimLeft(points, " "))
		if !found || !quoted || !number || !plainText(id) || strings.TrimSpace(id) != id {
			return nil, false
		}
		scores[id] = x
	}
	return scores, true
}

// pointsOf returns the number in a JSON text that is a number.
func pointsOf(text string) (points float64, ok bool) {
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return 0, false
	}
	if len(text) == 1 && text[0] != '-' { // the usual case
		return float64(text[0] - '0'), true
	}
	points, err := strconv.ParseFloat(text, 64)
	return points, err == nil && gjson.Valid(text)
}

// plainText reports whether encoding/json would write a text as it is, between quotes.
func plainText(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// appendText appends a text as encoding/json writes it.
func appendText(list []byte, text string) []byte {
	if plainText(text) {
		return append(append(append(list, '"'), text...), '"')
	}
	return append(list, Must(json.Marshal(text))...)
}

// appendPoints appends a finite number as encoding/json writes it.
func appendPoints(list []byte, points float64) []byte {
	if points == math.Trunc(points) && math.Abs(points) < 1e9 && !math.Signbit(points) { // the usual case
		return strconv.AppendInt(list, int64(points), 10)
	}
	return append(list, Must(json.Marshal(points))...)
}
