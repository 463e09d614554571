package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"compqa/bench/verify"
	"compqa/data/sharedtest"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/scenarios"
)

// recomputableRun returns the folder and the configuration of a run that needs no model, so that all of it can be recomputed.
func recomputableRun(t *testing.T) (dir, cfg string) {
	t.Helper()
	recordedLock.Lock()
	defer recordedLock.Unlock()
	folder := t.TempDir()
	cfg = filepath.Join(folder, "compqa.yaml")
	dir = filepath.Join(folder, "run")
	const text = `
scenarios: [1, 2]
models:
  - {name: template, provider: baseline}
  - {name: extractive, provider: baseline}
judges:
  - {name: rules, provider: embedded}
  - {name: constant, provider: embedded}
pairs: [{name: run}]
`
	if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	made, known := recorded[text]
	if !known {
		var err error
		if made.dir, err = os.MkdirTemp("", "compqa-test-*"); err != nil { // the folder must outlive this test
			t.Fatal(err)
		}
		for _, args := range [][]string{{"--limit", "6"}, {"--only", "pairs"}} {
			if code, _, stderr := compqa(append([]string{"run", "--config", cfg, "--out", made.dir}, args...)...); code != exitDone {
				t.Fatalf("%v: exit %d, %s", args, code, stderr)
			}
		}
		recorded[text] = made
	}
	if err := os.CopyFS(dir, os.DirFS(made.dir)); err != nil {
		t.Fatal(err)
	}
	return dir, cfg
}

