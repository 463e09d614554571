package results

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"compqa/data"
)

// What was asked is kept as text, whole or as a difference, and read as it was.
func TestRequestsAreText(t *testing.T) {
	s, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	long := string(make([]byte, 2*worthSharing)) + "ü\xff"
	requests := map[string][]string{
		"a": nil, "b": {"{", long, "1}"}, "c": {"{", long, "22}"}, "d": {"{}"}, "e": {"{", long, "}"},
	}
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		if err := s.Write(func(b Batch) error {
			return b.Call(Call{Key: key, Model: "m", Request: requests[key], Status: data.Valid})
		}); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
	}
	for key, parts := range requests {
		want := ""
		for _, part := range parts {
			want += part
		}
		if got, err := s.CallRequest(key); got != want || err != nil {
			t.Errorf("%s: %.20q (error %v), not %.20q", key, got, err, want)
		}
		var kind string
		if err := s.db.QueryRow(`SELECT typeof(request) FROM calls WHERE key = ?`, key).Scan(&kind); kind != "text" || err != nil {
			t.Errorf("%s is kept as %s (error %v)", key, kind, err)
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
