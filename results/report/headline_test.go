package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/recordtest"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// The ranking by a chosen judge, and the terminal, explain baselines.
func TestRankingOfBaselines(t *testing.T) {
	f := recordtest.Of(nil, recordtest.By("j", "base", "1", recordtest.Sawtooth(24, 5)...), recordtest.By("j", "low", "1", make([]float64, 24)...), recordtest.By("j", "other", "1", recordtest.Sawtooth(24, 7)...))
	f.Systems[0].Kind = dataset.KindBaseline
	ranking := computed(t, f).Ranking(Selection{Judge: "j"})
	if row := ranking.Table.Rows[1]; !strings.HasSuffix(ranking.About, "Baselines have no rank.") || row[1].Text != "base" || row[3].Text != "24" || row[4].Text != "baseline" {
		t.Errorf("by a chosen judge: %v: %s", ranking.Table.Rows, ranking.About)
	}
	key := func(ranking table.Section) string {
		return table.First(ranking.Keys, func(k table.Key) bool { return k.Mark == "hollow" }).Text
	}
	if text := key(ranking); text != "baseline, not ranked" {
		t.Errorf("a baseline beside systems is called %q", text)
	}
	for i := range f.Systems {
		f.Systems[i].Kind = dataset.KindBaseline
	}
	ranked := computed(t, f).Ranking(Selection{})
	if text := key(ranked); text != "baseline" {
		t.Errorf("baselines alone, which are ranked, are called %q", text)
	}
	var screen strings.Builder
	if err := computed(t, f).Print(&screen, "DIR", false); err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(strings.Fields(screen.String()), " "); !strings.Contains(text, "add it under models in compqa.yaml. No person has scored these answers: this is the opinion of j") {
		t.Errorf("the screen does not say how a model is added, and whose opinion this is:\n%s", text)
	}
}

// report.md names a degenerate judge.
func TestFrontNamesDegenerateJudges(t *testing.T) {
	constant := slices.Repeat([]float64{3}, 40)
	kinds := map[string]string{"human": dataset.KindHuman}
	good := []recordtest.Scored{recordtest.By("good", "s", "1", recordtest.Sawtooth(40, 5)...), recordtest.By("better", "s", "1", recordtest.Sawtooth(40, 7)...), recordtest.By("human", "s", "1", recordtest.Sawtooth(40, 5)...)}
	report := computed(t, recordtest.Of(kinds, append(good, recordtest.By("constant15", "s", "1", constant...))...))
	if !strings.Contains(report.Front().Markdown(), "§ constant15 is degenerate: it gives 3 points to every answer.") {
		t.Error("report.md does not name the degenerate judge")
	}
}

// A judge has a mark only if it was trained on the reference's rows. The rows of the release are those imported from it.
func TestMarksOfFittedJudges(t *testing.T) {
	f := recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.By("fit", "s", "1", recordtest.Sawtooth(24, 5)...), recordtest.By("tuned", "s", "1", recordtest.Sawtooth(24, 7)...), recordtest.By("fresh", "s", "1", recordtest.Sawtooth(24, 5)...), recordtest.By("human", "s", "1", recordtest.Sawtooth(24, 5)...))
	f.Config = `{"judges":[{"name":"fit","trained_on":"human-rows-of-release","held_out":true},{"name":"tuned","trained_on":"human-rows-of-release"},{"name":"fresh"}]}`
	for origin, marked := range map[string]bool{store.FromConfig: false, "release": true} {
		dir := f.Write(t, t.TempDir())
		s, err := store.Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		tx := must(s.Begin())
		must(tx.Exec(`UPDATE plan SET origin = ? WHERE judge = 'human'`, origin))
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		report := must(Compute(dataset.New(must(dataset.Load(dir)))))
		for _, r := range report.Quality.Agreements {
			want := ""
			if marked && (r.Judge == "fit" || r.Judge == "tuned") {
				want = data.ReleaseRows
			}
			if r.FittedOn != want {
				t.Errorf("%s, %s is fitted on %q, want %q", origin, r.Judge, r.FittedOn, want)
			}
		}
		var screen strings.Builder
		if err := report.Print(&screen, "DIR", false); err != nil {
			t.Fatal(err)
		}
		pages := map[string]string{"report.md": report.Front().Markdown(), "agreement.md": report.Quality.AgreementDocument().Markdown(), "leaderboard.md": report.Leaderboard.Details().Markdown(), "bias.md": report.Quality.JudgesDocument().Markdown()}
		for name, text := range pages {
			for _, want := range []string{"† fit was trained or tuned on these human scores (human-rows-of-release). Its figures are held out", "† tuned was trained", "fit†"} {
				if strings.Contains(text, want) != marked && (name != "report.md" || want != "fit†") {
					t.Errorf("%s, %s: %q is there: %v", origin, name, want, !marked)
				}
			}
			if strings.Contains(text, "fresh†") {
				t.Errorf("%s: a judge that was not trained has a mark", name)
			}
		}
	}
}

