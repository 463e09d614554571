package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// debated has answers with readings. Scenario 2 shows arguments, scenario 1 does
// not (see fixture.record).
type debated struct {
	system, scenario string
	pair             int // of debatedPairs
	swapped          bool
	reading          store.Reading
}

var debatedPairs = [][2]string{{"Google", "Yahoo"}, {"tea", "coffee"}}

func debateOf(kinds map[string]string, answers ...debated) fixture {
	f := fixture{rubric: oneCriterion(), sizes: map[string]store.Size{}, judges: []store.Participant{{Name: "j"}}}
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
		f.questions = append(f.questions, q)
	}
	for n, d := range answers {
		if !slices.ContainsFunc(f.systems, func(p store.Participant) bool { return p.Name == d.system }) {
			kind := kinds[d.system]
			if kind == "" {
				kind = "model"
			}
			f.systems = append(f.systems, store.Participant{Name: d.system, Kind: kind})
		}
		pair := debatedPairs[d.pair]
		if d.swapped {
			pair[0], pair[1] = strings.ToUpper(pair[1]), pair[0]
		}
		a := data.Answer{ID: fmt.Sprint(n), Question: f.questions[d.pair].ID, Object1: pair[0], Object2: pair[1], System: d.system, Scenario: d.scenario, Repeat: n, Status: data.Valid, Text: "so"}
		f.answers, f.sizes[a.ID] = append(f.answers, a), store.Size{Words: 1, Sentences: 1, Reading: &d.reading}
	}
	return f
}

func argumentRow(t *testing.T, of *Report, system, scenario, basis, favoured string) ArgumentRow {
	t.Helper()
	for _, r := range of.argued {
		if r.System == system && r.Scenario == scenario && r.Basis == basis && r.Favoured == favoured {
			return r
		}
	}
	return ArgumentRow{}
}

// Arguments given favour Yahoo, two to one. Of three choices without arguments
// two are Google's: it is popular. With arguments one answer follows them, one
// goes against them, by an answer that names the objects the other way round,
// and one is undecided. The pair whose arguments are balanced favours nobody.
func TestChoicesAgainstGivenArguments(t *testing.T) {
	of := computed(t, debateOf(map[string]string{"base": dataset.KindBaseline, "old": dataset.KindImported},
		debated{"m", "1", 0, false, store.Reading{Choice: data.Object1}},
		debated{"m", "1", 0, true, store.Reading{Choice: data.Object2}},
		debated{"old", "1", 0, false, store.Reading{Choice: data.Object2}},
		debated{"base", "1", 0, false, store.Reading{Choice: data.Object2}},
		debated{"m", "2", 0, false, store.Reading{Choice: data.Object2}},
		debated{"m", "2", 0, true, store.Reading{Choice: data.Object2}},
		debated{"m", "2", 0, false, store.Reading{Choice: data.Neither}},
		debated{"m", "2", 1, false, store.Reading{Choice: data.Object1}},
		debated{"old", "2", 0, false, store.Reading{Choice: data.Object1}},
		debated{"base", "2", 0, false, store.Reading{Choice: data.Object2}}))
	want := ArgumentRow{System: "m", Scenario: "2", Basis: basisGiven, Favoured: favouredAny, N: 3, Follows: 1, Against: 1, Undecided: 1}
	got := argumentRow(t, of, "m", "2", basisGiven, favouredAny)
	near(t, "the share", got.Share, 0.5)
	if got.Share = (table.Bounded{}); got != want {
		t.Errorf("%+v", got)
	}
	if p := of.arguing.popular[0]; p != 0 || of.arguing.chosen[0] != [2]int{2, 1} {
		t.Errorf("of %v object %d is popular", of.arguing.chosen[0], p)
	}
	if r := argumentRow(t, of, "m", dataset.AllScenarios, basisGiven, favouredOther); r.N != 3 || r.Against != 1 {
		t.Errorf("where they favour the other: %+v", r)
	}
	if r := argumentRow(t, of, "m", dataset.AllScenarios, basisGiven, favouredPopular); r.N != 0 {
		t.Errorf("where they favour the popular: %+v", r)
	}
	// what an imported answer was shown is not on record, and baselines are not in the sum
	if r := argumentRow(t, of, "old", "2", basisGiven, favouredAny); r.N != 0 {
		t.Errorf("an imported system was given arguments: %+v", r)
	}
	if r := argumentRow(t, of, "base", "2", basisGiven, favouredAny); r.N != 1 || r.Follows != 1 {
		t.Errorf("the baseline: %+v", r)
	}
	if r := argumentRow(t, of, dataset.AllSystems, dataset.AllScenarios, basisGiven, favouredAny); r.N != 3 {
		t.Errorf("all systems: %+v", r)
	}
}

