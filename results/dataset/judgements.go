package dataset

import (
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/stats"
)

// Levels of an agreement table, in order.
const (
	LevelSeparate        = "separate"         // the scores on all criteria, in one sequence
	LevelFinal           = "final"            // totals
	LevelCriterion       = "criterion"        // the scores on one criterion
	LevelGroup           = "group"            // the sums over a group of criteria
	LevelScenario        = "scenario"         // totals of one scenario's answers
	LevelAspect          = "aspect"           // totals of answers with, or without, an aspect in their question
	LevelWithinCriterion = "within_criterion" // as separate, minus each rater's mean of the criterion
	LevelWithinSystem    = "within_system"    // totals, minus each rater's mean of the system
)

// NoItem is the item of levels that have a single item.
const NoItem = "-"

// judgements returns the run's sheets as judgements. An imported row whose answer was not found becomes a sheet on an item of its own,
// after the answers. meanRecorded says whether the record itself has people's mean.
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
		if p.Family != p.Name { // the family of an imported system or judge is its name
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

// tuned reports whether a judge was trained or tuned on the scores of a reference of the run, without held-out figures.
func (x *Dataset) tuned(judge string) bool {
	return slices.ContainsFunc(x.References(), func(reference int) bool {
		d := x.FittedOn(judge, x.Judges[reference].Name)
		return d.TrainedOn != "" && !d.HeldOut
	})
}

// scaleOf returns the range of points of a criterion as "LOW..HIGH". It returns "" for a criterion with only 0 and 1, which is yes or no.
func scaleOf(c rubric.Criterion) string {
	low, high := c.Range()
	if low == high || low == 0 && high == 1 && len(c.Levels) <= 2 {
		return ""
	}
	return stats.Shortest(low) + ".." + stats.Shortest(high)
}
