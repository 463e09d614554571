package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/results/store"
	"compqa/web/annotate/project"
)

// TestAnnotateStagesOfRun: people compare the pairs of a run in stages and rate rationales. The sheets are imported with the record alone,
// after the configuration and the file of pairs were deleted.
func TestAnnotateStagesOfRun(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) { return 200, completion(wellBehaved(prompt), "stop") })
	dir := pairwiseFiles(t, server.URL, twoPairs, `pairwise:
  - {name: sc2, method: sc2, provider: scripted, model: m, draws: 1, aspect_draws: 1, samples: 0}
  - {name: con-j, method: con-j, provider: scripted, model: m, samples: 0}
`)
	must := ending(t)
	out := filepath.Join(dir, "run")
	must(0, pairwiseRunArgs(dir)...)
	for i, kind := range []string{"stages", "rationales"} {
		person := []string{"human:p1", "human:p2"}[i] // when the second person comes, the run already has the first person's preferences
		must(0, "annotate", "init", out, "--people", "1", "--study", studyOf(t, "kind: "+kind, noChecks))
		p, err := project.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		token, err := p.Invite("anna")
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
		n := 0
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
			for _, f := range p.Fields(as.About) {
				if f.Stage > last.Sheet.Stage+1 || !f.Needed() {
					continue
				}
				sheet.Values[f.ID] = f.Options[0].Value
				if strings.HasPrefix(f.ID, "choice") {
					sheet.Values[f.ID] = project.Side(as.About.Content.Label, as.Shown)
				}
			}
			if _, err := p.Append(a.ID, project.Event{Item: next, Revision: last.Revision, Kind: project.Submit, Sheet: sheet, Nonce: next + string(rune('a'+last.Revision))}); err != nil {
				t.Fatalf("%+v: %v", sheet, err)
			}
			n++
		}
		if want := map[string]int{"stages": 4, "rationales": 4}[kind]; n != want {
			t.Errorf("%s: %d submits, want %d", kind, n, want)
		}
		p.Close()
		for _, name := range []string{"pairs.jsonl", "compqa.yaml"} {
			os.Remove(filepath.Join(dir, name))
		}
		if text := must(0, "annotate", "apply", out, "--include-flagged"); !strings.Contains(text, "Imported 2 preferences on 2 pairs: "+person+" 2") {
			t.Errorf("%s: %s", kind, text)
		}
		found := 0
		for _, row := range csvTable(t, filepath.Join(out, "tables", "preference_agreement.csv")) {
			if row["reference"] == person && row["order"] == "both" && row["dataset"] == "pairs" && row["method"] != "surface" && row["right"] == "1" {
				found++
			}
		}
		if found < 2 { // sc2 and con-j choose as the person does
			t.Errorf("%s: %d judges agree with the person: %v", kind, found, csvTable(t, filepath.Join(out, "tables", "preference_agreement.csv")))
		}
		run, err := store.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		grades, err := store.Value[int](run, `SELECT count(*) FROM grades WHERE grader = ?`, person)
		if want := map[string]int{"rationales": 4}[kind]; err != nil || grades != want { // grades of 2 judges on 2 pairs
			t.Errorf("%s: %d grades of rationales, want %d: %v", kind, grades, want, err)
		}
		run.Close()
		file := filepath.Join(dir, kind+".gz")
		must(0, "export", out, "--out", file)
		if text := must(0, "verify", file); strings.Contains(text, "not verified") {
			t.Errorf("%s: %s", kind, text)
		}
		for _, name := range []string{project.FileName, "annotation"} {
			if err := os.RemoveAll(filepath.Join(out, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
}
