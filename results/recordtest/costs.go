package recordtest

import (
	"testing"
	"time"

	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
	"compqa/rubric"
)

// attempt returns one with 100 tokens of prompt, 20 of reply, and a cost; negative:
// not known.
func attempt(cost float64) llm.Attempt {
	prompt := 100
	reply := 20
	a := llm.Attempt{Started: time.Unix(0, 0), HTTPStatus: 200, Outcome: llm.Valid, Usage: llm.Usage{Prompt: &prompt, Completion: &reply}}
	if cost >= 0 {
		a.Cost = &cost
	}
	return a
}

// Costly writes a record of two judges with the same verdicts, of which one is dear;
// a third is free, and a fourth has no price.
func Costly(t testing.TB, dir string) {
	t.Helper()
	r := rubric.Rubric{Name: "r", Measurement: "interval", Criteria: []rubric.Criterion{{ID: "c", Group: "g", Name: "c", Text: "c",
		Levels: []rubric.Level{{Points: 0, Text: "0"}, {Points: 5, Text: "5"}}}}}
	f := Fixture{Rubric: r, Seed: 1, Systems: []store.Participant{{Name: "s", Kind: "model"}},
		Judges: []store.Participant{{Name: "dear", Kind: "model"}, {Name: "cheap", Kind: "model"}, {Name: "free", Kind: "model"},
			{Name: "unknown", Kind: "model"}, {Name: "human", Kind: "human"}}}
	points := []float64{0, 1, 2, 3, 4, 5}
	for i, p := range points {
		q := data.Question{ID: string(rune('a' + i)), Object1: "x" + string(rune('a'+i)), Object2: "y"}
		f.Questions = append(f.Questions, q)
		id := "answer-" + q.ID
		f.Answers = append(f.Answers, data.Answer{ID: id, Question: q.ID, Object1: q.Object1, Object2: q.Object2, System: "s",
			Scenario: "1", Repeat: 1, Status: data.Valid, Text: "t"})
		for _, j := range f.Judges {
			f.Verdicts = append(f.Verdicts, data.Verdict{Answer: id, Judge: j.Name, Repeat: 1, Scores: data.Scores{"c": p}})
		}
	}
	f.Write(t, dir)
	s, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	estimated := attempt(0.5)
	estimated.Estimated = true
	err = s.Write(func(b store.Batch) error {
		for i, c := range []store.Call{
			// a failure that cost nothing, and a reply
			{Payer: store.Party{Kind: store.KindAnswer, Name: "s"}, Attempts: []llm.Attempt{attempt(0), attempt(0.25)}},
			{Payer: store.Party{Kind: store.KindVerdict, Name: "dear"}, Attempts: []llm.Attempt{attempt(2.5), estimated}},
			{Payer: store.Party{Kind: store.KindVerdict, Name: "dear"}, Attempts: []llm.Attempt{attempt(3)}},
			{Payer: store.Party{Kind: store.KindVerdict, Name: "cheap"}, Attempts: []llm.Attempt{attempt(0.06)}},
			{Payer: store.Party{Kind: store.KindVerdict, Name: "free"}, Attempts: []llm.Attempt{attempt(0)}},
			{Payer: store.Party{Kind: store.KindVerdict, Name: "unknown"}, Attempts: []llm.Attempt{attempt(-1)}},
			{Payer: store.Party{Kind: store.KindVerdict, Name: "gone"}, Attempts: []llm.Attempt{attempt(1)}}, // a judge of an earlier configuration
		} {
			c.Key = string(rune('k' + i))
			c.Provider = "p"
			c.Model = "m"
			c.Status = data.Valid
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
