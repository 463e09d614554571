package scenarios

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
)

var update = flag.Bool("update", false, "write the golden prompts anew")

var tramOrBus = data.Question{ID: "bus | tram", Object1: "tram", Object2: "bus", Aspect: "noise", Text: "Which is quieter, a tram or a bus?", Arguments: []data.Argument{
	{Text: "A tram runs on rails, while a bus runs on a road.", Favours: data.Object1, Aspect: "way"},
	{Text: "A bus with {{a combustion engine}} is louder than a tram.", Favours: data.Object1, Aspect: "drive"},
	{Text: "A bus needs no overhead wire, which a tram does.", Favours: data.Object2, Aspect: "way"},
}}

// TestGoldenPrompts compares the prompts with golden files, which were checked against each requirement of Figure 4 of the CompQA paper.
func TestGoldenPrompts(t *testing.T) {
	for _, id := range BuiltinIDs {
		s, err := Builtin(id)
		if err != nil {
			t.Fatal(err)
		}
		if want := id == "2" || id == "4"; s.NeedsArguments != want {
			t.Errorf("scenario %s: NeedsArguments is %v", id, s.NeedsArguments)
		}
		for name, withAspect := range map[string]bool{id: false, id + "-aspect": true} {
			p, err := s.Render(tramOrBus, withAspect)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name+".txt", "system: "+p.System+"\n\nuser: "+p.User+"\n")
		}
	}
}

// TestPaperDemands checks that each requirement of Figure 4 is in its scenario.
func TestPaperDemands(t *testing.T) {
	demands := map[string][]string{
		"1": {"Compare tram and bus"},
		"2": {"helpful assistant", "arguments", "1. A tram runs", "3. A bus needs"},
		"3": {"analyst", "300 words", "choose the better", "concise", "most relevant arguments", "summary (100 words)", "bullet-point list (200 words or more)", "best option (one word)"},
		"4": {"analyst", "300 words", "choose the better", "concise", "Analyse the arguments", "relevant", "your own words", "square brackets", "Directly after", "15 arguments", "[generated]",
			"summary (100 words)", "bullet-point list (200 words or more)", "best option (one word)", "numbered list", "1. A tram runs"},
	}
	for id, texts := range demands {
		s, err := Builtin(id)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Render(tramOrBus, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			if !strings.Contains(p.System+"\n"+p.User, text) {
				t.Errorf("scenario %s does not say %q", id, text)
			}
		}
		if strings.Contains(p.User, "noise") {
			t.Errorf("scenario %s carries the aspect; the paper's does not", id)
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
	}
}

func TestOwnTemplates(t *testing.T) {
	load := func(text string) (Scenario, error) {
		path := filepath.Join(t.TempDir(), "own.tmpl")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return Load("own", path)
	}
	s, err := load(`{{define "user"}}{{.Question}}{{range .Arguments}} {{.Text}}{{end}}{{end}}`)
	if err != nil || !s.NeedsArguments {
		t.Fatalf("%v, needs arguments: %v", err, s.NeedsArguments)
	}
	if p, err := s.Render(tramOrBus, false); err != nil || !strings.HasPrefix(p.User, tramOrBus.Text) || p.System != "" {
		t.Errorf("%+v, %v", p, err)
	}
	for text, want := range map[string]string{
		`{{define "user"}}{{.Objects}}{{end}}`:                         "Objects",
		`{{define "user"}}{{if .Aspect}}{{.Wrong}}{{end}}{{end}}`:      "Wrong",
		`{{define "user"}}{{range .Arguments}}{{.Txt}}{{end}}{{end}}`:  "Txt",
		`{{define "user"}}   {{end}}`:                                  "is empty",
		`{{define "usr"}}x{{end}}`:                                     `defines no block "user"`,
		`{{define "user"}}{{.Object1}`:                                 "own.tmpl:1",
		`{{define "user"}}x{{end}}{{define "system"}}{{.Role}}{{end}}`: "Role",
	} {
		if _, err := load(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := Load("own", filepath.Join(t.TempDir(), "none.tmpl")); err == nil {
		t.Error("a template that is not there was loaded")
	}
	if _, err := Builtin("5"); err == nil || !strings.Contains(err.Error(), "1, 2, 3, 4") {
		t.Errorf("scenario 5: %v", err)
	}
}

func TestOfflineSystems(t *testing.T) {
	bare := data.Question{Object1: "kite", Object2: "drone"}
	for _, o := range Offlines {
		for _, id := range BuiltinIDs {
			s, err := Builtin(id)
			if err != nil {
				t.Fatal(err)
			}
			if a := o.Answer(bare, nil, s); a.Status != data.Skipped || a.Text != "" || a.Reason == "" {
				t.Errorf("%s answers %+v where there is nothing to say", o.Name, a)
			}
			a := o.Answer(data.CQA50()[0], nil, s)
			if a.Status != data.Valid || a.Text == "" || a.Reason != "" || (a.Table != nil) != o.Tables {
				t.Errorf("%s says nothing: %+v", o.Name, a)
			}
		}
	}
	s, err := Builtin("4")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := fromTemplate(tramOrBus, s)
	golden(t, "template-4.txt", text+"\n")
	tie := tramOrBus
	tie.Arguments = tie.Arguments[1:]
	if text, _ := fromTemplate(tie, s); !strings.Contains(text, "**Best option**: Neither") {
		t.Errorf("a tie has a winner:\n%s", text)
	}
}
