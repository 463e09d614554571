package bench

import (
	"testing"

	"compqa/data"
	"compqa/rubric"
)

// TestImportSummary: the summary counts invalid verdicts of judges and invalid sheets of people separately.
func TestImportSummary(t *testing.T) {
	t.Parallel()
	in := importedResults{Answers: []data.Answer{{System: "s"}}}
	in.Verdicts = &data.VerdictList{}
	for judge, n := range map[string]int{"j": 3, data.Human: 2} {
		for range n {
			in.Verdicts.Add(data.Verdict{Judge: judge, Status: data.Unparsed})
		}
	}
	want := "1 answer of 1 system, 3 verdicts of 1 judge (3 not valid), 2 human score sheets (2 not valid)"
	if text := in.Summary(rubric.Rubric{}); text != want {
		t.Errorf("%s; want %s", text, want)
	}
}
