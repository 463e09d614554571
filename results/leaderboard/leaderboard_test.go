package leaderboard_test

import (
	"math"
	"slices"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/recordtest"
	"compqa/results/table"
	"compqa/stats"
)

// By hand: scenario 1 has 1, 2, 3 (mean 2, deviation 1). Scenario 2 has 2, 4 and an unread verdict (mean 3, deviation √2).
func TestLeaderboardRow(t *testing.T) {
	of := computed(t, recordtest.Of(nil,
		recordtest.By("j", "s", "1", 1, 2, 3),
		recordtest.By("j", "s", "2", 2, 4, recordtest.Unread)))
	one := of.At[dataset.PlanKey{Judge: "j", System: "s", Scenario: "1"}]
	two := of.At[dataset.PlanKey{Judge: "j", System: "s", Scenario: "2"}]
	all := of.At[dataset.PlanKey{Judge: "j", System: "s", Scenario: dataset.AllScenarios}]
	if one.Planned != 3 || one.Valid != 3 || two.Planned != 3 || two.Valid != 2 || all.Planned != 6 || all.Valid != 5 {
		t.Errorf("planned and valid: %+v, %+v, %+v", *one, *two, *all)
	}
	recordtest.Near(t, "the mean under scenario 1", one.Mean, 2)
	recordtest.Near(t, "its deviation", one.SD, 1)
	// Student's 97.5 % quantile with two degrees of freedom is 4.302652729911275
	recordtest.Near(t, "its lower bound", one.CILow, 2-4.302652729911275/math.Sqrt(3))
	recordtest.Near(t, "its upper bound", one.CIHigh, 2+4.302652729911275/math.Sqrt(3))
	recordtest.Near(t, "the deviation under scenario 2", two.SD, math.Sqrt2)
	recordtest.Near(t, "its worst case", two.WorstCase, 2)
	recordtest.Near(t, "its best case", two.BestCase, 11.0/3)
	recordtest.Near(t, "the mean over scenarios", all.Mean, 2.5)
	recordtest.Near(t, "the mean deviation", all.SD, (1+math.Sqrt2)/2)
	recordtest.Near(t, "the worst case over scenarios", all.WorstCase, 2)
	recordtest.Near(t, "the best case over scenarios", all.BestCase, (2+11.0/3)/2)
}

// A scenario without valid verdicts is in no mean, but in the worst and the best case.
func TestLeaderboardWithoutAScenario(t *testing.T) {
	of := computed(t, recordtest.Of(nil,
		recordtest.By("j", "s", "1", 1, 3),
		recordtest.By("j", "s", "2", recordtest.Unread, recordtest.Unread)))
	all := of.At[dataset.PlanKey{Judge: "j", System: "s", Scenario: dataset.AllScenarios}]
	recordtest.Near(t, "the mean", all.Mean, 2)
	recordtest.Near(t, "the worst case", all.WorstCase, 1)
	recordtest.Near(t, "the best case", all.BestCase, 3.5)
	if two := of.At[dataset.PlanKey{Judge: "j", System: "s", Scenario: "2"}]; two.Mean.Known || two.SD.Known || two.Rank.Known || two.CILow.Known {
		t.Errorf("figures without a valid verdict: %+v", *two)
	}
	if text := of.PartialText(); text == "" {
		t.Error("nothing says that the mean lacks a scenario")
	}
}

