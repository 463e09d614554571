package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
	"compqa/rubric"
)

// attempt is one with 100 tokens of prompt, 20 of reply, and a cost; negative:
// not known.
func attempt(cost float64) llm.Attempt {
	prompt, reply := 100, 20
	a := llm.Attempt{Started: time.Unix(0, 0), HTTPStatus: 200, Outcome: llm.Valid, Usage: llm.Usage{Prompt: &prompt, Completion: &reply}}
	if cost >= 0 {
		a.Cost = &cost
	}
	return a
}

// costly is a record of two judges with the same verdicts, of which one is dear;
// a third is free, and a fourth has no price.
func costly(t *testing.T, dir string) {
	t.Helper()
	r := rubric.Rubric{Name: "r", Measurement: "interval", Criteria: []rubric.Criterion{{ID: "c", Group: "g", Name: "c", Text: "c", Levels: []rubric.Level{{Points: 0, Text: "0"}, {Points: 5, Text: "5"}}}}}
	f := fixture{rubric: r, seed: 1, systems: []store.Participant{{Name: "s", Kind: "model"}},
		judges: []store.Participant{{Name: "dear", Kind: "model"}, {Name: "cheap", Kind: "model"}, {Name: "free", Kind: "model"}, {Name: "unknown", Kind: "model"}, {Name: "human", Kind: "human"}}}
	points := []float64{0, 1, 2, 3, 4, 5}
	for i, p := range points {
		q := data.Question{ID: string(rune('a' + i)), Object1: "x" + string(rune('a'+i)), Object2: "y"}
		f.questions = append(f.questions, q)
		id := "answer-" + q.ID
		f.answers = append(f.answers, data.Answer{ID: id, Question: q.ID, Object1: q.Object1, Object2: q.Object2, System: "s", Scenario: "1", Repeat: 1, Status: data.Valid, Text: "t"})
		for _, j := range f.judges {
			f.verdicts = append(f.verdicts, data.Verdict{Answer: id, Judge: j.Name, Repeat: 1, Scores: data.Scores{"c": p}})
		}
	}
	f.record(t, dir)
	s, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	estimated := attempt(0.5)
	estimated.Estimated = true
	err = s.Write(func(b store.Batch) error {
		for i, c := range []store.Call{
			{Payer: store.Party{Kind: store.KindAnswer, Name: "s"}, Attempts: []llm.Attempt{attempt(0), attempt(0.25)}}, // a failure that cost nothing, and a reply
			{Payer: store.Party{Kind: store.KindVerdict, Name: "dear"}, Attempts: []llm.Attempt{attempt(2.5), estimated}},
			{Payer: store.Party{Kind: store.KindVerdict, Name: "dear"}, Attempts: []llm.Attempt{attempt(3)}},
			{Payer: store.Party{Kind: store.KindVerdict, Name: "cheap"}, Attempts: []llm.Attempt{attempt(0.06)}},
			{Payer: store.Party{Kind: store.KindVerdict, Name: "free"}, Attempts: []llm.Attempt{attempt(0)}},
			{Payer: store.Party{Kind: store.KindVerdict, Name: "unknown"}, Attempts: []llm.Attempt{attempt(-1)}},
			{Payer: store.Party{Kind: store.KindVerdict, Name: "gone"}, Attempts: []llm.Attempt{attempt(1)}}, // a judge of an earlier configuration
		} {
			c.Key, c.Provider, c.Model, c.Status = string(rune('k'+i)), "p", "m", data.Valid
			if _, err := b.Call(c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCosts: the figures are those of the attempts above, by hand; agreement is
// perfect, so that alpha per dollar is one by the cost of a thousand verdicts.
func TestCosts(t *testing.T) {
	dir := t.TempDir()
	costly(t, dir)
	var screen strings.Builder
	if err := Write([]string{dir}, dir, &screen); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "tables", "costs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `kind,name,provider,model,calls,attempts,prompt_tokens,cached_tokens,completion_tokens,reasoning_tokens,cost,estimated,unpriced,valid,cost_per_1000,reference,alpha_final,alpha_per_dollar
answer,s,p,m,1,2,200,0,40,0,0.25,,0,6,41.666666666666664,,,
verdict,dear,p,m,2,3,300,0,60,0,6,0.5,0,6,1000,human,1,0.001
verdict,cheap,p,m,1,1,100,0,20,0,0.06,,0,6,10,human,1,0.1
verdict,free,p,m,1,1,100,0,20,0,0,,0,6,0,human,1,
verdict,unknown,p,m,1,1,100,0,20,0,,,1,6,,human,1,
verdict,gone,p,m,1,1,100,0,20,0,1,,0,0,,,,
`
	if string(got) != want {
		t.Errorf("costs.csv\n%s", got)
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"| total   |         |       |     7 |        9 |                   |              – |        1 | 7.3100 |    0.5000 |", "| dear    | human   |          1.00 |                 1000.00 |            0.001 |"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("report.md lacks %q\n%s", part, text)
		}
	}
}

// TestCostsOfTwoRuns: what two records paid is added up.
func TestCostsOfTwoRuns(t *testing.T) {
	a, b, out := t.TempDir(), t.TempDir(), t.TempDir()
	costly(t, a)
	costly(t, b)
	if err := Write([]string{a, b}, out, &strings.Builder{}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(out, "tables", "costs.csv"))
	if err != nil || !strings.Contains(string(got), "\nverdict,dear,p,m,4,6,600,0,120,0,12,1,0,6,2000,human,1,0.0005\n") {
		t.Errorf("%v\n%s", err, got)
	}
}
