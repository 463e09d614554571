package report

import (
	"cmp"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/summaries"
)

// A FailureRow counts the answers or verdicts with one status and one reason. Planned results that are not
// recorded are pending, or skipped if the plan has a note; human score sheets whose answer was not found
// are skipped.
type FailureRow struct {
	Kind     string      `csv:"kind"` // KindAnswer, KindVerdict or KindLabel
	Judge    string      `csv:"judge"`
	System   string      `csv:"system"`
	Scenario string      `csv:"scenario"`
	Status   data.Status `csv:"status"`
	Reason   string      `csv:"reason"`
	Count    int         `csv:"count"`
}

// noJudge is shown as the judge of an answer.
const noJudge = "-"

// outcomes counts all results, in the order of kinds, judges, systems, scenarios, statuses and reasons.
func outcomes(x *dataset.Dataset) []FailureRow {
	counts := map[FailureRow]int{} // Count is 0 in the keys
	present, valid := make([]int, len(x.Cells)), make([]int, len(x.Cells))
	// add counts results of a judge, or answers if judge is empty.
	add := func(judge string, cell int, status data.Status, reason string, n int) {
		c := x.Cells[cell]
		r := FailureRow{Kind: store.KindVerdict, Judge: judge, System: x.Systems[c.System].Name, Scenario: c.Scenario, Status: status,
			Reason: reason}
		if judge == "" {
			r.Kind, r.Judge = store.KindAnswer, noJudge
		}
		counts[r] += n
	}
	one := func(judge string, cell int, status data.Status, reason string) {
		if present[cell]++; status == data.Valid {
			valid[cell]++ // most are; they are added by finish
		} else {
			add(judge, cell, status, reason, 1)
		}
	}
	finish := func(judge string) {
		for i, c := range x.Cells {
			status := data.Pending
			note := x.Plan[dataset.PlanKey{Judge: judge, System: x.Systems[c.System].Name, Scenario: c.Scenario}].Note
			if note != "" {
				status = data.Skipped
			}
			if n := x.PlannedOf(judge, c, present[i]) - present[i]; n > 0 {
				add(judge, i, status, note, n)
			}
			add(judge, i, data.Valid, "", valid[i])
		}
		clear(valid)
	}
	for i, a := range x.Answers {
		if c := x.CellOf[i]; c >= 0 {
			one("", c, a.Status, a.Reason)
			a.EachLabel(func(_, judge string, status data.Status, _ string) {
				if status == data.Valid {
					counts[FailureRow{Kind: store.KindLabel, Judge: judge, System: a.System, Scenario: a.Scenario, Status: status}]++
				}
			})
		}
	}
	finish("")
	for j, judge := range x.Judges {
		unplaced := x.UnplacedCounts(judge.Name)
		for i, c := range x.Cells {
			present[i] = unplaced[dataset.PlanKey{Judge: judge.Name, System: x.Systems[c.System].Name, Scenario: c.Scenario}]
		}
		for _, s := range x.SheetsOf(j) {
			if c := x.CellOf[s.Answer]; c >= 0 {
				one(judge.Name, c, s.Status, s.Reason)
			}
		}
		finish(judge.Name)
	}
	summaries.Failures(x, func(judge, system, scenario string, status data.Status, reason string, n int) {
		counts[FailureRow{Kind: store.KindLabel, Judge: judge, System: system, Scenario: scenario, Status: status, Reason: reason}] += n
	})
	for _, u := range x.Unplaced {
		kind := store.KindVerdict
		if strings.HasSuffix(u.Source, store.LabelSource) {
			kind = store.KindLabel
		}
		counts[FailureRow{Kind: kind, Judge: u.Judge, System: u.System, Scenario: u.Scenario, Status: data.Skipped, Reason: u.Reason}]++
	}
	rows := make([]FailureRow, 0, len(counts))
	for r, n := range counts {
		r.Count = n
		rows = append(rows, r)
	}
	// By the positions of judges, systems and statuses; unknown names come last.
	place := func(parties []store.Participant, name string) int {
		if i := slices.IndexFunc(parties, func(p store.Participant) bool { return p.Name == name }); i >= 0 || name == noJudge {
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
