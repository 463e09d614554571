package recordtest

import (
	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
)

// Claims returns a run of three answers with claims: two answers of four claims each, one of the first's
// contradicted and three of the second's, and one whose claims no judge could label.
func Claims() *dataset.Run {
	yes := true
	no := false
	claims := func(s, c, u int, agrees *bool, flagged bool) []dataset.AnswerClaims {
		return []dataset.AnswerClaims{{Judge: "faithful", Status: data.Valid, Supported: s, Contradicted: c, Unsupported: u,
			ChoiceAgrees: agrees, Flagged: flagged}}
	}
	answer := func(id, pair string, claims []dataset.AnswerClaims) dataset.AnswerRow {
		return dataset.AnswerRow{ID: id, Question: pair, Pair: pair, System: "m", Scenario: "4", Repeat: 1, Status: data.Valid, Claims: claims}
	}
	failed := answer("c", "e | f", []dataset.AnswerClaims{{Judge: "model", Status: data.Failed}})
	return &dataset.Run{
		Made: []store.Provenance{{}}, Systems: []store.Participant{{Name: "m", Kind: dataset.ModelKind}},
		Plan: []store.PlanCell{{Kind: store.KindAnswer, System: "m", Scenario: "4", Planned: 3}},
		Answers: []dataset.AnswerRow{answer("a", "a | b", claims(2, 1, 1, &yes, false)), answer("b", "c | d", claims(1, 3, 0, &no,
			true)), failed},
	}
}
