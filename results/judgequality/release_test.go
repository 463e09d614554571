package judgequality_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/recordtest"
)

// expected has figures that independent code (numpy, scipy) computed from the same copy of the authors' release.
type expected struct {
	JudgeHuman map[string]expectedAgreement `json:"judge_human_strict"`
	HumanHuman struct {
		Answers  int                                          `json:"n_answers"`
		Separate struct{ Nominal, Ordinal, Interval float64 } `json:"alpha_separate"`
		Final    struct{ Ordinal, Interval float64 }          `json:"alpha_final"`
		Criteria []float64                                    `json:"alpha_per_criterion_interval"`
	} `json:"human_human"`
	Table5 map[string]map[string]struct {
		Strict struct {
			N        int
			Mean, SD float64
		}
		Planned int
	}
}

type expectedAgreement struct {
	N               int
	Unjoined        int
	Invalid         int
	Separate, Final struct {
		AlphaInterval  float64 `json:"alpha_interval"`
		AlphaOrdinal   float64 `json:"alpha_ordinal"`
		AlphaNominal   float64 `json:"alpha_nominal"`
		Pearson        float64
		Spearman       float64
		KendallTauB    float64 `json:"kendall_tau_b"`
		MeanDifference float64 `json:"mean_difference"`
	}
	Alpha    []float64 `json:"per_criterion_alpha_interval"`
	Spearman []float64 `json:"per_criterion_spearman"`
}

// The test compares agreement, and means by scenario, by the strict rule of validity.
func TestSoakReleaseAgreesWithIndependentCode(t *testing.T) {
	sharedtest.Soak(t)
	shared := sharedtest.Path(t)
	content, err := os.ReadFile(filepath.Join(shared, "oracle", "reproduce_expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want expected
	if err := json.Unmarshal(content, &want); err != nil {
		t.Fatal(err)
	}
	tables := ofTheRelease(t)
	rows := map[[4]string]judgequality.AgreementRow{}
	for _, r := range tables.Agreements {
		rows[[4]string{r.Judge, r.Reference, r.Level, r.Item}] = r
	}
	if len(want.JudgeHuman) < 2 {
		t.Fatalf("the expected file has %d judges", len(want.JudgeHuman))
	}
	for judge, e := range want.JudgeHuman {
		for _, l := range []string{dataset.LevelSeparate, dataset.LevelFinal} {
			r := rows[[4]string{judge, "human", l, "-"}]
			f := e.Separate
			if l == dataset.LevelFinal {
				f = e.Final
			}
			if r.N != e.N || r.Planned != 277 {
				t.Errorf("%s, %s: %d of %d sheets, want %d of 277", judge, l, r.N, r.Planned, e.N)
			}
			recordtest.Near(t, judge+" interval alpha, "+l, r.AlphaInterval, f.AlphaInterval)
			recordtest.Near(t, judge+" ordinal alpha, "+l, r.AlphaOrdinal, f.AlphaOrdinal)
			recordtest.Near(t, judge+" nominal alpha, "+l, r.AlphaNominal, f.AlphaNominal)
			recordtest.Near(t, judge+" Pearson, "+l, r.Pearson, f.Pearson)
			recordtest.Near(t, judge+" Spearman, "+l, r.Spearman, f.Spearman)
			recordtest.Near(t, judge+" tau-b, "+l, r.KendallTauB, f.KendallTauB)
			recordtest.Near(t, judge+" mean difference, "+l, r.MeanDifference, f.MeanDifference)
		}
		for i, c := range tables.Rubric.Criteria {
			r := rows[[4]string{judge, "human", dataset.LevelCriterion, c.ID}]
			recordtest.Near(t, judge+" interval alpha, criterion "+c.ID, r.AlphaInterval, e.Alpha[i])
			recordtest.Near(t, judge+" Spearman, criterion "+c.ID, r.Spearman, e.Spearman[i])
		}
	}
	h := rows[[4]string{"human:1", "human:2", dataset.LevelSeparate, "-"}]
	if h.N != want.HumanHuman.Answers {
		t.Errorf("people share %d sheets, want %d", h.N, want.HumanHuman.Answers)
	}
	recordtest.Near(t, "people's interval alpha", h.AlphaInterval, want.HumanHuman.Separate.Interval)
	recordtest.Near(t, "people's ordinal alpha", h.AlphaOrdinal, want.HumanHuman.Separate.Ordinal)
	recordtest.Near(t, "people's nominal alpha", h.AlphaNominal, want.HumanHuman.Separate.Nominal)
	recordtest.Near(t, "people's interval alpha of totals", rows[[4]string{"human:1", "human:2", dataset.LevelFinal, "-"}].AlphaInterval, want.HumanHuman.Final.Interval)
	for i, c := range tables.Rubric.Criteria {
		recordtest.Near(t, "people's interval alpha, criterion "+c.ID, rows[[4]string{"human:1", "human:2", dataset.LevelCriterion, c.ID}].AlphaInterval, want.HumanHuman.Criteria[i])
	}
	compared := 0
	for judge, files := range want.Table5 {
		for file, e := range files {
			system := file
			scenario := data.NoScenario
			if name, id, ok := strings.Cut(file, "_scenario_"); ok {
				system = name
				scenario = id
			}
			r := tables.Leaderboard().At[dataset.PlanKey{Judge: judge, System: system, Scenario: scenario}]
			if r == nil || r.Planned != e.Planned || r.Valid != e.Strict.N {
				t.Errorf("%s, %s: %+v; want %d of %d", judge, file, r, e.Strict.N, e.Planned)
				continue
			}
			recordtest.Near(t, judge+", "+file+": the mean", r.Mean, e.Strict.Mean)
			recordtest.Near(t, judge+", "+file+": the deviation", r.SD, e.Strict.SD)
			compared++
		}
	}
	if compared != 54 { // 27 files by two judges
		t.Errorf("%d cells were compared", compared)
	}
}
