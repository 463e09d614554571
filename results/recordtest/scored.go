package recordtest

import (
	"fmt"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/rubric"
)

// OneCriterion has one criterion, worth up to five points.
func OneCriterion() rubric.Rubric {
	return rubric.Rubric{Name: "one", Measurement: "interval", Criteria: []rubric.Criterion{
		{ID: "x", Group: "g", Text: "It is good.", Levels: []rubric.Level{{Points: 0}, {Points: 5}}},
	}}
}

// Unread is the total of a verdict that could not be read.
var Unread = math.NaN()

// A Scored is the totals that a judge gives a system in a scenario, one a question.
type Scored struct {
	Judge, System, Scenario string
	Totals                  []float64
}

// By has one total a question, Unread for a verdict that could not be read.
func By(judge, system, scenario string, totals ...float64) Scored {
	return Scored{judge, system, scenario, totals}
}

// Times repeats the totals of rows, for statements that need many answers.
func Times(n int, rows ...Scored) []Scored {
	for i := range rows {
		rows[i].Totals = slices.Repeat(rows[i].Totals, n)
	}
	return rows
}

// Of returns a record of totals by OneCriterion. A judge without a kind is a model.
func Of(kinds map[string]string, rows ...Scored) Fixture {
	f := Fixture{Rubric: OneCriterion(), Seed: 1}
	seen := map[string]bool{}
	for _, r := range rows {
		if !seen["s"+r.System] {
			seen["s"+r.System] = true
			f.Systems = append(f.Systems, store.Participant{Name: r.System, Kind: "model"})
		}
		if !seen["j"+r.Judge] {
			seen["j"+r.Judge] = true
			kind := kinds[r.Judge]
			if kind == "" {
				kind = "model"
			}
			f.Judges = append(f.Judges, store.Participant{Name: r.Judge, Kind: kind})
		}
		for i, total := range r.Totals {
			object := fmt.Sprintf("o%02d", i)
			a := data.Answer{ID: data.AnswerID(r.System, r.Scenario, object, 1), Question: object, Object1: object, Object2: "z",
				System: r.System, Scenario: r.Scenario, Repeat: 1, Status: data.Valid, Text: r.System + object}
			if !seen["a"+a.ID] {
				seen["a"+a.ID] = true
				f.Answers = append(f.Answers, a)
			}
			v := data.Verdict{Answer: a.ID, Judge: r.Judge, Repeat: 1, Scores: data.Scores{"x": total}}
			if math.IsNaN(total) {
				v.Scores = nil
				v.Status = data.Unparsed
				v.Reason = "no sheet"
			}
			f.Verdicts = append(f.Verdicts, v)
		}
	}
	return f
}

// Sawtooth returns n totals from 0 to 5 in no order that another step shares.
func Sawtooth(n, step int) []float64 {
	totals := make([]float64, n)
	for i := range totals {
		totals[i] = float64(i * step % 6)
	}
	return totals
}

// ByPeople has n systems that people scored, on which the judge is a point too high, and the
// system new, which people did not score.
func ByPeople(n int) []Scored {
	var rows []Scored
	for s := range n {
		name := fmt.Sprintf("s%d", s)
		people := make([]float64, 12)
		judge := make([]float64, 12)
		for i := range people {
			people[i] = float64((i + s) % 4)
			judge[i] = people[i] + []float64{0, 1, 2, 1}[(i+s*s)%4]
		}
		rows = append(rows, By("j", name, "1", judge...), By("human", name, "1", people...))
	}
	return append(rows, By("j", "new", "1", 3, 4, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4))
}

// SixRaters has answers that three judges and three people scored, in a scale of which every point
// is given.
func SixRaters(systems, questions int) Fixture {
	var rows []Scored
	for s := range systems {
		for j, judge := range []string{"a", "b", "c", "human", "human:1", "human:2"} {
			totals := make([]float64, questions)
			for i := range totals {
				totals[i] = float64((i*(j+2) + s + j*i*i) % 5)
			}
			rows = append(rows, By(judge, fmt.Sprint("s", s), "1", totals...))
		}
	}
	f := Of(map[string]string{"human": dataset.KindHuman, "human:1": dataset.KindHuman, "human:2": dataset.KindHuman}, rows...)
	f.Rubric.Criteria[0].Levels[1].Points = 5
	return f
}
