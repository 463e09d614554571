package report

import (
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
)

// Two answers of four claims each, one of the first's contradicted and three of the second's:
// 4 of 8 are contradicted. The linearised values are 1/2 + (1 - 2)·2/8 and 1/2 + (3 - 2)·2/8,
// so 1/4 and 3/4.
func TestFaithfulness(t *testing.T) {
	yes, no := true, false
	claims := func(s, c, u int, agrees *bool, flagged bool) []dataset.AnswerClaims {
		return []dataset.AnswerClaims{{Judge: "faithful", Status: data.Valid, Supported: s, Contradicted: c, Unsupported: u, ChoiceAgrees: agrees, Flagged: flagged}}
	}
	answer := func(id, pair string, of []dataset.AnswerClaims) dataset.AnswerRow {
		return dataset.AnswerRow{ID: id, Question: pair, Pair: pair, System: "m", Scenario: "4", Repeat: 1, Status: data.Valid, Claims: of}
	}
	failed := answer("c", "e | f", []dataset.AnswerClaims{{Judge: "model", Status: data.Failed}})
	run := &dataset.Run{
		Made: []store.Provenance{{}}, Systems: []store.Participant{{Name: "m", Kind: dataset.ModelKind}},
		Plan:    []store.PlanCell{{Kind: store.KindAnswer, System: "m", Scenario: "4", Planned: 3}},
		Answers: []dataset.AnswerRow{answer("a", "a | b", claims(2, 1, 1, &yes, false)), answer("b", "c | d", claims(1, 3, 0, &no, true)), failed},
	}
	of, err := Compute(run)
	if err != nil {
		t.Fatal(err)
	}
	if len(of.Faithfulness) != 2 {
		t.Fatalf("%d rows; want scenario 4 and all", len(of.Faithfulness))
	}
	for i, scenario := range []string{"4", dataset.AllScenarios} {
		r := of.Faithfulness[i]
		if r.Scenario != scenario || r.Claims != 8 || r.Answers != 2 || *r.Supported.Number != 3./8 || *r.Contradicted.Number != 0.5 || *r.Unsupported.Number != 1./8 || *r.ChoiceAgrees.Number != 0.5 || *r.Flagged.Number != 0.5 {
			t.Errorf("%+v", r)
		}
		if r.CILow.Known() && (*r.CILow.Number < 0 || *r.CIHigh.Number > 1) {
			t.Errorf("interval [%v, %v] is not in [0, 1]", *r.CILow.Number, *r.CIHigh.Number)
		}
	}
	if page := of.argumentsDocument().Markdown(); !strings.Contains(page, "## Claims") || !strings.Contains(page, "| m      | 4        | faithful |       2 |      8 |") {
		t.Error(page)
	}
}
