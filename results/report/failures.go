package report

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/summaries"
	"compqa/results/table"
)

// A FailureRow counts the answers, verdicts or labels with the same status and reason. Planned results that are not recorded are pending,
// or skipped if the plan has a note. Imported sheets whose answer was not found are skipped.
type FailureRow struct {
	Kind     string      `csv:"kind"` // KindAnswer, KindVerdict or KindLabel
	Judge    string      `csv:"judge"`
	System   string      `csv:"system"`
	Scenario string      `csv:"scenario"`
	Status   data.Status `csv:"status"`
	Reason   string      `csv:"reason"`
	Count    int         `csv:"count"`
}

var failuresTable = table.Def[FailureRow]{File: "failures.csv"}

// noJudge is the judge in rows about answers.
const noJudge = "-"

// outcomes counts all results, sorted by kind, judge, system, scenario, status and reason. It counts answers, then the verdicts of each
// judge, then labels, then imported rows whose answer was not found.
func outcomes(x *dataset.Dataset) []FailureRow {
	counts := map[FailureRow]int{} // Count is 0 in the keys
	present := make([]int, len(x.Conditions))
	valid := make([]int, len(x.Conditions))
	one := func(kind, judge string, cell int, status data.Status, reason string) {
		present[cell]++
		if status == data.Valid {
			valid[cell]++ // most results are valid; finish adds them to counts
			return
		}
		counts[FailureRow{kind, judge, x.Systems[x.Conditions[cell].System].Name, x.Conditions[cell].Scenario, status, reason, 0}]++
	}
	// finish adds the valid and the missing results of a judge to counts. planned is the judge's name in the plan, which is "" for answers.
	finish := func(kind, judge, planned string) {
		for i, c := range x.Conditions {
			system := x.Systems[c.System].Name
			status := data.Pending
			note := x.Plan[dataset.PlanKey{Judge: planned, System: system, Scenario: c.Scenario}].Note
			if note != "" {
				status = data.Skipped
			}
			if n := x.PlannedOf(planned, c, present[i]) - present[i]; n > 0 {
				counts[FailureRow{kind, judge, system, c.Scenario, status, note, 0}] += n
			}
			counts[FailureRow{kind, judge, system, c.Scenario, data.Valid, "", 0}] += valid[i]
		}
		clear(valid)
	}
	for i, a := range x.Answers {
		if c := x.ConditionOf[i]; c >= 0 {
			one(store.KindAnswer, noJudge, c, a.Status, a.Reason)
		}
	}
	finish(store.KindAnswer, noJudge, "")
	for j, judge := range x.Judges {
		for i, c := range x.Conditions {
			present[i] = x.UnplacedIn[dataset.PlanKey{Judge: judge.Name, System: x.Systems[c.System].Name, Scenario: c.Scenario}]
		}
		for _, s := range x.SheetsOf(j) {
			if c := x.ConditionOf[s.Item]; c >= 0 {
				one(store.KindVerdict, judge.Name, c, s.Status, s.Reason)
			}
		}
		finish(store.KindVerdict, judge.Name, judge.Name)
	}
	summaries.Outcomes(x, func(judge, system, scenario string, status data.Status, reason string, n int) {
		counts[FailureRow{store.KindLabel, judge, system, scenario, status, reason, 0}] += n
	})
	for _, u := range x.Unplaced {
		counts[FailureRow{u.Kind(), u.Judge, u.System, u.Scenario, data.Skipped, u.Reason, 0}]++
	}
	rows := make([]FailureRow, 0, len(counts))
	for r, n := range counts {
		r.Count = n
		rows = append(rows, r)
	}
	// sort by the positions of judges, systems and statuses; unknown names come last
	place := func(parties []store.Participant, name string) int {
		if i := store.Named(parties, name); i >= 0 || name == noJudge {
			return i
		}
		return len(parties)
	}
	slices.SortFunc(rows, func(a, b FailureRow) int {
		return cmp.Or(
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(place(x.Judges, a.Judge), place(x.Judges, b.Judge)), cmp.Compare(a.Judge, b.Judge),
			cmp.Compare(place(x.Systems, a.System), place(x.Systems, b.System)), cmp.Compare(a.System, b.System),
			dataset.CompareScenarios(a.Scenario, b.Scenario),
			cmp.Compare(slices.Index(data.Statuses, a.Status), slices.Index(data.Statuses, b.Status)), cmp.Compare(a.Status, b.Status),
			cmp.Compare(a.Reason, b.Reason))
	})
	return rows
}
