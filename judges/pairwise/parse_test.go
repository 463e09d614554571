package pairwise

import (
	"context"
	"strings"
	"testing"

	"compqa/data"
	"compqa/llm"
	"compqa/llm/structured"
)

func TestReadTable(t *testing.T) {
	aspects := []string{"Accuracy", "Tone of voice"}
	want := Table{{Aspect: "Accuracy", OnlyA: "is right", Both: "", OnlyB: "is wrong"}, {Aspect: "Tone of voice", OnlyA: "", Both: "polite", OnlyB: "terse"}}
	for name, reply := range map[string]string{
		"numbers":       `{"1": {"only_a": "is right", "both": "NA", "only_b": "is wrong"}, "2": {"only_a": "N/A", "both": "polite", "only_b": "terse"}}`,
		"names":         `{"Accuracy": {"only_a": "is right", "both": "", "only_b": "is wrong"}, "Tone of voice": {"only_a": "none", "both": "polite", "only_b": "terse"}}`,
		"prose":         "Here it is:\n```json\n{\"1\": {\"only_a\": \"is right\", \"both\": \"NA\", \"only_b\": \"is wrong\"}, \"2\": {\"only_a\": \"\", \"both\": \"polite\", \"only_b\": \"terse\"}}\n```\nDone.",
		"nested":        `{"table": {"1": {"only_a": "is right", "both": "NA", "only_b": "is wrong"}, "2": {"only_a": "", "both": "polite", "only_b": "terse"}}}`,
		"Markdown":      "| Aspect | Only A | Both | Only B |\n|---|---|---|---|\n| Accuracy | is right | NA | is wrong |\n| Tone of voice | - | polite | terse |",
		"a half before": `{"1": {"only_a": "x"}}, no: {"1": {"only_a": "is right", "both": "NA", "only_b": "is wrong"}, "2": {"only_a": "", "both": "polite", "only_b": "terse"}}`,
	} {
		got, err := readTable(reply, aspects, structured.Material{}, structured.Instructions{})
		if err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("%s: %v, %v; want %v", name, got, err, want)
		}
	}
	for name, reply := range map[string]string{
		"empty": "", "prose": "They differ in accuracy.", "one aspect missing": `{"1": {"only_a": "x", "both": "x", "only_b": "x"}}`,
		"a cell missing": `{"1": {"only_a": "x", "both": "x"}, "2": {"only_a": "x", "both": "x", "only_b": "x"}}`,
		"cells no text":  `{"1": {"only_a": 1, "both": "x", "only_b": "x"}, "2": {"only_a": "x", "both": "x", "only_b": "x"}}`,
		"breaks off":     `{"1": {"only_a": "x", "both": "x", "only_b": "x"}, "2": {"only_a": "x", "bo`,
		"a row missing":  "| Aspect | Only A | Both | Only B |\n|---|---|---|---|\n| Accuracy | a | b | c |",
	} {
		if got, err := readTable(reply, aspects, structured.Material{}, structured.Instructions{}); err == nil {
			t.Errorf("%s: %v is taken for a table", name, got)
		}
	}
	// A table that a prompt shows of an example is read back unchanged.
	for _, e := range examples() {
		if got, err := readTable(e.Table.json(), e.Aspects, structured.Material{}, structured.Instructions{}); err != nil || len(got) != len(e.Table) || got[0] != e.Table[0] {
			t.Errorf("example %q: %v, %v", e.Question, got, err)
		}
		if got, err := readTable(e.Table.Markdown(), e.Aspects, structured.Material{}, structured.Instructions{}); err != nil || got[0] != e.Table[0] {
			t.Errorf("example %q as Markdown: %v, %v", e.Question, got, err)
		}
	}
}

