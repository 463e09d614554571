package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/recordtest"
	"compqa/results/store"
	"compqa/stats"
)

// A debated is an answer with a reading of its text. Scenario 2 shows arguments, scenario 1 does not (see recordtest.Fixture.Write).
type debated struct {
	system, scenario string
	pair             int // index of debatedPairs
	swapped          bool
	reading          store.Reading
}

var debatedPairs = [][2]string{{"Google", "Yahoo"}, {"tea", "coffee"}}

// debateOf returns a fixture with these answers. The arguments of the first pair favour its second object, two to one; those of the second
// pair are balanced.
func debateOf(kinds map[string]string, answers ...debated) recordtest.Fixture {
	f := recordtest.Fixture{Rubric: recordtest.OneCriterion(), Sizes: map[string]store.Size{}, Judges: []store.Participant{{Name: "j"}}}
	for i, pair := range debatedPairs {
		favours := []data.Favours{data.Object2, data.Object2, data.Object1}
		if i == 1 {
			favours = []data.Favours{data.Object1, data.Object2, data.Neither} // balanced
		}
		q := data.Question{Object1: pair[0], Object2: pair[1], Text: "Which?"}
		q.ID = q.Pair()
		for _, side := range favours {
			q.Arguments = append(q.Arguments, data.Argument{Text: "one", Favours: side})
		}
		f.Questions = append(f.Questions, q)
	}
	for n, d := range answers {
		if !slices.ContainsFunc(f.Systems, func(p store.Participant) bool { return p.Name == d.system }) {
			kind := kinds[d.system]
			if kind == "" {
				kind = "model"
			}
			f.Systems = append(f.Systems, store.Participant{Name: d.system, Kind: kind})
		}
		pair := debatedPairs[d.pair]
		if d.swapped {
			pair[0], pair[1] = strings.ToUpper(pair[1]), pair[0]
		}
		a := data.Answer{ID: fmt.Sprint(n), Question: f.Questions[d.pair].ID, Object1: pair[0], Object2: pair[1], System: d.system, Scenario: d.scenario, Repeat: n, Status: data.Valid, Text: "so"}
		f.Answers = append(f.Answers, a)
		f.Sizes[a.ID] = store.Size{Words: 1, Sentences: 1, Reading: d.reading}
	}
	return f
}

func argumentRow(report *Report, system, scenario string) ArgumentRow {
	for _, r := range report.argued {
		if r.System == system && r.Scenario == scenario {
			return r
		}
	}
	return ArgumentRow{}
}

// The arguments favour Yahoo, two to one. One answer follows them. One goes against them and names the objects in the opposite order. One
// is undecided. A pair with balanced arguments favours no object.
func TestChoicesAgainstGivenArguments(t *testing.T) {
	report := computed(t, debateOf(map[string]string{"base": dataset.KindBaseline, "old": dataset.KindImported},
		debated{"m", "1", 0, false, store.Reading{Favours: data.Object1}},
		debated{"m", "2", 0, false, store.Reading{Favours: data.Object2}},
		debated{"m", "2", 0, true, store.Reading{Favours: data.Object2}},
		debated{"m", "2", 0, false, store.Reading{Favours: data.Neither}},
		debated{"m", "2", 1, false, store.Reading{Favours: data.Object1}},
		debated{"old", "2", 0, false, store.Reading{Favours: data.Object1}},
		debated{"base", "2", 0, false, store.Reading{Favours: data.Object2}}))
	want := ArgumentRow{System: "m", Scenario: "2", N: 3, Follows: 1, Against: 1, Undecided: 1}
	got := argumentRow(report, "m", "2")
	recordtest.Near(t, "the share", got.Share, 0.5)
	if got.Share = (stats.Figure{}); got != want {
		t.Errorf("%+v", got)
	}
	if r := argumentRow(report, "m", "1"); r.N != 0 {
		t.Errorf("a scenario without arguments: %+v", r)
	}
	// the prompts of imported answers are not recorded, and the sum leaves out baselines
	if r := argumentRow(report, "old", "2"); r.N != 0 {
		t.Errorf("an imported system was given arguments: %+v", r)
	}
	if r := argumentRow(report, "base", "2"); r.N != 1 || r.Follows != 1 {
		t.Errorf("the baseline: %+v", r)
	}
	if r := argumentRow(report, dataset.AllSystems, dataset.AllScenarios); r.N != 3 {
		t.Errorf("all systems: %+v", r)
	}
}

// TestCitations counts the citations of an imported and of a configured system. Only the latter's prompts are known to show the arguments.
func TestCitations(t *testing.T) {
	cites := store.Reading{Citations: 4, Unknown: 1, Generated: 4, Favours: data.Object1}
	report := computed(t, debateOf(map[string]string{"old": dataset.KindImported},
		debated{"old", "2", 0, false, cites},
		debated{"old", "2", 0, false, store.Reading{Citations: 8, Favours: data.Object2}},
		debated{"m", "2", 1, false, cites},
		debated{"m", "1", 1, false, store.Reading{}}))
	want := []CitationRow{
		{System: "old", Scenario: "2", Answers: 2, Citing: 2, Citations: 12, Generated: 4},
		{System: "m", Scenario: "2", Answers: 1, Citing: 1, Citations: 4, Generated: 4, Existing: stats.Count(3), Missing: stats.Count(1)},
	}
	if len(report.cited) != 2 {
		t.Fatalf("%d rows of citations: %+v", len(report.cited), report.cited)
	}
	for i, r := range report.cited {
		if w := want[i]; r.Existing.Text(0) != w.Existing.Text(0) || r.Missing.Text(0) != w.Missing.Text(0) {
			t.Errorf("%+v, want %+v", r, w)
		}
		r.Existing = stats.Figure{}
		r.Missing = stats.Figure{}
		want[i].Existing = stats.Figure{}
		want[i].Missing = stats.Figure{}
		if r != want[i] {
			t.Errorf("%+v, want %+v", r, want[i])
		}
	}
}

// Answers that were shown no arguments and cite none are in no table.
func TestArgumentsWithoutReadings(t *testing.T) {
	report := computed(t, recordtest.Of(nil, recordtest.By("j", "s", "1", 1, 2)))
	if report.cited != nil || report.argued != nil {
		t.Errorf("%+v, %+v", report.cited, report.argued)
	}
	if text := report.argumentsDocument().Markdown(); text != "" {
		t.Errorf("the page: %s", text)
	}
}

// Readings are stored with their answers, and rewritten with them.
func TestReadingsAreRecorded(t *testing.T) {
	dir := t.TempDir()
	reading := store.Reading{Citations: 3, Unknown: 1, Generated: 2, Favours: data.Neither, Cited1: 1, Cited2: 2, Made1: 3, Made2: 4}
	f := debateOf(nil, debated{"m", "2", 0, false, reading}, debated{"m", "1", 1, false, store.Reading{}})
	f.Write(t, dir)
	run, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := run.Answers[0].Reading; got != reading {
		t.Errorf("read %+v, want %+v", got, reading)
	}
	s, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	count := func() int {
		return must(store.Value[int](s, `SELECT count(citations) FROM answers`))
	}
	if n := count(); n != 2 {
		t.Fatalf("%d readings", n)
	}
	cells := f.Plan()
	for i := range cells {
		if cells[i].Kind == store.KindAnswer && cells[i].Scenario == "2" {
			cells[i].Fingerprint = "another"
		}
	}
	if err := s.Write(func(b store.Batch) error { return b.SetPlan(store.FromConfig, f.Systems, f.Judges, cells) }); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 1 {
		t.Errorf("%d readings are left where one answer is", n)
	}
}
