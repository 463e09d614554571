package validation

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/raters"
	"compqa/results/validation/scales"
	"compqa/rubric"
)

// RubricName is the name of the rubric in the record of a validation.
const RubricName = "validation"

// NoSystem is the system of answers for which the log names none.
const NoSystem = "answers"

// A Record has a study in the form of a run: questions, answers, and score sheets of judges and people.
type Record struct {
	Rubric    rubric.Rubric
	Questions []data.Question
	Answers   []data.Answer
	Verdicts  []data.Verdict
}

// Values returns the number of values of judges and people in all pairings.
func (r *Result) Values() (n int) {
	for _, p := range r.Pairings {
		for _, rater := range append(slices.Clone(p.people), p.judge) {
			n += len(data.Where(rater.Values, raters.Value.Given))
		}
	}
	return n
}

// Record returns the study as a run, on people's scales. Its criteria come from the judge that has most criteria in common with people.
// Criteria that a judge or person did not score are missing in its sheet. ok is false if no criterion has points.
func (r *Result) Record() (rec Record, ok bool) {
	criteria := map[string][]*Pairing{}
	best := ""
	for _, p := range r.Pairings {
		has := slices.ContainsFunc(criteria[p.Judge], func(q *Pairing) bool { return q.PeoplesName == p.PeoplesName })
		if !p.SameScale || p.PeopleScale.Kind == scales.Nominal || p.PeopleScale.High <= p.PeopleScale.Low || has {
			continue
		}
		criteria[p.Judge] = append(criteria[p.Judge], p)
		if len(criteria[p.Judge]) > len(criteria[best]) {
			best = p.Judge
		}
	}
	if best == "" {
		return rec, false
	}
	ids := r.recordAnswers(&rec)
	sheets := map[[2]string]data.Scores{}
	whole := true // all values and levels are whole numbers
	reasons := map[[2]string][]string{}
	explain := func(p *Pairing) { // adds the judge's reasons, after the criterion's name if there are several criteria
		for i := range p.series.firsts() {
			text := p.series.Reason(i)
			if text == "" {
				continue
			}
			if len(criteria[best]) > 1 {
				text = p.PeoplesName + ": " + text
			}
			key := [2]string{p.Judge, ids[i]}
			reasons[key] = append(reasons[key], text)
		}
	}
	score := func(judge string, k int, rater raters.Rater) {
		for i, v := range rater.Values {
			if !v.Given() || k < 0 {
				continue
			}
			key := [2]string{judge, ids[i]}
			if sheets[key] == nil {
				sheets[key] = data.Scores{}
			}
			sheets[key][strconv.Itoa(k+1)] = v.Number()
			whole = whole && (judge == data.Human || isWhole(v.Number()))
		}
	}
	rec.Rubric = rubric.Rubric{Name: RubricName, Measurement: "interval"}
	for k, p := range criteria[best] {
		c := criterionOf(strconv.Itoa(k+1), p)
		whole = whole && !slices.ContainsFunc(c.Levels, func(l rubric.Level) bool { return !isWhole(l.Points) })
		rec.Rubric.Criteria = append(rec.Rubric.Criteria, c)
		score(data.Human, k, p.mean)
		for _, q := range p.people {
			score(data.Human+":"+q.Name, k, q)
		}
	}
	for by, pairings := range criteria {
		for _, p := range pairings {
			score(by, slices.IndexFunc(criteria[best], func(q *Pairing) bool { return q.PeoplesName == p.PeoplesName }), p.judge)
			explain(p)
		}
	}
	if whole {
		rec.Rubric.Step = 1 // so that people are not offered half points
		for k := range rec.Rubric.Criteria {
			rec.Rubric.Criteria[k].Continuous = false
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(sheets), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		rec.Verdicts = append(rec.Verdicts, data.Verdict{Answer: key[1], Judge: key[0], Repeat: 1, Status: data.Valid, Scores: sheets[key],
			Reason: strings.Join(reasons[key], "\n")})
	}
	return rec, true
}

func isWhole(x float64) bool { return x == math.Trunc(x) }

// criterionOf returns a rubric criterion with people's name and scale.
func criterionOf(id string, p *Pairing) rubric.Criterion {
	c := rubric.Criterion{ID: id, Group: "validation", Name: p.PeoplesName, Text: p.PeoplesName,
		Continuous: p.PeopleScale.Kind == scales.Continuous}
	low := p.PeopleScale.Low
	high := p.PeopleScale.High
	step := 1.0
	if p.PeopleScale.Kind == scales.Continuous || high-low >= mostRecorded {
		step = high - low
	}
	for x := low; x <= high; x += step {
		c.Levels = append(c.Levels, rubric.Level{Points: x, Text: p.PeopleScale.Label(x)})
	}
	if p.PeopleScale.Kind == scales.Binary && p.PeopleScale.Labels == nil && len(c.Levels) == 2 {
		c.Levels[0].Text = "no"
		c.Levels[1].Text = "yes"
	}
	return c
}

// recordAnswers adds an answer for each unit, and a question for each cluster. It returns the ids of the answers. If several units have the
// same id, the unit's number is appended.
func (r *Result) recordAnswers(rec *Record) (ids []string) {
	count := map[string]int{}
	asked := map[string]bool{}
	for _, u := range r.Units {
		count[u.ID]++
	}
	for i, u := range r.Units {
		question := "question " + strconv.Itoa(r.Clusters[i]+1)
		if !asked[question] {
			asked[question] = true
			rec.Questions = append(rec.Questions, data.Question{ID: question, Text: cmp.Or(u.Question, question)})
		}
		id := u.ID
		if count[id] > 1 {
			id += "#" + strconv.Itoa(i+1)
		}
		ids = append(ids, id)
		rec.Answers = append(rec.Answers, data.Answer{ID: id, Question: question, System: cmp.Or(u.System, NoSystem),
			Scenario: data.NoScenario, Repeat: 1, Status: data.Valid, Text: cmp.Or(u.Text, "(the log has no text)")})
	}
	return ids
}
