package report

import (
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/recordtest"
	"compqa/results/store"
)

// The ranking by a chosen judge and the screen say what baselines are.
func TestRankingOfBaselines(t *testing.T) {
	f := recordtest.Of(nil, recordtest.By("j", "base", "1", recordtest.Sawtooth(24, 5)...), recordtest.By("j", "low", "1", make([]float64, 24)...), recordtest.By("j", "other", "1", recordtest.Sawtooth(24, 7)...))
	f.Systems[0].Kind = dataset.KindBaseline
	ranking := computed(t, f).Ranking(Selection{Judge: "j"})
	if row := ranking.Table.Rows[1]; !strings.HasSuffix(ranking.About, "Baselines have no rank.") || row[1].Text != "base" || !strings.HasSuffix(row[3].Text, ", baseline") {
		t.Errorf("by a chosen judge: %v: %s", ranking.Table.Rows, ranking.About)
	}
	for i := range f.Systems {
		f.Systems[i].Kind = dataset.KindBaseline
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
	of := computed(t, recordtest.Of(kinds, append(good, recordtest.By("constant15", "s", "1", constant...))...))
	if !strings.Contains(of.Front().Markdown(), "§ constant15 is degenerate: it gives 3 points to every answer.") {
		t.Error("report.md does not name the degenerate judge")
	}
}

// Marks stand where a judge was trained on the reference's rows, and only there: the rows of
// the release are those that were imported from it.
func TestMarksOfFittedJudges(t *testing.T) {
	f := recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.By("fit", "s", "1", recordtest.Sawtooth(24, 5)...), recordtest.By("tuned", "s", "1", recordtest.Sawtooth(24, 7)...), recordtest.By("fresh", "s", "1", recordtest.Sawtooth(24, 5)...), recordtest.By("human", "s", "1", recordtest.Sawtooth(24, 5)...))
	f.Config = `{"judges":[{"name":"fit","trained_on":"human-rows-of-release","held_out":true},{"name":"tuned","trained_on":"human-rows-of-release"},{"name":"fresh"}]}`
	for origin, marked := range map[string]bool{store.FromConfig: false, "release": true} {
		dir := f.Write(t, t.TempDir())
		s, err := store.Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Db.Exec(`UPDATE plan SET origin = ? WHERE judge = 'human'`, origin); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		of := must(Compute(must(dataset.Load(dir))))
		for _, r := range of.Agreements {
			want := ""
			if marked && (r.Judge == "fit" || r.Judge == "tuned") {
				want = data.ReleaseRows
			}
			if r.FittedOn != want {
				t.Errorf("%s, %s is fitted on %q, want %q", origin, r.Judge, r.FittedOn, want)
			}
		}
		var screen strings.Builder
		if err := of.Print(&screen, "DIR", false); err != nil {
			t.Fatal(err)
		}
		pages := map[string]string{"report.md": of.Front().Markdown(), "agreement.md": of.AgreementDocument().Markdown(), "leaderboard.md": of.Details().Markdown(), "bias.md": of.JudgesDocument().Markdown()}
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

// After a run the screen has the ranking in short; compqa report adds costs, failures, and the agreement of judges.
func TestPrintAll(t *testing.T) {
	of, screen := computed(t, recordtest.Small()), map[bool]string{}
	for _, all := range []bool{false, true} {
		var b strings.Builder
		if err := of.Print(&b, "DIR", all); err != nil {
			t.Fatal(err)
		}
		screen[all] = b.String()
	}
	for _, text := range []string{"cost, $", "alpha, totals", "human:2"} {
		if strings.Contains(screen[false], text) || !strings.Contains(screen[true], text) {
			t.Errorf("%q is in both or in neither of\n%s\n%s", text, screen[false], screen[true])
		}
	}
}
