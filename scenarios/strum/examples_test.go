package strum

import (
	"context"
	"errors"
	"strings"
	"testing"

	"compqa/data"
	"compqa/llm"
	"compqa/llm/structured"
)

// TestExamples checks that each stage accepts the replies of its examples, and that quotes are in their texts.
func TestExamples(t *testing.T) {
	for _, name := range []string{"extract", "attributes", "values", "contrast", "useful"} {
		if len(examples[name]) != MostExamples {
			t.Errorf("%s has %d examples", name, len(examples[name]))
		}
		for i, e := range examples[name] {
			var err error
			material := structured.MaterialOf(e.Prompt.texts()...)
			switch name {
			case "extract":
				var list []statement
				list, err = items[statement](string(e.Reply), forms[name], material)
				for _, s := range list {
					if _, found := Find(data.Source{Text: e.Prompt.Texts[s.Source-1].Text}, s.Quote); !found {
						t.Errorf("%q is not in its text", s.Quote)
					}
				}
			case "attributes", "values":
				var list []grouping
				if list, err = items[grouping](string(e.Reply), forms[name], material); err == nil {
					err = partition(list, len(e.Prompt.Values))
				}
			default:
				var list []rowReply
				if list, err = items[rowReply](string(e.Reply), forms[name], material); len(list) != len(e.Prompt.Rows) {
					t.Errorf("%s has %d rows of %d", name, len(list), len(e.Prompt.Rows))
				}
			}
			if err != nil {
				t.Errorf("%s, example %d: %v", name, i+1, err)
			}
		}
	}
}

// TestShots checks that examples come before the task as turns. Without examples, the prompt and the identity do not change.
func TestShots(t *testing.T) {
	ask := func(n int) (asked llm.Request, identity string) {
		s, err := New(Options{Models: map[Role]Model{RoleExtract: {Name: "m", Examples: n}}})
		if err != nil {
			t.Fatal(err)
		}
		if identity, err = s.Fingerprint(); err != nil {
			t.Fatal(err)
		}
		stop := errors.New("stop")
		m := &tableBuild{Live: s, ask: func(_ context.Context, _ Role, r llm.Request) (llm.Reply, error) {
			asked = r
			return llm.Reply{}, stop
		}}
		call(context.Background(), m, "extract", "extract", prompt{Object: "tea", Other: "coffee"}, func([]statement) error { return nil })
		return asked, identity
	}
	none, plain := ask(0)
	two, other := ask(2)
	if len(none.Messages) != 1 || len(two.Messages) != 5 || plain == other {
		t.Fatalf("%d and %d messages", len(none.Messages), len(two.Messages))
	}
	if last := two.Messages[4]; last != none.Messages[0] || two.Messages[1].Role != "assistant" || !strings.Contains(two.Messages[0].Content, "Lumo") {
		t.Errorf("%+v", two.Messages)
	}
}
