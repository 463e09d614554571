package results

import (
	"encoding/json"
	"slices"
	"testing"

	"compqa/data"
	"compqa/rubric"
)

// Points that are read without a JSON parser are those that it reads, and what is
// out of the ordinary is left to it.
func TestPoints(t *testing.T) {
	r := rubric.CQA()
	whole, halves, long := data.Scores{}, data.Scores{}, data.Scores{}
	for i, c := range r.Criteria {
		whole[c.ID], halves[c.ID], long[c.ID] = float64(i%3), float64(i%10)/10+1, float64(i)*1.37
	}
	for _, c := range []struct {
		scores data.Scores
		plain  bool
	}{{whole, true}, {halves, true}, {long, false}} {
		encoded, err := json.Marshal(c.scores)
		if err != nil {
			t.Fatal(err)
		}
		p := newPoints(r)
		if got := p.readPlain(string(encoded)); got != c.plain {
			t.Errorf("%s is plain: %v", encoded, got)
		}
		got, err := p.read(string(encoded))
		if err != nil {
			t.Fatal(err)
		}
		again, err := p.read(string(encoded))
		if err != nil || &again[0] != &got[0] {
			t.Errorf("equal scores are not shared (%v)", err)
		}
		for i, criterion := range r.Criteria {
			if got[i] != c.scores[criterion.ID] {
				t.Errorf("criterion %s of %s: %v", criterion.ID, encoded, got[i])
			}
		}
	}
}

func TestPointsOfAnotherForm(t *testing.T) {
	p := newPoints(rubric.Rubric{Criteria: []rubric.Criterion{{ID: "b"}, {ID: "a"}}})
	for _, encoded := range []string{`{"a":1,"b":2}`, `{ "b": 2, "a": 1 }`, `{"b":2,"a":1}`, `{"a":1,"b":2,"c":3}`, `{"a":1,"b":2.0}`, `{"a":1e0,"b":2}`, `{"a":9,"a":1,"b":2}`} {
		if got, err := p.read(encoded); err != nil || !slices.Equal(got, []float64{2, 1}) {
			t.Errorf("%s: %v, %v", encoded, got, err)
		}
	}
	for _, encoded := range []string{``, `{`, `{"a":1}`, `{"a":1,"b":}`, `{"a":1,"b":2`, `{"a":1,"b":2.}`, `{"a":1,"b":2}}`, `{"a":01,"b":2}`, `{"a":null,"b"}`} {
		if got, err := p.read(encoded); err == nil {
			t.Errorf("%s: %v", encoded, got)
		}
	}
}
