package dataset

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

// NoItem is the item of a level without items.
const NoItem = "-"

// A PairedScore is a sheet of the reference and the judge's verdict on its answer, both valid.
type PairedScore struct{ Judge, Reference *Sheet }

// A RaterPair is a pairing with its units, in the order of the reference's sheets.
type RaterPair struct {
	*Dataset
	Pairing
	Pairs  []PairedScore
	learnt bool   // the judge's scores are means of human scores for other object pairs
	Owner  string // the judge of a shuffled floor; "" for other floors
}

// LevelScores are the values of a pairing's units at one level and item.
type LevelScores struct {
	Name, Item       string
	Planned, N       int
	Judge, Reference []float64
	Questions        []int
	Centred          bool // means are subtracted
	Unscaled         bool // the judge's values are not on the rubric's scale
	Flat             bool // … and differ only by the pair that is left out
}

// NewRaterPair joins the sheets of a pairing.
func (x *Dataset) NewRaterPair(c Pairing) RaterPair {
	u := RaterPair{Dataset: x, Pairing: c}
	own, theirs := x.SheetsOf(c.Judge), x.SheetsOf(c.Reference)
	for i, k := 0, 0; i < len(theirs); i++ {
		r := &theirs[i]
		for k < len(own) && (own[k].Answer < r.Answer || c.Kind == KindHuman && own[k].Answer == r.Answer && own[k].Repeat < r.Repeat) {
			k++
		}
		if k == len(own) || own[k].Answer != r.Answer || c.Kind == KindHuman && own[k].Repeat != r.Repeat {
			continue
		}
		if own[k].Status == data.Valid && r.Status == data.Valid {
			u.Pairs = append(u.Pairs, PairedScore{&own[k], r})
		}
	}
	return u
}

// Levels are the scores at all levels, in order. Scores that are means over other object pairs differ within a criterion
// only because each pair is left out once; a correlation with them is an artefact.
func (u RaterPair) Levels() []LevelScores {
	all := u.plainLevels()
	if u.learnt {
		for i := range all {
			all[i].Unscaled = true
			all[i].Flat = all[i].Name != LevelSeparate || len(u.Rubric.Criteria) == 1
		}
	}
	return all
}

func (u RaterPair) plainLevels() []LevelScores {
	planned := u.plannedWhere(everywhere)
	all := []LevelScores{u.separate(planned), u.Totals(planned)}
	for i, c := range u.Rubric.Criteria {
		all = append(all, u.level(LevelCriterion, c.ID, planned, everywhere, func(s *Sheet) float64 { return s.Scores[i] }))
	}
	for g, group := range u.Groups {
		all = append(all, u.level(LevelGroup, group, planned, everywhere, func(s *Sheet) float64 { return u.GroupTotal(s, g) }))
	}
	some := func(level, item string, in func(scenario, aspect string) bool) {
		if n := u.plannedWhere(in); n > 0 {
			all = append(all, u.level(level, item, n, in, total))
		}
	}
	for _, scenario := range u.Scenarios() {
		some(LevelScenario, scenario, func(of, _ string) bool { return of == scenario })
	}
	some(LevelAspect, "yes", func(_, aspect string) bool { return aspect != "" })
	some(LevelAspect, "no", func(_, aspect string) bool { return aspect == "" })
	return append(all, u.WithinCriterion(planned), u.withinSystem(planned))
}

func everywhere(scenario, aspect string) bool { return true }

func total(s *Sheet) float64 { return s.Total }

// plannedWhere counts the reference's sheets and its rows without an answer, of some scenarios and aspects.
func (u RaterPair) plannedWhere(in func(scenario, aspect string) bool) (n int) {
	for _, s := range u.SheetsOf(u.Reference) {
		a := &u.Answers[s.Answer]
		n += int(Indicator(in(a.Scenario, a.Aspect)))
	}
	for _, p := range u.Unplaced {
		n += int(Indicator(p.Judge == u.Judges[u.Reference].Name && in(p.Scenario, p.Aspect)))
	}
	return n
}

