package judgequality_test

import (
	"math"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/dataset"
	"compqa/results/humanpoints"
	"compqa/results/judgequality"
	"compqa/results/recordtest"
	"compqa/results/trust"
)

// pointsOf returns the row of a judge and a system in human_points.csv.
func pointsOf(t *testing.T, of *judgequality.Tables, judge, system string) humanpoints.Row {
	t.Helper()
	rows := data.Where(of.HumanPoints.Rows, func(r humanpoints.Row) bool { return r.Judge == judge && r.System == system })
	if len(rows) != 1 {
		t.Fatalf("%d rows of %s for %s", len(rows), judge, system)
	}
	return rows[0]
}

// TestHumanPoints checks the predicted points of a system that people did not score, and of a scored system, a baseline and people
// themselves.
func TestHumanPoints(t *testing.T) {
	kinds := map[string]string{"human": dataset.KindHuman}
	f := recordtest.Of(kinds, append(recordtest.ByPeople(4), recordtest.By("j", "base", "1", recordtest.Sawtooth(12, 5)...))...)
	for i := range f.Systems {
		if f.Systems[i].Name == "base" {
			f.Systems[i].Kind = dataset.KindBaseline
		}
	}
	of := computed(t, f)
	r := pointsOf(t, of, "j", "new")
	recordtest.Near(t, "points of the new system", r.Predicted, 2.5)
	if r.Basis != trust.BasisTransfer || r.Exchangeable != "yes" || r.Human != 0 || r.Answers != 12 {
		t.Errorf("the new system: %+v", r)
	}
	if low := r.Predicted.Low; !(low < 2.4 && low > 0) {
		t.Errorf("the interval begins at %v", low)
	}
	if r := pointsOf(t, of, "j", "s1"); r.Basis != trust.BasisBoth || math.Abs(r.Bias.Value-1) > 1e-9 || math.Abs(r.Predicted.Value-1.5) > 1e-9 {
		t.Errorf("a scored system: %+v", r)
	}
	if r := pointsOf(t, of, "human", "s1"); r.Basis != trust.BasisPeople {
		t.Errorf("people: %+v", r)
	}
	if r := pointsOf(t, of, "j", "base"); r.Exchangeable != "no" || r.Rank.Why == nil {
		t.Errorf("a baseline: %+v", r)
	}
	j := of.JudgeFigures[0]
	recordtest.Near(t, "bias", j.Bias, 1)
	recordtest.Near(t, "tau", j.Tau, 0)
	recordtest.Near(t, "coverage", j.Coverage, 1)
}

// TestNoHumanPoints checks when nothing is predicted: people scored too few systems, or the judge was fitted to their scores. With fits
// without each system (left_out), points are predicted.
func TestNoHumanPoints(t *testing.T) {
	kinds := map[string]string{"human": dataset.KindHuman}
	if r := pointsOf(t, computed(t, recordtest.Of(kinds, recordtest.ByPeople(2)...)), "j", "new"); r.Basis != trust.BasisNone || r.Predicted.Known {
		t.Errorf("people scored two systems: %+v", r)
	}
	f := recordtest.Of(kinds, recordtest.ByPeople(5)...)
	f.Config = `{"judges":[{"name":"j","trained_on":"our rows"}]}`
	if r := pointsOf(t, computed(t, f), "j", "new"); r.Basis != trust.BasisNone || r.Rank.Why == nil {
		t.Errorf("a judge fitted to people's scores: %+v", r)
	}
	f.Config = `{"judges":[{"name":"j","trained_on":"our rows","left_out":[{"system":"s0","n":12,"bias":2.1,"se":0.1},{"system":"s1","n":12,"bias":1.9,"se":0.1},
		{"system":"s2","n":12,"bias":2,"se":0.1},{"system":"s3","n":2,"bias":2,"se":0.1},{"system":"other","n":12,"bias":9,"se":0.1}]}]}`
	of := computed(t, f)
	if r := pointsOf(t, of, "j", "new"); r.Basis != trust.BasisTransfer || math.Abs(r.Predicted.Value-1.5) > 1e-3 {
		t.Errorf("a judge fitted to people's scores, with fits without each system: %+v", r)
	}
	if of.JudgeFigures[0].Coverage.Text(2) != "1.00" {
		t.Errorf("coverage of left-out systems: %s", of.JudgeFigures[0].Coverage.Text(2))
	}
	if of := computed(t, recordtest.Of(nil, recordtest.By("j", "s", "1", 1, 2))); of.HumanPoints.Rows != nil {
		t.Errorf("without people: %+v", of.HumanPoints.Rows)
	}
}

// Figures from the description of the method: mean bias 1.77 and 0.71, and standard deviation between systems 0.73 and 1.24 by the method
// of moments (gpt-4o, gpt-3.5). 8 of 9 systems are within the predicted interval.
func TestSoakTransferOfTheRelease(t *testing.T) {
	sharedtest.Soak(t)
	of := ofTheRelease(t)
	tested := 0
	covered := 0
	for _, transfer := range of.HumanPoints.Transfers {
		tested += transfer.Tested
		covered += transfer.Covered
		t.Logf("%s: %d of %d, bias %s, tau %s, %s", transfer.Judge, transfer.Covered, transfer.Tested, transfer.Bias.Point().Text(2), transfer.Tau.Point().Text(2), transfer.Bias.Reason())
		if transfer.Systems != 9 || transfer.Tested != 9 || transfer.Covered < 8 {
			t.Errorf("%s: %d of %d of %d systems", transfer.Judge, transfer.Covered, transfer.Tested, transfer.Systems)
		}
	}
	if len(of.HumanPoints.Transfers) < 2 || float64(covered) < 0.88*float64(tested) {
		t.Errorf("%d of %d", covered, tested)
	}
	for _, r := range data.Where(of.JudgeFigures, func(r judgequality.JudgeRow) bool { return r.Judge == "gpt-4o" }) {
		if math.Abs(r.Bias.Value-1.77) > 0.1 || math.Abs(r.Tau.Value-0.73) > 0.2 {
			t.Errorf("%+v", r.Bias)
		}
	}
}
