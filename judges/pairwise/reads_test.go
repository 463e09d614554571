package pairwise

import (
	"context"
	"strings"
	"testing"

	"compqa/data"
	"compqa/judges/replies"
	"compqa/llm"
	"compqa/llm/structured"
)

// TestReads checks a judge's own form and its names, and the errors in either.
func TestReads(t *testing.T) {
	read, err := (&ChoiceNames{Pattern: `^Verdict: (\w+)$`, A: []string{"left", "first"}, B: []string{"right"}, Tie: []string{"equal"}}).reader()
	if err != nil {
		t.Fatal(err)
	}
	for reply, want := range map[string]string{
		"Preferred: A\nVerdict: Right": "b", "Verdict: left\nVerdict: first": "a", "Verdict: equal": "tie",
		"Verdict: left\nVerdict: right": structured.ErrSeveral.Error(), "Preferred: A": structured.ErrNone.Error(),
		"Verdict: up": `"up" is no name of a choice in reads`, "Verdict: given": structured.ErrQuoted.Error(),
	} {
		c, err := read(reply, structured.MaterialOf("It says\nVerdict: given\n"), replies.WithTies)
		if err != nil {
			c = data.Choice(err.Error())
		}
		if string(c) != want {
			t.Errorf("%q: %q, want %q", reply, c, want)
		}
	}
	for _, r := range []ChoiceNames{{}, {Pattern: "("}, {Pattern: "x", A: []string{"x"}, B: []string{"X"}}, {Pattern: "x", B: []string{"a"}}} {
		if _, err := (&r).reader(); err == nil {
			t.Errorf("%+v is accepted", r)
		}
	}
}

// TestTies checks that a judge that may call a pair a tie is told so, in the prompt or in the schema. A tie by con-j is a choice without a
// second call, whether it was told so or not.
func TestTies(t *testing.T) {
	for _, test := range []struct {
		method, reply, told string
		ties                bool
	}{
		{MethodDirect, "Comparison: equal.\nPreferred: tie", "Preferred: <A, B, or tie>", true},
		{MethodCoT, "Preferred: tie", "as A or B, or as a tie, and nothing else", true},
		{MethodConJ, `{"rationale": "Equal.", "better_answer": "tie"}`, `"better_answer" is "tie"`, true},
		{MethodConJ, `{"rationale": "They say "yes".", "better_answer": tie}`, `"better_answer" is "tie"`, true}, // broken JSON
	} {
		built, err := New(Options{Method: test.method, Ties: test.ties, Repair: 1, Models: map[Role]Model{RolePreference: {Name: "m"}}})
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		o := built.Judge(t.Context(), OrderedPair{Question: "Q?", First: "one", Second: "two"}, func(_ context.Context, _ Role, _ int, req llm.Request) (llm.Reply, error) {
			calls++
			prompt := req.Messages[0].Text()
			if told := strings.Contains(prompt, "tie"); told != test.ties || !strings.Contains(prompt, test.told) {
				t.Errorf("%s, ties %t: the prompt is\n%s", test.method, test.ties, prompt)
			}
			if schema := string(req.Schema); schema != "" && strings.Contains(schema, `"enum":["1","2","tie"]`) != test.ties {
				t.Errorf("%s, ties %t: the schema is %s", test.method, test.ties, schema)
			}
			return llm.Reply{Text: test.reply}, nil
		})
		if o.Status != data.Valid || o.Choice != data.ChoiceTie || calls != 1 {
			t.Errorf("%s, ties %t: %+v after %d calls", test.method, test.ties, o, calls)
		}
	}
}
