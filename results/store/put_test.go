package store

import (
	"fmt"
	"testing"
	"time"

	"compqa/data"
	"compqa/llm"
)

// BenchmarkWrite records calls, each with an attempt and the verdict that was read from it, as a run does.
func BenchmarkWrite(b *testing.B) {
	s, err := Create(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	prompt := 900
	reply := 200
	cost := 0.01
	total := 15.0
	scores := data.Scores{}
	for c := range 15 {
		scores[fmt.Sprint(c+1)] = 1
	}
	attempt := llm.Attempt{Started: time.Unix(0, 0), HTTPStatus: 200, Outcome: llm.Valid, Usage: llm.Usage{Prompt: &prompt, Completion: &reply}, Cost: &cost}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		err := s.Write(func(batch Batch) error { // the number of calls that a run writes at once
			for range 100 {
				n++
				id, err := batch.Call(Call{Key: fmt.Sprint("key ", n), Provider: "p", Model: "m", Request: []string{"a request"}, Status: data.Valid,
					Reply: "a reply", Finish: "stop", Raw: "a body", Payer: Party{KindVerdict, "judge"}, Attempts: []llm.Attempt{attempt}})
				if err != nil {
					return err
				}
				if err := batch.Verdict(data.Verdict{Answer: fmt.Sprint("answer ", n), Judge: "judge", Status: data.Valid, Scores: scores, Total: &total,
					Raw: "a reply", Repeat: 1}, []int64{id}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "µs/call")
}
