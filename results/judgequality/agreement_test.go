package judgequality_test

import (
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/recordtest"
	"compqa/results/store"
)

func agreementAt(t *testing.T, of *judgequality.Tables, judge, reference, level, item string) judgequality.AgreementRow {
	t.Helper()
	for _, r := range of.Agreements {
		if r.Judge == judge && r.Reference == reference && r.Level == level && r.Item == item {
			return r
		}
	}
	t.Fatalf("no row for %s against %s, %s %s", judge, reference, level, item)
	return judgequality.AgreementRow{}
}

// People gave one answer two sheets. Both sheets are units, paired with the judge's first verdict; the judge's second verdict is left out.
// A sheet that is not valid, and one whose answer was not found, count as planned.
func TestAgreementUnits(t *testing.T) {
	f := recordtest.Of(map[string]string{"human": dataset.KindHuman, "constant": dataset.KindFloor},
		recordtest.By("j", "s", "1", 5, 3, recordtest.Unread, 2),
		recordtest.By("constant", "s", "1", 5, 5, 5, 5),
		recordtest.By("human", "s", "1", 5, 1, 4, recordtest.Unread))
	first := f.Answers[0].ID
	f.Verdicts = append(f.Verdicts,
		data.Verdict{Answer: first, Judge: "human", Repeat: 2, Scores: data.Scores{"x": 4}},
		data.Verdict{Answer: first, Judge: "j", Repeat: 2, Scores: data.Scores{"x": 0}})
	f.Answers[1].Aspect = "price"
	f.Unplaced = []store.Unplaced{{Judge: "human", Source: "1", System: "s", Scenario: "2", Aspect: "price"}, {Judge: "j", Source: "1", System: "s", Scenario: "1"}}
	of := computed(t, f)

	r := agreementAt(t, of, "j", "human", dataset.LevelFinal, dataset.NoItem)
	if r.Kind != "judge" || r.Planned != 6 || r.N != 3 {
		t.Errorf("%+v; want kind judge, 3 of 6", r)
	}
	// 5 and 5, 5 and 4, 3 and 1
	recordtest.Near(t, "the share of equal totals", r.Agreement, 1.0/3)
	recordtest.Near(t, "the mean difference", r.MeanDifference, 1)
	recordtest.Near(t, "the mean distance", r.MAE, 1)
	if c := agreementAt(t, of, "constant", "human", dataset.LevelFinal, dataset.NoItem); c.Kind != "floor" || c.N != 4 || c.Spearman.Known || c.KendallTauB.Known || !c.AlphaInterval.Known {
		t.Errorf("the constant judge: %+v", c)
	}
	for _, want := range []struct {
		level, item string
		n, planned  int
	}{{dataset.LevelSeparate, dataset.NoItem, 3, 6}, {dataset.LevelCriterion, "x", 3, 6}, {dataset.LevelGroup, "g", 3, 6}, {dataset.LevelScenario, "1", 3, 5}, {dataset.LevelScenario, "2", 0, 1},
		{dataset.LevelAspect, "yes", 1, 2}, {dataset.LevelAspect, "no", 2, 4}, {dataset.LevelWithinCriterion, dataset.NoItem, 3, 6}, {dataset.LevelWithinSystem, dataset.NoItem, 3, 6}} {
		r := agreementAt(t, of, "j", "human", want.level, want.item)
		if r.N != want.n || r.Planned != want.planned {
			t.Errorf("%s %s: %d of %d, want %d of %d", want.level, want.item, r.N, r.Planned, want.n, want.planned)
		}
		if centred := strings.HasPrefix(want.level, "within"); centred && (r.Agreement.Known || r.AlphaNominal.Known || r.MeanDifference.Known) {
			t.Errorf("%s has figures that mean nothing without means: %+v", want.level, r)
		}
	}
}

// Annotators are paired by answer and repeat. Judges are compared with the mean of the annotators.
func TestAgreementOfAnnotators(t *testing.T) {
	f := recordtest.Of(map[string]string{"human:1": dataset.KindHuman, "human:2": dataset.KindHuman},
		recordtest.By("j", "s", "1", 1, 2),
		recordtest.By("human:1", "s", "1", 1, 3),
		recordtest.By("human:2", "s", "1", 2, 3))
	again := f.Answers[0].ID
	f.Verdicts = append(f.Verdicts,
		data.Verdict{Answer: again, Judge: "human:1", Repeat: 2, Scores: data.Scores{"x": 4}},
		data.Verdict{Answer: again, Judge: "human:2", Repeat: 3, Scores: data.Scores{"x": 5}})
	of := computed(t, f)
	r := agreementAt(t, of, "human:1", "human:2", dataset.LevelFinal, dataset.NoItem)
	if r.Kind != "human" || r.N != 2 || r.Planned != 3 {
		t.Errorf("%+v; want kind human, 2 of 3", r)
	}
	recordtest.Near(t, "the mean difference", r.MeanDifference, -0.5)
	// on the answer with repeats, people give 1 and 4, and 2 and 5, so the mean is 3; on the other answer both give 3
	r = agreementAt(t, of, "j", data.Human, dataset.LevelFinal, dataset.NoItem)
	if r.N != 2 || r.Kind != "judge" {
		t.Errorf("the judge against people: %+v", r)
	}
	recordtest.Near(t, "the judge's mean difference", r.MeanDifference, -1.5)
}

// TestAgreementAtFirstView checks that the probabilities of a low alpha, which decide nothing, are only in worth.csv and not in tables of
// agreement.
func TestAgreementAtFirstView(t *testing.T) {
	document := computed(t, recordtest.Small()).AgreementDocument()
	columns := 0
	for _, section := range document.Sections {
		if section.Table == nil {
			continue
		}
		columns += len(section.Table.Header)
		for _, heading := range section.Table.Header {
			if strings.HasPrefix(heading, "P(") {
				t.Errorf("%s has a column %s", section.Title, heading)
			}
		}
	}
	if columns == 0 || strings.Contains(document.Lead, "0.667") {
		t.Errorf("%d columns: %s", columns, document.Lead)
	}
}
