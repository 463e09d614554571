package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/recordtest"
	"compqa/results/store"
)

// recorded writes fixtures into folders with these names, and loads them as one run.
func recorded(t *testing.T, names []string, fixtures ...recordtest.Fixture) (*dataset.Run, error) {
	t.Helper()
	root := t.TempDir()
	var dirs []string
	for i, f := range fixtures {
		dirs = append(dirs, f.Write(t, filepath.Join(root, filepath.FromSlash(names[i]))))
	}
	return dataset.Load(dirs...)
}

func partyNames(parties []store.Participant) string {
	var names []string
	for _, p := range parties {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// A run merged with itself is the same run.
func TestMergeOfTheSame(t *testing.T) {
	f := recordtest.Small()
	run, err := recorded(t, []string{"a", "b"}, f, f)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := recorded(t, []string{"a"}, f)
	if err != nil {
		t.Fatal(err)
	}
	if partyNames(run.Systems) != partyNames(alone.Systems) || partyNames(run.Judges) != partyNames(alone.Judges) {
		t.Errorf("systems %s; judges %s", partyNames(run.Systems), partyNames(run.Judges))
	}
	if len(run.Answers) != len(alone.Answers) || len(run.Sheets) != len(alone.Sheets) || len(run.Unplaced) != len(alone.Unplaced) || len(run.Questions) != len(alone.Questions) {
		t.Errorf("%d answers, %d verdicts, %d unplaced; want those of one run, %d, %d, %d", len(run.Answers), len(run.Sheets), len(run.Unplaced),
			len(alone.Answers), len(alone.Sheets), len(alone.Unplaced))
	}
	once := must(Compute(dataset.New(alone)))
	twice := must(Compute(dataset.New(run)))
	if !slices.EqualFunc(once.Leaderboard.Board, twice.Leaderboard.Board, func(a, b leaderboard.LeaderboardRow) bool {
		return a.Cell().Text == b.Cell().Text && a.CILow.Text(9) == b.CILow.Text(9) && a.Planned == b.Planned
	}) {
		t.Error("a run merged with itself has another leaderboard")
	}
}

// Two parts of a run merge into the whole. They have a judge in common.
func TestMergeOfParts(t *testing.T) {
	run, err := recorded(t, []string{"a", "b"},
		recordtest.Of(nil, recordtest.By("j", "s", "1", 1, 2), recordtest.By("j", "s", "2", 1, 2)),
		recordtest.Of(nil, recordtest.By("j", "u", "1", 3, 4), recordtest.By("k", "s", "1", 5, 5)))
	if err != nil {
		t.Fatal(err)
	}
	if partyNames(run.Systems) != "s, u" || partyNames(run.Judges) != "j, k" || len(run.Answers) != 6 || len(run.Sheets) != 8 {
		t.Errorf("systems %s; judges %s; %d answers, %d verdicts", partyNames(run.Systems), partyNames(run.Judges), len(run.Answers), len(run.Sheets))
	}
	report := must(Compute(dataset.New(run)))
	recordtest.Near(t, "the mean of j on u", report.Leaderboard.At[dataset.PlanKey{Judge: "j", System: "u", Scenario: dataset.AllScenarios}].Mean, 3.5)
	recordtest.Near(t, "the mean of k on s", report.Leaderboard.At[dataset.PlanKey{Judge: "k", System: "s", Scenario: dataset.AllScenarios}].Mean, 5)
	if !slices.IsSortedFunc(run.Sheets, func(a, b data.Given) int { return int(a.Rater*1000 + a.Item - b.Rater*1000 - b.Item) }) {
		t.Error("the verdicts are out of order")
	}
}

// A system with different answers in two records appears as two systems. The judge stays one, because it did not contradict itself.
func TestMergeOfDifferentAnswers(t *testing.T) {
	first := recordtest.Of(nil, recordtest.By("j", "s", "1", 1, 2), recordtest.By("j", "u", "1", 1, 2))
	second := recordtest.Of(nil, recordtest.By("j", "s", "1", 4, 5), recordtest.By("j", "u", "1", 1, 2))
	for i := range second.Answers {
		if second.Answers[i].System == "s" {
			second.Answers[i].Text += ", said otherwise"
		}
	}
	run, err := recorded(t, []string{"monday", "tuesday"}, first, second)
	if err != nil {
		t.Fatal(err)
	}
	if got := partyNames(run.Systems); got != "s (monday), u, s (tuesday)" {
		t.Errorf("systems %s", got)
	}
	if got := fmt.Sprint(run.Renamed); got != "map[s (monday):s s (tuesday):s]" {
		t.Errorf("renamed systems %s", got)
	}
	if got := partyNames(run.Judges); got != "j" {
		t.Errorf("judges %s: j scored different answers differently, which is no contradiction", got)
	}
	report := must(Compute(dataset.New(run)))
	recordtest.Near(t, "the mean of Monday's s", report.Leaderboard.At[dataset.PlanKey{Judge: "j", System: "s (monday)", Scenario: dataset.AllScenarios}].Mean, 1.5)
	recordtest.Near(t, "the mean of Tuesday's s", report.Leaderboard.At[dataset.PlanKey{Judge: "j", System: "s (tuesday)", Scenario: dataset.AllScenarios}].Mean, 4.5)
	recordtest.Near(t, "the mean of u", report.Leaderboard.At[dataset.PlanKey{Judge: "j", System: "u", Scenario: dataset.AllScenarios}].Mean, 1.5)
}

func TestMergeOfDifferentVerdicts(t *testing.T) {
	kinds := map[string]string{"human": dataset.KindHuman}
	run, err := recorded(t, []string{"x/latest", "y/latest"},
		recordtest.Of(kinds, recordtest.By("j", "s", "1", 1, 2), recordtest.By("human", "s", "1", 1, 1)),
		recordtest.Of(kinds, recordtest.By("j", "s", "1", 1, 3), recordtest.By("human", "s", "1", recordtest.Unread, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if got := partyNames(run.Systems); got != "s" {
		t.Errorf("systems %s", got)
	}
	// both folders are called "latest"
	if len(run.Judges) != 3 || !strings.HasSuffix(run.Judges[0].Name, "x/latest)") || !strings.HasSuffix(run.Judges[1].Name, "y/latest)") || run.Judges[2].Name != "human" {
		t.Errorf("judges %s", partyNames(run.Judges))
	}
	if report := must(Compute(dataset.New(run))); report.Leaderboard.At[dataset.PlanKey{Judge: "human", System: "s", Scenario: dataset.AllScenarios}].Valid != 2 {
		t.Error("of two verdicts the valid one does not go first")
	}
}

// Parties with nothing in common and different descriptions share their name by accident, and stay apart.
func TestMergeOfStrangers(t *testing.T) {
	first := recordtest.Of(nil, recordtest.By("j", "s", "1", 1))
	second := recordtest.Of(nil, recordtest.By("j", "s", "2", 1))
	second.Systems[0].About = "another model"
	second.Judges[0].About = "another model"
	run, err := recorded(t, []string{"a", "b"}, first, second)
	if err != nil {
		t.Fatal(err)
	}
	if partyNames(run.Systems) != "s (a), s (b)" || partyNames(run.Judges) != "j (a), j (b)" {
		t.Errorf("systems %s; judges %s", partyNames(run.Systems), partyNames(run.Judges))
	}
}

func TestMergeNeedsOneRubric(t *testing.T) {
	_, err := recorded(t, []string{"a", "b"}, recordtest.Small(), recordtest.Of(nil, recordtest.By("j", "s", "1", 1)))
	if err == nil || !strings.Contains(err.Error(), `rubric "small"`) || !strings.Contains(err.Error(), `rubric "one"`) {
		t.Errorf("two rubrics in one report: %v", err)
	}
}

func TestMergePlan(t *testing.T) {
	first := recordtest.Of(nil, recordtest.By("j", "s", "1", 1, 2))
	second := recordtest.Of(nil, recordtest.By("j", "s", "1", 1))
	second.Extra = []store.PlanCell{{Kind: store.KindVerdict, Judge: "j", System: "s", Scenario: "1", Planned: 4}}
	run, err := recorded(t, []string{"a", "b"}, first, second)
	if err != nil {
		t.Fatal(err)
	}
	report := must(Compute(dataset.New(run)))
	if r := report.Leaderboard.At[dataset.PlanKey{Judge: "j", System: "s", Scenario: "1"}]; r.Planned != 5 || r.Valid != 2 {
		t.Errorf("%d of %d verdicts, want 2 of 5", r.Valid, r.Planned)
	}
	for _, r := range report.Failed {
		if r.Status != data.Pending || r.Count != 3 {
			t.Errorf("%+v; want three pending", r)
		}
	}
}

// A judge's attacks also count after merging records. A judge that may not order systems in its own record may not do so in the merged run.
func TestMergeKeepsAttacks(t *testing.T) {
	root := t.TempDir()
	var dirs []string
	for _, name := range []string{"a", "b", "c"} {
		dir := recordtest.Small().Write(t, filepath.Join(root, name))
		dirs = append(dirs, dir)
		if name == "c" {
			continue
		}
		s, err := store.Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if err := s.Write(func(b store.Batch) error {
			return b.SetAttacks("work", []store.AttackedAnswer{{Judge: "gpt_j", Attack: "empty praise", Expects: "fall", Answer: "x", Pair: "p", Before: 10, After: 19},
				{Judge: "gpt_j", Attack: "empty praise", Expects: "fall", Answer: name, Pair: "q", Before: 11, After: 19}})
		}); err != nil {
			t.Fatal(err)
		}
	}
	run, err := dataset.Load(dirs...)
	if err != nil {
		t.Fatal(err)
	}
	rows := must(Compute(dataset.New(run))).Quality.Attacked
	if len(run.Attacked) != 3 || len(rows) != 1 || rows[0].N != 3 {
		t.Errorf("%+v\n%+v", run.Attacked, rows)
	}
}