// level takes one value of each unit of some scenarios and aspects.
func (u RaterPair) level(name, item string, planned int, in func(scenario, aspect string) bool, value func(*Sheet) float64) LevelScores {
	l := LevelScores{Name: name, Item: item, Planned: planned}
	for _, p := range u.Pairs {
		if a := &u.Answers[p.Reference.Answer]; in(a.Scenario, a.Aspect) {
			l.Judge, l.Reference = append(l.Judge, value(p.Judge)), append(l.Reference, value(p.Reference))
			l.Questions = append(l.Questions, u.Question[p.Reference.Answer])
		}
	}
	l.N = len(l.Judge)
	return l
}

func (u RaterPair) Totals(planned int) LevelScores {
	return u.level(LevelFinal, NoItem, planned, everywhere, total)
}

func (u RaterPair) separate(planned int) LevelScores {
	l := LevelScores{Name: LevelSeparate, Item: NoItem, Planned: planned, N: len(u.Pairs)}
	for _, p := range u.Pairs {
		l.Judge, l.Reference = append(l.Judge, p.Judge.Scores...), append(l.Reference, p.Reference.Scores...)
		l.Questions = append(l.Questions, slices.Repeat([]int{u.Question[p.Reference.Answer]}, len(p.Judge.Scores))...)
	}
	return l
}

// GroupTotal is the sum of the scores of a group of criteria.
func (x *Dataset) GroupTotal(s *Sheet, group int) float64 {
	sum := 0.0
	for c, g := range x.groupOf {
		if g == group {
			sum += s.Scores[c]
		}
	}
	return sum
}

// WithinCriterion subtracts each rater's mean of each criterion, so that knowing the
// usual scores does not count as agreement. A constant judge has no variation left.
func (u RaterPair) WithinCriterion(planned int) LevelScores {
	l := u.separate(planned)
	strata := make([]int, len(l.Judge))
	for i := range strata {
		strata[i] = i % len(u.Rubric.Criteria)
	}
	return l.centred(LevelWithinCriterion, strata)
}

// withinSystem subtracts each rater's mean of each system.
func (u RaterPair) withinSystem(planned int) LevelScores {
	names := data.Each(u.Pairs, func(p PairedScore) string { return u.Answers[p.Reference.Answer].System })
	return u.Totals(planned).centred(LevelWithinSystem, stats.ClusterLabels(names))
}

// centred are the scores without each side's mean of each stratum.
func (l LevelScores) centred(name string, strata []int) LevelScores {
	l.Name, l.Centred, l.Judge, l.Reference = name, true, Centred(l.Judge, strata), Centred(l.Reference, strata)
	return l
}

// Centred subtracts the mean of each stratum from its values; strata are numbered from 0, each with a value.
func Centred(values []float64, strata []int) []float64 {
	sums, n := make([]float64, len(values)), make([]int, len(values))
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

// A Pairing is a judge or a floor and its human reference.
type Pairing struct {
	Name             string
	Judge, Reference int // indices into Run.Judges; a floor may be unrecorded
	Kind             string
}

// RaterPairs are each judge with each reference, the floors, and the pairs of annotators.
func (x *Dataset) RaterPairs() []RaterPair {
	var all []RaterPair
	for _, reference := range x.References() {
		first := len(all)
		for j, p := range x.Judges {
			kind := KindOfJudge
			if p.Kind == KindFloor {
				kind = KindFloor
			}
			if p.Kind != KindHuman {
				all = append(all, x.NewRaterPair(Pairing{p.Name, j, reference, kind}))
			}
		}
		all = append(all, x.floorsUnder(reference, all[first:])...)
	}
	who := x.Annotators()
	for i, a := range who {
		for _, b := range who[i+1:] {
			all = append(all, x.NewRaterPair(Pairing{x.Judges[a].Name, a, b, KindHuman}))
		}
	}
	return all
}
