package results

import (
	"slices"

	"compqa/data"
	"compqa/stats"
)

// The levels of an agreement table, in order.
const (
	LevelSeparate        = "separate"         // all criteria of all units, one after the other
	LevelFinal           = "final"            // totals
	LevelCriterion       = "criterion"        // one criterion's scores
	LevelGroup           = "group"            // a group's totals
	LevelScenario        = "scenario"         // totals of one scenario's answers
	LevelAspect          = "aspect"           // totals of answers with, or without, an aspect
	LevelWithinCriterion = "within_criterion" // separate, each side's mean of each criterion taken off
	LevelWithinSystem    = "within_system"    // totals, each side's mean of each system taken off
)

// noItem is the item of a level that has none.
const noItem = "-"

// A unit is one sheet of the reference and the judge's verdict on its answer,
// both valid.
type unit struct{ judge, reference *Sheet }

// units are those of one pairing, in order of the reference's sheets.
type units struct {
	*index
	pairing
	pairs  []unit
	learnt bool   // the judge's scores are people's means on other object pairs
	owner  string // of a floor: the judge that it is a floor of; "" for all
}

// A level is the values of a pairing's units at one level and item, side by
// side.
type level struct {
	name, item       string
	planned, n       int
	judge, reference []float64
	questions        []int
	centred          bool // means are taken off
	unscaled         bool // the judge's values are no points of the scale
	flat             bool // … and differ only by what they were learnt from
}

// pair joins the sheets of a pairing.
func (x *index) pair(c pairing) units {
	u := units{index: x, pairing: c}
	own, theirs := x.sheets(c.judge), x.sheets(c.reference)
	for i, k := 0, 0; i < len(theirs); i++ {
		r := &theirs[i]
		for k < len(own) && (own[k].Answer < r.Answer || c.kind == kindHuman && own[k].Answer == r.Answer && own[k].Repeat < r.Repeat) {
			k++
		}
		if k == len(own) || own[k].Answer != r.Answer || c.kind == kindHuman && own[k].Repeat != r.Repeat {
			continue
		}
		if own[k].Status == data.Valid && r.Status == data.Valid {
			u.pairs = append(u.pairs, unit{&own[k], r})
		}
	}
	return u
}

// levels are all of them, in order. Scores that were learnt on other object
// pairs differ within a criterion only because each pair is left out once, and
// against people's own: correlating them would be to correlate an artefact.
func (u units) levels() []level {
	all := u.plainLevels()
	if u.learnt {
		for i := range all {
			all[i].unscaled = true
			all[i].flat = all[i].name != LevelSeparate || len(u.Rubric.Criteria) == 1
		}
	}
	return all
}

func (u units) plainLevels() []level {
	planned := u.plannedWhere(everywhere, func(Unplaced) bool { return true })
	whole := u.whole(planned)
	all := whole[:2:2]
	for i, c := range u.Rubric.Criteria {
		all = append(all, u.level(LevelCriterion, c.ID, planned, everywhere, func(s *Sheet) float64 { return s.Scores[i] }))
	}
	for g, group := range u.groups {
		all = append(all, u.level(LevelGroup, group, planned, everywhere, func(s *Sheet) float64 { return u.groupTotal(s, g) }))
	}
	for _, scenario := range u.scenarios() {
		in := func(a *AnswerRow) bool { return a.Scenario == scenario }
		if n := u.plannedWhere(in, func(p Unplaced) bool { return p.Scenario == scenario }); n > 0 {
			all = append(all, u.level(LevelScenario, scenario, n, in, total))
		}
	}
	for _, item := range []string{"yes", "no"} {
		in := func(a *AnswerRow) bool { return (a.Aspect != "") == (item == "yes") }
		if n := u.plannedWhere(in, func(p Unplaced) bool { return (p.Aspect != "") == (item == "yes") }); n > 0 {
			all = append(all, u.level(LevelAspect, item, n, in, total))
		}
	}
	return append(all, whole[2:]...)
}

func everywhere(*AnswerRow) bool { return true }

func total(s *Sheet) float64 { return s.Total }

// whole are the levels that take all units: separate, final, and these two
// within criteria and within systems.
func (u units) whole(planned int) []level {
	return []level{
		u.separate(planned),
		u.totals(planned),
		u.withinCriterion(planned),
		u.withinSystem(planned),
	}
}

// plannedWhere counts the reference's sheets, and its rows without an answer.
func (u units) plannedWhere(in func(*AnswerRow) bool, unplaced func(Unplaced) bool) int {
	n := 0
	for _, s := range u.sheets(u.reference) {
		if in(&u.Answers[s.Answer]) {
			n++
		}
	}
	for _, p := range u.Unplaced {
		if p.Judge == u.Judges[u.reference].Name && unplaced(p) {
			n++
		}
	}
	return n
}

// level takes one value of each unit whose answer is in.
func (u units) level(name, item string, planned int, in func(*AnswerRow) bool, value func(*Sheet) float64) level {
	l := level{name: name, item: item, planned: planned}
	for _, p := range u.pairs {
		if in(&u.Answers[p.reference.Answer]) {
			l.judge, l.reference = append(l.judge, value(p.judge)), append(l.reference, value(p.reference))
			l.questions = append(l.questions, u.question[p.reference.Answer])
		}
	}
	l.n = len(l.judge)
	return l
}

func (u units) totals(planned int) level {
	return u.level(LevelFinal, noItem, planned, everywhere, total)
}

func (u units) separate(planned int) level {
	l := level{name: LevelSeparate, item: noItem, planned: planned, n: len(u.pairs)}
	for _, p := range u.pairs {
		l.judge, l.reference = append(l.judge, p.judge.Scores...), append(l.reference, p.reference.Scores...)
		l.questions = append(l.questions, slices.Repeat([]int{u.question[p.reference.Answer]}, len(p.judge.Scores))...)
	}
	return l
}

func (u units) groupTotal(s *Sheet, group int) float64 {
	sum := 0.0
	for c, g := range u.groupOf {
		if g == group {
			sum += s.Scores[c]
		}
	}
	return sum
}

// withinCriterion is what is left of agreement when knowing each criterion's
// usual score is not enough: a constant judge has nothing left.
func (u units) withinCriterion(planned int) level {
	l := u.separate(planned)
	l.name, l.centred = LevelWithinCriterion, true
	strata := make([]int, len(l.judge))
	for i := range strata {
		strata[i] = i % len(u.Rubric.Criteria)
	}
	l.judge, l.reference = centred(l.judge, strata), centred(l.reference, strata)
	return l
}

// withinSystem is what is left when knowing who answered is not enough.
func (u units) withinSystem(planned int) level {
	l := u.level(LevelWithinSystem, noItem, planned, everywhere, total)
	l.centred = true
	names := make([]string, len(u.pairs))
	for i, p := range u.pairs {
		names[i] = u.Answers[p.reference.Answer].System
	}
	strata := stats.ClusterLabels(names)
	l.judge, l.reference = centred(l.judge, strata), centred(l.reference, strata)
	return l
}

// centred takes the mean of each stratum off its values; strata are numbered
// from 0.
func centred(values []float64, strata []int) []float64 {
	sums, n := map[int]float64{}, map[int]int{}
	for i, s := range strata {
		sums[s] += values[i]
		n[s]++
	}
	out := make([]float64, len(values))
	for i, s := range strata {
		out[i] = values[i] - sums[s]/float64(n[s])
	}
	return out
}
