package dataset

import (
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
	"compqa/rubric"
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

// judgements returns the run's sheets. Imported rows whose answer was not found are sheets on items of their own, after the answers.
// meanRecorded reports whether the record has people's mean.
func (x *Dataset) judgements(meanRecorded bool) *data.Judgements {
	j := &data.Judgements{From: strings.Join(x.Dirs, ", "), Items: make([]data.Rated, len(x.Answers)), Sheets: x.Sheets,
		Families: map[string]string{}}
	for i, a := range x.Answers {
		j.Items[i] = data.Rated{ID: a.ID, System: a.System, Scenario: a.Scenario, Aspect: a.Aspect, Cluster: x.Question[i], Words: a.Words}
		if a.Status == data.Valid {
			j.Items[i].Asked = a.Asked
		}
	}
	for _, p := range slices.Concat(x.Systems, x.Judges) {
		if p.Family != p.Name { // as that of an imported party is
			j.Families[p.Name] = p.Family
		}
	}
	for _, p := range x.Judges {
		r := data.Rater{Name: p.Name, Kind: data.KindJudge, Tuned: x.tuned(p.Name), Pooled: p.Name == data.Human && !meanRecorded,
			Decided: strings.HasPrefix(p.Name, data.Human+":") && !isAnnotator(p)}
		if p.Kind == KindHuman || p.Kind == KindFloor {
			r.Kind = p.Kind
		}
		j.Raters = append(j.Raters, r)
	}
	for _, c := range x.Rubric.Criteria {
		j.Criteria = append(j.Criteria, data.Measured{ID: c.ID, Name: c.Name, High: c.Max(), Scale: scaleOf(c)})
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

// tuned reports whether a judge was trained or tuned on scores of a reference of the run.
func (x *Dataset) tuned(judge string) bool {
	return slices.ContainsFunc(x.References(), func(reference int) bool {
		d := x.FittedOn(judge, x.Judges[reference].Name)
		return d.TrainedOn != "" && !d.HeldOut
	})
}

// scaleOf returns the points of a criterion as LOW..HIGH. What has 0 and 1 alone is yes or no, as its values show.
func scaleOf(c rubric.Criterion) string {
	low, high := c.Range()
	if low == high || low == 0 && high == 1 && len(c.Levels) <= 2 {
		return ""
	}
	return stats.Shortest(low) + ".." + stats.Shortest(high)
}