// Text that repeats the prompt is not content. Small models write it when they do not understand the task.
func TestEchoes(t *testing.T) {
	s := OrderedPair{Question: "Is the oak tall?", First: "It is.", Second: "It is not."}
	model := func(reply string) Ask {
		return func(context.Context, Role, int, llm.Request) (llm.Reply, error) { return llm.Reply{Text: reply}, nil }
	}
	for method, replies := range map[string][]string{
		MethodDirect: {"Comparison: <your comparison of the two answers>\nPreferred: A", "Comparison: First say which of the two you prefer and why. Then name your choice on a line of its own.\nPreferred: B"},
		MethodConJ:   {`{"rationale": "Your explanation", "better_answer": 1}`, `{"rationale": "Choose the answer that does better in coherence, accuracy, coverage and overall quality.", "better_answer": 2}`},
		MethodSC2:    {"Aspects:\n- <aspect>\n- " + s.pair(letters).Mark, "Aspects:\n- what the question asks for\n- what each answer offers"},
	} {
		judge, err := New(Options{Method: method, Models: map[Role]Model{RolePreference: {Name: "m"}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, reply := range replies {
			if o := judge.Judge(context.Background(), s, model(reply)); o.Status != data.Unparsed || o.Choice != "" || !strings.Contains(o.Reason, "repeat") {
				t.Errorf("%s, %q: %+v", method, reply, o)
			}
		}
	}
	wanted := instructions("sc2/comparison.tmpl", prompt{shownPair: s.pair(letters), Aspects: []string{"Height"}, FormJSON: tableForm(1)})
	for _, reply := range []string{tableForm(1), `{"1": {"only_a": "what is true of answer A and not of answer B", "both": "NA", "only_b": "NA"}}`, `{"1": {"only_a": "NA", "both": "NA", "only_b": "NA"}}`} {
		if table, err := readTable(reply, []string{"Height"}, structured.Material{}, wanted); err == nil {
			t.Errorf("%s is the table %v", reply, table)
		}
	}
}

func TestReadGrade(t *testing.T) {
	good := `{"preference_correct": "Correct", "rationale_correctness": 4, "rationale_consistency": 3}`
	if g := readGrade("My grades: "+good, structured.Material{}); g != (Grade{Status: data.Valid, Right: true, Correctness: 4, Consistency: 3}) {
		t.Errorf("%+v", g)
	}
	for change, want := range map[[2]string]data.Status{
		{`"Correct"`, `"Incorrect"`}:               data.Valid,
		{`"Correct"`, `"Perhaps"`}:                 data.Unparsed,
		{`: 4`, `: 6`}:                             data.OutOfRange,
		{`: 4`, `: 0`}:                             data.OutOfRange,
		{`: 4`, `: "good"`}:                        data.OutOfRange,
		{`: 3`, `: 4`}:                             data.OutOfRange,
		{`, "rationale_consistency": 3`, ``}:       data.Incomplete,
		{`"preference_correct": "Correct", `, ``}:  data.Unparsed,
		{good, `no grades today`}:                  data.Unparsed,
		{`"rationale_correctness": 4`, `"x": 4.5`}: data.Incomplete,
	} {
		if g := readGrade(strings.Replace(good, change[0], change[1], 1), structured.Material{}); g.Status != want {
			t.Errorf("%q for %q: %+v, want %s", change[1], change[0], g, want)
		}
	}
}

func FuzzReplies(f *testing.F) {
	for _, s := range []string{"Preferred: A", "Output (b) is better", `{"rationale": "x", "better_answer": 1}`, "| a | b | c | d |", `{"1": {"only_a": "x"}}`, "Aspects:\n- x", "{{{{", "Preferred:\n\n", "\xff\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		if table, err := readTable(reply, []string{"x", "y"}, structured.Material{}, structured.Instructions{}); err == nil && len(table) != 2 {
			t.Errorf("%q: a table of %d rows", reply, len(table))
		}
		for _, name := range readAspects(reply) {
			if strings.TrimSpace(name) == "" || len(strings.Fields(name)) > longestAspect {
				t.Errorf("%q: aspect %q", reply, name)
			}
		}
		if g := readGrade(reply, structured.Material{}); g.Status == data.Valid && (g.Correctness < 1 || g.Correctness > 5 || g.Consistency < 1 || g.Consistency > 3) {
			t.Errorf("%q: %+v", reply, g)
		}
	})
}
