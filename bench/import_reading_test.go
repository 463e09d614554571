package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadingOfImport: import and judge show how columns are read, keep it in a file, and read it from there again. --show-reading writes
// nothing.
func TestReadingOfImport(t *testing.T) {
	dir := t.TempDir()
	in := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	questions := in("questions.csv", "id,question\nrefund,I want my money back\nlate,Where is my parcel?\n")
	rubric := in("rubric.yaml", "name: one\nstep: 1\ncriteria:\n  - {name: Polite, levels: [{points: 0, text: no}, {points: 2, text: yes}]}\n")
	c := in("compqa.yaml", "dataset: "+questions+"\nrubric: "+rubric+"\nscenarios: [1]\njudges: [{name: constant, provider: embedded}]\n")
	answers := in("answers.csv", "id,question_id,answer,response,bot\na1,refund,Hello,Bye,x\na2,late,T,U,x\n")
	people := in("people.csv", "nr,Anna,Ben\na1,0,2\na2,2,2\n")
	out := filepath.Join(dir, "run")
	imported := func(flags ...string) (int, string, string) {
		return compqa(append([]string{"import", "--config", c, "--out", out, "--answers", answers, "--people", people}, flags...)...)
	}
	code, shown, errs := imported("--show-reading")
	for _, want := range []string{"answers.csv (answers; a table)", "?  answer", "people.csv (people; a table)", "?  nr"} {
		if code != exitDone || !strings.Contains(shown, want) {
			t.Fatalf("exit code %d, there is no %q in\n%s%s", code, want, shown, errs)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("--show-reading writes a run")
	}
	if code, _, errs = imported(); code != exitDone || !strings.Contains(errs, "?  answer") || !strings.Contains(errs, "?  nr") {
		t.Fatalf("exit code %d: what is assumed is not shown: %s", code, errs)
	}
	kept := filepath.Join(out, "reading.yaml")
	out = filepath.Join(dir, "again")
	if code, _, errs = imported("--reading", kept); code != exitDone || strings.Contains(errs, "? is assumed") {
		t.Fatalf("exit code %d with --reading: %s", code, errs)
	}
	in("people.csv", "nr,Anna,Ben,Cleo\na1,0,2,1\na2,2,2,1\n")
	if code, _, errs = imported("--reading", kept); code != exitUsage || !strings.Contains(errs, `the column "Cleo" is not in the reading`) {
		t.Errorf("a new column: exit code %d, %s", code, errs)
	}
	verdicts := filepath.Join(dir, "verdicts.jsonl")
	judge := []string{"judge", "--config", c, "--judge", "constant", "--in", answers, "--out", verdicts}
	code, shown, _ = compqa(append(judge, "--show-reading")...)
	if _, err := os.Stat(verdicts); code != exitDone || err == nil || !strings.Contains(shown, "?  answer") {
		t.Errorf("judge --show-reading: exit code %d, %s", code, shown)
	}
	if code, _, errs = compqa(judge...); code != exitDone || !strings.Contains(errs, "?  answer") {
		t.Errorf("judge: exit code %d, %s", code, errs)
	}
	if code, _, errs = compqa(append(judge, "--reading", kept)...); code != exitDone || strings.Contains(errs, "? is assumed") {
		t.Errorf("judge --reading: exit code %d, %s", code, errs)
	}
	if code, _, errs = compqa(append(judge, "--reading", kept, "--map", "text=response")...); code != exitUsage {
		t.Errorf("judge --reading --map: exit code %d, %s", code, errs)
	}
}

// TestJudgeOfOneFile: --judge NAME says in import, agree and validate which rater of a file is the judge. validate refuses a run without a
// judge and says what to do.
func TestJudgeOfOneFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	questions := in("questions.csv", "id,question\nrefund,I want my money back\nlate,Where is my parcel?\n")
	rubric := in("rubric.yaml", "name: one\nstep: 1\ncriteria:\n  - {name: Polite, levels: [{points: 0, text: no}, {points: 2, text: yes}]}\n")
	c := in("compqa.yaml", "dataset: "+questions+"\nrubric: "+rubric+"\nscenarios: [1]\njudges: [{name: constant, provider: embedded}]\n")
	answers := in("answers.csv", "id,question_id,answer,bot\na1,refund,Hello,x\na2,late,T,x\n")
	both := in("both.csv", "id,rater,Polite\na1,Anna,0\na1,Ben,2\na1,Cy,2\na2,Anna,2\na2,Ben,2\na2,Cy,0\n")
	out := filepath.Join(dir, "run")
	arguments := []string{"import", "--config", c, "--out", out, "--answers", answers, "--people", both}
	if code, _, errs := compqa(append(arguments, "--judge", "Dora")...); code != exitUsage || !strings.Contains(errs, "they are Anna, Ben, Cy") {
		t.Errorf("import --judge Dora: exit code %d, %s", code, errs)
	}
	code, _, errs := compqa(append(arguments, "--judge", "Cy")...)
	if code != exitDone || !strings.Contains(errs, "2 values of Cy (the judge's)") {
		t.Fatalf("import --judge Cy: exit code %d, %s", code, errs)
	}
	code, shown, errs := compqa("agree", "--units", both, "--judge", "Cy")
	if code != exitDone || !strings.Contains(shown, "4 values of 2 people") || !strings.Contains(shown, "2 values of Cy (the judge's)") {
		t.Errorf("agree --judge Cy: exit code %d, %s%s", code, shown, errs)
	}
	code, _, errs = compqa("validate", out, "--out", filepath.Join(dir, "validation"))
	if code != exitUsage || !strings.Contains(errs, "has no verdicts of a judge") || !strings.Contains(errs, "compqa run --out "+out) {
		t.Errorf("validate of a run without a judge: exit code %d, %s", code, errs)
	}
	floors := filepath.Join(dir, "floors")
	code, _, errs = compqa("run", "--config", in("floors.yaml", "dataset: "+questions+"\nrubric: "+rubric+"\nscenarios: [1]\n"+
		"models: [{name: x, provider: file, path: "+answers+"}]\njudges: [{name: constant, provider: embedded}]\n"), "--out", floors)
	if code != exitDone {
		t.Fatalf("run: exit code %d, %s", code, errs)
	}
	code, _, errs = compqa("validate", floors, "--people", both, "--out", filepath.Join(dir, "validation"))
	if code != exitUsage || !strings.Contains(errs, "has only verdicts of constant, which give every answer") {
		t.Errorf("validate of a run with floors: exit code %d, %s", code, errs)
	}
}
