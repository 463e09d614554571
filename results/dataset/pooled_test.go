package dataset

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"compqa/data"
	"compqa/results/store"
	"compqa/rubric"
)

// annotated returns a run with one system, its answers, and sheets of people: name, answer, points.
func annotated(answers int, sheets ...byPerson) *Run {
	run := &Run{Made: []store.Provenance{{Config: "{}"}}, Systems: []store.Participant{{Name: "s"}},
		Rubric: rubric.Rubric{Criteria: []rubric.Criterion{{ID: "x", Group: "g", Levels: []rubric.Level{{Points: 0}, {Points: 9}}}}}}
	for i := range answers {
		run.Answers = append(run.Answers, AnswerRow{ID: string(rune('a' + i)), Pair: string(rune('a' + i)), System: "s", Scenario: "1", Status: data.Valid})
	}
	run.Plan = []store.PlanCell{{Kind: store.KindAnswer, System: "s", Scenario: "1", Planned: answers}}
	for _, s := range sheets {
		if !slices.ContainsFunc(run.Judges, func(p store.Participant) bool { return p.Name == s.judge }) {
			run.Judges = append(run.Judges, store.Participant{Name: s.judge, Kind: KindHuman})
			run.Plan = append(run.Plan, store.PlanCell{Kind: store.KindVerdict, Judge: s.judge, System: "s", Scenario: "1", Planned: answers, Origin: "o"})
		}
	}
	slices.SortStableFunc(run.Judges, compareJudges)
	repeats := map[[2]int32]int32{}
	for _, s := range sheets {
		j := slices.IndexFunc(run.Judges, func(p store.Participant) bool { return p.Name == s.judge })
		key := [2]int32{int32(j), int32(s.answer)}
		repeats[key]++
		run.Sheets = append(run.Sheets, data.Given{Rater: key[0], Item: key[1], Repeat: repeats[key],
			Ending: &data.Ending{Status: data.Valid, Scores: []float64{s.points}, Total: s.points}})
	}
	run.sortSheets()
	return run
}

type byPerson struct {
	judge  string
	answer int
	points float64
}

// pooled returns the totals of the computed judge human.
func pooled(x *Dataset) map[int]float64 {
	of := map[int]float64{}
	for j, p := range x.Judges {
		if p.Name == data.Human {
			for _, s := range x.SheetsOf(j) {
				of[int(s.Item)] = s.Total
			}
		}
	}
	return of
}

// By hand: on the first answer, a gives 1 and 3 (mean 2), b gives 4 and c 9, so people's mean is 5. The adjudicated sheet is left out.
func TestPool(t *testing.T) {
	run := annotated(3, byPerson{"human:b", 0, 4}, byPerson{"human:a", 0, 1}, byPerson{"human:c", 0, 9}, byPerson{"human:a", 0, 3},
		byPerson{"human:b", 1, 7}, byPerson{"human:adjudicated", 2, 1})
	x := New(run)
	if got, want := pooled(x), map[int]float64{0: 5, 1: 7}; !reflect.DeepEqual(got, want) {
		t.Errorf("people's means are %v, want %v", got, want)
	}
	if want := map[int]int{0: 3, 1: 1}; !reflect.DeepEqual(x.PeoplePer, want) {
		t.Errorf("people per answer: %v, want %v", x.PeoplePer, want)
	}
	if c := x.Plan[PlanKey{data.Human, "s", "1"}]; c.Planned != 2 || c.Origin != "o" {
		t.Errorf("planned: %+v", c)
	}
	if refs := x.References(); len(refs) != 1 || x.Judges[refs[0]].Name != data.Human || len(x.Annotators()) != 3 {
		t.Errorf("references %v, annotators %v", refs, x.Annotators())
	}
	if len(run.Judges) != 4 || len(run.Sheets) != 6 || New(run).PeoplePer == nil {
		t.Error("the run itself has changed")
	}
	if x.LeftOut != nil {
		t.Errorf("left out: %+v", x.LeftOut)
	}
	// if human has sheets of its own, it is not computed; b's second sheet, and c's from another source, are left out
	run = annotated(3, byPerson{"human", 0, 3}, byPerson{"human:b", 0, 3}, byPerson{"human:b", 1, 7}, byPerson{"human:c", 0, 9},
		byPerson{"human:adjudicated", 2, 1})
	for i := range run.Plan {
		if run.Plan[i].Judge == "human:c" {
			run.Plan[i].Origin = "another"
		}
	}
	want := []store.LeftOut{{Judge: "human:b", Sheets: 1}, {Judge: "human:c", Sheets: 1}}
	if x := New(run); !reflect.DeepEqual(x.LeftOut, want) || !reflect.DeepEqual(pooled(x), map[int]float64{0: 3}) {
		t.Errorf("left out: %+v, want %+v; %v", x.LeftOut, want, pooled(x))
	}
}

// A system and scenario with a recorded mean of people keeps it.
func TestPoolKeepsPeoplesOwnMean(t *testing.T) {
	x := New(annotated(2, byPerson{"human", 0, 6}, byPerson{"human:a", 0, 1}, byPerson{"human:a", 1, 1}))
	if got, want := pooled(x), map[int]float64{0: 6}; !reflect.DeepEqual(got, want) {
		t.Errorf("people's means are %v, want %v", got, want)
	}
}

// The order of sheets and the names of annotators do not change the means, down to the last digit.
func TestPoolIgnoresOrderAndNames(t *testing.T) {
	var sheets []byPerson
	for i, points := range []float64{0.1, 0.2, 0.3, 0.7, 0.6, 0.5, 1.1, 1.9, 0.3} {
		sheets = append(sheets, byPerson{[]string{"human:a", "human:b", "human:c"}[i%3], i / 3, points})
	}
	want := pooled(New(annotated(3, sheets...)))
	for trial := range 20 {
		random := rand.New(rand.NewPCG(uint64(trial), 1))
		names := []string{"human:a", "human:b", "human:c"}
		random.Shuffle(3, func(i, k int) { names[i], names[k] = names[k], names[i] })
		other := slices.Clone(sheets)
		for i := range other {
			other[i].judge = names[i%3]
		}
		random.Shuffle(len(other), func(i, k int) { other[i], other[k] = other[k], other[i] })
		if got := pooled(New(annotated(3, other...))); !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}
