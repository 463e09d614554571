package surface

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"compqa/rubric"
	"compqa/stats"
)

var criteria = len(rubric.CQA().Criteria)

// madeUp returns examples of made-up answers to questions: random inputs, and people's scores that follow from the first input with some
// noise. Every third answer has no sheet of people.
func madeUp(questions, answers int, judge bool) []Example {
	rng := stats.NewRNG(11, "made up")
	var examples []Example
	for q := range questions {
		for a := range answers {
			e := Example{Pair: fmt.Sprintf("question %d", q)}
			for range InputNames() {
				e.Inputs = append(e.Inputs, math.Floor(10*rng.Float64()))
			}
			people := make([]float64, criteria)
			for k, criterion := range rubric.CQA().Criteria {
				low, high := criterion.Range()
				people[k] = low + math.Round(2*(e.Inputs[0]/20+rng.Float64()/2)*(high-low))/2
			}
			if a%3 != 2 {
				e.People = people
			}
			if judge {
				e.Judge = slices.Clone(people)
			}
			examples = append(examples, e)
		}
	}
	return examples
}

func fitted(t *testing.T, examples []Example, judge string, seed uint64) *Calibration {
	t.Helper()
	c, err := FitCalibration(examples, judge, seed)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The model that scores the answers to a question was fitted without them. So people's scores of these answers do not change the expected
// scores. Their scores of answers to another question do.
func TestModelsHaveNotSeenTheQuestion(t *testing.T) {
	examples := madeUp(12, 3, false)
	before := fitted(t, examples, "", 1)
	changed := slices.Clone(examples)
	const held = "question 4"
	for i, e := range changed {
		if e.Pair == held && e.People != nil {
			changed[i].People = make([]float64, criteria)
		}
	}
	after := fitted(t, changed, "", 1)
	for _, e := range examples {
		same := reflect.DeepEqual(before.Expect(e.Pair, e.Inputs, nil), after.Expect(e.Pair, e.Inputs, nil))
		if e.Pair == held && !same {
			t.Error("what is expected of a question's answers depends on what they were given")
		}
		if before.PartOf(e.Pair) != before.PartOf(held) && same {
			t.Errorf("%s: what is expected does not depend on what answers to other questions were given", e.Pair)
		}
	}
}

// The calibration of a judge corrects its scores. Here people's own scores are the judge's.
func TestCalibrationOfAJudge(t *testing.T) {
	examples := madeUp(12, 9, true)
	c := fitted(t, examples, "somebody", 1)
	for _, e := range examples {
		for k, expected := range c.Expect(e.Pair, e.Inputs, e.Judge) {
			if math.Abs(expected-e.Judge[k]) > 0.5 {
				t.Errorf("%s, criterion %d: %.2f expected where the judge and people give %v", e.Pair, k+1, expected, e.Judge[k])
			}
		}
	}
}

// A calibration that is read from its file equals the one that was written, and predicts the same.
func TestCalibrationFiles(t *testing.T) {
	for _, judge := range []string{"", "somebody"} {
		examples := madeUp(10, 6, judge != "")
		c := fitted(t, examples, judge, 2)
		c.Figures = []CalibrationFigure{{Name: "alpha", Value: 0.5, Low: 0.4, High: 0.6, Sheets: 40}}
		c.Made.Release = "abc"
		var file bytes.Buffer
		if err := c.Write(&file); err != nil {
			t.Fatal(err)
		}
		read, err := ReadCalibration("file", &file)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(read, c) {
			t.Errorf("judge %q: what was read is not what was written", judge)
		}
		if again := fitted(t, examples, judge, 2); !reflect.DeepEqual(again.Models, c.Models) {
			t.Error("the same examples and seed give another calibration")
		}
	}
}

func TestCalibrationsOfTooLittle(t *testing.T) {
	one := madeUp(12, 1, false)
	for name, examples := range map[string][]Example{
		"none": nil, "few sheets": one[:11], "few questions": madeUp(9, 9, false), "no people": func() []Example {
			all := madeUp(12, 9, false)
			for i := range all {
				all[i].People = nil
			}
			return all
		}(),
	} {
		if _, err := FitCalibration(examples, "", 0); !errors.Is(err, ErrTooFew) {
			t.Errorf("%s: %v, want too few", name, err)
		}
	}
	bad := madeUp(12, 9, false)
	bad[4].Inputs = bad[4].Inputs[:3]
	if _, err := FitCalibration(bad, "", 0); err == nil || errors.Is(err, ErrTooFew) {
		t.Errorf("inputs are missing: %v", err)
	}
	if _, err := FitCalibration(madeUp(12, 9, false), "somebody", 0); err == nil {
		t.Error("the judge's scores are missing, and nobody says so")
	}
}

// If all sheets are equal, only these scores can be predicted.
func TestCalibrationOfConstants(t *testing.T) {
	examples := madeUp(12, 6, false)
	for i, e := range examples {
		if e.People != nil {
			examples[i].People = slices.Repeat([]float64{1}, criteria)
		}
	}
	c := fitted(t, examples, "", 3)
	e := c.Expect("question 2", examples[0].Inputs, nil)
	for k := range e {
		if math.Abs(e[k]-1) > 1e-3 {
			t.Errorf("criterion %d: %v expected", k+1, e[k])
		}
	}
}

func TestPartsAreEqual(t *testing.T) {
	examples := madeUp(38, 7, false)
	part := divide(examples, 1)
	sheets := make([]int, 10)
	for _, e := range examples {
		if e.People != nil {
			sheets[part[e.Pair]]++
		}
	}
	if slices.Max(sheets)-slices.Min(sheets) > 5 { // a question has 5 sheets
		t.Errorf("sheets by part: %v", sheets)
	}
	slices.Reverse(examples)
	if !reflect.DeepEqual(part, divide(examples, 1)) {
		t.Error("the division depends on the order of the examples")
	}
	if reflect.DeepEqual(part, divide(examples, 2)) {
		t.Error("another seed gives the same division")
	}
}

func TestCalibrationFaultsAreTold(t *testing.T) {
	good := fitted(t, madeUp(10, 6, false), "", 0)
	write := func(change func(*Calibration)) string {
		var file bytes.Buffer
		if err := good.Write(&file); err != nil {
			t.Fatal(err)
		}
		c, err := ReadCalibration("file", &file)
		if err != nil {
			t.Fatal(err)
		}
		change(c)
		if err := c.Write(&file); err != nil {
			t.Fatal(err)
		}
		return file.String()
	}
	whole := write(func(*Calibration) {})
	for name, of := range map[string]struct{ text, want string }{
		"empty":         {"", "file: it is no calibration"},
		"no JSON":       {"hello\n", "it is no calibration"},
		"format":        {write(func(c *Calibration) { c.Format = 9 }), "format 9"},
		"inputs":        {write(func(c *Calibration) { c.Inputs[0] = "letters" }), "compqa judge calibrate"},
		"criteria":      {write(func(c *Calibration) { c.Criteria[0] = "0" }), "other criteria"},
		"unknown field": {strings.Replace(whole, `"format"`, `"colour"`, 1), "unknown field"},
		"too few":       {write(func(c *Calibration) { c.Models = c.Models[:1] }), "1 of 11 models"},
		"missing":       {write(func(c *Calibration) { c.Models[3] = nil }), "model 4 is missing"},
		"garbage":       {whole + "}\n", "more follows"},
		"two":           {whole + whole, "more follows"},
		"part":          {write(func(c *Calibration) { c.Parts["x"] = 10 }), "part 10 of 10"},
		"means":         {write(func(c *Calibration) { c.Models[0].Means = nil }), "model 1: a model of 0 means"},
		"weights":       {write(func(c *Calibration) { c.Models[1].Weights[2] = nil }), "model 2: a model of 0 outputs"},
		"base":          {write(func(c *Calibration) { c.Models[0].Base[0] = -1e6 }), "at most 19 is possible"},
	} {
		if _, err := ReadCalibration("file", strings.NewReader(of.text)); err == nil || !strings.Contains(err.Error(), of.want) {
			t.Errorf("%s: %v, want %q in it", name, err, of.want)
		}
	}
}

// Any file is either refused with an error or gives a usable calibration.
func FuzzReadCalibration(f *testing.F) {
	examples := madeUp(10, 6, false)
	c, err := FitCalibration(examples, "", 0)
	if err != nil {
		f.Fatal(err)
	}
	var file bytes.Buffer
	if err := c.Write(&file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.String())
	f.Add(`{"format":3}`)
	f.Add(strings.Replace(file.String(), `"scales":[`, `"scales":[1e-300,`, 1))
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ReadCalibration("file", strings.NewReader(text))
		if err != nil {
			return
		}
		judge := make([]float64, c.width()-len(c.Inputs))
		for _, pair := range []string{"", examples[0].Pair} {
			c.Scores(c.Expect(pair, examples[0].Inputs, judge))
			c.Effects(pair, examples[0].Inputs, judge)
		}
	})
}