// After a run, the terminal shows a short ranking. compqa report adds costs, failures, and the agreement of judges.
func TestPrintAll(t *testing.T) {
	report := computed(t, recordtest.Small())
	screen := map[bool]string{}
	for _, all := range []bool{false, true} {
		var b strings.Builder
		if err := report.Print(&b, "DIR", all); err != nil {
			t.Fatal(err)
		}
		screen[all] = b.String()
	}
	for _, text := range []string{"not valid", "alpha (interval),", "human:2"} {
		if strings.Contains(screen[false], text) || !strings.Contains(screen[true], text) {
			t.Errorf("%q is in both or in neither of\n%s\n%s", text, screen[false], screen[true])
		}
	}
}

// TestPrintOfLargeRun checks that a report with many systems and judges has at most 20 lines, and says where the rest is.
func TestPrintOfLargeRun(t *testing.T) {
	var rows []recordtest.Scored
	for s := range 40 {
		for _, judge := range []string{"j", "another", "human:1", "human:2"} {
			rows = append(rows, recordtest.By(judge, fmt.Sprintf("a system with a long name, %d", s), "1", recordtest.Sawtooth(12, 3+s%4)...))
		}
	}
	kinds := map[string]string{"human:1": dataset.KindHuman, "human:2": dataset.KindHuman}
	report := computed(t, recordtest.Of(kinds, rows...))
	for _, all := range []bool{false, true} {
		var b strings.Builder
		if err := report.Print(&b, "DIR", all); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n"); n > 20 || !strings.Contains(b.String(), "more: compqa serve, tables/leaderboard.csv") {
			t.Errorf("%d lines:\n%s", n, b.String())
		}
	}
}

// For human points, people's own means are shown next to them. The first line names all systems that may be first, and who puts another
// system first.
func TestFirstLineNamesWhoDisagrees(t *testing.T) {
	rows := recordtest.ByPeople(4)
	for s := range 4 { // by another judge, s3 is the best
		totals := slices.Clone(rows[2*s+1].Totals)
		for i := range totals {
			totals[i] = min(5, totals[i]+float64(i%2))
		}
		rows = append(rows, recordtest.By("k", rows[2*s].System, "1", totals...))
	}
	rows = append(rows, recordtest.By("k", "new", "1", 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1))
	report := computed(t, recordtest.Of(map[string]string{"human": dataset.KindHuman}, rows...))
	report.Leaderboard.Judge = "j"
	report.Leaderboard.Places = []leaderboard.Place{{System: "new", Rank: stats.Count(1), RankLow: stats.Count(1), RankHigh: stats.Count(4), Points: stats.WithInterval(4, 3, 5)},
		{System: "s0", Rank: stats.Count(2), RankLow: stats.Count(1), RankHigh: stats.Count(4), Points: stats.WithInterval(3, 2, 4)},
		{System: "s1", Rank: stats.Count(3), RankLow: stats.Count(3), RankHigh: stats.Count(3), Points: stats.WithInterval(1, 0, 2)}}
	if line := report.Leader().Text; line != "No clear leader: new and s0 may each be first." {
		t.Error(line)
	}
	if around := report.aroundLeader().Texts(); !slices.Contains(around, "The predictions from k put s0 first.") {
		t.Error(around)
	}
	report.Leaderboard.Places[0], report.Leaderboard.Places[2] = report.Leaderboard.Places[2], report.Leaderboard.Places[0]
	report.Leaderboard.Places = report.Leaderboard.Places[:2]
	report.Leaderboard.Places[0].Points, report.Leaderboard.Places[0].RankHigh, report.Leaderboard.Places[1].RankLow = stats.WithInterval(3.5, 3, 4), stats.Count(1), stats.Count(2)
	report.Leaderboard.At[dataset.PlanKey{Judge: "human", System: "s0", Scenario: dataset.AllScenarios}].Mean = stats.Number(4.5)
	report.Leaderboard.At[dataset.PlanKey{Judge: "human", System: "s0", Scenario: dataset.AllScenarios}].CIHigh = stats.Number(5.5)
	report.Leaderboard.At[dataset.PlanKey{Judge: "human", System: "s0", Scenario: dataset.AllScenarios}].CILow = stats.Number(3.5)
	if line := report.Leader().Text; !strings.HasPrefix(line, "No clear leader: s1 leads s0 by 0.5 points; but people's own means") || !strings.HasSuffix(line, "put s0 first.") {
		t.Error(line)
	}
	ranking := report.Ranking(Selection{})
	if i := slices.Index(ranking.Table.Header, "people's mean"); i != 3 || ranking.Table.Rows[1][i].Text != "4.5 [3.5, 5.5]" {
		t.Errorf("%v: %v", ranking.Table.Header, ranking.Table.Rows[1])
	}
}