// reseal gives a changed record the checksums that this program's own code computes.
func reseal(t *testing.T, dir string) {
	t.Helper()
	s, err := store.Create(dir)
	if err == nil {
		err = s.Write(func(store.Batch) error { return nil })
	}
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// exportOf exports a run's folder and returns the file.
func exportOf(t *testing.T, dir string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", dir, "--out", file); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	return file
}

// TestSoakVerdictOfForgeries: forged records are given checksums and exported by this program. verify must end with a difference, list the
// forgery, or end as not finished. It must never say verified.
func TestSoakVerdictOfForgeries(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	dir, _ := recomputableRun(t)
	honest := exportOf(t, dir)
	if code, stdout, stderr := compqa("verify", honest); code != exitDone || !strings.HasPrefix(stdout, honest+": verified\n") || !strings.Contains(stdout, verify.CannotKnow) {
		t.Fatalf("the honest run: exit %d\n%s%s", code, stdout, stderr)
	}
	own := rubric.CQA()
	own.Criteria[0].Text = "It praises the sponsor."
	ownText, err := json.Marshal(own)
	if err != nil {
		t.Fatal(err)
	}
	first, err := scenarios.Builtin("1")
	if err != nil {
		t.Fatal(err)
	}
	template, err := json.Marshal(first.Source)
	if err != nil {
		t.Fatal(err)
	}
	quote := func(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
	const some = `id IN (SELECT id FROM answers WHERE system = 'extractive' LIMIT 4)`
	const (
		lost  = "planned results are missing beside others of the same party"
		noted = `; UPDATE plan SET note = 'provider p cannot be used' `
	)
	for name, test := range map[string]struct {
		query string
		want  string
		code  int
	}{
		"low verdicts deleted":          {`DELETE FROM results WHERE kind = 'verdict' AND party = 'rules' AND total < (SELECT avg(total) FROM verdicts WHERE judge = 'rules')` + noted + `WHERE kind = 'verdict'`, lost, exitFailed},
		"answers deleted":               {`DELETE FROM results WHERE kind = 'label' AND subject IN (SELECT id FROM answers WHERE system = 'extractive' LIMIT 4); DELETE FROM results WHERE kind = 'verdict' AND subject IN (SELECT id FROM answers WHERE system = 'extractive' LIMIT 4); DELETE FROM answers WHERE ` + some + noted, verify.NotVerified, exitFailed},
		"the end of a judge's verdicts": {`DELETE FROM results WHERE kind = 'verdict' AND party = 'rules' AND subject IN (SELECT a.id FROM answers a JOIN questions q ON q.id = a.question WHERE a.system = 'extractive' AND q.position >= 1); DELETE FROM attacks` + noted + `WHERE judge = 'rules'`, lost, exitFailed},
		"and the run unfinished":        {`DELETE FROM results WHERE kind = 'verdict' AND rowid % 3 = 0; UPDATE run SET finished = NULL`, lost, exitFailed},
		"the plan made to fit":          {`DELETE FROM results WHERE kind = 'verdict' AND party = 'rules' AND rowid % 2 = 0; UPDATE plan SET planned = (SELECT count(*) FROM verdicts v JOIN answers a ON a.id = v.answer WHERE v.judge = plan.judge AND a.system = plan.system AND a.scenario = plan.scenario) WHERE kind = 'verdict'`, "are recorded as planned, but the configuration plans", exitFailed},
		"a system's answers":            {`DELETE FROM results WHERE kind = 'preference'; DELETE FROM pairs; DELETE FROM sets; DELETE FROM plan WHERE kind = 'preference'; DELETE FROM parties WHERE role = 'pairwise'; DELETE FROM run WHERE part = 'pairs'; DELETE FROM attacks; DELETE FROM results WHERE kind = 'label' AND subject LIKE 'extractive/%'; DELETE FROM results WHERE kind = 'verdict' AND subject LIKE 'extractive/%'; DELETE FROM answers WHERE system = 'extractive'` + noted + `WHERE system = 'extractive'`, "not made     12 answers of extractive: none is on record", exitFailed},
		"some preferences":              {`DELETE FROM results WHERE kind = 'preference' AND rowid % 2 = 0` + noted + `WHERE kind = 'preference'`, lost, exitFailed},
		"preferences and their plan":    {`DELETE FROM results WHERE kind = 'preference' AND party = 'surface-pair' AND "order" = 'ab' AND subject > (SELECT min(id) FROM pairs); UPDATE plan SET planned = (SELECT count(*) FROM preferences p WHERE p.judge = plan.judge AND p."order" = plan."order") WHERE kind = 'preference' AND judge = 'surface-pair'`, "preferences of surface-pair: pairs of the set run that it was not asked about", exitDone},
		"attacks deleted":               {`DELETE FROM attacks`, "336 attacks of embedded judges: `compqa run` records them", exitFailed},
		"attacks changed":               {`UPDATE attacks SET after = before`, "the recorded attacks on embedded judges differ", exitFailed},
		"another rubric as cqa":         {`UPDATE run SET rubric_hash = '` + own.Hash() + `', rubric = ` + quote(string(ownText)), "the recorded rubric is called cqa, but has other texts", exitFailed},
		"another template as 1":         {`UPDATE run SET templates = replace(templates, ` + quote(strings.Trim(string(template), `"`)) + `, ` + quote(strings.Trim(string(template), `"`)+" Be brief.") + `)`, "the recorded template of scenario 1 is not the built-in one", exitFailed},
		"another version":               {`UPDATE run SET revision = 'z'; UPDATE plan SET fingerprint = 'z' WHERE kind = 'verdict'; UPDATE results SET content = replace(content, '"1":0', '"1":1'), total = total + 1 WHERE kind = 'verdict' AND party = 'rules' AND content LIKE '%"1":0%'`, "another version of compqa than this one", exitFailed},
		"another version, as it is":     {`UPDATE run SET revision = 'z'; UPDATE results SET content = replace(content, '"2":0', '"2":1'), total = total + 1 WHERE kind = 'verdict' AND party = 'rules' AND content LIKE '%"2":0%'`, "but the judge gives", exitFailed},
		"a calibrated judge":            {`UPDATE plan SET origin = 'calibrated' WHERE judge = 'constant'`, "the run contains imported verdicts (calibrated) of a judge with that name", exitFailed},
		"lines in the program":          {`UPDATE run SET program = 'x' || char(10) || 'run.gz: verified' || char(10) || '  answers      all'`, `compqa x\nrun.gz: verified\n answers`, exitDone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			forged := unpackedTo(t, honest)
			changed(t, forged, test.query)
			reseal(t, forged)
			file := exportOf(t, forged)
			code, stdout, stderr := compqa("verify", file)
			if code != test.code || !strings.Contains(stdout+stderr, test.want) {
				t.Errorf("exit %d, want %d and %q\n%s%s", code, test.code, test.want, stdout, stderr)
			}
			if name != "lines in the program" && strings.Contains(stdout, ": verified\n") || len(regexp.MustCompile(`(?m)^(run.gz: verified|  answers      all)`).FindAllString(stdout, -1)) > 0 {
				t.Errorf("it is verified:\n%s", stdout)
			}
			var summary verify.Summary
			_, stdout, _ = compqa("verify", "--json", file)
			if err := json.Unmarshal([]byte(stdout), &summary); err != nil || summary.CannotKnow != verify.CannotKnow ||
				slices.Contains([]string{verify.NotVerified, verify.NotFinished}, summary.Verdict) != (code != exitDone) ||
				summary.Verdict == verify.Verified && name != "lines in the program" {
				t.Errorf("%v, %s", err, stdout)
			}
		})
	}
}

// TestRunDoesNotLaunder: if another program changed the scores in a record, a run into it stops before it records anything. Otherwise the
// changed record would get new checksums.
func TestRunDoesNotLaunder(t *testing.T) {
	t.Parallel()
	dir, cfg := recomputableRun(t)
	tampered(t, dir, `UPDATE results SET content = replace(content, '"1":0', '"1":1'), total = total + 1 WHERE kind = 'verdict' AND content LIKE '%"1":0%'`)
	sums := func() string {
		db := openRecord(t, dir)
		defer db.Close()
		return strings.Join(selected(t, db, "SELECT * FROM sums ORDER BY name"), "\n") + contents(t, dir)
	}
	before := sums()
	for _, args := range [][]string{{"run", "--config", cfg, "--out", dir, "--limit", "6"}, {"run", "--config", cfg, "--out", dir, "--only", "pairs"}} {
		code, _, stderr := compqa(args...)
		if code != exitFailed || !strings.Contains(stderr, "a row of table results differs from its checksum") {
			t.Errorf("%s: exit %d, %s", args[0], code, stderr)
		}
		if sums() != before {
			t.Errorf("%s has changed the record", args[0])
		}
	}
}

// TestSoakSignedExport: verify names who signed an export, and can require a key. A later export without a key removes the signature of the
// earlier file.
func TestSoakSignedExport(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	dir, _ := recomputableRun(t)
	folder := t.TempDir()
	keys := map[string]string{"ours": sharedtest.SSHKey(t, "ed25519", ""), "other": sharedtest.SSHKey(t, "ed25519", "")}
	if err := os.WriteFile(filepath.Join(folder, "words"), []byte("no key"), 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "run.gz")
	expect := func(wantCode int, want string, args ...string) {
		t.Helper()
		code, stdout, stderr := compqa(args...)
		if code != wantCode || !strings.Contains(stdout+stderr, want) || strings.Contains(stdout+stderr, "PRIVATE") {
			t.Errorf("%v: exit %d, want %d and %q\n%s%s", args, code, wantCode, want, stdout, stderr)
		}
	}
	expect(exitDone, "run.gz.sig: signed by SHA256:", "export", dir, "--out", file, "--sign", keys["ours"])
	expect(exitDone, "signed by    SHA256:", "verify", file, "--signer", keys["ours"]+".pub")
	expect(exitDone, "a key that was not compared with any", "verify", file)
	expect(exitFailed, "it is signed by another key, SHA256:", "verify", file, "--signer", keys["other"]+".pub")
	expect(exitUsage, "holds no SSH public key", "verify", file, "--signer", keys["ours"])
	expect(exitUsage, "is not an SSH key", "export", dir, "--out", file, "--sign", filepath.Join(folder, "words"))
	expect(exitUsage, "cannot be standard output", "export", dir, "--out", "-", "--sign", keys["ours"])
	expect(exitDone, "checks them", "export", dir, "--out", file)
	expect(exitDone, "signed by    nobody", "verify", file)
	expect(exitFailed, "it is not signed: there is no run.gz.sig", "verify", file, "--signer", keys["ours"]+".pub")
}

// TestOwnTextsUnderBuiltInNames: if a user's own rubric or template has a built-in name, the record adds a hash to the name. The
// leaderboard says that the rubric is not the built-in one.
func TestOwnTextsUnderBuiltInNames(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	own := rubric.CQA()
	own.Criteria[0].Text = "It praises the sponsor."
	text, err := json.Marshal(own) // JSON is valid YAML
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"cqa.yaml": string(text),
		"one.tmpl": `{{define "user"}}{{.Question}} Be brief.{{end}}`,
		"compqa.yaml": "rubric: cqa.yaml\nscenarios: [{id: '1', template: one.tmpl}]\nmodels: [{name: template, provider: baseline}]\n" +
			"judges: [{name: constant, provider: embedded}]\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(folder, "run")
	if code, _, stderr := compqa("run", "--config", filepath.Join(folder, "compqa.yaml"), "--out", dir, "--limit", "3"); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if got := rowsOf(t, dir, "SELECT DISTINCT json_extract(rubric, '$.name') || ' ' || (SELECT group_concat(DISTINCT scenario) FROM answers) FROM run"); !regexp.MustCompile(`^cqa-[0-9a-f]{8} 1-[0-9a-f]{8}\n$`).MatchString(got) {
		t.Errorf("names: %s", got)
	}
	if _, stdout, stderr := compqa("verify", exportOf(t, dir)); !strings.Contains(stdout, ": consistent, but 2 items rest on") ||
		!strings.Contains(stdout, "1 rubric of cqa-") || !strings.Contains(stdout, "1 template of scenario 1-") {
		t.Errorf("%s%s", stdout, stderr)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for _, page := range pages {
		said += string(fileContent(t, page))
	}
	if !strings.Contains(said, `an own rubric, "cqa-`) {
		t.Errorf("no page says that the rubric is an own one")
	}
}
