package pairwise

import (
	"strings"
	"testing"
)

// TestTask checks that a criterion is in every prompt that asks for a choice, a table or aspects, and in no prompt that compares tables. A
// template replaces blocks, and examples replace the built-in ones.
func TestTask(t *testing.T) {
	task := Task{Criterion: "important-points", Examples: `[{"question": "A post.", "first": "Short.", "second": "Long.",
		"aspects": ["Main point"], "table": [{"only_a": "x", "both": "NA", "only_b": "y"}], "reasoning": "Because.", "preferred": "A"}]`}
	const wanted = "most important points of the text"
	for _, method := range []string{MethodDirect, MethodCoT, MethodCoT1Shot, MethodSC2, MethodConJ, MethodConJBare} {
		prompts := map[Role][]string{}
		s := &script{reply: func(role Role, _ int, prompt string) (string, error) {
			prompts[role] = append(prompts[role], prompt)
			switch role {
			case RoleAspects:
				return "Aspects:\n- Main point", nil
			case RoleComparisons:
				return `{"1": {"only_a": "one", "both": "NA", "only_b": "two"}}`, nil
			case RoleComparator:
				return "More consistent: A", nil
			}
			return "Comparison: a.\nPreferred: A\n" + `{"rationale": "r", "better_answer": 1}`, nil
		}}
		built, err := New(Options{Method: method, Models: map[Role]Model{RolePreference: {Name: "m"}}, Task: task})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := New(Options{Method: method, Models: map[Role]Model{RolePreference: {Name: "m"}}})
		if err != nil || plain.Fingerprint == built.Fingerprint {
			t.Errorf("%s: the task is not in the fingerprint (%v)", method, err)
		}
		built.Judge(t.Context(), OrderedPair{Question: "A long post.", First: "One.", Second: "Two."}, s.ask)
		for role, list := range prompts {
			for _, prompt := range list {
				if strings.Contains(prompt, wanted) != (role != RoleComparator) {
					t.Errorf("%s, %s: %s", method, role, prompt)
				}
			}
		}
		if method == MethodCoT1Shot && !strings.Contains(prompts[RolePreference][0], "A post.") {
			t.Errorf("the example is not shown: %s", prompts[RolePreference])
		}
	}
	own := Task{Criterion: "The shorter one is better.", Template: `{{define "pair"}}{{.Question}} | {{.First}} | {{.Second}}{{end}}`}
	var prompt string
	s := &script{reply: func(_ Role, _ int, text string) (string, error) {
		prompt = text
		return "Preferred: A", nil
	}}
	built, err := New(Options{Method: MethodDirect, Models: map[Role]Model{RolePreference: {Name: "m"}}, Task: own})
	if err != nil {
		t.Fatal(err)
	}
	built.Judge(t.Context(), OrderedPair{Question: "Q", First: "x", Second: "y"}, s.ask)
	if !strings.Contains(prompt, "Q | x | y") || !strings.Contains(prompt, "The shorter one is better.") {
		t.Errorf("%s", prompt)
	}
	for _, c := range []struct {
		task Task
		want string
	}{
		{Task{Criterion: "importantpoints"}, `criterion is "importantpoints"; it must be a sentence, or one of important-points`},
		{Task{Template: `{{define "pair"}}{{.First}}{{end}}`}, "does not contain <question>"},
		{Task{Template: `{{define "pair"}}{{.Nothing}}{{end}}`}, "template: "},
		{Task{Examples: `[{"question": "q"}]`}, "example 1 needs"},
		{Task{Examples: `[]`}, "the list is empty"},
	} {
		if _, err := New(Options{Method: MethodDirect, Models: map[Role]Model{RolePreference: {Name: "m"}}, Task: c.task}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v; want %s", c.task, err, c.want)
		}
	}
}
