package bench

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"compqa/web/annotate/project"
)

// TestAnnotateSeveralRight: sets of right answers that people give in a study are exported, and read from the export with the same
// agreement.
func TestAnnotateSeveralRight(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	compqa := ending(t)
	out := filepath.Join(dir, "study")
	items := "id,text\n"
	log := "id,judge,tone\n"
	for i := range 12 {
		items += fmt.Sprintf("%d,Well number %d.\n", i, i)
		log += fmt.Sprintf("%d,A,%d\n%d,B,%d|%d\n", i, i%3, i, i%3, (i+1)%3)
	}
	writeFiles(t, dir, map[string]string{"items.csv": items, "log.csv": log, "tones.yaml": `{name: tones, step: 1, measurement: nominal, criteria:
  [{id: tone, name: tone, text: Which?, levels: [{points: 0, text: kind}, {points: 1, text: neutral}, {points: 2, text: rude}]}]}`})
	study := func(criterion string) string {
		return studyOf(t, "rubric: "+filepath.Join(dir, "tones.yaml"), "several: ["+criterion+"]", noChecks)
	}
	wrong := compqa(2, "annotate", "init", out, "--items", filepath.Join(dir, "items.csv"), "--study", study("ton"))
	if !strings.Contains(wrong, `several: there is no choice "ton"; people choose an option of tone`) {
		t.Error(wrong)
	}
	compqa(0, "annotate", "init", out, "--items", filepath.Join(dir, "items.csv"), "--study", study("tone"))
	p, err := project.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for k, name := range []string{"ann", "ben"} {
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
		for i := range 12 {
			next, err := p.Next(a)
			if err != nil {
				t.Fatal(err)
			}
			values := map[string]string{"tone": fmt.Sprint((i + k*(i/8)) % 3)}
			if i%2 == k || i%4 == 0 {
				values["others-tone"] = fmt.Sprint((i + 1) % 3)
			}
			if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Nonce: next, Sheet: project.Sheet{Values: values}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	sheets := filepath.Join(dir, "sheets")
	if text := compqa(0, "annotate", "export", out, "--out", sheets); !strings.Contains(text, "values.csv --sets tone") {
		t.Error(text)
	}
	agreed := regexp.MustCompile(`tone: all that may be right,all,sets \(MASI\),12,12,([^,]+),([^,]+),([^,\n]+)`).FindStringSubmatch(
		readFile(t, sheets, "agreement.csv"))
	if agreed == nil {
		t.Fatalf("agreement.csv has no sets:\n%s", readFile(t, sheets, "agreement.csv"))
	}
	compqa(0, "validate", filepath.Join(dir, "log.csv"), "--people", filepath.Join(sheets, "values.csv"), "--sets", "tone", "--out",
		filepath.Join(dir, "v"))
	if table := readFile(t, dir, "v/tables/sets.csv"); strings.Count(table, ","+agreed[1]+",") != 2 {
		t.Errorf("alpha of the study is %v; sets.csv:\n%s", agreed[1:], table)
	}
}
