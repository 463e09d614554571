package pairwise

import (
	"context"
	"strings"
	"testing"

	"compqa/data"
	"compqa/llm"
	"compqa/llm/structured"
)

func TestReadChoice(t *testing.T) {
	for reply, want := range map[string]data.Choice{
		// the form that is asked for
		"Comparison: A is right.\nPreferred: A":           data.ChoiceA,
		"Comparison: both are fine.\nPreferred: B":        data.ChoiceB,
		"Comparison: x\n**Preferred:** B":                 data.ChoiceB,
		"Comparison: x\n**Preferred: Answer A**":          data.ChoiceA,
		"Comparison: x\nPreferred: \"B\".":                data.ChoiceB,
		"Comparison: x\nPreferred: <A>":                   data.ChoiceA,
		"Comparison: x\nPreferred:\nB":                    data.ChoiceB,
		"comparison: x\npreferred answer: (b)":            data.ChoiceB,
		"Comparison: x\nPreferred: B, as it is shorter.":  data.ChoiceB,
		"Comparison: x\nPreferred: A (the first one)":     data.ChoiceA,
		"Comparison: x\nPreferred: Answer 2":              data.ChoiceB,
		"Comparison: x\nPreferred: Both are equally good": data.ChoiceTie,
		"Comparison: x\nPreferred: a tie":                 data.ChoiceTie,
		"Preferred: A\nbut on reflection:\nPreferred: B":  "",           // two that differ
		"Preferred: <A or B>\nPreferred: B":               data.ChoiceB, // the form, then the choice
		"A\nA\nB":                                         "", "A\n\nA": data.ChoiceA, "A, A, B": "",
		"Comparison: Answer A is better at first sight.\nPreferred: B":  data.ChoiceB, // the label counts before words
		"Comparison: x\nPreferred: it depends on who asks":              "",
		"Comparison: x\nPreferred: A or B":                              "",
		"Comparison: x\nPreferred: an answer with more detail, perhaps": "",
		"Comparison: x\nPreferred: ":                                    "",
		// names alone
		"A":           data.ChoiceA,
		"(b)":         data.ChoiceB,
		"**B**":       data.ChoiceB,
		"Output (a)":  data.ChoiceA,
		"Output (b).": data.ChoiceB,
		"2":           data.ChoiceB,
		"Answer 1":    data.ChoiceA,
		// a last line of its own, as the prompts ask for it
		"Answer B is better in style, A in content.\n\nA": data.ChoiceA,
		"Because.\n**B**": data.ChoiceB,
		"Both are equally good, but I have to choose.\n(B).": data.ChoiceB,
		"Three points:\n1. price\n2.":                        "", // a list that ends too early
		"It is hard to say which is\na":                      "",
		// sentences, as LLMBar's judges write them
		"It follows the instruction. Therefore, Output (b) is better.":               data.ChoiceB,
		"Output (a) is better than many. In the end, Output (b) is better.":          data.ChoiceB,
		"The better output is Output (a).":                                           data.ChoiceA,
		"Both Output (a) and Output (b) are equally good for the given instruction.": data.ChoiceTie,
		// what is none
		"Neither Output (a) nor Output (b) precisely executes the instruction.": "",
		"Therefore, Output (b)":                        "",
		"Output (a) seems to be a better fit.":         "",
		"I cannot provide a response to this.":         "",
		"A good answer would say more.":                "",
		"":                                             "",
		"Answer C is better.":                          "",
		"Preferences differ: some like A.":             "",
		"Output (a) is better: no, it is not better …": data.ChoiceA,
	} {
		if got := ReadChoice(reply); got != want {
			t.Errorf("%q is read as %q, want %q", reply, got, want)
		}
	}
}

func TestReadConsistent(t *testing.T) {
	for reply, want := range map[string]data.Choice{
		"More consistent: A\nJustification: Table B repeats itself.":                  data.ChoiceA,
		"**More consistent:** Table B\n**Justification:** …":                          data.ChoiceB,
		"More consistent: \"B\".":                                                     data.ChoiceB,
		"More consistent: A\nJustification: though some might say more consistent: B": data.ChoiceA,
		"B":                                 data.ChoiceB,
		"More consistent: neither":          "",
		"More consistent: both":             "",
		"They are both fine.":               "",
		"":                                  "",
		"More consistent: A or perhaps B ?": "",
	} {
		if got := readConsistent(reply, structured.Material{}); got != want {
			t.Errorf("%q is read as %q, want %q", reply, got, want)
		}
	}
}

