package validation

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/validation/scales"
	"compqa/rubric"
)

// A Record is a study as a run has it: answers, and complete sheets of judges and people.
type Record struct {
	Rubric   rubric.Rubric
	Answers  []data.Answer
	Texts    map[string]string // of questions, by their name
	Verdicts []data.Verdict
}

// mostRecorded is the number of levels up to which a criterion's levels are listed.
const mostRecorded = 21

// Record is the study as a run: the criteria of the judge with most criteria that people scored too, on
// people's scales. A sheet that lacks a criterion is recorded as incomplete. ok is false where no
// criterion has points.
func (r *Result) Record() (rec Record, ok bool) {
	criteria := map[string][]*Pairing{}
	best := ""
	for _, p := range r.Pairings {
		has := slices.ContainsFunc(criteria[p.Judge.By], func(q *Pairing) bool { return q.Criterion == p.Criterion })
		if !p.SameScale || p.PeopleScale.Kind == scales.Nominal || p.PeopleScale.High <= p.PeopleScale.Low || has {
			continue
		}
		if criteria[p.Judge.By] = append(criteria[p.Judge.By], p); len(criteria[p.Judge.By]) > len(criteria[best]) {
			best = p.Judge.By
		}
	}
	if best == "" {
		return rec, false
	}
	rec.Rubric = rubric.Rubric{Name: "validation", Measurement: "interval"}
	for i, p := range criteria[best] {
		rec.Rubric.Criteria = append(rec.Rubric.Criteria, criterionOf(strconv.Itoa(i+1), p))
	}
	r.recordAnswers(&rec)
	for by, pairings := range criteria {
		for _, p := range pairings {
			rec.score(r, by, slices.IndexFunc(criteria[best], func(q *Pairing) bool { return q.Criterion == p.Criterion }),
				func(i int) (float64, bool) {
					return p.judge.Values[i], !p.judge.Missing[i]
				})
		}
	}
	for k, p := range criteria[best] {
		rec.score(r, data.Human, k, func(i int) (float64, bool) { return p.mean.Values[i], !p.mean.Missing[i] })
		for _, q := range p.people {
			rec.score(r, data.Human+":"+q.name, k, func(i int) (float64, bool) { return q.Values[i], !q.Missing[i] })
		}
	}
	if rec.whole() {
		rec.Rubric.Step = 1 // people are not offered half points
	}
	slices.SortStableFunc(rec.Verdicts, func(a, b data.Verdict) int {
		return cmp.Or(strings.Compare(a.Judge, b.Judge), strings.Compare(a.Answer, b.Answer))
	})
	return rec, true
}

// whole reports whether all levels and scores, but means of people, are whole numbers.
func (rec *Record) whole() bool {
	fraction := func(x float64) bool { return x != math.Trunc(x) }
	for _, c := range rec.Rubric.Criteria {
		if slices.ContainsFunc(c.Levels, func(l rubric.Level) bool { return fraction(l.Points) }) {
			return false
		}
	}
	for _, v := range rec.Verdicts {
		for _, x := range v.Scores {
			if v.Judge != data.Human && fraction(x) {
				return false
			}
		}
	}
	return true
}

// criterionOf is a criterion with people's name and scale.
func criterionOf(id string, p *Pairing) rubric.Criterion {
	c := rubric.Criterion{ID: id, Group: "validation", Name: p.Criterion, Text: p.Criterion}
	low, high, step := p.PeopleScale.Low, p.PeopleScale.High, 1.0
	if p.PeopleScale.Kind == scales.Continuous || high-low >= mostRecorded {
		step = high - low
	}
	for x := low; x <= high; x += step {
		c.Levels = append(c.Levels, rubric.Level{Points: x, Text: p.PeopleScale.Label(x)})
	}
	if p.PeopleScale.Kind == scales.Binary && p.PeopleScale.Labels == nil && len(c.Levels) == 2 {
		c.Levels[0].Text, c.Levels[1].Text = "no", "yes"
	}
	return c
}

// recordAnswers makes an answer of each unit with a value. A unit has no objects; its cluster stands
// for the pair.
func (r *Result) recordAnswers(rec *Record) {
	rec.Texts = map[string]string{}
	for i := range r.Units {
		u := &r.Units[i]
		object := "question " + strconv.Itoa(u.Cluster+1)
		if _, known := rec.Texts[object]; !known {
			rec.Texts[object] = cmp.Or(u.Question, object)
		}
		rec.Answers = append(rec.Answers, data.Answer{ID: r.answerID(i), Object1: object, Object2: "-", System: cmp.Or(u.System, "answers"),
			Scenario: data.NoScenario, Repeat: 1, Status: data.Valid, Text: cmp.Or(u.Text, "(the log has no text)")})
	}
}

// answerID is the id of a unit; where several have the same, with its number.
func (r *Result) answerID(i int) string {
	if r.ids == nil {
		r.ids = map[string]int{}
		for _, u := range r.Units {
			r.ids[u.ID]++
		}
	}
	if id := r.Units[i].ID; id != "" && r.ids[id] == 1 {
		return id
	}
	return cmp.Or(r.Units[i].ID, "item") + "#" + strconv.Itoa(i+1)
}

// score adds a judge's values on the k-th criterion.
func (rec *Record) score(r *Result, judge string, k int, value func(i int) (float64, bool)) {
	if k < 0 {
		return
	}
	at := map[string]int{}
	for i, v := range rec.Verdicts {
		if v.Judge == judge {
			at[v.Answer] = i + 1
		}
	}
	for i := range r.Units {
		x, ok := value(i)
		if !ok {
			continue
		}
		id := r.answerID(i)
		if at[id] == 0 {
			rec.Verdicts = append(rec.Verdicts, data.Verdict{Answer: id, Judge: judge, Repeat: 1, Status: data.Valid, Scores: data.Scores{}})
			at[id] = len(rec.Verdicts)
		}
		rec.Verdicts[at[id]-1].Scores[rec.Rubric.Criteria[k].ID] = x
	}
}
