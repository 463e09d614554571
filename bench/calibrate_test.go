package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/bench/verify"
	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/judges/rules"
	"compqa/judges/text"
)

// peoplesRun makes a run of the built-in questions with people's score sheets on its answers. People give the same scores as the judge
// rules, except on every third criterion. It returns the folder, and the configuration file in it.
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

// TestSoakCalibratedJudge: a judge of a run is calibrated. The calibrated judge is then in every report of the run, can be used in other
// runs by an entry of the configuration, and scores files.
func TestSoakCalibratedJudge(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	dir, cfg := peoplesRun(t)
	record := filepath.Join(dir, "run")
	model := filepath.Join(dir, "rules.jsonl")
	code, stdout, stderr := compqa("judge", "calibrate", record, "--judge", "rules", "--out", model, "--divisions", "1")
	if code != exitDone {
		t.Fatalf("calibrate exits %d: %s", code, stderr)
	}
	for _, want := range []string{"rules+calibrated: 50 human score sheets on answers to 50 questions", "cross-validated", "people's means"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("calibrate does not print %q:\n%s", want, stdout)
		}
	}
	if code, _, stderr := compqa("report", record); code != exitDone || !holds(t, filepath.Join(record, "tables", "agreement.csv"), "rules+calibrated,human,judge,final,-,50,50,") {
		t.Errorf("the calibrated judge is not in the report (%d, %s)", code, stderr)
	}

	first, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(dir, "again.jsonl")
	if code, _, stderr := compqa("judge", "calibrate", record, "--judge", "rules", "--out", again, "--divisions", "1"); code != exitDone {
		t.Fatal(stderr)
	}
	if second, err := os.ReadFile(again); err != nil || !bytes.Equal(first, second) {
		t.Errorf("the same data give other bytes (%v)", err)
	}

	entry := "  - {name: corrected, provider: calibrated, path: rules.jsonl}\n"
	if err := os.WriteFile(cfg, []byte(peoplesConfig+entry), 0o644); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other")
	leaderboard := filepath.Join(dir, "other", "tables", "leaderboard.csv")
	for range 2 { // the second time, nothing remains to be done
		if code, _, stderr := compqa("run", "--config", cfg, "--out", other); code != exitDone || !holds(t, leaderboard, "corrected,extractive,1,50,50,") {
			t.Fatalf("the entry gives no judge (%d, %s)", code, stderr)
		}
	}
	for run, judge := range map[string]string{record: "rules+calibrated", other: "corrected"} {
		honest := exportOf(t, run)
		forged := unpackedTo(t, honest)
		changed(t, forged, `UPDATE results SET content = (SELECT scores FROM verdicts WHERE judge = 'rules' ORDER BY total DESC LIMIT 1),
			total = (SELECT max(total) FROM verdicts WHERE judge = 'rules') WHERE kind = 'verdict' AND status = 'valid' AND party = '`+judge+`'`)
		reseal(t, forged)
		for _, file := range []string{honest, exportOf(t, forged)} {
			s, stderr := verdictOf(t, file)
			if resting := slices.IndexFunc(s.Rests, func(r verify.Rest) bool {
				return r.Party == judge && strings.Contains(r.Why, "a calibration in a file")
			}); s.Verdict != verify.Consistent || resting < 0 {
				t.Errorf("%s: %s\n%s\n%v", judge, s.Verdict, stderr, s.Rests)
			}
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

func TestSoakCalibrateRefuses(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	dir, cfg := peoplesRun(t)
	record := filepath.Join(dir, "run")
	out := filepath.Join(dir, "out.jsonl")
	surface := filepath.Join(sharedtest.ModuleRoot(t), "judges", "surface", "surface.jsonl")
	entries := func(entry string) {
		if err := os.WriteFile(cfg, []byte("judges:\n  - "+entry+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, of := range []struct {
		entry, want string
		args        []string
	}{
		{"", "needs --out", []string{"judge", "calibrate", record}},
		{"", "holds no run", []string{"judge", "calibrate", "--out", out}},
		{"", "from a run or from --release, not from both", []string{"judge", "calibrate", record, "--release", dir, "--out", out}},
		{"", `no valid verdict of a judge "rulez"; did you mean "rules"?`, []string{"judge", "calibrate", record, "--judge", "rulez", "--out", out}},
		{"", "holds no run", []string{"judge", "calibrate", dir, "--out", out}},
		{"", "cannot be negative", []string{"judge", "calibrate", record, "--out", out, "--divisions", "-1"}},
		{"{name: x, provider: calibrated}", "needs path", []string{"run", "--config", cfg, "--out", out}},
		{"{name: x, provider: calibrated, path: gone.jsonl}", "no such file", []string{"run", "--config", cfg, "--out", out}},
		{"{name: x, provider: calibrated, path: " + surface + "}", "defines the judge surface itself", []string{"run", "--config", cfg, "--out", out}},
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
