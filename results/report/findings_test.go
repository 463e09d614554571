package report

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"compqa/results/compare"
	"compqa/results/dataset"
	"compqa/results/recordtest"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// Ordered alone gives the same findings on two systems as the whole report.
func TestOrderedSaysOfTwoWhatTheReportSays(t *testing.T) {
	for name, rows := range map[string][]recordtest.Scored{
		"by people": recordtest.ByPeople(12),
		"by a judge": {recordtest.By("j", "low", "1", recordtest.Sawtooth(24, 2)...), recordtest.By("j", "high", "1", recordtest.Sawtooth(24, 5)...),
			recordtest.By("k", "low", "1", recordtest.Sawtooth(24, 5)...), recordtest.By("k", "high", "1", recordtest.Sawtooth(24, 2)...)},
	} {
		report := computed(t, recordtest.Of(map[string]string{"human": dataset.KindHuman}, rows...))
		ordered, err := Ordered(report.Dataset)
		if err != nil {
			t.Fatal(err)
		}
		places := report.Leaderboard.Places
		for _, judge := range append([]string{""}, compare.Judges(report.Dataset)...) {
			var said [2]table.Findings
			for i, from := range []*Report{report, ordered} {
				two, err := from.Two(places[0].System, places[len(places)-1].System, Selection{Judge: judge})
				if err != nil {
					t.Fatal(err)
				}
				said[i] = two.Findings()
			}
			if len(said[0]) == 0 || !reflect.DeepEqual(said[0], said[1]) {
				t.Errorf("%s, judge %q: the report says %v, the order %v", name, judge, said[0], said[1])
			}
		}
	}
}

// Findings on two systems agree with the rank ranges. A system is significantly below as many systems as its best rank implies, and above
// as many as its worst rank implies. The first finding does not depend on the selected judge.
func TestPairsSayWhatTheRankingSays(t *testing.T) {
	for name, rows := range map[string][]recordtest.Scored{
		"by people": recordtest.ByPeople(12),
		"by a judge": {recordtest.By("j", "low", "1", recordtest.Sawtooth(24, 2)...), recordtest.By("j", "mid", "1", recordtest.Sawtooth(24, 5)...),
			recordtest.By("j", "high", "1", slices.Repeat([]float64{5, 5, 4}, 8)...), recordtest.By("k", "low", "1", recordtest.Sawtooth(24, 5)...),
			recordtest.By("k", "mid", "1", recordtest.Sawtooth(24, 2)...)},
	} {
		report := computed(t, recordtest.Of(map[string]string{"human": dataset.KindHuman}, rows...))
		ranked := ranked(report.Leaderboard.Places)
		if len(ranked) < 3 {
			t.Fatalf("%s: %d ranked systems", name, len(ranked))
		}
		clear := 0
		for _, place := range ranked {
			above := 0
			below := 0
			for _, other := range ranked {
				if other.System == place.System {
					continue
				}
				pair := report.pair(place.System, other.System, Selection{})
				above += max(0, pair.Above)
				below += max(0, -pair.Above)
				if f := pair.Finding(); (f.Claim == trust.ClaimAhead) != (pair.Above != 0) {
					t.Errorf("%s: %d, but %s", name, pair.Above, f.Text)
				}
			}
			clear += above
			if low, high := stats.Count(below+1), stats.Count(len(ranked)-above); low.Value != place.RankLow.Value || high.Value != place.RankHigh.Value {
				t.Errorf("%s: %s is above %d and below %d, with ranks %s to %s", name, place.System, above, below, place.RankLow.Text(0), place.RankHigh.Text(0))
			}
		}
		if name != "by a judge" { // by predicted points, no systems can be told apart
			continue
		}
		if clear == 0 {
			t.Errorf("%s: no pair is clear, so nothing is tested", name)
		}
		var first []string
		for _, selected := range []Selection{{}, {Judge: "j"}, {Scenario: "1"}} {
			two, err := report.Two(ranked[0].System, ranked[len(ranked)-1].System, selected)
			if err != nil {
				t.Fatal(err)
			}
			first = append(first, two.Findings().Headline())
		}
		if len(slices.Compact(first)) != 1 || !strings.Contains(first[0], "is ahead of") {
			t.Errorf("%s: the headline depends on what is selected: %q", name, first)
		}
	}
}
