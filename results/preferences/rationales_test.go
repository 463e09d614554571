package preferences

import (
	"math"
	"slices"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
)

// TestFollowGrader has eight choices of a, with the labels a, a, a, a, b, b, b, b. On every second one the grader decides as the
// label does, and agrees with people. On the others it gives the opposite grades. The grades of the four wrong choices are (1, 1),
// (5, 3), (2, 1), (4, 3), so r = 6 / sqrt(10 · 4).
func TestFollowGrader(t *testing.T) {
	record := &dataset.PairwiseRecord{}
	record.Pairs = slices.Grow(record.Pairs, 8)[:8]
	record.Prefs = make([]dataset.PreferenceRow, 8)
	b := &board{PairwiseRecord: record}
	var grades, people []dataset.GradeRow
	grade := func(pref, correctness, consistency int, right bool) dataset.GradeRow {
		var g dataset.GradeRow
		g.Pref = pref
		g.Correctness = correctness
		g.Consistency = consistency
		g.Right = &right
		return g
	}
	correctness := []int{1, 5, 2, 4, 1, 5, 2, 4}
	consistency := []int{3, 3, 3, 3, 1, 3, 1, 3}
	for i := range 8 {
		record.Prefs[i].Pair = i
		record.Prefs[i].PreferenceEnding = &dataset.PreferenceEnding{Choice: data.ChoiceA}
		record.Pairs[i].Label = data.ChoiceA
		if i >= 4 {
			record.Pairs[i].Label = data.ChoiceB
		}
		follows := i%4 < 2
		grades = append(grades, grade(i, correctness[i], consistency[i], follows == (i < 4)))
		theirs := correctness[i]
		if !follows {
			theirs = 6 - theirs
		}
		people = append(people, grade(i, theirs, 3, true))
	}
	var r RationaleRow
	b.grade(&r, grades, people)
	if r.AlphaGraderWell.Pointer() == nil || r.AlphaGraderWell.Value != 1 {
		t.Errorf("alpha where the grader is right: %v, want 1", r.AlphaGraderWell)
	}
	if r.AlphaGraderBad.Pointer() == nil || r.AlphaGraderBad.Value >= 0 {
		t.Errorf("alpha where the grader is wrong: %v, want below 0", r.AlphaGraderBad)
	}
	if want := 6 / math.Sqrt(40); r.PearsonWrong.Pointer() == nil || math.Abs(r.PearsonWrong.Value-want) > 1e-12 {
		t.Errorf("r of wrong choices: %v, want %v", r.PearsonWrong, want)
	}
}
