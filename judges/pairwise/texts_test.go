package pairwise

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/judges/replies"
	"compqa/llm/structured"
)

// TestTexts checks that the prompts of all methods use the task's names of the texts, and never "question" or "answer" except in JSON keys
// and names of methods. Without names, the prompts are unchanged.
func TestTexts(t *testing.T) {
	plain := regexp.MustCompile(`(?i)\b(question|answer)s?\b`)
	for _, method := range []string{MethodDirect, MethodDirectAspects, MethodCoT, MethodCoT1Shot, MethodSC2, MethodConJ, MethodConJBare} {
		for criterion, want := range map[string]string{"important-points": "<summary-", "relevance": "<document-", "": "<answer-",
			"A good essay is short.": "<essay-"} {
			task := Task{Criterion: criterion, Examples: exampleOfTask}
			if strings.Contains(criterion, "essay") {
				task.Texts = Texts{Answer: "essay"}
			}
			s := &script{reply: func(role Role, _ int, _ string) (string, error) {
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
			if o := built.Judge(t.Context(), OrderedPair{Question: "A long post.", First: "One.", Second: "Two."}, s.ask); o.Status != data.Valid {
				t.Errorf("%s, %s: %+v", method, criterion, o)
			}
			for _, prompt := range s.text {
				if !strings.Contains(strings.ToLower(prompt), want) {
					t.Errorf("%s, %q: no %s in %s", method, criterion, want, prompt)
				}
				if found := plain.FindAllString(prompt, -1); (criterion == "important-points" || criterion == "relevance") && found != nil {
					t.Errorf("%s, %q: %q in %s", method, criterion, found, prompt)
				}
			}
		}
	}
	for text, want := range map[string]string{"Two answers to a question.": "Two summaries for an article.", "An answer, a QUESTION": "A summary, an Article",
		"{{.Question}} better_answer": "{{.Question}} better_answer", "the answers' question": "the summaries' article"} {
		if got := (Texts{"article", "summary"}).renameIn(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for fault, task := range map[string]Task{"texts needs criterion": {Texts: Texts{Answer: "essay"}},
		"one English word": {Criterion: "It is short.", Texts: Texts{Answer: "<b>"}}} {
		if err := task.Check(); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%+v: %v", task, err)
		}
	}
	if c, err := replies.Choice("I read both.\nSummary B is better than summary A.", structured.Material{}, replies.WithTies); c != data.ChoiceB || err != nil {
		t.Errorf("a sentence about summaries: %q", c)
	}
}

// exampleOfTask has one example, with tables for SC2's comparator.
const exampleOfTask = `[{"question": "A post.", "first": "Short.", "second": "Long.",
	"aspects": ["Main point"], "table": [{"only_a": "x", "both": "NA", "only_b": "y"}], "reasoning": "Because.", "preferred": "A",
	"inconsistent_table": [{"only_a": "x again", "both": "x again", "only_b": "y"}], "justification": "What both have comes back under A."}]`

// TestComparatorOfTask checks that the comparator sees the tables of the task's examples instead of the built-in ones.
func TestComparatorOfTask(t *testing.T) {
	for examples, want := range map[string][2]bool{exampleOfTask: {true, false}, "": {false, true}} {
		var prompts []string
		s := &script{reply: func(role Role, sample int, prompt string) (string, error) {
			switch role {
			case RoleAspects:
				return "Aspects:\n- Main point", nil
			case RoleComparisons:
				return numbered(sample), nil
			case RoleComparator:
				prompts = append(prompts, prompt)
				return "More consistent: A", nil
			}
			return "Preferred: A", nil
		}}
		built := build(t, Options{Method: MethodSC2, Samples: 2, Task: Task{Examples: examples}})
		built.Judge(t.Context(), capitals, s.ask)
		if len(prompts) != 1 {
			t.Fatalf("%d comparisons of tables", len(prompts))
		}
		for i, text := range []string{"What both have comes back under A.", duels()[0].Justification} {
			if strings.Contains(prompts[0], text) != want[i] {
				t.Errorf("%q: %s", text, prompts[0])
			}
		}
	}
	if err := (Task{Examples: strings.Replace(exampleOfTask, "justification", "x", 1)}).Check(); err == nil || !strings.Contains(err.Error(), "justification") {
		t.Errorf("without a justification: %v", err)
	}
}

// TestConJMajority samples three judgments, of which one cannot be read. The majority of the others decides.
func TestConJMajority(t *testing.T) {
	replies := []string{`{"rationale": "a", "better_answer": 1}`, `{"rationale": "b", "better_answer": 2}`, "no idea", `{"rationale": "b2", "better_answer": 2}`}
	s := &script{reply: func(_ Role, sample int, _ string) (string, error) { return replies[sample-1], nil }}
	built := build(t, Options{Method: MethodConJSelfCon, Samples: 4})
	o := built.Judge(t.Context(), capitals, s.ask)
	if o.Choice != data.ChoiceB || o.Rationale != "b" || fmt.Sprint(o.Detail.Votes) != "[a b unparsed b]" || built.Calls != 4 || s.count(RolePreference) != 4 {
		t.Errorf("%+v, %d calls", o, built.Calls)
	}
	one := build(t, Options{Method: MethodConJ}) // has the same prompt
	single := &script{reply: func(Role, int, string) (string, error) { return replies[0], nil }}
	one.Judge(t.Context(), capitals, single.ask)
	if !slices.Equal(single.text, s.text[:1]) {
		t.Error("the prompt is not that of con-j")
	}
}
