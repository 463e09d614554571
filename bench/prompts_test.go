package bench

import (
	"fmt"
	"testing"

	"compqa/data"
	"compqa/llm"
	"compqa/scenarios"
)

// Models are asked the same, and each prompt is its own scenario's and question's,
// whether it is kept or not.
func TestPrompts(t *testing.T) {
	plain, err := scenarios.Builtin("1")
	if err != nil {
		t.Fatal(err)
	}
	roled, err := scenarios.Parse("roled", `{{define "system"}}You know {{.Object1}}.{{end}}{{define "user"}}{{.Object1}} or {{.Object2}}{{with .Aspect}} for {{.}}{{end}}?{{end}}`)
	if err != nil {
		t.Fatal(err)
	}
	p := newPrompts(true)
	for range 2 {
		for i := range mostPrompts/2 + 50 {
			q := data.Question{ID: fmt.Sprint(i), Object1: fmt.Sprint("a", i), Object2: "b", Aspect: "speed"}
			for _, s := range []scenarios.Scenario{plain, roled} {
				want, err := s.Render(q, true)
				if err != nil {
					t.Fatal(err)
				}
				got, err := p.messages(s, q)
				if err != nil {
					t.Fatal(err)
				}
				last := got[len(got)-1]
				if (want.System != "") != (len(got) == 2) || last.Role != "user" || last.Text() != want.User {
					t.Fatalf("scenario %s, question %d: %v", s.ID, i, got)
				}
				if len(got) == 2 && (got[0] != llm.Message{Role: "system", Content: want.System}) {
					t.Fatalf("question %d: role %v", i, got[0])
				}
			}
		}
	}
	if len(p.made) != mostPrompts {
		t.Errorf("%d prompts are kept, not %d", len(p.made), mostPrompts)
	}
}
