package rubric

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// TestLevelsForms checks levels as a list, as a range, and as a range with texts.
func TestLevelsForms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"[{points: 1, text: Bad.}, {points: 2, text: Good.}]", "1 Bad. 2 Good."},
		{"1..3", "1 The lowest level. 2 Between 1 and 3. 3 The highest level."},
		{"-1..1", "-1 The lowest level. 0 Between -1 and 1. 1 The highest level."},
		{"{low: 0, high: 1, step: 0.5, words: {0: No., 1: Yes.}}", "0 No. 0.5 Between 0 and 1. 1 Yes."},
		{"{low: 1, high: 5, words: {1: Useless., 3: Fair., 5: Perfect.}}",
			"1 Useless. 2 Between 1 and 3. 3 Fair. 4 Between 3 and 5. 5 Perfect."},
	} {
		var levels Levels
		if err := yaml.Unmarshal([]byte(c.text), &levels); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
		var got []string
		for _, level := range levels {
			got = append(got, pointsOf(level), level.Text)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.text, strings.Join(got, " "), c.want)
		}
	}
	for text, reason := range map[string]string{
		"high":                             "a range such as 1..10",
		"10..1":                            "from a lower to a higher number",
		"0..1000":                          "at most 101 are possible",
		"1..1e300":                         "at most 101 are possible",
		"nan..2":                           "from a lower to a higher number",
		"{low: 0, high: 1, step: 0.3}":     "no whole number of steps",
		"{low: 0, high: 1, step: 0}":       "in steps of 0",
		"{low: 1, high: 3, words: {7: x}}": "words at 7",
		"{low: 1, hight: 3}":               `levels has the key "hight"; it is a list of {points, text}, a range such as 1..10, or {low`,
		"{points: 0}":                      `levels has the key "points"; it is a list of {points, text}`,
		"[bad, good]":                      `levels has "bad"; it is a list of {points, text}`,
	} {
		var levels Levels
		if err := yaml.Unmarshal([]byte(text), &levels); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, want %q", text, err, reason)
		}
	}
}

// TestFillSteps checks that a step of whole points adds the levels between those of a list, and that a step of half a point does not.
func TestFillSteps(t *testing.T) {
	r := Rubric{Step: 1, Criteria: []Criterion{{ID: "a", Levels: Levels{{1, "Useless."}, {10, "Perfect."}}},
		{ID: "b", Levels: Levels{{2, "Yes."}, {0, "No."}}}, {ID: "c", Levels: Levels{{1, "Good."}, {0, "Bad."}}}}}
	if err := r.FillSteps(); err != nil {
		t.Fatal(err)
	}
	a := r.Criteria[0].Levels
	b := r.Criteria[1].Levels
	c := r.Criteria[2].Levels
	if len(a) != 10 || a[4] != (Level{5, "Between 1 and 10."}) || a[9] != (Level{10, "Perfect."}) {
		t.Errorf("%v", a)
	}
	if len(b) != 3 || b[0].Points != 2 || b[1] != (Level{1, "Between 0 and 2."}) || b[2].Points != 0 {
		t.Errorf("%v", b)
	}
	if len(c) != 2 || c[0].Points != 1 {
		t.Errorf("%v", c)
	}
	built := CQA()
	if err := built.FillSteps(); err != nil || !built.BuiltIn() {
		t.Errorf("the built-in rubric changed: %v", err)
	}
	wide := Rubric{Name: "wide", Step: 1, Criteria: []Criterion{{ID: "a", Levels: Levels{{0, ""}, {500, ""}}}}}
	if err := wide.FillSteps(); err == nil || !strings.Contains(err.Error(), "at most 101") {
		t.Errorf("500 levels: %v", err)
	}
}

func pointsOf(level Level) string {
	text, _ := yaml.Marshal(level.Points)
	return strings.TrimSpace(string(text))
}
