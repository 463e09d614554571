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

// A FailureRow counts the answers or verdicts with one status other than valid and
// one reason. Planned results that are not recorded are pending, or skipped if the
// plan has a note; human score sheets whose answer was not found are skipped.
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

// failures counts results that are not valid, in the order of kinds, judges,
// systems, scenarios, statuses and reasons.
func failures(x *dataset.Dataset) []FailureRow {
	counts := map[FailureRow]int{} // Count is 0 in the keys
	present := make([]int, len(x.Cells))
	for i, a := range x.Answers {
		if c := x.CellOf[i]; c >= 0 {
			present[c]++
			fail(x, counts, "", c, a.Status, a.Reason)
		}
	}
	missing(x, counts, "", present)
	for j, judge := range x.Judges {
		unplaced := x.UnplacedCounts(judge.Name)
		for i, c := range x.Cells {
			present[i] = unplaced[dataset.PlanKey{Judge: judge.Name, System: x.Systems[c.System].Name, Scenario: c.Scenario}]
		}
		for _, s := range x.SheetsOf(j) {
			if c := x.CellOf[s.Answer]; c >= 0 {
				present[c]++
				fail(x, counts, judge.Name, c, s.Status, s.Reason)
			}
		}
		missing(x, counts, judge.Name, present)
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
	slices.SortFunc(rows, compareFailures(x))
	return rows
}

func fail(x *dataset.Dataset, counts map[FailureRow]int, judge string, c int, status data.Status, reason string) {
	if status == data.Valid {
		return
	}
	r := failureIn(x, judge, x.Cells[c])
	r.Status, r.Reason = status, reason
	counts[r]++
}

// failureIn is a row without a status and a reason.
func failureIn(x *dataset.Dataset, judge string, c dataset.Cell) FailureRow {
	r := FailureRow{Kind: store.KindVerdict, Judge: judge, System: x.Systems[c.System].Name, Scenario: c.Scenario}
	if judge == "" {
		r.Kind, r.Judge = store.KindAnswer, noJudge
	}
	return r
}

// missing counts planned results that are not recorded: verdicts of a judge, or
// answers if judge is empty.
func missing(x *dataset.Dataset, counts map[FailureRow]int, judge string, present []int) {
	for i, c := range x.Cells {
		n := x.PlannedOf(judge, c, present[i]) - present[i]
		if n <= 0 {
			continue
		}
		r := failureIn(x, judge, c)
		r.Status = data.Pending
		if note := x.Plan[dataset.PlanKey{Judge: judge, System: r.System, Scenario: r.Scenario}].Note; note != "" {
			r.Status, r.Reason = data.Skipped, note
		}
		counts[r] += n
	}
}

// compareFailures sorts by the positions of judges, systems and statuses in the
// tables; unknown names come last.
func compareFailures(x *dataset.Dataset) func(a, b FailureRow) int {
	place := func(parties []store.Participant) func(name string) int {
		at := map[string]int{noJudge: -1}
		for i, p := range parties {
			at[p.Name] = i
		}
		return func(name string) int {
			if i, ok := at[name]; ok {
				return i
			}
			return len(parties)
		}
	}
	judge, system := place(x.Judges), place(x.Systems)
	return func(a, b FailureRow) int {
		return cmp.Or(
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(judge(a.Judge), judge(b.Judge)), cmp.Compare(a.Judge, b.Judge),
			cmp.Compare(system(a.System), system(b.System)), cmp.Compare(a.System, b.System),
			dataset.CompareScenarios(a.Scenario, b.Scenario),
			cmp.Compare(slices.Index(data.Statuses, a.Status), slices.Index(data.Statuses, b.Status)), cmp.Compare(a.Status, b.Status),
			cmp.Compare(a.Reason, b.Reason))
	}
}
