package bench

import (
	"crypto/sha256"
	"fmt"
	"strings"
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
	for _, withAspect := range []bool{false, true} {
		p := newPrompts(withAspect)
		made := 0
		for range 2 {
			for i := range 40 {
				q := data.Question{ID: fmt.Sprint(i), Object1: fmt.Sprint("a", i), Object2: strings.Repeat("b", mostPromptBytes/50), Aspect: "speed"}
				for _, s := range []scenarios.Scenario{plain, roled} {
					want, err := s.Render(q, withAspect)
					if err != nil {
						t.Fatal(err)
					}
					got, err := p.messages(s, q)
					if err != nil {
						t.Fatal(err)
					}
					made++
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
		kept := 0
		for _, messages := range p.made {
			for _, m := range messages {
				kept += m.Len()
			}
		}
		if kept != p.size || kept > mostPromptBytes || kept < mostPromptBytes*9/10 || len(p.made) >= made/2 {
			t.Errorf("%d prompts with %d bytes are kept, of %d bytes at most", len(p.made), kept, mostPromptBytes)
		}
	}
}

// Fixed, so that a record stays valid with later versions.
func TestCallKey(t *testing.T) {
	const text = `["http://server/v1","0a1b"]`
	if got := callKey("http://server/v1", "0a1b"); got != fmt.Sprintf("%x", sha256.Sum256([]byte(text))) {
		t.Errorf("key of a call: %s", got)
	}
}
