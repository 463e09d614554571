package bench

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/judges/surface"
	"compqa/rubric"
	"compqa/stats"
)

// releaseFitting returns the calibration state of `compqa judge calibrate --release`.
func releaseFitting(t *testing.T) *calibrationFitting {
	t.Helper()
	c, err := calibrateOptions{Release: sharedtest.Release(t), Seed: 1}.prepare()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSurfaceIsWhatCalibrateMakes: the embedded model is the one that calibrate fits to the release. Its figures are for answers in the
// parts to which it was not fitted. After a change of a measurement, fit it again:
//
//	compqa judge calibrate --release DIR --out judges/surface/surface.jsonl
func TestSurfaceIsWhatCalibrateMakes(t *testing.T) {
	t.Parallel()
	c := releaseFitting(t)
	fitted, err := c.fit(c.examples, 1)
	if err != nil {
		t.Fatal(err)
	}
	fitted.Figures = surface.Builtin().Figures
	var made, embedded bytes.Buffer
	if err := errors.Join(fitted.Write(&made), surface.Builtin().Write(&embedded)); err != nil {
		t.Fatal(err)
	}
	if made.String() != embedded.String() {
		t.Error("judges/surface/surface.jsonl is not what calibrate makes: fit it again")
	}
	figures, err := c.pairs(c.by(fitted)).values()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range surface.Builtin().Figures {
		if math.Abs(figures[i]-f.Value) > 1e-4 {
			t.Errorf("%s is %v, and the file says %v", f.Name, figures[i], f.Value)
		}
	}
}

// TestSoakPermutedSheetsTeachNothing: if people's sheets are permuted at random, nothing can be learnt. The held-out agreement within
// criteria must then be zero. The same models do agree with the sheets that they were fitted to, which shows how a leak would look.
func TestSoakPermutedSheetsTeachNothing(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	c := releaseFitting(t)
	sheets := c.people[data.Human]
	permuted := slices.Clone(sheets)
	stats.NewRNG(1, "permuted").Shuffle(len(sheets), func(i, j int) {
		permuted[i].scores, permuted[j].scores = permuted[j].scores, permuted[i].scores
	})
	c.people[data.Human] = permuted
	fitted, err := c.fit(c.calibrationCorpus.examples(""), 1)
	if err != nil {
		t.Fatal(err)
	}
	within := func(of func(answer int) []float64) float64 {
		f, err := c.pairs(of).values()
		if err != nil {
			t.Fatal(err)
		}
		return f[3] // the mean of the criteria's alphas measures agreement within criteria
	}
	unseen := within(c.by(fitted))
	seen := within(func(answer int) []float64 {
		return rubric.CQA().Points(fitted.Scores(fitted.Expect("the model of all questions", c.inputs[answer], nil)))
	})
	t.Logf("mean alpha of the criteria: %.3f unseen, %.3f seen", unseen, seen)
	if unseen > 0.05 {
		t.Errorf("sheets dealt out at random are agreed with by %.3f", unseen)
	}
	if seen < unseen+0.05 {
		t.Errorf("what was learnt is agreed with by %.3f only: this test shows nothing", seen)
	}
}

// TestCalibratedJudgeReadsEnglish: a calibrated judge skips answers that it cannot measure, and corrects the scores of the others.
func TestCalibratedJudgeReadsEnglish(t *testing.T) {
	t.Parallel()
	judge := calibratedJudge{Name: "calibrated", Fitted: surface.Builtin()}
	sheet := data.Given{Ending: &data.Ending{Status: data.Valid}}
	for text, want := range map[string]data.Status{"Tea is cheaper than coffee.": data.Valid, "Чай дешевле кофе.": data.Skipped} {
		v := judge.verdict(rubric.CQA(), data.Answer{ID: "a", Object1: "tea", Object2: "coffee", Text: text}, sheet)
		if v.Status != want || (v.Reason != "") != (want == data.Skipped) {
			t.Errorf("%s: %+v", text, v)
		}
	}
}

// TestCalibrateWantsSheets: if there are too few sheets, the error says so and how many are needed.
func TestCalibrateWantsSheets(t *testing.T) {
	t.Parallel()
	answers := []data.Answer{}
	verdicts := []data.Verdict{}
	for _, q := range data.CQA50()[:12] {
		a := data.Answer{ID: q.ID, Object1: q.Object1, Object2: q.Object2, Status: data.Valid, Text: data.References()[q.Pair()]}
		answers = append(answers, a)
		verdicts = append(verdicts, data.Verdict{Answer: a.ID, Judge: data.Human, Repeat: 1, Scores: rubric.CQA().Full()})
	}
	c := &calibrationFitting{calibrationCorpus: newCalibrationCorpus("", answers, verdicts), seed: 1}
	_, err := c.fit(c.calibrationCorpus.examples(""), 1)
	if err == nil || !strings.Contains(err.Error(), "12, on 12 questions; at least 20 on 10 questions are needed") {
		t.Errorf("12 sheets: %v", err)
	}
}

func TestSheetPairsOfNothing(t *testing.T) {
	t.Parallel()
	c := &calibrationFitting{calibrationCorpus: newCalibrationCorpus("", nil, nil)}
	p := c.pairs(func(int) []float64 { return nil })
	if a, err := p.agreement(stats.Resampling{}); err != nil || slices.ContainsFunc(a, func(f stats.Figure) bool { return f.Known }) {
		t.Errorf("%+v, %v", a, err)
	}
}