// What an answer cites speaks for Yahoo, what it makes up for Google, and Google
// is what it chooses.
func TestChoicesAgainstCitedArguments(t *testing.T) {
	against := store.Reading{Citations: 4, Unknown: 1, Generated: 4, Choice: data.Object1, Cited: [2]int{0, 2}, Made: [2]int{3, 1}}
	of := computed(t, debateOf(map[string]string{"old": dataset.KindImported},
		debated{"old", "2", 0, false, against},
		debated{"old", "2", 0, false, store.Reading{Citations: 4, Choice: data.Object1, Cited: [2]int{1, 2}}}, // no clear lead
		debated{"old", "2", 0, false, store.Reading{Citations: 4, Choice: data.Object2, Cited: [2]int{1, 3}}},
		debated{"m", "2", 1, false, against},
		debated{"m", "1", 1, false, store.Reading{}}))
	r := argumentRow(t, of, "old", "2", basisCited, favouredAny)
	if r.N != 2 || r.Follows != 1 || r.Against != 1 {
		t.Errorf("%+v", r)
	}
	if len(of.against) != 2 {
		t.Fatalf("%d pairs are gone against: %+v", len(of.against), of.against)
	}
	p := of.against[0]
	if p.Answers != 2 || p.Against != 1 || p.WithMadeUp != 1 || [2]string{p.Over, p.Favoured} != debatedPairs[0] || !slices.Equal(p.Systems, []string{"old"}) {
		t.Errorf("%+v", p)
	}
	want := []CitationRow{
		{System: "old", Scenario: "2", Answers: 3, Citing: 3, Citations: 12, Generated: 4},
		{System: "m", Scenario: "2", Answers: 1, Citing: 1, Citations: 4, Generated: 4, Existing: table.Count(3), Missing: table.Count(1)},
	}
	if len(of.cited) != 2 {
		t.Fatalf("%d rows of citations: %+v", len(of.cited), of.cited)
	}
	for i, r := range of.cited {
		w := want[i]
		if r.System != w.System || r.Scenario != w.Scenario || r.Answers != w.Answers || r.Citing != w.Citing || r.Citations != w.Citations || r.Generated != w.Generated ||
			r.Existing.Text(0) != w.Existing.Text(0) || r.Missing.Text(0) != w.Missing.Text(0) {
			t.Errorf("%+v, want %+v", r, w)
		}
	}
	near(t, "the share of tags", of.cited[0].Share, 0.25)
	if text := of.argumentsDocument().Markdown(); !strings.Contains(text, "| Yahoo") || strings.Contains(text, "## Popular objects") {
		t.Errorf("the page: %s", text)
	}
}

// A record of the first programs has no readings; an answer without any says
// nothing.
func TestArgumentsWithoutReadings(t *testing.T) {
	of := computed(t, fixtureOf(nil, scored{"j", "s", "1", []float64{1, 2}}))
	if of.cited != nil || of.argued != nil || of.against != nil {
		t.Errorf("%+v, %+v, %+v", of.cited, of.argued, of.against)
	}
	if text := of.argumentsDocument().Markdown(); text != "" {
		t.Errorf("the page: %s", text)
	}
}

func TestLean(t *testing.T) {
	for _, c := range []struct {
		sentences [2]int
		want      int
	}{{[2]int{0, 0}, -1}, {[2]int{1, 0}, -1}, {[2]int{2, 0}, 0}, {[2]int{0, 2}, 1}, {[2]int{3, 1}, 0}, {[2]int{3, 2}, -1}, {[2]int{5, 3}, -1}, {[2]int{3, 6}, 1}} {
		if got := favouredSide(c.sentences); got != c.want {
			t.Errorf("%v leans to %d, want %d", c.sentences, got, c.want)
		}
	}
}

