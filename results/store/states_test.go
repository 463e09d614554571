package store

import (
	"errors"
	"slices"
	"testing"

	"compqa/data"
)

// TestStates: States returns the states of one cell's results, by key, for results of each kind. Dropping a preference also drops the
// grades of its rationale, and no other result.
func TestStates(t *testing.T) {
	s, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	total := 3.0
	valid := Head{Status: data.Valid, Calls: CallIDs{}}
	if err := s.Write(func(b Batch) error {
		return errors.Join(
			b.PairSets([]PairSet{{Name: "set", Pairs: []SetPair{{Pair: data.Pair{ID: "p"}}}}, {Name: "other", Pairs: []SetPair{{Pair: data.Pair{ID: "q"}}}}}),
			b.Answer(data.Answer{ID: "a", System: "s", Scenario: "1", Status: data.Valid}, Size{}, nil),
			b.Answer(data.Answer{ID: "b", System: "s", Scenario: "2", Status: data.Failed}, Size{}, nil),
			b.Verdict(data.Verdict{Answer: "a", Judge: "j", Repeat: 2, Status: data.Valid, Total: &total}, nil),
			b.Labels("a", Labels{Judge: "j", Kind: data.LabelRows, Head: valid}, nil),
			b.Preference(data.Preference{ID: "p", Judge: "j", Method: "m", Order: "ab", Status: data.Valid}, PreferenceAbout{Fingerprint: "f"}, nil),
			b.Preference(data.Preference{ID: "q", Judge: "j", Method: "m", Order: "ba", Status: data.Failed}, PreferenceAbout{Fingerprint: "g"}, nil),
			b.Judgment(RecordedJudgment{ID: "p", Judge: "j", Order: "ab", Source: "repeated", Sample: 3, Fingerprint: "h", Head: valid}, nil),
			b.Grade(RecordedGrade{ID: "p", Judge: "j", Method: "m", Order: "ab", Grader: "k", Fingerprint: "i", Head: valid}, nil))
	}); err != nil {
		t.Fatal(err)
	}
	preference := PreferenceAt("p", "j", "m", "ab")
	grade := At{Kind: KindGrade, Party: "k", Subject: "p", Judge: "j", Variant: "m", Order: "ab"}
	has := func(c PlanCell, place At, want State) {
		t.Helper()
		states, err := s.States(c)
		if err != nil || len(states) != 1 || states[place] != want {
			t.Errorf("%+v: %v, %v", c, states, err)
		}
		if found, err := place.Find(s); err != nil || found.Status() != want.Status || found.place() != place {
			t.Errorf("%s: %v, %v", place, found, err)
		}
	}
	has(PlanCell{Kind: KindAnswer, System: "s", Scenario: "2"}, At{Kind: KindAnswer, Subject: "b"}, State{Status: data.Failed})
	has(PlanCell{Kind: KindVerdict, Judge: "j", System: "s", Scenario: "1"}, At{Kind: KindVerdict, Party: "j", Subject: "a", Repeat: 2},
		State{Status: data.Valid})
	has(PlanCell{Kind: data.LabelRows, Judge: "j", System: "s", Scenario: "1"},
		At{Kind: KindLabel, Party: "j", Subject: "a", Variant: data.LabelRows}, State{Status: data.Valid})
	has(PlanCell{Kind: KindPreference, Judge: "j", Method: "m", Dataset: "set"}, preference, State{data.Valid, "f"})
	has(PlanCell{Kind: KindSample, Judge: "j"}, At{Kind: KindSample, Party: "j", Subject: "p", Order: "ab", Variant: "repeated", Repeat: 3},
		State{data.Valid, "h"})
	has(PlanCell{Kind: KindGrade, Judge: "k"}, grade, State{data.Valid, "i"})
	for _, c := range []PlanCell{{Kind: KindVerdict, Judge: "j", System: "s", Scenario: "2"}, {Kind: data.LabelClaims, Judge: "j"},
		{Kind: KindPreference, Judge: "j", Method: "other"}, {Kind: KindGrade, Judge: "j"}} {
		if states, err := s.States(c); err != nil || len(states) > 0 {
			t.Errorf("%+v: %v, %v", c, states, err)
		}
	}
	if states, err := (*Store)(nil).States(PlanCell{Kind: KindAnswer}); err != nil || len(states) > 0 {
		t.Errorf("without a record: %v, %v", states, err)
	}
	if err := s.Write(func(b Batch) error { return b.Drop([]At{preference}) }); err != nil {
		t.Fatal(err)
	}
	left, err := ResultsOf[data.Preference](s, PlanCell{Kind: KindPreference, Judge: "j", Method: "m"})
	grades, failed := s.States(PlanCell{Kind: KindGrade, Judge: "k"})
	samples, noSamples := s.States(PlanCell{Kind: KindSample, Judge: "j"})
	ids := data.Each(left, func(p data.Preference) string { return p.ID })
	if errors.Join(err, failed, noSamples) != nil || !slices.Equal(ids, []string{"q"}) || len(grades) != 0 || len(samples) != 1 {
		t.Errorf("after a preference was dropped: %v, %v, %v, %v, %v, %v", ids, grades, samples, err, failed, noSamples)
	}
}
