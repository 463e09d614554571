package leaderboard_test

import (
	"testing"

	"compqa/results/dataset"
	"compqa/results/recordtest"
)

// Two answers have four claims each; one claim of the first answer and three of the second are contradicted, so 4 of 8. The
// linearised values are 1/2 + (1 - 2)·2/8 and 1/2 + (3 - 2)·2/8, which are 1/4 and 3/4.
func TestFaithfulness(t *testing.T) {
	of := tablesOf(t, dataset.New(recordtest.Claims()))
	if len(of.Faithfulness) != 2 {
		t.Fatalf("%d rows; want scenario 4 and all", len(of.Faithfulness))
	}
	for i, scenario := range []string{"4", dataset.AllScenarios} {
		r := of.Faithfulness[i]
		if r.Scenario != scenario || r.Claims != 8 || r.Answers != 2 || r.Supported.Value != 3./8 || r.Contradicted.Value != 0.5 || r.Unsupported.Value != 1./8 || r.ChoiceAgrees.Value != 0.5 || r.Flagged.Value != 0.5 {
			t.Errorf("%+v", r)
		}
		if r.CILow.Known && (r.CILow.Value < 0 || r.CIHigh.Value > 1) {
			t.Errorf("interval [%v, %v] is not in [0, 1]", r.CILow.Value, r.CIHigh.Value)
		}
	}
}