func TestReadJudgment(t *testing.T) {
	for _, c := range []struct {
		reply, rationale string
		choice           data.Choice
	}{
		{`{"rationale": "The first is right.", "better_answer": 1}`, "The first is right.", data.ChoiceA},
		{"Sure!\n```json\n{\"rationale\": \"Two\\nlines\", \"better_answer\": 2}\n```", "Two\nlines", data.ChoiceB},
		{`{"rationale": "x", "better_answer": "2"}`, "x", data.ChoiceB},
		{`{"better_answer": 1}`, "", data.ChoiceA},
		{`{"rationale": "draft", "better_answer": 1} no: {"rationale": "final", "better_answer": 2}`, "", ""},
		{`{"rationale": {"not": "text"}, "better_answer": 2}`, "", data.ChoiceB},
		// spoilt JSON: a quotation mark, a line break, single quotes, no end
		{`{"rationale": "He said "no" to it.", "better_answer": 2}`, `He said "no" to it.`, data.ChoiceB},
		{"{\"rationale\": \"one\ntwo\", \"better_answer\": 1}", "one\ntwo", data.ChoiceA},
		{`{'rationale': 'fine', 'better_answer': 1}`, "fine", data.ChoiceA},
		{`{"rationale": "x", "better_answer": 1`, "x", data.ChoiceA},
		{`{"rationale": "x", "better_answer": 3}`, "", ""},
		{`{"rationale": "x", "better_answer": 1 or 2}`, "", ""},
		{`{"rationale": "it goes on`, "", ""},
		{`better_answer: 1 … better_answer: 2`, "", ""},
		{`The better answer is the second.`, "", ""},
		{``, "", ""},
	} {
		rationale, choice := ReadJudgment(c.reply)
		if choice != c.choice || c.rationale != rationale {
			t.Errorf("%s\nis read as %q %q, want %q %q", c.reply, choice, rationale, c.choice, c.rationale)
		}
	}
}

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
	// What a prompt shows of an example is read back as it was.
	for _, e := range examples() {
		if got, err := readTable(e.Table.json(), e.Aspects, structured.Material{}, structured.Instructions{}); err != nil || len(got) != len(e.Table) || got[0] != e.Table[0] {
			t.Errorf("example %q: %v, %v", e.Question, got, err)
		}
		if got, err := readTable(e.Table.Markdown(), e.Aspects, structured.Material{}, structured.Instructions{}); err != nil || got[0] != e.Table[0] {
			t.Errorf("example %q as Markdown: %v, %v", e.Question, got, err)
		}
	}
}

// A choice that one of the answers holds is never the judge's, in whatever form it repeats it.
func TestQuotedChoices(t *testing.T) {
	judged := []string{"Which is better?", "Tea.\n\nPreferred: A\n\nThe better answer is A. Both answers are equally good.", `Coffee. {"rationale": "so it is", "better_answer": 1} {"better_answer": 2}`}
	for reply, want := range map[string]data.Choice{
		"Comparison: B is right.\nPreferred: B\nThe first ends:\nPreferred: A": data.ChoiceB,
		"The first says:\nPreferred: A\n\nComparison: no.\nPreferred: B":       data.ChoiceB,
		"Preferred: B\n> **Preferred:** A":                                     data.ChoiceB,
		"Preferred: B\npreferred:\nA":                                          data.ChoiceB,
		"Answer B is better. The first says that the better answer is A.":      data.ChoiceB,
		"I quote: both answers are equally good. That is all.":                 "",
		"The first ends:\nPreferred: A":                                        "",
		"Preferred: B\nPreferred: answer A":                                    "", // its own words, which differ
		"Preferred: B, although the first says \"Preferred: A\"":               data.ChoiceB,
	} {
		if got := ReadChoice(reply, judged...); got != want {
			t.Errorf("%q is read as %q, want %q", reply, got, want)
		}
	}
	for reply, want := range map[string]data.Choice{
		`{"rationale": "The second is wrong.", "better_answer": 1} It says {"rationale": "so it is", "better_answer": 1} {"better_answer": 2}`: data.ChoiceA,
		`{"rationale": "It says {"rationale": "so it is", "better_answer": 1}, but no.", "better_answer": 2}`:                                  data.ChoiceB,
		`{"rationale": "It says {\"better_answer\": 2}.", "better_answer": 1}`:                                                                 data.ChoiceA,
		`{"rationale": "It says {"better": 1, "better_answer": 1}, but no.", "better_answer": 2}`:                                              "", // its own words, which differ
		`{"rationale": "so it is", "better_answer": 1}`:                                                                                        "",
		`{'better_answer': '2'}`: "",
		`The second: {"better_answer": 2}. Mine: {"better_answer": 1}`: data.ChoiceA,
		`{"rationale": "mine", "better_answer": 2}`:                    data.ChoiceB,
	} {
		if _, got := ReadJudgment(reply, judged...); got != want {
			t.Errorf("%s is read as %q, want %q", reply, got, want)
		}
	}
}

// Text that repeats the prompt is no content: a small model writes it where it understands nothing.
func TestEchoes(t *testing.T) {
	s := Shown{Question: "Is the oak tall?", First: "It is.", Second: "It is not."}
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
	of := instructions("sc2/comparison.tmpl", prompt{shownPair: s.pair(letters), Aspects: []string{"Height"}, FormJSON: tableForm(1)})
	for _, reply := range []string{tableForm(1), `{"1": {"only_a": "what is true of answer A and not of answer B", "both": "NA", "only_b": "NA"}}`, `{"1": {"only_a": "NA", "both": "NA", "only_b": "NA"}}`} {
		if table, err := readTable(reply, []string{"Height"}, structured.Material{}, of); err == nil {
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
		if c := ReadChoice(reply); c != "" && !c.Decided() && c != data.ChoiceTie {
			t.Errorf("%q: %q", reply, c)
		}
		if _, c := ReadJudgment(reply); c != "" && !c.Decided() {
			t.Errorf("%q: judgment %q", reply, c)
		}
		if _, c := ReadJudgment(reply, reply); c != "" {
			t.Errorf("%q: judgment %q, which is quoted", reply, c)
		}
		if c := readConsistent(reply, structured.Material{}); c != "" && !c.Decided() {
			t.Errorf("%q: table %q", reply, c)
		}
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
