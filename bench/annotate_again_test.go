package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/results/store"
	"compqa/web/annotate/project"
)

// A recordedStudy is an annotation study in the folder of a run.
type recordedStudy struct {
	*testing.T
	out string
}

func (r recordedStudy) open() *project.Project {
	p, err := project.Open(r.out)
	if err != nil {
		r.Fatal(err)
	}
	return p
}

func (r recordedStudy) work(p *project.Project, printed string) (n int) {
	_, token, _ := strings.Cut(printed, "/a/")
	token, _, _ = strings.Cut(token, "\n")
	session, err := p.Start(token)
	if err != nil {
		r.Fatalf("%v: %s", err, printed)
	}
	a, err := p.Session(session)
	if err != nil {
		r.Fatal(err)
	}
	for ; ; n++ {
		next, err := p.Next(a)
		if err != nil {
			r.Fatal(err)
		}
		if next == "" {
			return n
		}
		as, _ := p.Assignment(a.ID, next)
		sheet := project.ScoreSheet(p.Rubric.Full())
		if as.About.Kind == project.Pair {
			sheet = project.Sheet{Values: map[string]string{}}
			for _, f := range p.Fields(as.About) {
				if f.Needed() {
					sheet.Values[f.ID] = f.Options[0].Value
				}
			}
		}
		if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: sheet, Nonce: next}); err != nil {
			r.Fatal(err)
		}
	}
}

func (r recordedStudy) sql(q string) string {
	run, err := store.Open(r.out)
	if err != nil {
		r.Fatal(err)
	}
	defer run.Close()
	list, err := store.Select[string](run, q)
	if err != nil {
		r.Fatal(err)
	}
	return strings.Join(list, ", ")
}

// TestAnnotateAgainKeeps: a person who labelled before keeps the earlier results when taking part in a study. Two of three answers, and one
// of two pairs, were judged before. A person who is excluded leaves the run and its plan. A judge of the run can be only one person.
func TestAnnotateAgainKeeps(t *testing.T) {
	t.Parallel()
	must := ending(t)
	dir := t.TempDir()
	r := recordedStudy{t, filepath.Join(dir, "run")}
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var answers, verdicts strings.Builder
	for i := range 3 {
		fmt.Fprintf(&answers, `{"id":"x%d","object1":"tram","object2":"bus","aspect":"%[1]d","text":"Trams last %[1]d.","system":"s"}`+"\n", i)
		if i < 2 {
			fmt.Fprintf(&verdicts, `{"id":"x%d","judge":"human:p1","status":"valid","scores":{`, i)
			for c := range 15 {
				fmt.Fprintf(&verdicts, `%s"%d":0`, map[bool]string{true: ","}[c > 0], c+1)
			}
			verdicts.WriteString("}}\n")
		}
	}
	must(0, "import", "--out", r.out, "--answers", file("answers.jsonl", answers.String()))
	must(0, "import", "--out", r.out, "--verdicts", file("earlier.jsonl", verdicts.String()))
	must(0, "annotate", "init", r.out, "--people", "1", "--study", studyOf(t, noChecks))
	p := r.open()
	defer p.Close()
	must(2, "annotate", "invite", "--from", file("people.txt", "new1\nanna human:p1\nben human:p1\n"), r.out)
	if n := r.work(p, must(0, "annotate", "invite", "anna", r.out, "--as", "human:p1")); n != 1 {
		t.Errorf("%d items of 3, 2 judged before", n)
	}
	must(0, "annotate", "apply", r.out, "--include-flagged")
	const recorded = `SELECT (SELECT count(*) FROM verdicts WHERE judge = 'human:p1') || ' of ' || sum(planned) FROM plan
		WHERE kind = 'verdict' AND judge = 'human:p1'`
	for _, step := range []struct {
		args []string
		want string
	}{
		{nil, "3 of 3"},
		{[]string{"annotate", "change", r.out, "--study", studyOf(t, noChecks, "guidelines: "+file("g.md", "Read twice."))}, "3 of 3"},
		{[]string{"annotate", "exclude", "anna", r.out, "--why", "x"}, "2 of 2"},
		{[]string{"annotate", "include", "anna", r.out}, "3 of 3"},
	} {
		if step.args != nil {
			must(0, step.args...)
			must(0, "annotate", "apply", r.out, "--include-flagged")
		}
		if got := r.sql(recorded); got != step.want {
			t.Errorf("after %v: verdicts %s, want %s", step.args, got, step.want)
		}
	}
	must(2, "show", r.out, "--system", "s", "--limit", "-1", "--json")

	r.out = filepath.Join(dir, "pairs")
	must(0, "pairwise", "import", "--config", emptyConfig(t), "--pairs", file("pairs.jsonl", twoPairs), "--out", r.out,
		"--in", file("preferences.jsonl", `{"id": "p1", "judge": "human:7", "order": "ab", "choice": "a", "status": "valid"}`+"\n"))
	must(0, "annotate", "init", r.out, "--people", "1", "--study", studyOf(t, "kind: pair", noChecks))
	pairs := r.open()
	defer pairs.Close()
	r.work(pairs, must(0, "annotate", "invite", "anna", r.out, "--as", "human:7"))
	must(0, "annotate", "apply", r.out, "--include-flagged")
	if got := r.sql(`SELECT id FROM preferences WHERE judge = 'human:7' ORDER BY id`); got != "p1, p2" {
		t.Errorf("preferences on %s, want p1, p2", got)
	}
}
