package rubric

import (
	"math"
	"strings"
	"testing"
)

// TestCQA checks the facts in Nikishina et al., Figure 3.
func TestCQA(t *testing.T) {
	r := CQA()
	if err := r.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(r.Criteria) != 15 || r.Max() != 19 || r.Min() != 0 {
		t.Errorf("%d criteria, %v to %v points; want 15, 0 to 19", len(r.Criteria), r.Min(), r.Max())
	}
	for group, want := range map[string]float64{"structure": 7, "relevance": 5, "quality": 7} {
		if got := r.GroupMax(group); got != want {
			t.Errorf("group %s holds %v points, want %v", group, got, want)
		}
	}
	for _, c := range r.Criteria {
		want := 1.0
		if strings.Contains(" 9 10 11 12 ", " "+c.ID+" ") {
			want = 2
		}
		if c.Max() != want || float64(len(c.Levels)) != want+1 {
			t.Errorf("criterion %s: %v points in %d levels, want %v", c.ID, c.Max(), len(c.Levels), want)
		}
	}
	full := r.Full()
	if fault := r.Check(full, false); fault != nil || r.Total(full) != 19 {
		t.Errorf("full marks: %v, %v points", fault, r.Total(full))
	}
}

// TestCheck checks the kind and the reason of the fault for complete, incomplete and wrong sheets.
func TestCheck(t *testing.T) {
	r := CQA()
	for _, c := range []struct {
		name   string
		change func(map[string]float64)
		mean   bool
		kind   FaultKind
		reason string
	}{
		{"complete", func(map[string]float64) {}, false, "", ""},
		{"half a point", func(s map[string]float64) { s["9"] = 1.5 }, false, "", ""},
		{"zero", func(s map[string]float64) { s["1"] = 0 }, false, "", ""},
		{"missing", func(s map[string]float64) { delete(s, "3") }, false, Incomplete, "no score for criterion 3"},
		{"several missing", func(s map[string]float64) { delete(s, "3"); delete(s, "15") }, false, Incomplete, "no score for criteria 3, 15"},
		{"surplus", func(s map[string]float64) { s["16"] = 1 }, false, UnknownCriterion, "criterion 16"},
		{"missing and surplus", func(s map[string]float64) { delete(s, "1"); s["16"] = 1 }, false, Incomplete, "criterion 1"},
		{"too high", func(s map[string]float64) { s["5"] = 2 }, false, OutOfRange, "criterion 5 has 2 points; 0 to 1 are possible"},
		{"negative", func(s map[string]float64) { s["5"] = -1 }, false, OutOfRange, "criterion 5 has -1 points"},
		{"not a number", func(s map[string]float64) { s["5"] = math.NaN() }, false, OutOfRange, "criterion 5 has NaN points"},
		{"infinite", func(s map[string]float64) { s["5"] = math.Inf(1) }, true, OutOfRange, "criterion 5 has +Inf points"},
		{"off the step", func(s map[string]float64) { s["9"] = 1.3 }, false, OutOfRange, "scores go in steps of 0.5"},
		{"a mean of three", func(s map[string]float64) { s["9"] = 4.0 / 3 }, true, "", ""},
		{"a mean too high", func(s map[string]float64) { s["9"] = 2.01 }, true, OutOfRange, "2.01 points"},
		{"nothing", func(s map[string]float64) { clear(s) }, false, Incomplete, "no score for criteria 1, 2"},
	} {
		sheet := r.Full()
		c.change(sheet)
		fault := r.Check(sheet, c.mean)
		switch {
		case c.kind == "" && fault != nil:
			t.Errorf("%s: %v, want none", c.name, fault)
		case c.kind != "" && (fault == nil || fault.Kind != c.kind || !strings.Contains(fault.Reason, c.reason)):
			t.Errorf("%s: %v, want %s: …%s…", c.name, fault, c.kind, c.reason)
		}
	}
}

func TestValidate(t *testing.T) {
	fine := func() Rubric {
		return Rubric{Name: "r", Step: 0.5, Measurement: "ordinal", Criteria: []Criterion{
			{ID: "a", Group: "g", Text: "t", Levels: []Level{{Points: -1}, {Points: 2.5}}},
			{ID: "b", Group: "h", Text: "t", Levels: []Level{{Points: 3}, {Points: 1}}},
		}}
	}
	r := fine()
	if err := r.Validate(); err != nil || r.Max() != 5.5 || r.Min() != 0 {
		t.Errorf("%v, %v to %v points; want 0 to 5.5", err, r.Min(), r.Max())
	}
	for want, change := range map[string]func(*Rubric){
		"has no criteria": func(r *Rubric) { r.Criteria = nil },
		"is continuous, so the step": func(r *Rubric) {
			r.Step = 1
			r.Criteria[0].Continuous = true
		},
		"step is -1":                 func(r *Rubric) { r.Step = -1 },
		`measurement is "rank"`:      func(r *Rubric) { r.Measurement = "rank" },
		"criterion 2 has no id":      func(r *Rubric) { r.Criteria[1].ID = "" },
		`duplicate criterion id "a"`: func(r *Rubric) { r.Criteria[1].ID = "a" },
		`"b " has space around it`:   func(r *Rubric) { r.Criteria[1].ID = "b " },
		`"ca" is also the column`:    func(r *Rubric) { r.Criteria[1].ID = "ca" },
		`"b" has no group`:           func(r *Rubric) { r.Criteria[1].Group = "" },
		`"b" has no text`:            func(r *Rubric) { r.Criteria[1].Text = "" },
		"at least two levels":        func(r *Rubric) { r.Criteria[0].Levels = r.Criteria[0].Levels[:1] },
		"two levels with 3":          func(r *Rubric) { r.Criteria[1].Levels[1].Points = 3 },
		"not a multiple of the step": func(r *Rubric) { r.Criteria[0].Levels[0].Points = 0.3 },
		"a level has 1e+308 points":  func(r *Rubric) { r.Criteria[0].Levels[1].Points = 1e308 },
		"a level has -1e+09 points":  func(r *Rubric) { r.Criteria[0].Levels[0].Points = -1e9 },
		"are not a number":           func(r *Rubric) { r.Criteria[0].Levels[0].Points = math.NaN() },
	} {
		r := fine()
		change(&r)
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want …%s…", err, want)
		}
	}
}
