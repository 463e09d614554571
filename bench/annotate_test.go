package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/rubric"
	"compqa/web/annotate/project"
)

// What people submit reaches the run's reports as verdicts of human:NAME.
func TestAnnotateRoundTrip(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "answers.jsonl"), filepath.Join(dir, "run")
	answers := `{"id":"x1","object1":"tram","object2":"bus","aspect":"cost","text":"Trams last. I am gpt-4o.","system":"s"}` + "\n" +
		`{"id":"x2","object1":"cat","object2":"dog","aspect":"care","text":"Dogs need walks.","system":"s"}` + "\n"
	if err := os.WriteFile(in, []byte(answers), 0o644); err != nil {
		t.Fatal(err)
	}
	compqa := func(want int, args ...string) string {
		t.Helper()
		var text bytes.Buffer
		if code := Main(args, Streams{In: strings.NewReader(""), Out: &text, Err: &text}); code != want {
			t.Fatalf("%v: exit code %d\n%s", args, code, &text)
		}
		return text.String()
	}
	compqa(0, "import", "--out", out, "--answers", in)
	if text := compqa(0, "annotate", "init", "--run", out, "--mask"); !strings.Contains(text, "2 items, 2 of them for two people") {
		t.Errorf("init: %s", text)
	}
	compqa(2, "annotate", "init", "--run", out)
	compqa(2, "annotate", "invite", "--run", out)
	compqa(2, "annotate", "invite", "adjudicated", "--run", out)
	link := strings.TrimSpace(compqa(0, "annotate", "invite", "anna", "--run", out))
	p, err := project.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	session, err := p.Start(link[strings.LastIndex(link, "/")+1:])
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Session(session)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		next, err := p.Next(a)
		if err != nil {
			t.Fatal(err)
		}
		as, _ := p.Assignment(a.ID, next)
		it, _ := p.Item(as.Item)
		if strings.Contains(it.Content.A, "gpt-4o") {
			t.Errorf("the name of a model is not masked: %s", it.Content.A)
		}
		e := project.Event{Item: next, Kind: project.Submit, Sheet: project.Sheet{Scores: rubric.CQA().Full()}, Nonce: next}
		if it.Source == "x2" {
			e.Kind, e.Sheet = project.Skip, project.Sheet{Reason: "unreadable"}
		}
		if _, err := p.Append(a.ID, e); err != nil {
			t.Fatal(err)
		}
	}
	compqa(0, "annotate", "status", "--run", out)
	sheets := filepath.Join(dir, "sheets")
	compqa(0, "annotate", "export", "--run", out, "--out", sheets)
	compqa(0, "import", "--out", out, "--verdicts", filepath.Join(sheets, "verdicts.jsonl"))
	compqa(0, "report", out)
	board, err := os.ReadFile(filepath.Join(out, "leaderboard.csv"))
	if err != nil || !strings.Contains(string(board), "human:anna,s,-,2,1,19,") {
		t.Errorf("%v\n%s", err, board)
	}
}
