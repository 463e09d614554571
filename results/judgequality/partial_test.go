package judgequality_test

import (
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/recordtest"
	"compqa/results/store"
)

// Each of two people leaves one criterion of some answers blank. Figures on a single criterion use all its values, totals need complete
// sheets, and people's mean on a criterion is over those who scored it.
func TestPartialSheets(t *testing.T) {
	f := recordtest.Fixture{Rubric: recordtest.SmallRubric(), Seed: 1, Systems: []store.Participant{{Name: "s", Kind: "model"}},
		Judges: []store.Participant{{Name: "human:1", Kind: dataset.KindHuman}, {Name: "human:2", Kind: dataset.KindHuman}, {Name: "j", Kind: "model"}}}
	for i := range 40 {
		q := string(rune('a'+i%20)) + string(rune('a'+i/20))
		a := data.Answer{ID: data.AnswerID("s", "1", q, 1), Question: q, Object1: q, Object2: "z", System: "s", Scenario: "1", Repeat: 1,
			Status: data.Valid, Text: q}
		f.Answers = append(f.Answers, a)
		for j, judge := range f.Judges {
			scores := data.Scores{"a": float64(i % 2), "b": float64(i % 3), "c": float64(i / 2 % 3)}
			if i%4 == j { // for people only: the judge's sheets are complete
				delete(scores, []string{"a", "b", "none"}[j])
			}
			f.Verdicts = append(f.Verdicts, data.Verdict{Answer: a.ID, Judge: judge.Name, Repeat: 1, Scores: scores})
		}
	}
	of := computed(t, f)
	for _, want := range []struct {
		judge, reference, level, item string
		n                             int
	}{{"human:1", "human:2", dataset.LevelCriterion, "a", 30}, {"human:1", "human:2", dataset.LevelCriterion, "b", 30},
		{"human:1", "human:2", dataset.LevelCriterion, "c", 40}, {"human:1", "human:2", dataset.LevelFinal, "-", 20},
		{"j", "human", dataset.LevelCriterion, "a", 40}, {"j", "human", dataset.LevelFinal, "-", 40}} {
		r := agreementAt(t, of, want.judge, want.reference, want.level, want.item)
		if r.N != want.n || r.Planned != 40 || r.AlphaInterval.Point().Text(3) != "1.000" {
			t.Errorf("%s, %s, %s %s: n %d of %d, alpha %s; want %d of 40", want.judge, want.reference, want.level, want.item, r.N, r.Planned,
				r.AlphaInterval.Point().Text(3), want.n)
		}
	}
}
