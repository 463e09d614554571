package recordtest

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
	"compqa/rubric"
)

// SmallRubric has three criteria, five points, two groups.
func SmallRubric() rubric.Rubric {
	levels := func(points ...float64) []rubric.Level {
		var all []rubric.Level
		for _, p := range points {
			all = append(all, rubric.Level{Points: p, Text: fmt.Sprint(p)})
		}
		return all
	}
	return rubric.Rubric{Name: "small", Step: 0.5, Measurement: "interval", Criteria: []rubric.Criterion{
		{ID: "a", Group: "form", Name: "short", Text: "It is short.", Levels: levels(0, 1)},
		{ID: "b", Group: "form", Name: "plain", Text: "It is plain.", Levels: levels(0, 1, 2)},
		{ID: "c", Group: "content", Name: "true", Text: "It is true.", Levels: levels(0, 1, 2)},
	}}
}

var smallPairs = [][3]string{{"tea", "coffee", ""}, {"cats", "dogs", "noise"}, {"bus", "train", ""}, {"ink", "pencil", "price"}}

// Small has three systems, one of them without scenarios; six judges; and
// every way in which something may be missing. Scores come from a fixed
// sequence; nothing in it means anything.
func Small() Fixture {
	f := Fixture{Rubric: SmallRubric(), Seed: 7, Config: `{"dataset":"ours","headline":"gpt_j"}`, Sizes: map[string]store.Size{}}
	f.Systems = []store.Participant{{Name: "alpha", Kind: "baseline", About: "as it is"}, {Name: "be|ta *x*", Kind: "model",
		Family: "gpt", About: "a <b>model</b>"}, {Name: "old", Kind: "imported"}}
	f.Judges = []store.Participant{{Name: "human", Kind: "human"}, {Name: "human:1", Kind: "human"}, {Name: "human:2", Kind: "human"},
		{Name: "constant", Kind: "floor"}, {Name: "gpt_j", Kind: "model", Family: "gpt"}, {Name: "rules", Kind: "embedded"}}
	random := uint32(1)
	points := func(high float64) float64 {
		random = random*1664525 + 1013904223
		return float64(random >> 16 % uint32(high+1))
	}
	for i, pair := range smallPairs {
		q := data.Question{Object1: pair[0], Object2: pair[1], Aspect: pair[2], Text: "Which?", Arguments: []data.Argument{
			{Text: "one", Favours: data.Object1}, {Text: "two", Favours: data.Neither}, {Text: "three", Favours: data.Object1},
			{Text: "four", Favours: data.Object2}}}
		q.ID = q.Pair()
		f.Questions = append(f.Questions, q)
		for _, place := range [][2]string{{"alpha", "1"}, {"alpha", "2"}, {"be|ta *x*", "1"}, {"be|ta *x*", "2"}, {"old", data.NoScenario}} {
			a := data.Answer{ID: data.AnswerID(place[0], place[1], q.ID, 1), Question: q.ID, Object1: pair[0], Object2: pair[1], Aspect: pair[2],
				System: place[0], Scenario: place[1], Repeat: 1, Status: data.Valid, Text: fmt.Sprint(place, i)}
			if place[0] == "be|ta *x*" && place[1] == "2" && i == 3 {
				a.Status = data.Truncated
				a.Text = ""
				a.Reason = "the reply\nwas cut | <off>"
			}
			f.Answers, f.Sizes[a.ID] = append(f.Answers, a), store.Size{Words: 10 * (i + 1), Sentences: i + 1, Reading: smallReading(i, place[1])}
			if a.Status != data.Valid {
				continue
			}
			for _, j := range f.Judges {
				if data.IsHuman(j.Name) && place[1] == "2" && i > 1 {
					continue // people scored a part
				}
				v := data.Verdict{Answer: a.ID, Judge: j.Name, Repeat: 1, Scores: data.Scores{}}
				for _, c := range f.Rubric.Criteria {
					if v.Scores[c.ID] = c.Max(); j.Name != "constant" {
						v.Scores[c.ID] = points(c.Max())
					}
				}
				f.Verdicts = append(f.Verdicts, v)
			}
		}
	}
	f.spoil()
	return f
}

// smallReading is of an answer to the i-th pair: those that were shown arguments
// cite them, and choose the second object where these speak for the first.
func smallReading(i int, scenario string) store.Reading {
	if scenario == "1" {
		return store.Reading{Favours: []data.Favours{data.Object1, data.Object2, data.Neither, ""}[i]}
	}
	return store.Reading{Citations: 2 + i, Unknown: i / 2, Generated: i % 2, Favours: []data.Favours{data.Object2, data.Object1,
		data.Object1, ""}[i], Cited1: 3, Cited2: i, Made2: 2}
}

// spoil makes some verdicts invalid, has one answer scored twice by people, and
// plans more than there is.
func (f *Fixture) spoil() {
	for i := range f.Verdicts {
		v := &f.Verdicts[i]
		switch {
		case v.Judge == "gpt_j" && strings.HasPrefix(v.Answer, "alpha/1/coffee"):
			v.Scores = data.Scores{"a": 2, "b": 0, "c": 0}
		case v.Judge == "gpt_j" && strings.HasPrefix(v.Answer, "old/-/bus"):
			v.Scores = nil
			v.Status = data.Unparsed
			v.Reason = "no sheet\nof scores | <none>"
		case v.Judge == "human:2" && strings.HasPrefix(v.Answer, "old/-/bus"):
			v.Scores = data.Scores{"a": 1}
		}
	}
	again := slices.IndexFunc(f.Verdicts, func(v data.Verdict) bool { return v.Judge == "human" })
	f.Verdicts = append(f.Verdicts, data.Verdict{Answer: f.Verdicts[again].Answer, Judge: "human", Repeat: 2,
		Scores: data.Scores{"a": 0.5, "b": 1.5, "c": 2}})
	f.Extra = []store.PlanCell{
		{Kind: store.KindVerdict, Judge: "gpt_j", System: "alpha", Scenario: "1", Planned: 2},
		{Kind: store.KindVerdict, Judge: "rules", System: "be|ta *x*", Scenario: "2", Planned: 1},
		{Kind: store.KindAnswer, System: "old", Scenario: data.NoScenario, Planned: 3, Note: "the questions have no arguments"},
	}
	f.Unplaced = []store.Unplaced{{Judge: "human", Source: "table:9", System: "old", Scenario: data.NoScenario, Aspect: "price",
		Reason: "table:9: no answer has its text"}}
}
