package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/bench/verify"
	"compqa/data/sharedtest"
	"compqa/web/annotate/project"
)

// scoredStudy makes a run of two questions. In a study, two people scored four of its answers.
func scoredStudy(t *testing.T) (dir string) {
	t.Helper()
	must := ending(t)
	dir = filepath.Join(t.TempDir(), "run")
	must(0, "run", "--config", "../compqa.yaml", "--limit", "2", "--out", dir)
	must(0, "annotate", "init", dir, "--sample", "4", "--people", "2", "--study", studyOf(t, "each: 2", noChecks))
	p, err := project.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for person, name := range []string{"anna", "ben"} {
		token, err := p.Invite(name)
		if err != nil {
			t.Fatal(err)
		}
		session, err := p.Start(token)
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.Session(session)
		if err != nil {
			t.Fatal(err)
		}
		for {
			next, err := p.Next(a)
			if err != nil {
				t.Fatal(err)
			}
			if next == "" {
				break
			}
			as, err := p.Assignment(a.ID, next)
			if err != nil {
				t.Fatal(err)
			}
			last, _ := p.Last(next)
			sheet := project.Sheet{Values: map[string]string{}}
			for i, f := range p.Fields(as.About) {
				if len(f.Options) > 0 {
					sheet.Values[f.ID] = f.Options[(i+person)%len(f.Options)].Value
				}
			}
			_, err = p.Append(a.ID, project.Event{Item: next, Revision: last.Revision, Kind: project.Submit, Sheet: sheet, Nonce: next})
			if err != nil {
				t.Fatalf("%+v: %v", sheet, err)
			}
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	must(0, "annotate", "apply", dir, "--include-flagged")
	return dir
}

// TestSoakVerifyOfEveryKind: for an honest export of each kind, verify says what docs/verification.md says, and the export contains no
// local path.
func TestSoakVerifyOfEveryKind(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	must := ending(t)
	into := func(t *testing.T, args ...string) (dir string) {
		t.Helper()
		dir = filepath.Join(t.TempDir(), "out")
		must(0, append(args, "--out", dir)...)
		return dir
	}
	for name, kind := range map[string]struct {
		make    func(t *testing.T) (dir string)
		verdict string
		words   []string
	}{
		"run": {func(t *testing.T) string { return into(t, "run", "--config", "../compqa.yaml") }, verify.Verified,
			[]string{"measured     50 questions of cqa50, built in", "checked      1000 of 1000 planned answers, 3000 of 3000 planned verdicts"}},
		"limit": {func(t *testing.T) string { return into(t, "run", "--config", "../compqa.yaml", "--limit", "10") }, verify.Verified,
			[]string{"measured     10 of the 50 questions of cqa50, built in"}},
		"import": {importedPeople, verify.Consistent, []string{"6 answers of mine: imported", "5 verdicts of gpt: imported",
			"6 verdicts of human:1: people's scores", "1 verdict of human: recorded mean, not recomputed"}},
		"pairs": {func(t *testing.T) string {
			dir := t.TempDir()
			pairs, err := filepath.Abs("../examples/pairs/pairs.jsonl")
			if err == nil {
				err = os.CopyFS(dir, os.DirFS("../examples"))
			}
			config := filepath.Join(dir, "pairs", "compqa.yaml")
			text := strings.Replace(string(fileContent(t, config)), "path: pairs.jsonl", "path: "+pairs, 1)
			if err == nil {
				err = os.WriteFile(config, []byte(text), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			return into(t, "run", "--config", config, "--only", "pairs", "--trust")
		}, verify.Consistent, []string{"measured     no answers to the 50 questions of cqa50",
			"2 pairs of the set mine: texts and labels from a file",
			"4 preferences of program: replies of a model", "20 preferences, "}},
		"strum": {func(t *testing.T) string {
			dir := t.TempDir()
			config := filepath.Join(dir, "compqa.yaml")
			sources, err := filepath.Abs("../examples/strum/sources.csv")
			if err == nil {
				err = os.WriteFile(config, []byte("dataset: "+dir+"/q.jsonl\nscenarios: [\"1\"]\njudges: [{name: rules, provider: embedded}]\n"+
					"models: [{name: tables, provider: baseline, model: strum, sources: "+sources+"}]\n"), 0o644)
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, "q.jsonl"), []byte(`{"object1":"tea","object2":"coffee"}`+"\n"), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			return into(t, "run", "--config", config)
		}, verify.Consistent, []string{"1 declaration of tables: sources from a file: ", "1 question of …/q.jsonl: own ones, not built in"}},
		"study": {scoredStudy, verify.Consistent, []string{"measured     2 of the 50 questions", "verdicts of human:p1: people's scores",
			"verdicts of human:p2: people's scores"}},
		"validation": {wholeValidation, verify.Consistent, []string{"50 verdicts of human:Anna: people's scores",
			"1 earlier look of the validation: as recorded",
			"50 inclusion probabilities of the validation: as recorded", " values of the validation: as read from logs and people's scores"}},
		"datasheet": {func(t *testing.T) string { return into(t, "datasheet", "surface", "--limit", "4") }, verify.Consistent,
			[]string{"4 answers of as it is: from a file", "4 answers of empty praise: from a file", "60 of 60 planned verdicts"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := exportOf(t, kind.make(t))
			if names := foldersIn(t, file); names != nil {
				t.Errorf("absolute paths in %q", names)
			}
			code, stdout, stderr := compqa("verify", "--verbose", file)
			if code != exitDone || !strings.HasPrefix(stdout, file+": "+kind.verdict) {
				t.Errorf("exit %d, %s%s", code, stdout, stderr)
			}
			for _, words := range kind.words {
				if !strings.Contains(stdout, words) {
					t.Errorf("%q is not in\n%s", words, stdout)
				}
			}
		})
	}
}

// TestSoakExportOfStrum: a folder of contrastive tables has no run. Its export is refused, and the message says what to do.
func TestSoakExportOfStrum(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "compqa.yaml")
	text := "providers: {own: {type: command, run: [\"true\"]}}\njudges: [{name: rules, provider: embedded}]\n" +
		"models: [{name: mine, provider: own, model: m, method: strum}]\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "tables")
	compqa("strum", "--in", "../examples/strum/sources.csv", "--out", out, "--config", config, "--model", "mine", "--trust")
	code, _, stderr := compqa("export", out, "--out", filepath.Join(dir, "x.gz"))
	if code != exitUsage || !strings.Contains(stderr, "holds the calls of contrastive tables, and no run: publish strum.json") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
