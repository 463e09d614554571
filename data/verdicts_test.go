package data

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestPairKey(t *testing.T) {
	if a, b := PairKey("Honda  CR-V", "toyota RAV4 "), PairKey("Toyota RAV4", "honda cr-v"); a != b {
		t.Errorf("%q and %q are one pair", a, b)
	}
	if a, b := PairKey("a b", "c"), PairKey("a", "b c"); a == b {
		t.Errorf("two pairs share the key %q", a)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"dataset", "models", "judges"}
	for typed, want := range map[string]string{"datset": "dataset", "model": "models", "JUDGES": "judges", "xyz": "", "": ""} {
		if got := Nearest(typed, names); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

// TestVerdictList checks that a list returns verdicts as they were added: without scores, with an empty map, with gaps, and with a later
// criterion.
func TestVerdictList(t *testing.T) {
	total := 1.5
	all := []Verdict{{Answer: "a", Judge: "j", Status: Valid, Scores: Scores{"1": 1}, Total: &total, Reason: "why", Repeat: 1},
		{Answer: "a", Judge: "human", Scores: Scores{}}, {Answer: "b", Judge: "j", Raw: "text", Status: Unparsed},
		{Answer: "b", Judge: "human:2", Scores: Scores{"2": 0, "1": -1.25}, Repeat: 2}, {Answer: "c", Judge: "j", Scores: Scores{"2": 3}}}
	list := Verdicts(all...)
	for i, v := range all {
		if !reflect.DeepEqual(list.At(i), v) {
			t.Errorf("%d: %+v, want %+v", i, list.At(i), v)
		}
	}
	list.Rename(func(judge string) string { return strings.TrimSuffix(judge, ":2") })
	if got := list.Judges(); !slices.Equal(got, []string{"j", "human"}) || list.At(3).Judge != "human" {
		t.Errorf("judges %v, of the fourth verdict %s", got, list.At(3).Judge)
	}
	if !list.Scored("2") || list.Scored("3") || new(VerdictList).Len() != 0 || list.Key(3) != (VerdictKey{"human", "b", 2}) || (*VerdictList)(nil).Judges() != nil {
		t.Error("criteria, or an empty list")
	}
}

// TestVerdictListSet checks that a verdict can replace another one, also with fewer criteria and other points.
func TestVerdictListSet(t *testing.T) {
	list := Verdicts(Verdict{Answer: "a", Judge: "j", Status: Valid, Scores: Scores{"1": 1, "2": 2}, Repeat: 1},
		Verdict{Answer: "b", Judge: "j", Status: Valid, Scores: Scores{"1": 3}, Repeat: 1})
	other := Verdict{Answer: "a", Judge: "j", Status: Partial, Scores: Scores{"3": 4}, Reason: "r", Repeat: 1}
	if list.Place(other) != list.Place(list.At(0)) || list.Place(other) == list.Place(list.At(1)) {
		t.Error("places of verdicts")
	}
	list.Set(0, other)
	if got := list.At(0); !reflect.DeepEqual(got, other) || list.At(1).Scores["1"] != 3 || len(list.At(1).Scores) != 1 || list.Len() != 2 {
		t.Errorf("%+v, %+v", got, list.At(1))
	}
}

// TestVerdictListJSON compares the JSON of listed verdicts with encoding/json.
func TestVerdictListJSON(t *testing.T) {
	text := "<é>\n\u2028\"\xff"
	verdicts := []Verdict{{}, {Answer: "a", Judge: "j", Status: Valid, Scores: Scores{"10": 2, "9": .5, "1": -0.25}, Total: new(2.25), Repeat: 1},
		{Answer: text, Judge: text, Status: Status(text), Scores: Scores{}, Reason: text, Raw: text, Repeat: -1},
		{Answer: "a", Judge: "j", Status: Partial, Scores: Scores{"9": 1e21, text: 1e-7, "2": 1e9}, Total: new(0.0), Reason: "why", Repeat: 12}}
	list := Verdicts(verdicts[:2]...)
	for i := range verdicts {
		if i >= list.Len() {
			list.Add(verdicts[i]) // criteria that the JSON of earlier verdicts did not have
		}
		want, err := json.Marshal(list.At(i))
		if got := list.JSON(i); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s, want %s (%v)", got, want, err)
		}
	}
}

// TestVerdictListOfManyValues checks that points stay right when there are more different ones than a byte can number, and that long texts
// are kept whole.
func TestVerdictListOfManyValues(t *testing.T) {
	list := &VerdictList{}
	many := 600
	verdict := func(i int) Verdict {
		v := Verdict{Answer: "a", Judge: "j", Scores: Scores{"1": float64(i) / 8}, Reason: strings.Repeat("why ", i*i%7*5000), Raw: "r"}
		if i%3 == 0 {
			v.Scores["2"] = float64(i)
		}
		return v
	}
	for i := range many {
		list.Add(verdict(i))
	}
	for i := range many {
		if !reflect.DeepEqual(list.At(i), verdict(i)) {
			t.Fatalf("%d: %v, want %v", i, list.At(i).Scores, verdict(i).Scores)
		}
	}
}

// TestScoresRead checks that scores are read as encoding/json reads them, also into a map that has scores.
func TestScoresRead(t *testing.T) {
	for _, text := range []string{`{"1":1,"2":0.5}`, `{}`, `null`, `{"1":null,"2":3}`, `{"1":"x"}`, `{"1":1,"1":2}`, `{"a\u0062":1}`, "{\"\xff\":1}",
		`{"1":1e999}`, `{"1":-0.0, "2" : 12345678901234567890}`, `[1]`, `{"1":{"2":3}}`, `{"1":true}`, `{"1":1`, ` {"1":1} `} {
		for _, before := range []Scores{nil, {"9": 9}} {
			got := maps.Clone(before)
			want := maps.Clone(map[string]float64(before))
			err := json.Unmarshal([]byte(text), &got)
			wanted := json.Unmarshal([]byte(text), &want)
			if (err == nil) != (wanted == nil) || err == nil && (!maps.Equal(got, want) || (got == nil) != (want == nil)) {
				t.Errorf("%s over %v: %v (%v), not %v (%v)", text, before, got, err, want, wanted)
			}
		}
	}
}

func TestScoresJSON(t *testing.T) {
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -3, 0.5, 1e9, 1e21, 1e-7, 123456789012, -2.25} {
		got, err := json.Marshal(Scores{"10": x, "9": 1, "<é\n": x})
		number, _ := json.Marshal(x)
		if want := fmt.Sprintf(`{"9":1,"10":%s,"\u003cé\n":%s}`, number, number); err != nil || string(got) != want {
			t.Errorf("%v: %s, %v; want %s", x, got, err, want)
		}
	}
}
