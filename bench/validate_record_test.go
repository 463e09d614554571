package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"compqa/bench/cli"
	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/recordtest"
	"compqa/results/store"
	"compqa/results/validation"
)

// parsedFlags returns the flags of validate for a command line.
func parsedFlags(t *testing.T, args ...string) *validateFlags {
	t.Helper()
	var f validateFlags
	set := pflag.NewFlagSet("validate", pflag.ContinueOnError)
	f.add(set)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	if err := f.parse(); err != nil {
		t.Fatal(err)
	}
	return &f
}

// scoredRun makes a record of a judge and a person on 24 answers with 1 to 3 of 5 points. The judge's last verdict is out of range.
func scoredRun(t *testing.T) (dir string, ids []string) {
	t.Helper()
	totals := recordtest.Sawtooth(24, 5)
	for i := range totals {
		totals[i] = 1 + float64(int(totals[i])%3)
	}
	judged := append(append([]float64{}, totals[:23]...), 7)
	f := recordtest.Of(map[string]string{"human:1": dataset.KindHuman}, recordtest.By("j", "s", "1", judged...), recordtest.By("human:1", "s", "1", totals...))
	f.Rubric.Criteria[0].Name = "Next step"
	for _, a := range f.Answers {
		f.Questions = append(f.Questions, data.Question{ID: a.Question, Object1: a.Object1, Object2: a.Object2})
		ids = append(ids, a.ID)
	}
	return f.Write(t, t.TempDir()), ids
}

// TestInvalidVerdictsAreMissing: a verdict that is out of range counts as missing, with its reason. The record's rubric gives the scale.
func TestInvalidVerdictsAreMissing(t *testing.T) {
	t.Parallel()
	dir, _ := scoredRun(t)
	of, err := validation.ReadRun(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	log := validation.SideOfRun(of.Judgements, validation.Side{})
	var last data.Rating
	for _, last = range log.Values.All() {
		if last.Failed {
			break
		}
	}
	if log.Values.Len() != 24 || !last.Failed || last.Value != "" || !strings.Contains(last.Reason, "7 points") {
		t.Errorf("%d scores, the last %+v", log.Values.Len(), last)
	}
	r, err := parsedFlags(t).compute([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if p := r.Pairings[0]; p.PeopleScale.Short() != "0–5" || p.JudgeScale.Short() != "0–5" || !p.SameScale {
		t.Errorf("scales %s and %s", p.JudgeScale, p.PeopleScale)
	}
	for _, row := range r.Rows {
		if row.Reference == "1" && (row.N != 23 || row.Failed != 1 || row.MAE.Text(3) != "0.000") {
			t.Errorf("%+v", row)
		}
	}
}

// TestPeopleOfRunAndFile: scores in a file of people are used beside those of the run's people, and both are counted in the summary. A file
// that has no criterion or no item of the run is refused.
func TestPeopleOfRunAndFile(t *testing.T) {
	t.Parallel()
	dir, ids := scoredRun(t)
	write := func(criterion string, id func(i int) string) string {
		text := "id,annotator," + criterion + "\n"
		for i := range ids {
			text += fmt.Sprintf("%s,anna,%d\n", id(i), 1+i%3)
		}
		path := filepath.Join(t.TempDir(), "people.csv")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	own := func(i int) string { return ids[i] }
	people := write("Next step", own)
	f := parsedFlags(t, "--people", people)
	r, err := f.compute([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	references := map[string]int{}
	for _, row := range r.Rows {
		references[row.Reference] = row.N
	}
	if references["1"] != 23 || references["anna"] != 23 {
		t.Errorf("%v", references)
	}
	for i, of := range []string{people, dir} {
		if want := "people: 24 values of 1 person"; len(f.summaries) != 3 || !strings.HasPrefix(f.summaries[i+1], want) ||
			!strings.Contains(f.summaries[i+1], "24 items ("+of+")") {
			t.Errorf("%q, want %s of 24 items of %s", f.summaries, want, of)
		}
	}
	for want, file := range map[string]string{`did you mean "Next step"?`: write("Next steps", own), "has no item of the run": write("Next step", func(i int) string { return fmt.Sprint("z", i) })} {
		if _, err := parsedFlags(t, "--people", file).compute([]string{dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestRecordWithoutObjects: items without objects are recorded as questions without objects. Each cluster is one question, even if two have
// the same text.
func TestRecordWithoutObjects(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, head string, value func(i int) int) string {
		text := head
		for i := range 24 {
			text += fmt.Sprintf("i%d,g%d,What is it?,%d\n", i, i/2, value(i))
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	log := write("j.csv", "id,group,question,clear\n", func(i int) int { return 1 + i%5 })
	f := parsedFlags(t, "--out", filepath.Join(dir, "out"), "--people",
		write("p.csv", "id,group,question,clear\n", func(i int) int { return 1 + i*7%5 }))
	r, err := f.compute([]string{log})
	if err != nil {
		t.Fatal(err)
	}
	if err := writtenValidation(t.Context(), f, log, r); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(f.out)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	questions, err := store.Select[struct{ ID, Object1, Object2, Question string }](db, "SELECT id, object1, object2, question FROM questions")
	if err != nil || len(questions) != 12 {
		t.Fatalf("%d questions, %v", len(questions), err)
	}
	for _, q := range questions {
		if q.Object1 != "" || q.Object2 != "" || q.Question != "What is it?" {
			t.Errorf("%+v", q)
		}
	}
}

// writtenValidation writes a validation as the command does.
func writtenValidation(ctx context.Context, f *validateFlags, log string, r *validation.Result) error {
	folder, err := store.OpenFolder(f.out, store.Output{Command: "validate", Content: store.ContentValidation})
	if err != nil {
		return err
	}
	defer folder.Close()
	return f.write(ctx, []string{log}, r, folder, nil)
}

// TestRecordInterrupted: after Ctrl-C while the record is made, nothing is written and an earlier validation stays whole.
func TestRecordInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := filepath.Join(dir, "both.csv")
	out := filepath.Join(dir, "out")
	text := "id,judge,people\n"
	for i := range 24 {
		text += fmt.Sprintf("i%d,%d,%d\n", i, 1+i%5, 1+i*7%5)
	}
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var before []string
	for _, stopped := range []bool{false, true} {
		if stopped {
			cancel()
		}
		f := parsedFlags(t, "--out", out, "--people", log, "--map", "judge.x=judge,people.x=people")
		r, err := f.compute([]string{log})
		if err == nil {
			err = writtenValidation(ctx, f, log, r)
		}
		var now []string
		for _, name := range []string{store.RecordName, "report.html", filepath.Join("tables", validation.FileName)} {
			text, missing := os.ReadFile(filepath.Join(out, name))
			if missing != nil {
				t.Error(missing)
			}
			now = append(now, string(text))
		}
		if errors.Is(err, cli.ErrInterrupted) != stopped || !stopped && err != nil || stopped && !slices.Equal(before, now) {
			t.Errorf("stopped %v: %v, the files are the same: %v", stopped, err, slices.Equal(before, now))
		}
		before = now
	}
}
