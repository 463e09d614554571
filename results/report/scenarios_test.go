package report

import (
	"slices"
	"strings"
	"testing"

	"compqa/results/dataset"
	"compqa/results/recordtest"
)

// TestScenarioSection by hand: by j, system a has 1, 2, 3 in scenario 1 and 3, 4, 5 in scenario 2, so 2 and 4. System b has no points in
// scenario 2; with it, scenario 1 would have 3.5, and with the baseline 5. People scored a in both scenarios and give half as many points.
// An answer without a scenario, as people's own, changes nothing. With one scenario there is nothing to compare.
func TestScenarioSection(t *testing.T) {
	kinds := map[string]string{"human": dataset.KindHuman}
	rows := []recordtest.Scored{recordtest.By("j", "a", "1", 1, 2, 3), recordtest.By("j", "a", "2", 3, 4, 5),
		recordtest.By("j", "b", "1", 5, 5, 5), recordtest.By("human", "a", "1", .5, 1, 1.5), recordtest.By("human", "a", "2", 1.5, 2, 2.5),
		recordtest.By("j", "base", "1", 5, 5, 5), recordtest.By("j", "base", "2", 0, 0, 0), recordtest.By("j", "own", "-", 5, 5, 5)}
	f := recordtest.Of(kinds, rows...)
	f.Systems[2].Kind = dataset.KindBaseline
	f.Config = `{"headline":"j"}`
	report := computed(t, f)
	sections := report.scenarioSection(true)
	if len(sections) != 1 {
		t.Fatalf("%d sections; headline %q", len(sections), report.Leaderboard.Headline)
	}
	table := sections[0].Table
	if !slices.Equal(table.Header, []string{"points", "scenario", "people", "j"}) || len(table.Rows) != 4 {
		t.Fatalf("%v, %d rows", table.Header, len(table.Rows))
	}
	for i, want := range []string{"totals 1 free 1.00 2.00", "totals 2 arguments 2.00 4.00"} {
		var got []string
		for _, cell := range table.Rows[i] {
			got = append(got, cell.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("row %d: %v, want %s", i, got, want)
		}
	}
	for _, r := range report.scenarios { // by people, and by j, which is twice as generous: the first scenario minus the second
		want := map[string]float64{"human": -1, "j": -2}[r.Judge] * map[string]float64{"1": 1, "2": -1}[r.Scenario]
		recordtest.Near(t, r.Judge+", difference of scenario "+r.Scenario, r.Difference, want)
	}
	if text := report.Front().Markdown(); !strings.Contains(text, "## Scenarios\n") || strings.Contains(text, "Scenarios from most") {
		t.Error("report.md has no scenarios, or a conclusion from three questions:\n" + text)
	}
	for i := range rows {
		rows[i].Totals = append(rows[i].Totals, rows[i].Totals...)
	}
	f = recordtest.Of(kinds, rows...)
	f.Systems[2].Kind = dataset.KindBaseline
	f.Config = `{"headline":"j"}`
	texts := computed(t, f).scenarioFindings().Texts()
	if len(texts) == 0 || texts[0] != "Scenarios from most to fewest points: 2 arguments, 1 free by people and j; on the questions with points under every scenario (6 questions by people and j)." {
		t.Errorf("%q", texts)
	}
	if s := computed(t, recordtest.Of(kinds, rows[0], rows[2], rows[3])).scenarioSection(true); s != nil {
		t.Errorf("one scenario: %v", s)
	}
}

// TestScenariosArePaired by hand: eight questions have 2 points on average in scenario 1 and 3 in scenario 2. Four more questions are only
// in scenario 1, as they have no arguments, with 4 points. They do not count: scenario 1 has 1 point less on 8 questions. People scored
// three questions and are in no sentence.
func TestScenariosArePaired(t *testing.T) {
	points := func(n int, value float64) []float64 {
		return slices.Repeat([]float64{value, value + 1, value - 1, value}, n/4)
	}
	f := recordtest.Of(map[string]string{"human": dataset.KindHuman}, recordtest.By("human", "a", "1", 1, 2, 3),
		recordtest.By("human", "a", "2", 2, 3, 3), recordtest.By("j", "a", "1", slices.Concat(points(8, 2), points(4, 4))...),
		recordtest.By("j", "a", "2", 2, 4, 3, 3, 3, 4, 2, 3))
	f.Config = `{"headline":"j"}`
	report := computed(t, f)
	for _, r := range report.scenarios {
		if r.Judge != "j" {
			continue
		}
		want := map[string]float64{"1": -1, "2": 1}[r.Scenario]
		recordtest.Near(t, "difference of scenario "+r.Scenario, r.Difference, want)
		if r.Shared != 8 || r.N != 8 {
			t.Errorf("scenario %s: %d answers to %d questions, want 8 to 8", r.Scenario, r.N, r.Shared)
		}
	}
	want := []string{"Scenarios from most to fewest points: 2 arguments, 1 free by j; on the questions with points under every scenario (8 questions by j).",
		"Totals: scenario 1 free loses 1.0 [0.6, 1.4] points in the scores of j, against the mean of the others on the same questions."}
	if texts := report.scenarioFindings().Texts(); len(texts) < 2 || !slices.Equal(texts[:2], want) {
		t.Errorf("%q, want %q", texts, want)
	}
}

// TestAspects has people who give 2 points less if the question has an aspect. One judge does so, too; another one does not. In each half,
// the answers have 0, 1, 2 and 3 points five times, and people give the second half 2 more.
func TestAspects(t *testing.T) {
	var with, without, pattern []float64
	for i := range 20 {
		pattern = append(pattern, float64((i+i/4)%4))
		with = append(with, float64(i%4))
		without = append(without, float64(i%4)+2)
	}
	rows := []recordtest.Scored{recordtest.By("human", "s", "1", slices.Concat(with, without)...),
		recordtest.By("sees", "s", "1", slices.Concat(with, without)...), recordtest.By("ignores", "s", "1", slices.Concat(pattern, pattern)...)}
	f := recordtest.Of(map[string]string{"human": dataset.KindHuman}, rows...)
	for i := range f.Answers {
		if i < 20 {
			f.Answers[i].Aspect = "price"
		}
	}
	report := computed(t, f)
	for i, want := range []float64{-2, -2, 0} {
		recordtest.Near(t, report.aspects[i].Judge, report.aspects[i].Difference, want)
	}
	recordtest.Near(t, "beyond people", report.aspects[2].BeyondHuman, 2)
	findings := report.aspectFindings()
	if len(findings) != 1 || !strings.HasSuffix(findings[0].Text, "; ignores may ignore the aspect.") {
		t.Errorf("%v", findings.Texts())
	}
}
