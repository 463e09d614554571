package dataset

import (
	"slices"

	"compqa/data"
	"compqa/results/store"
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

// judgements are the run's sheets. Imported rows whose answer was not found are sheets on items of their own, after the answers.
func (x *Dataset) judgements() *data.Judgements {
	j := &data.Judgements{Items: make([]data.Rated, len(x.Answers)), Sheets: x.Sheets}
	for i, a := range x.Answers {
		j.Items[i] = data.Rated{ID: a.ID, System: a.System, Scenario: a.Scenario, Aspect: a.Aspect, Cluster: x.Question[i], Words: a.Words}
	}
	for _, p := range x.Judges {
		kind := KindOfJudge
		if p.Kind == KindHuman || p.Kind == KindFloor {
			kind = p.Kind
		}
		j.Raters = append(j.Raters, data.Rater{Name: p.Name, Kind: kind})
	}
	for _, c := range x.Rubric.Criteria {
		j.Criteria = append(j.Criteria, data.Measured{ID: c.ID, High: c.Max()})
	}
	for _, u := range x.Unplaced {
		rater := x.JudgeNamed(u.Judge)
		if rater < 0 || u.Kind() != store.KindVerdict {
			continue
		}
		j.Sheets = append(slices.Clip(j.Sheets), data.Given{Rater: int32(rater), Item: int32(len(j.Items)), Repeat: 1,
			Ending: &data.Ending{Status: data.Skipped, Reason: u.Reason}})
		j.Items = append(j.Items, data.Rated{System: u.System, Scenario: u.Scenario, Aspect: u.Aspect, Cluster: data.NotFound})
	}
	if len(j.Items) > len(x.Answers) {
		slices.SortFunc(j.Sheets, data.CompareSheets)
	}
	return j
}
