package results

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
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

// Scores are written as encoding/json writes them.
func TestScoresText(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	ids := []string{"1", "2", "10", "a", "A", "é", "", "a b", "\x11", "\"", "<", "@", "[", "`", "{", "\u2028"}
	points := []float64{0, 1, 2, -1, 0.5, 1e6, 1e6 + 1, 1e21, math.Copysign(0, -1), 1.0 / 3}
	cases := []data.Scores{nil, {}}
	for _, id := range ids {
		cases = append(cases, data.Scores{id: 1})
	}
	for _, x := range points {
		cases = append(cases, data.Scores{"1": x})
	}
	for range 1000 {
		scores := data.Scores{}
		for range random.IntN(16) {
			id := strconv.Itoa(random.IntN(20))
			if random.IntN(8) == 0 {
				id = ids[random.IntN(len(ids))]
			}
			scores[id] = float64(random.IntN(3))
			if random.IntN(8) == 0 {
				scores[id] = points[random.IntN(len(points))]
			}
		}
		cases = append(cases, scores)
	}
	for _, scores := range cases {
		want, _ := json.Marshal(scores)
		if got, err := scoresText(scores); got != string(want) || err != nil {
			t.Errorf("%v: %s (error %v), not %s", scores, got, err, want)
		}
	}
	if text, err := scoresText(data.Scores{"1": math.NaN()}); err == nil {
		t.Errorf("NaN is written as %s", text)
	}
}
