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

// TestAnnotateForeignLog uses a log of another tool, without ids and with a continuous scale. The items on which the judge is worst become
// a study, people enter numbers such as 0.85, the owner decides, and the sheets are imported under the record's ids. The record already has
// people's mean, so apply says that it stays and how the sheets can count. Decisions can be the reference.
func TestAnnotateForeignLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "v")
	compqa := ending(t)
	var log, people strings.Builder
	people.WriteString("text,annotator,quality\n")
	for i := range 12 {
		score := float64(i*7%12) / 16
		fmt.Fprintf(&log, `{"question":"q%d","output":"Answer %[1]d.","score":%v}`+"\n", i, score)
		fmt.Fprintf(&people, "Answer %d.,ann,%v\nAnswer %[1]d.,bob,%v\n", i, score+float64(i)/50+.01, score+float64(i)/50+.03)
	}
	for name, text := range map[string]string{"log.jsonl": log.String(), "people.csv": people.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	compqa(0, "validate", filepath.Join(dir, "log.jsonl"), "--people", filepath.Join(dir, "people.csv"), "--map", "text=output,people.text=text",
		"--judge", "j=score", "--pair", "score=quality", "--out", out)
	table, err := os.ReadFile(filepath.Join(out, "tables", "disagreements.csv"))
	if err != nil || !strings.Contains(string(table), "\nj,score,item#12,") {
		t.Errorf("disagreements.csv has no ids of the record: %v\n%s", err, table)
	}
	if text := compqa(0, "annotate", "init", out, "--worst", "3", "--people", "1", "--study", studyOf(t, noChecks)); !strings.Contains(text, "no random sample") ||
		!strings.Contains(text, "people see only the names of ") {
		t.Error(text)
	}
	p, err := project.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if len(p.Items) != 3 || p.Fields(p.Items[0])[0].Type != project.Number {
		t.Fatalf("%+v", p.Items)
	}
	token, err := p.Invite("carla")
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
	value := map[string]string{"item#12": "0,85", "item#11": "0.15", "item#10": "0.5"}
	for range 3 {
		next, err := p.Next(a)
		if err != nil {
			t.Fatal(err)
		}
		as, err := p.Assignment(a.ID, next)
		if err != nil || value[as.About.Source] == "" {
			t.Fatalf("%+v %v", as.About, err)
		}
		submit := func(text string) error {
			_, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Nonce: next + text,
				Sheet: project.Sheet{Values: map[string]string{"1": text}}})
			return err
		}
		for _, wrong := range []string{"1.2", "1,25", "NaN", ""} {
			if err := submit(wrong); err == nil || !strings.Contains(err.Error(), `enter a number from 0 to 1, for instance 0.5`) && wrong != "" {
				t.Errorf("%q: %v", wrong, err)
			}
		}
		if err := submit(value[as.About.Source]); err != nil {
			t.Fatal(err)
		}
	}
	blind, err := p.ToAdjudicate(p.Items[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Append(0, project.Event{Item: blind, Kind: project.Adjudicate, Nonce: "owner", Sheet: project.Sheet{Values: map[string]string{"1": "0.4"}}}); err != nil {
		t.Fatal(err)
	}
	text := compqa(0, "annotate", "apply", out, "--include-flagged")
	if !strings.Contains(text, "the run has people's mean (judge human) of 3 of these answers") || !strings.Contains(text, "--replace-mean") {
		t.Errorf("what the sheets do is not said:\n%s", text)
	}
	again := filepath.Join(dir, "again")
	text = compqa(0, "validate", out, "--reference", "adjudicated", "--out", again)
	if !strings.Contains(text, "1 of") && !strings.Contains(text, "1  ") {
		t.Error(text)
	}
	page, err := os.ReadFile(filepath.Join(again, "report.html"))
	if err != nil || !strings.Contains(string(page), "what the study&#39;s owner decided on 1 item (human:adjudicated)") {
		t.Errorf("the page does not say what the reference is: %v", err)
	}
	compqa(2, "validate", out, "--reference", "nobody", "--out", again)
	means := func() map[string]float64 {
		t.Helper()
		run, err := store.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		rows, err := store.Select[struct {
			Answer string
			Score  float64
		}](run, `SELECT answer, scores ->> '1' FROM verdicts WHERE judge = 'human'`)
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]float64{}
		for _, r := range rows {
			m[r.Answer] = r.Score
		}
		return m
	}
	before := means()
	if text := compqa(0, "annotate", "apply", out, "--include-flagged", "--replace-mean"); !strings.Contains(text, "3 means of people") {
		t.Error(text)
	}
	// The means of the three items were deleted, so that they are recomputed from the sheets. The other means stay.
	if after := means(); len(before) != 12 || len(after) != 9 || after["item#1"] != before["item#1"] {
		t.Errorf("%v, then %v", before, after)
	}
}
