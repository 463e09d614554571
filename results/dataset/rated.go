package dataset

import (
	"math"
	"slices"

	"compqa/data"
	"compqa/results/raters"
	"compqa/stats"
	"compqa/stats/agreement"
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

// Unrecorded is the index of a judge without recorded verdicts.
const Unrecorded = -1

// A Level is a table of raters at one level and item. Its units are the reference's sheets, and the imported rows of it whose
// answer was not found.
type Level struct {
	Name, Item string
	raters.Table
	strata []int // of units, whose means are subtracted; nil: none are
}

// A Contestant is a rater that is compared with the reference of its Rated.
type Contestant struct {
	Name, Kind string
	Judge      int    // index into Run.Judges, or Unrecorded
	Owner      string // the judge of a shuffled floor; "" for others
}

// Rated is a reference with the raters that are compared with it, at every level.
type Rated struct {
	Reference   int // index into Run.Judges
	Name        string
	Contestants []Contestant
	Criteria    []raters.Table // one for each criterion, with the reference and then the contestants
	Levels      []Level
}

// Pair are the table and the raters of a contestant and the reference; in says which of the units count, nil: all.
func (l Level) Pair(contestant int, in func(unit int) bool) (t raters.Table, judge, reference raters.Rater) {
	reference, judge = l.Raters[0], l.Raters[1+contestant]
	if in != nil {
		judge = judge.Only(in)
	}
	if l.strata != nil {
		return l.Centring(judge, reference, l.strata)
	}
	return l.Table, judge, reference
}

// Common reports which units both contestants and the reference have.
func (l Level) Common(one, other int) func(unit int) bool {
	return func(unit int) bool {
		return l.Raters[1+one].Values[unit].Given() && l.Raters[1+other].Values[unit].Given() && l.Raters[0].Values[unit].Given()
	}
}

// At is the level of totals, for instance.
func (r *Rated) At(name string) Level {
	return r.Levels[slices.IndexFunc(r.Levels, func(l Level) bool { return l.Name == name })]
}

// Rated are the judges and floors with each reference, and each pair of annotators.
//
// There are three floors. The constant gives every criterion its maximum: recorded verdicts of a judge of kind floor are used;
// without them they are made here. criterion-mean and shuffled are those of package raters.
func (x *Dataset) Rated() (all []*Rated) {
	for _, reference := range x.References() {
		var judges []Contestant
		for j, p := range x.Judges {
			kind := KindOfJudge
			if p.Kind == KindFloor {
				kind = KindFloor
			}
			if p.Kind != KindHuman {
				judges = append(judges, Contestant{Name: p.Name, Kind: kind, Judge: j})
			}
		}
		all = append(all, x.RatedBy(reference, judges, true))
	}
	who := x.Annotators()
	for i, a := range who {
		for _, b := range who[i+1:] {
			all = append(all, x.RatedBy(b, []Contestant{{Name: x.Judges[a].Name, Kind: KindHuman, Judge: a}}, false))
		}
	}
	return all
}

// RatedBy compares contestants with a reference. A judge's value is that of its first verdict on the answer; sheets of two
// people are paired by answer and repeat.
func (x *Dataset) RatedBy(reference int, contestants []Contestant, floors bool) *Rated {
	r := &Rated{Reference: reference, Name: x.Judges[reference].Name, Contestants: contestants}
	theirs := x.SheetsOf(reference)
	var units []raters.Unit
	var scenarios, aspects []string
	add := func(u raters.Unit, scenario, aspect string) {
		units, scenarios, aspects = append(units, u), append(scenarios, scenario), append(aspects, aspect)
	}
	for _, s := range theirs {
		a := &x.Answers[s.Answer]
		add(raters.Unit{ID: a.ID, Cluster: x.Question[s.Answer], System: a.System, Words: a.Words}, a.Scenario, a.Aspect)
	}
	for _, p := range x.Unplaced {
		if p.Judge == r.Name {
			add(raters.Unit{Cluster: Unrecorded, System: p.System}, p.Scenario, p.Aspect)
		}
	}
	sheets := [][]*Sheet{x.sheetsFor(theirs, reference, true)}
	for _, c := range contestants {
		sheets = append(sheets, x.sheetsFor(theirs, c.Judge, c.Kind == KindHuman))
	}
	for i, c := range x.Rubric.Criteria {
		t := raters.Table{Criterion: c.ID, Scale: raters.Scale{Level: agreement.Interval, High: c.Max()}, Units: units}
		for k, of := range sheets {
			rater := raters.Rater{Name: r.Name, Kind: raters.Person, Values: make([]raters.Value, len(units))}
			if k > 0 {
				rater.Name, rater.Kind = contestants[k-1].Name, raters.Kind(contestants[k-1].Kind)
			}
			for u := range units {
				rater.Values[u] = raters.Missing(raters.Skipped)
				if u < len(of) {
					rater.Values[u] = of[u].value(i)
				}
			}
			t.Raters = append(t.Raters, rater)
		}
		r.Criteria = append(r.Criteria, t)
	}
	if floors {
		x.addFloors(r)
	}
	x.addLevels(r, scenarios, aspects)
	return r
}

// PeopleTables is TablesOf all annotators.
func (x *Dataset) PeopleTables() (totals raters.Table, criteria []raters.Table) {
	return x.TablesOf(x.Annotators())
}

// TablesOf returns a table of some judges or people for each criterion, and one of their totals. The units are the answers that any of them
// scored, and of several sheets on one answer the first counts.
func (x *Dataset) TablesOf(who []int) (totals raters.Table, criteria []raters.Table) {
	unitOf := map[int32]int{}
	var units []raters.Unit
	for _, j := range who {
		for _, s := range x.SheetsOf(j) {
			if _, known := unitOf[s.Answer]; !known {
				unitOf[s.Answer] = len(units)
				a := &x.Answers[s.Answer]
				units = append(units, raters.Unit{ID: a.ID, Cluster: x.Question[s.Answer], System: a.System, Words: a.Words})
			}
		}
	}
	for i, c := range x.Rubric.Criteria {
		t := raters.Table{Criterion: c.ID, Scale: raters.Scale{Level: agreement.Interval, High: c.Max()}, Units: units}
		for _, j := range who {
			person := raters.Rater{Name: x.Judges[j].Name, Kind: raters.Kind(x.Judges[j].Kind),
				Values: slices.Repeat([]raters.Value{raters.Missing(raters.NotAsked)},
					len(units))}
			sheets := x.SheetsOf(j)
			for k := range slices.Backward(sheets) {
				person.Values[unitOf[sheets[k].Answer]] = sheets[k].value(i)
			}
			t.Raters = append(t.Raters, person)
		}
		criteria = append(criteria, t)
	}
	return raters.Sums(LevelFinal, criteria), criteria
}

// sheetsFor are a judge's sheets on the answers of other sheets, nil where there is none: those with the same repeat, or the
// first ones.
func (x *Dataset) sheetsFor(others []Sheet, judge int, sameRepeat bool) []*Sheet {
	own, k := x.SheetsOf(judge), 0
	of := make([]*Sheet, len(others))
	for i, r := range others {
		for k < len(own) && (own[k].Answer < r.Answer || sameRepeat && own[k].Answer == r.Answer && own[k].Repeat < r.Repeat) {
			k++
		}
		if k < len(own) && own[k].Answer == r.Answer && (!sameRepeat || own[k].Repeat == r.Repeat) {
			of[i] = &own[k]
		}
	}
	return of
}

// reasons are those of statuses of verdicts; any other is a failure.
var reasons = map[data.Status]raters.Reason{data.Unparsed: raters.Unreadable, data.Incomplete: raters.Unreadable,
	data.OutOfRange: raters.OutOfRange, data.Skipped: raters.Skipped, data.Pending: raters.NotAsked}

// value is what a sheet, which may be nil, gives on a criterion.
func (s *Sheet) value(criterion int) raters.Value {
	switch {
	case s == nil:
		return raters.Missing(raters.NotAsked)
	case s.Status == data.Partial && math.IsNaN(s.Scores[criterion]):
		return raters.Missing(raters.Skipped)
	case s.Status == data.Valid || s.Status == data.Partial:
		return raters.Number(s.Scores[criterion])
	case reasons[s.Status] != raters.Given:
		return raters.Missing(reasons[s.Status])
	}
	return raters.Missing(raters.Failed)
}

// addFloors adds the floors that are not recorded. Their names differ from those of judges.
func (x *Dataset) addFloors(r *Rated) {
	judges := r.Contestants
	add := func(name, owner string, floor func(t raters.Table, name string) raters.Rater) {
		for x.JudgeNamed(name) >= 0 {
			name = KindFloor + ":" + name
		}
		r.Contestants = append(r.Contestants, Contestant{Name: name, Kind: KindFloor, Judge: Unrecorded, Owner: owner})
		for i, t := range r.Criteria {
			of := floor(t, name)
			of.Name = name
			r.Criteria[i].Raters = append(t.Raters, of)
		}
	}
	if !slices.ContainsFunc(judges, func(c Contestant) bool { return c.Kind == KindFloor }) {
		add(raters.ConstantName, "", func(t raters.Table, _ string) raters.Rater { return t.Constant(t.Scale.High) })
	}
	add(raters.CriterionMeanName, "", func(t raters.Table, _ string) raters.Rater { return t.CriterionMean(t.Raters[0]) })
	for k, c := range judges {
		if c.Kind == KindOfJudge {
			add(raters.ShuffledPrefix+c.Name, c.Name, func(t raters.Table, name string) raters.Rater {
				return t.Shuffled(t.Raters[1+k], t.Raters[0], stats.NewRNG(x.seed(), name))
			})
		}
	}
}

// addLevels adds all levels, in order.
func (x *Dataset) addLevels(r *Rated, scenarios, aspects []string) {
	add := func(name, item string, t raters.Table, strata []int) {
		r.Levels = append(r.Levels, Level{name, item, t, strata})
	}
	separate, final := raters.Pooled(LevelSeparate, r.Criteria), raters.Sums(LevelFinal, r.Criteria)
	add(LevelSeparate, NoItem, separate, nil)
	add(LevelFinal, NoItem, final, nil)
	for _, t := range r.Criteria {
		add(LevelCriterion, t.Criterion, t, nil)
	}
	for g, group := range x.Groups {
		var of []raters.Table
		for c, in := range x.groupOf {
			if in == g {
				of = append(of, r.Criteria[c])
			}
		}
		add(LevelGroup, group, raters.Sums(group, of), nil)
	}
	some := func(level, item string, in func(unit int) bool) {
		if t := final.Where(in); len(t.Units) > 0 {
			add(level, item, t, nil)
		}
	}
	for _, scenario := range x.Scenarios() {
		some(LevelScenario, scenario, func(unit int) bool { return scenarios[unit] == scenario })
	}
	some(LevelAspect, "yes", func(unit int) bool { return aspects[unit] != "" })
	some(LevelAspect, "no", func(unit int) bool { return aspects[unit] == "" })
	add(LevelWithinCriterion, NoItem, separate, separate.Criteria)
	systems := make([]string, len(final.Units))
	for i, u := range final.Units {
		systems[i] = u.System
	}
	add(LevelWithinSystem, NoItem, final, stats.ClusterLabels(systems))
}

// Planned is the number of units: of pooled criteria, that of sheets.
func (l Level) Planned() int {
	if n := len(l.Sheets); n > 0 {
		return 1 + l.Sheets[n-1]
	}
	return len(l.Units)
}
