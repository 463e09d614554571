package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/judges/rules"
	"compqa/judges/surface"
	"compqa/judges/text"
	"compqa/results/paper"
	"compqa/rubric"
	"compqa/stats"
)

// releaseCalibrating is what `compqa calibrate --release` works on.
func releaseCalibrating(t *testing.T) *calibrating {
	t.Helper()
	c, err := calibrateOptions{Release: filepath.Join(sharedFolder(t), "data", "cqa-release"), Seed: 1}.prepare()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The embedded model is, byte for byte, what calibrate makes of the release, but
// for the figures over other divisions, and its own figures are those of its
// answers out of part. Whoever changes a measurement has to fit it again:
//
//	compqa calibrate --release DIR --out judges/surface/surface.jsonl
func TestSurfaceIsWhatCalibrateMakes(t *testing.T) {
	if testing.Short() {
		t.Skip("fits sixty models")
	}
	c := releaseCalibrating(t)
	fitted, err := c.fit(c.examples, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	fitted.Figures = surface.Builtin().Figures
	var made bytes.Buffer
	if err := fitted.Write(&made); err != nil {
		t.Fatal(err)
	}
	embedded, err := os.ReadFile(filepath.Join(moduleRoot(t), "judges", "surface", "surface.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made.Bytes(), embedded) {
		t.Error("judges/surface/surface.jsonl is not what calibrate makes: fit it again")
	}
	figures, err := c.pairs(c.by(fitted)).Figures()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range surface.Builtin().Figures {
		t.Logf("%s %.4f", f.Name, figures[i])
		if math.Abs(figures[i]-f.Value) > 1e-4 {
			t.Errorf("%s is %v, and the file says %v", f.Name, figures[i], f.Value)
		}
	}
	of := c.covered(fitted)
	t.Logf("bounds for 80 in 100 hold %.3f of the scores and %.3f of the totals; slope %.2f", of.scores, of.totals, of.slope)
	if math.Abs(of.scores-0.8) > 0.03 || math.Abs(of.totals-0.8) > 0.05 || math.Abs(of.slope-1) > 0.15 {
		t.Error("the spread is not calibrated")
	}
}

// With people's sheets dealt out at random nothing can be learnt, and nothing may
// seem to be: the agreement left when each criterion's mean is known is none. The
// same models asked about what they have seen do agree: that is what this would
// look like if a figure were of what was learnt.
func TestPermutedSheetsTeachNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("fits ten models to the release")
	}
	c := releaseCalibrating(t)
	order := make([]int, len(c.units))
	for i := range order {
		order[i] = i
	}
	stats.NewRNG(1, "permuted").Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	permuted := slices.Clone(c.units)
	examples := slices.Clone(c.examples)
	next := 0
	for i := range examples { // examples with sheets stand in the order of the units
		if examples[i].People != nil {
			examples[i].People = c.units[order[next]].scores
			permuted[next].scores = examples[i].People
			next++
		}
	}
	c.units = permuted
	fitted, err := c.fit(examples, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	within := func(of func(answer int) []float64) float64 {
		f, err := c.pairs(of).Figures()
		if err != nil {
			t.Fatal(err)
		}
		return f[3] // mean alpha of the criteria: within criteria by construction
	}
	unseen := within(c.by(fitted))
	seen := within(func(answer int) []float64 {
		other := (fitted.PartOf(c.answers[answer].Pair()) + 1) % len(fitted.Models)
		for _, u := range c.units {
			if pair := c.answers[u.answer].Pair(); fitted.PartOf(pair) == other {
				return rubric.CQA().Points(fitted.Scores(fitted.Expect(pair, c.inputs[answer], nil)))
			}
		}
		return nil
	})
	t.Logf("mean alpha of the criteria: %.3f unseen, %.3f seen", unseen, seen)
	if unseen > 0.05 {
		t.Errorf("sheets dealt out at random are agreed with by %.3f", unseen)
	}
	if seen < unseen+0.1 {
		t.Errorf("what was learnt is agreed with by %.3f only: this test shows nothing", seen)
	}
}

// peoplesRun is a run of the built-in questions with sheets of people on its
// answers, who score as the rules do but for every third criterion; it returns
// the folder, and the configuration that stands in it.
func peoplesRun(t *testing.T) (dir, cfg string) {
	t.Helper()
	dir = t.TempDir()
	cfg = filepath.Join(dir, "compqa.yaml")
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("compqa.yaml", peoplesConfig)
	var people strings.Builder
	references := data.References()
	for i, q := range data.CQA50() {
		scores, _ := rules.Score(text.Measure(q, references[q.Pair()]))
		for k := range 5 {
			scores[fmt.Sprint(1+3*k)] = float64((i + k) % 2)
		}
		line, err := json.Marshal(map[string]any{"id": data.AnswerID("reference", "1", q.ID, 1), "judge": "human", "scores": scores})
		if err != nil {
			t.Fatal(err)
		}
		people.Write(append(line, '\n'))
	}
	write("people.jsonl", people.String())
	if code, _, stderr := compqa("run", "--config", cfg, "--out", filepath.Join(dir, "run")); code != exitDone {
		t.Fatalf("run exits %d: %s", code, stderr)
	}
	return dir, cfg
}

const peoplesConfig = `scenarios: [1]
models:
  - {name: reference, provider: baseline}
  - {name: extractive, provider: baseline}
judges:
  - {name: rules, provider: embedded}
  - {name: people, provider: file, path: people.jsonl}
`

func holds(t *testing.T, file, start string) bool {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains("\n"+string(content), "\n"+start)
}

// A judge of a run is calibrated: its judge is in every report of that run, in
// other runs by an entry of the configuration, and scores files.
func TestCalibratedJudge(t *testing.T) {
	if testing.Short() {
		t.Skip("fits two hundred models")
	}
	dir, cfg := peoplesRun(t)
	record, model := filepath.Join(dir, "run"), filepath.Join(dir, "rules.jsonl")
	code, stdout, stderr := compqa("calibrate", "--run", record, "--judge", "rules", "--out", model, "--divisions", "1")
	if code != exitDone {
		t.Fatalf("calibrate exits %d: %s", code, stderr)
	}
	for _, want := range []string{"rules+calibrated: 50 sheets of people on answers to 50 questions", "cross-validated", "people's means"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("calibrate does not print %q:\n%s", want, stdout)
		}
	}
	if code, _, stderr := compqa("report", record); code != exitDone || !holds(t, filepath.Join(record, "agreement.csv"), "rules+calibrated,human,judge,final,-,50,50,") {
		t.Errorf("the calibrated judge is not in the report (%d, %s)", code, stderr)
	}

	first, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(dir, "again.jsonl")
	if code, _, stderr := compqa("calibrate", "--run", record, "--judge", "rules", "--out", again, "--divisions", "1"); code != exitDone {
		t.Fatal(stderr)
	}
	if second, err := os.ReadFile(again); err != nil || !bytes.Equal(first, second) {
		t.Errorf("the same data give other bytes (%v)", err)
	}

	entry := "  - {name: corrected, provider: calibrated, path: rules.jsonl}\n"
	if err := os.WriteFile(cfg, []byte(peoplesConfig+entry), 0o644); err != nil {
		t.Fatal(err)
	}
	other, leaderboard := filepath.Join(dir, "other"), filepath.Join(dir, "other", "leaderboard.csv")
	for range 2 { // the second time there is nothing to do
		if code, _, stderr := compqa("run", "--config", cfg, "--out", other); code != exitDone || !holds(t, leaderboard, "corrected,extractive,1,50,50,") {
			t.Fatalf("the entry gives no judge (%d, %s)", code, stderr)
		}
	}
	answers := filepath.Join(dir, "answers.jsonl")
	if err := os.WriteFile(answers, []byte(`{"id": "a", "object1": "tea", "object2": "coffee", "aspect": "", "text": "Tea is cheaper than coffee."}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := compqa("judge", "--config", cfg, "--judge", "corrected", "--in", answers, "--out", "-"); code != exitDone || !strings.Contains(stdout, `"judge":"corrected","status":"valid"`) {
		t.Errorf("judging a file exits %d: %s%s", code, stdout, stderr)
	}
	if err := os.WriteFile(cfg, []byte(peoplesConfig), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("run", "--config", cfg, "--out", other); code != exitDone || holds(t, leaderboard, "corrected,") {
		t.Errorf("without its entry the judge is still there (%d, %s)", code, stderr)
	}
}

func TestCalibrateRefuses(t *testing.T) {
	dir, cfg := peoplesRun(t)
	record, out := filepath.Join(dir, "run"), filepath.Join(dir, "out.jsonl")
	surface := filepath.Join(moduleRoot(t), "judges", "surface", "surface.jsonl")
	entries := func(entry string) {
		if err := os.WriteFile(cfg, []byte("judges:\n  - "+entry+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, of := range []struct {
		entry, want string
		args        []string
	}{
		{"", "needs --out", []string{"calibrate", "--run", record}},
		{"", "one of --release and --run", []string{"calibrate", "--out", out}},
		{"", "one of --release and --run", []string{"calibrate", "--run", record, "--release", dir, "--out", out}},
		{"", `no valid verdict of a judge "rulez"; did you mean "rules"?`, []string{"calibrate", "--run", record, "--judge", "rulez", "--out", out}},
		{"", "holds no run", []string{"calibrate", "--run", dir, "--out", out}},
		{"", "cannot be negative", []string{"calibrate", "--run", record, "--out", out, "--divisions", "-1"}},
		{"{name: x, provider: calibrated}", "needs path", []string{"run", "--config", cfg, "--out", out}},
		{"{name: x, provider: calibrated, path: gone.jsonl}", "no such file", []string{"run", "--config", cfg, "--out", out}},
		{"{name: x, provider: calibrated, path: " + surface + "}", "is the judge surface itself", []string{"run", "--config", cfg, "--out", out}},
	} {
		if of.entry != "" {
			entries(of.entry)
		}
		if code, _, stderr := compqa(of.args...); code != exitUsage || !strings.Contains(stderr, of.want) {
			t.Errorf("%v exits %d, want %d: %s, want %q", of.args, code, exitUsage, stderr, of.want)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written all the same")
	}
}

// Too few sheets are told as such, with what would do.
func TestCalibrateWantsSheets(t *testing.T) {
	answers, verdicts := []data.Answer{}, []data.Verdict{}
	for _, q := range data.CQA50()[:12] {
		a := data.Answer{ID: q.ID, Object1: q.Object1, Object2: q.Object2, Status: data.Valid, Text: data.References()[q.Pair()]}
		answers, verdicts = append(answers, a), append(verdicts, data.Verdict{Answer: a.ID, Judge: data.Human, Repeat: 1, Scores: rubric.CQA().Full()})
	}
	c := &calibrating{corpus: newCorpus("", answers, verdicts), seed: 1}
	c.units, c.examples = c.reference(), c.corpus.examples("", nil)
	if _, err := c.fit(c.examples, 1, true); err == nil || !strings.Contains(err.Error(), "12, on 12 questions; at least 20 on 10 are needed") {
		t.Errorf("12 sheets: %v", err)
	}
}

func TestSheetPairsOfNothing(t *testing.T) {
	c := &calibrating{corpus: newCorpus("", nil, nil)}
	p := c.pairs(func(int) []float64 { return nil })
	if a, err := p.Agreement(stats.Resampling{}); err != nil || a != (paper.SheetAgreement{}) {
		t.Errorf("%+v, %v", a, err)
	}
}
