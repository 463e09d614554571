package surface

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"compqa/data/sharedtest"
	"compqa/stats"
)

// madeUp are sheets on made-up answers to questions: inputs at random, and
// people's scores that follow from the first input with some noise; another
// judge's follow from the second. Every third answer has no sheet of people.
func madeUp(questions, answers int, judge bool) []Example {
	rng := stats.NewRNG(11, "made up")
	n := len(InputNames())
	var examples []Example
	for q := range questions {
		for a := range answers {
			e := Example{Pair: fmt.Sprintf("question %d", q), Inputs: make([]float64, n), Lesson: make([]float64, len(ranges))}
			for j := range n {
				e.Inputs[j] = math.Floor(10 * rng.Float64())
			}
			people := make([]float64, len(ranges))
			for k, within := range ranges {
				p := e.Inputs[0]/20 + rng.Float64()/2
				people[k] = within[0] + math.Round(2*p*(within[1]-within[0]))/2
				e.Lesson[k] = within[0] + e.Inputs[1]/10*(within[1]-within[0])
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

func fitted(t *testing.T, examples []Example, o FitOptions) *Calibration {
	t.Helper()
	c, err := FitCalibration(examples, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The model that speaks on a question has not seen it: whatever people, teachers
// and the judge gave its answers, nothing changes in what is expected of them.
// What they gave the answers to another question does change it.
func TestSoakModelsHaveNotSeenTheQuestion(t *testing.T) {
	sharedtest.Soak(t)
	examples := madeUp(12, 3, false)
	o := FitOptions{Seed: 1}
	before := fitted(t, examples, o)
	changed := slices.Clone(examples)
	const held = "question 4"
	for i, e := range changed {
		if e.Pair != held {
			continue
		}
		changed[i].Lesson = make([]float64, len(ranges))
		if e.People != nil {
			changed[i].People = make([]float64, len(ranges))
		}
	}
	after := fitted(t, changed, o)
	same, others := true, true
	for _, e := range examples {
		x, y := before.Expect(e.Pair, e.Inputs, nil), after.Expect(e.Pair, e.Inputs, nil)
		switch {
		case e.Pair == held && !reflect.DeepEqual(x, y):
			same = false
		case before.PartOf(e.Pair) != before.PartOf(held) && !reflect.DeepEqual(x, y):
			others = false
		}
	}
	if !same {
		t.Error("what is expected of a question's answers depends on what they were given")
	}
	if others {
		t.Error("nothing depends on what answers were given: this test shows nothing")
	}
}

// A file holds all there is: what was read from it is what was written, and
// expects the same.
func TestCalibrationFiles(t *testing.T) {
	for _, judge := range []string{"", "somebody"} {
		examples := madeUp(10, 6, judge != "")
		c := fitted(t, examples, FitOptions{Judge: judge, Seed: 2})
		c.Figures = []CalibrationFigure{{Name: "alpha", Value: 0.5, Low: 0.4, High: 0.6, Sheets: 40}}
		c.Made.Release, c.Made.Teachers = "abc", []string{"x", "y"}
		var file, again bytes.Buffer
		if err := c.Write(&file); err != nil {
			t.Fatal(err)
		}
		text := file.String()
		read, err := ReadCalibration("file", &file)
		if err != nil {
			t.Fatal(err)
		}
		if err := read.Write(&again); err != nil || again.String() != text {
			t.Errorf("judge %q: what was read is written otherwise (%v)", judge, err)
		}
		for _, e := range append(examples, Example{Pair: "another", Inputs: examples[0].Inputs, Judge: examples[0].Judge}) {
			if x, y := c.Expect(e.Pair, e.Inputs, e.Judge), read.Expect(e.Pair, e.Inputs, e.Judge); !reflect.DeepEqual(x, y) {
				t.Fatalf("judge %q, %s: %v written, %v read", judge, e.Pair, x, y)
			}
		}
		if again := fitted(t, examples, FitOptions{Judge: judge, Seed: 2}); !reflect.DeepEqual(again.Models, c.Models) {
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
		if _, err := FitCalibration(examples, FitOptions{}); !errors.Is(err, ErrTooFew) {
			t.Errorf("%s: %v, want too few", name, err)
		}
	}
	bad := madeUp(12, 9, false)
	bad[5].Inputs = bad[5].Inputs[:3]
	if _, err := FitCalibration(bad, FitOptions{}); err == nil || errors.Is(err, ErrTooFew) {
		t.Errorf("inputs are missing: %v", err)
	}
	if _, err := FitCalibration(madeUp(12, 9, false), FitOptions{Judge: "somebody"}); err == nil {
		t.Error("the judge's scores are missing, and nobody says so")
	}
}

// Sheets that are all the same leave nothing to learn but themselves.
func TestCalibrationOfConstants(t *testing.T) {
	examples := madeUp(12, 6, false)
	for i, e := range examples {
		if e.People != nil {
			examples[i].People = slices.Repeat([]float64{1}, len(ranges))
		}
	}
	c := fitted(t, examples, FitOptions{Seed: 3})
	e := c.Expect("question 2", examples[0].Inputs, nil)
	for k := range ranges {
		if math.Abs(e[k]-1) > 1e-3 {
			t.Errorf("criterion %d: %v expected", k+1, e[k])
		}
	}
}

func TestPartsAreEqual(t *testing.T) {
	examples := madeUp(38, 7, false)
	part := divide(examples, 10, 1)
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
	if !reflect.DeepEqual(part, divide(examples, 10, 1)) {
		t.Error("the division depends on the order of the examples")
	}
	if reflect.DeepEqual(part, divide(examples, 10, 2)) {
		t.Error("another seed gives the same division")
	}
}

func TestCalibrationFaultsAreTold(t *testing.T) {
	var file bytes.Buffer
	if err := fitted(t, madeUp(10, 6, false), FitOptions{}).Write(&file); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(file.String(), "\n")
	replaced := func(old, new string) string { return strings.Replace(file.String(), old, new, 1) }
	for name, of := range map[string]struct{ text, want string }{
		"empty":          {"", "contains no whole calibration"},
		"no JSON":        {"hello\n", "file:1: not a line"},
		"no head":        {lines[1], "file:1: not a line"},
		"two heads":      {lines[0] + lines[0], "file:2: not a line"},
		"format":         {replaced(`"format":2`, `"format":9`), "format 9"},
		"inputs":         {replaced(`"words"`, `"letters"`), "compqa calibrate"},
		"criteria":       {replaced(`"criteria":["1",`, `"criteria":["0",`), "other criteria"},
		"unknown field":  {replaced(`"format"`, `"colour"`), "unknown field"},
		"no models":      {lines[0] + lines[1], "1 of 10 models"},
		"too many":       {file.String() + lines[1], "file:12: a model too many"},
		"garbage":        {file.String() + "}\n", "file:12: not a line"},
		"two on a line":  {strings.TrimSpace(file.String()) + " ]", "file:11: not a line of a calibration: more follows"},
		"part":           {replaced(`:3,`, `:30,`), "part 30 of 10"},
		"lessons":        {replaced(`"means":[`, `"means":[1,`), "file:2: the lessons"},
		"without":        {lines[0] + lines[1] + `{"lessons":null,"curves":` + strings.SplitN(lines[2], `"curves":`, 2)[1], "file:3: some models have lessons"},
		"criteria short": {replaced(`"curves":[`, `"curves":[{"base":1,"of":[]},`), "file:2: curves of 16 criteria"},
		"curve":          {replaced(`"of":[[`, `"of":[[1.5],[`), "file:2: not a line"},
		"base":           {regexp.MustCompile(`"curves":\[{"base":[-0-9.e]+`).ReplaceAllString(file.String(), `"curves":[{"base":1000000`), "at most 19 are possible"},
		"input":          {replaced(`"of":[[`, `"of":[[999,0],[`), "file:2: a curve of input 999"},
	} {
		_, err := ReadCalibration("file", strings.NewReader(of.text))
		if err == nil || !strings.Contains(err.Error(), of.want) {
			t.Errorf("%s: %v, want %q in it", name, err, of.want)
		}
	}
}

// Whatever a file holds, it is refused or it can be asked.
func FuzzReadCalibration(f *testing.F) {
	examples := madeUp(10, 6, false)
	c, err := FitCalibration(examples, FitOptions{})
	if err != nil {
		f.Fatal(err)
	}
	var file bytes.Buffer
	if err := c.Write(&file); err != nil {
		f.Fatal(err)
	}
	f.Add(file.String())
	f.Add(`{"format":2}`)
	f.Add(strings.Replace(file.String(), `"of":[[`, `"of":[[1e300,0],[`, 1))
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ReadCalibration("file", strings.NewReader(text))
		if err != nil {
			return
		}
		judge := make([]float64, c.lessonsFrom()-len(c.Inputs))
		for _, pair := range []string{"", examples[0].Pair} {
			c.Scores(c.Expect(pair, examples[0].Inputs, judge))
			c.Effects(pair, examples[0].Inputs, judge)
		}
	})
}