// The means are 4, 4, 2.4 and none. Equal systems share the best rank, and the next is third. The differences of a and c are 1, 2,
// 2, 2, 1: mean 1.6, standard error √.06, four degrees of freedom. So p = 1 - (3u - u³)/2, with u = t/√(4+t²).
func TestRanksAndComparisons(t *testing.T) {
	rows := func() []recordtest.Scored {
		return []recordtest.Scored{
			recordtest.By("j", "a", "1", 3, 4, 5, 4, 4),
			recordtest.By("j", "b", "1", 5, 4, 3, 4, 4),
			recordtest.By("j", "c", "1", 2, 2, 3, 2, 3),
			recordtest.By("j", "d", "1", recordtest.Unread)}
	}
	of := computed(t, recordtest.Of(nil, rows()...))
	many := computed(t, recordtest.Of(nil, recordtest.Times(4, rows()...)...))
	for system, want := range map[string]string{"a": "1", "b": "1", "c": "3", "d": stats.Missing} {
		if got := many.At[dataset.PlanKey{Judge: "j", System: system, Scenario: "1"}].Rank.Text(0); got != want {
			t.Errorf("%s has rank %s, want %s", system, got, want)
		}
	}
	ratio := 1.6 / math.Sqrt(.06)
	u := ratio / math.Sqrt(4+ratio*ratio)
	for _, r := range of.Differences {
		if r.Scenario == "1" && r.SystemA == "a" && r.SystemB == "c" {
			recordtest.Near(t, "the difference", r.Difference, 1.6)
			recordtest.Near(t, "its p-value", r.P, 1-(3*u-u*u*u)/2)
			recordtest.Near(t, "Holm's, of three", r.Adjusted, 3*(1-(3*u-u*u*u)/2))
			if r.Questions != 5 {
				t.Errorf("over %d questions", r.Questions)
			}
		}
		if r.SystemA == "d" || r.SystemB == "d" {
			t.Errorf("a system without a verdict is compared: %+v", r)
		}
	}
	if n := len(of.Differences); n != 6 {
		t.Errorf("%d comparisons, want three under scenario 1 and three over all", n)
	}
}

// If people scored 10 of 14 answers, the figures equal those of stats.PPIMean. With one scored answer less, there are none.
func TestInPeoplesUnits(t *testing.T) {
	judge := []float64{1, 3, 4, 5, 0, 2, 2, 3, 5, 4, 5, 2, 3, 1}
	human := []float64{1, 2, 4, 4, 0, 1, 2, 2, 5, 3}
	scored := func(n int) *leaderboard.Tables {
		return computed(t, recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.By("j", "s", "1", judge...),
			recordtest.By("human", "s", "1", human[:n]...)))
	}
	of := scored(10)
	want, err := stats.PPIMean(stats.PPISample{Human: human, Judge: judge[:10], Unlabelled: judge[10:],
		Clusters: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, UnlabelledClusters: []int{10, 11, 12, 13}}, dataset.Confidence)
	if err != nil {
		t.Fatal(err)
	}
	if want.Lambda == 0 {
		t.Fatal("the example gives the judge no weight")
	}
	for _, scenario := range []string{"1", dataset.AllScenarios} {
		r := of.At[dataset.PlanKey{Judge: "j", System: "s", Scenario: scenario}]
		recordtest.Near(t, "people's mean", r.HumanMean, want.Value)
		recordtest.Near(t, "its lower bound", r.Corrected.Mean.Lower(), want.Low)
		recordtest.Near(t, "its upper bound", r.Corrected.Mean.Upper(), want.High)
		recordtest.Near(t, "its lower bound on the scale", r.HumanMean.Lower(), max(0, want.Low))
		recordtest.Near(t, "its upper bound on the scale", r.HumanMean.Upper(), min(5, want.High))
		recordtest.Near(t, "lambda", r.Lambda, want.Lambda)
		recordtest.Near(t, "n", r.NHuman, 10)
		recordtest.Near(t, "effective n", r.NEffective, want.EffectiveN)
	}
	if r := scored(9).At[dataset.PlanKey{Judge: "j", System: "s", Scenario: "1"}]; r.HumanMean.Known || r.Lambda.Known || r.NHuman.Value != 9 {
		t.Errorf("9 labels correct the mean: %+v", *r)
	}
	if r := of.At[dataset.PlanKey{Judge: "human", System: "s", Scenario: "1"}]; r.NHuman.Known || r.HumanMean.Known {
		t.Errorf("people are estimated from people: %+v", *r)
	}
}

// The groups of a judge add up to its totals.
func TestGroupsAddUp(t *testing.T) {
	of := computed(t, recordtest.Small())
	sums := map[dataset.PlanKey]float64{}
	for _, r := range of.ByGroup {
		if r.Mean.Known {
			sums[dataset.PlanKey{Judge: r.Judge, System: r.System, Scenario: r.Scenario}] += r.Mean.Value
		}
	}
	for _, r := range of.Board {
		if r.Mean.Known {
			recordtest.Near(t, r.Judge+", "+r.System+", "+r.Scenario, stats.Number(sums[dataset.PlanKey{Judge: r.Judge, System: r.System, Scenario: r.Scenario}]), r.Mean.Value)
		}
	}
}