// Readings are read as they were recorded, go with their answers, and are
// written anew with them.
func TestReadingsAreRecorded(t *testing.T) {
	dir := t.TempDir()
	reading := store.Reading{Citations: 3, Unknown: 1, Generated: 2, Choice: data.Neither, Cited: [2]int{1, 2}, Made: [2]int{3, 4}}
	f := debateOf(nil, debated{"m", "2", 0, false, reading}, debated{"m", "1", 1, false, store.Reading{}})
	f.record(t, dir)
	run, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := run.Answers[0].Reading; got == nil || *got != reading {
		t.Errorf("read %+v, want %+v", got, reading)
	}
	s, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	count := func() (n int) {
		if err := s.Db.QueryRow(`SELECT count(citations) FROM answers`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n != 2 {
		t.Fatalf("%d readings", n)
	}
	cells := f.plan()
	for i := range cells {
		if cells[i].Kind == store.KindAnswer && cells[i].Scenario == "2" {
			cells[i].Fingerprint = "another"
		}
	}
	if err := s.Write(func(b store.Batch) error { return b.SetPlan(store.FromConfig, f.systems, f.judges, cells) }); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 1 {
		t.Errorf("%d readings are left where one answer is", n)
	}
}

// Scenario 2 shows three arguments of relevance 1, 2 and unknown on the first pair (mean 1.5),
// and two of relevance 3 on the second. Points are those of the only judge.
func TestShownArguments(t *testing.T) {
	cite := func(n int) store.Reading { return store.Reading{Citations: n} }
	f := debateOf(map[string]string{"old": dataset.KindImported},
		debated{"m", "2", 0, false, cite(1)}, debated{"m", "2", 0, true, cite(2)}, debated{"m", "2", 1, false, cite(6)},
		debated{"m", "1", 1, false, cite(9)}, debated{"old", "2", 0, false, cite(9)})
	one, two, three := 1.0, 2.0, 3.0
	f.questions[0].Arguments[0].Relevance, f.questions[0].Arguments[1].Relevance = &one, &two
	f.questions[1].Arguments = f.questions[1].Arguments[:2]
	f.questions[1].Arguments[0].Relevance, f.questions[1].Arguments[1].Relevance = &three, &three
	for i, a := range f.answers {
		f.verdicts = append(f.verdicts, data.Verdict{Answer: a.ID, Judge: "j", Repeat: 1, Scores: data.Scores{f.rubric.Criteria[0].ID: float64(i % 2)}})
	}
	rows := map[string]ShownRow{}
	a := computed(t, f).arguing
	for i, claims := range []dataset.AnswerClaims{{Supported: 1, Contradicted: 3}, {Supported: 1}, {}} { // the last has none
		claims.Judge, claims.Status = claimsJudge, data.Valid
		a.Answers[i].Claims = []dataset.AnswerClaims{{Judge: "other", Status: data.Valid, Contradicted: 9}, claims}
	}
	shown, err := a.shown()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range shown {
		if r.System != "m" || r.Scenario != "2" || r.Judge != "j" {
			t.Errorf("%+v", r)
		}
		rows[r.Group] = r
	}
	if len(rows) != 3 {
		t.Fatalf("%+v", rows)
	}
	if r := rows["1 to 4"]; !r.Contradicted.Known() || *r.Contradicted.Value.Number != 0.375 || *r.Supported.Value.Number != 0.625 || rows["2.5 or more"].Contradicted.Known() {
		t.Errorf("claims: %+v", r)
	}
	for group, want := range map[string][6]float64{ // answers, questions, number, relevance, points, citations
		"1 to 4":       {3, 2, 8.0 / 3, 2, 1.0 / 3, 3},
		"1 to below 2": {2, 1, 3, 1.5, 0.5, 1.5},
		"2.5 or more":  {1, 1, 2, 3, 0, 6},
	} {
		r := rows[group]
		for i, got := range []table.Figure{table.Count(r.Answers), table.Count(r.Questions), r.Number, r.Relevance, r.Points.Value, r.Citations.Value} {
			if !got.Known() || math.Abs(*got.Number-want[i]) > 1e-12 {
				t.Errorf("%s: figure %d is %s, want %v", group, i, got.Text(3), want[i])
			}
		}
	}
}
