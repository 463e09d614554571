package data

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
)

// TestPlainScores reads scores of the usual form and others that differ from it, and compares the result with encoding/json.
func TestPlainScores(t *testing.T) {
	for _, text := range []string{`{}`, `{"1":2}`, `{"1":2,"2":0.5,"10":-3}`, `{"1": 2, "2": 10}`, `{"a b":1,"ä":2,"x\"y":3,"<&>":4}`, `{"1":1,"1":2}`,
		`{"1":1e2,"2":1E-2,"3":-0}`, ` {"1":2}`, `{"1":2 }`, `{"1" :2}`, `{ "1":2}`, `{"a,b":1}`, `{"a\":1":2}`, `{"a":{"b":1}}`, `{"a":[1]}`,
		`{"a":null}`, `{"a":"1"}`, `{"a":true}`, `{"a":01}`, `{"a":+1}`, `{"a":.5}`, `{"a":1.}`, `{"a":-}`, `{"a":0x1}`, `{"a":1_0}`,
		`{"a":Inf}`, `{"a":NaN}`, `{"a":1e999}`, `{"a":}`, `{"a"}`, `{a:1}`, `{"a":1,}`, `{,}`, `{`, `}`, `{}}`, `{"a":1}}`, `null`, `[]`, `1`, ``,
		`{"a":1,"b":2]`, `{"` + strings.Repeat("a", 99) + `":1}`, `{"a":1` + strings.Repeat("0", 99) + `}`} {
		var want map[string]float64
		wrong := json.Unmarshal([]byte(text), &want)
		var got Scores
		err := got.UnmarshalJSON([]byte(text))
		if (err != nil) != (wrong != nil) || err == nil && !maps.Equal(got, Scores(want)) {
			t.Errorf("%s is read as %v, %v; encoding/json reads %v, %v", text, got, err, want, wrong)
		}
		parsed, err := ParseScores(text)
		object := len(want) > 0 || strings.TrimSpace(text) == "{}"
		if wrong == nil && object && !strings.Contains(text, "null") && (err != nil || !maps.Equal(parsed, Scores(want))) {
			t.Errorf("ParseScores(%s) = %v, %v; want %v", text, parsed, err, want)
		} else if (wrong != nil || !object) && err == nil {
			t.Errorf("ParseScores(%s) = %v; want an error", text, parsed)
		}
	}
	if got, err := ParseScores(`{" a ":1,"b":null}`); err != nil || !maps.Equal(got, Scores{"a": 1}) {
		t.Errorf("%v, %v; want a without spaces, and no b", got, err)
	}
	into := Scores{"a": 1}
	if err := into.UnmarshalJSON([]byte(`{"b":2}`)); err != nil || !maps.Equal(into, Scores{"a": 1, "b": 2}) {
		t.Errorf("%v, %v; want a and b", into, err)
	}
}