// An answer that was scored twice counts once: 1 and 5, 2, 3, 2, 2 have the mean (3+2+3+2+2)/5. So do its groups, and the comparison with
// the other system, which has 2 points on each answer. The unreadable verdict counts as half of an answer in the worst case.
func TestAnswersCountOnce(t *testing.T) {
	f := recordtest.Of(nil, recordtest.By("j", "a", "1", 1, 2, 3, 2, 2), recordtest.By("j", "b", "1", 2, 2, 2, 2, 2))
	again := f.Verdicts[0]
	again.Repeat = 2
	again.Scores = data.Scores{"x": 5}
	unread := f.Verdicts[1]
	unread.Repeat = 2
	unread.Scores = nil
	unread.Status = data.Unparsed
	f.Verdicts = append(f.Verdicts, again, unread)
	of := computed(t, f)
	row := of.At[dataset.PlanKey{Judge: "j", System: "a", Scenario: "1"}]
	if row.Planned != 7 || row.Valid != 6 {
		t.Errorf("%d planned, %d valid verdicts; want 7 and 6", row.Planned, row.Valid)
	}
	recordtest.Near(t, "the mean", row.Mean, 2.4)
	recordtest.Near(t, "the deviation", row.SD, math.Sqrt(.3))
	recordtest.Near(t, "the worst case", row.WorstCase, (3.0+1+3+2+2)/5)
	recordtest.Near(t, "the best case", row.BestCase, (3.0+3.5+3+2+2)/5)
	group := table.First(of.ByGroup, func(r leaderboard.GroupRow) bool { return r.System == "a" && r.Scenario == "1" })
	recordtest.Near(t, "the group's mean", group.Mean, 2.4)
	if group.Valid != 6 {
		t.Errorf("the group has %d valid verdicts", group.Valid)
	}
	difference := table.First(of.Differences, func(r leaderboard.ComparisonRow) bool { return r.SystemA == "a" && r.Scenario == "1" })
	recordtest.Near(t, "the difference", difference.Difference, .4)
}

// Systems without common questions are compared by all their sheets, clustered by question. A system with a single answer has no rank, and
// does not change the other ranks.
func TestRanksOfSparseScores(t *testing.T) {
	totals := func(from, to int, points ...float64) []float64 {
		all := slices.Repeat([]float64{recordtest.Unread}, 36)
		for i := from; i < to; i++ {
			all[i] = points[i%len(points)]
		}
		return all
	}
	of := computed(t, recordtest.Of(nil, recordtest.By("j", "a", "1", totals(0, 12, 4, 5)...), recordtest.By("j", "b", "1", totals(12, 24, 2, 3)...),
		recordtest.By("j", "c", "1", totals(24, 35, 0, 1)...), recordtest.By("j", "one", "1", totals(35, 36, 5)...)))
	for system, want := range map[string]string{"a": "1-1", "b": "2-2", "c": "3-3", "one": "–-–"} {
		r := of.At[dataset.PlanKey{Judge: "j", System: system, Scenario: "1"}]
		if got := r.RankLow.Text(0) + "-" + r.RankHigh.Text(0); got != want {
			t.Errorf("%s has ranks %s, want %s", system, got, want)
		}
	}
	for _, r := range of.Differences {
		if r.Questions != 0 || r.Difference.Known {
			t.Errorf("comparisons.csv has a difference over no question: %+v", r)
		}
	}
}

// A tier ends where one of its systems is significantly above the next system. Systems without a rank belong to no tier.
func TestTiers(t *testing.T) {
	ranked := stats.Count(1)
	places := []leaderboard.Place{{System: "a", Rank: ranked, Above: []string{"c", "d"}}, {System: "b", Rank: ranked, Above: []string{"d"}},
		{System: "thin"}, {System: "c", Rank: ranked}, {System: "d", Rank: ranked}, {System: "e", Rank: ranked}}
	if got := leaderboard.Tiers(places); !slices.Equal(got, []int{1, 1, 0, 2, 2, 2}) {
		t.Errorf("%v", got)
	}
}
