package results

import (
	"cmp"
	"slices"

	"compqa/data"
)

// A FailureRow counts the answers, or verdicts, of one status but valid with one
// reason. What is planned and not on record is pending, or skipped where the
// plan says why; people's sheets whose answer was not found are skipped.
type FailureRow struct {
	Kind     string      `csv:"kind"` // KindAnswer or KindVerdict
	Judge    string      `csv:"judge"`
	System   string      `csv:"system"`
	Scenario string      `csv:"scenario"`
	Status   data.Status `csv:"status"`
	Reason   string      `csv:"reason"`
	Count    int         `csv:"count"`
}

// noJudge is the judge of an answer in a table.
const noJudge = "-"

// failures counts what is not valid, in order of kinds, judges, systems,
// scenarios, statuses and reasons.
func (x *index) failures() []FailureRow {
	counts := map[FailureRow]int{} // Count is 0 in the keys
	present := make([]int, len(x.cells))
	for i, a := range x.Answers {
		if c := x.cellOf[i]; c >= 0 {
			present[c]++
			x.fail(counts, noJudge, c, a.Status, a.Reason)
		}
	}
	x.missing(counts, "", present)
	for j, judge := range x.Judges {
		unplaced := x.unplaced(judge.Name)
		for i, c := range x.cells {
			present[i] = unplaced[planKey{judge.Name, x.Systems[c.system].Name, c.scenario}]
		}
		for _, s := range x.sheets(j) {
			if c := x.cellOf[s.Answer]; c >= 0 {
				present[c]++
				x.fail(counts, judge.Name, c, s.Status, s.Reason)
			}
		}
		x.missing(counts, judge.Name, present)
	}
	for _, u := range x.Unplaced {
		counts[FailureRow{Kind: KindVerdict, Judge: u.Judge, System: u.System, Scenario: u.Scenario, Status: data.Skipped, Reason: u.Reason}]++
	}
	rows := make([]FailureRow, 0, len(counts))
	for r, n := range counts {
		r.Count = n
		rows = append(rows, r)
	}
	slices.SortFunc(rows, x.compareFailures())
	return rows
}

func (x *index) fail(counts map[FailureRow]int, judge string, c int, status data.Status, reason string) {
	if status == data.Valid {
		return
	}
	r := FailureRow{Kind: KindVerdict, Judge: judge, System: x.Systems[x.cells[c].system].Name, Scenario: x.cells[c].scenario, Status: status, Reason: reason}
	if judge == noJudge {
		r.Kind = KindAnswer
	}
	counts[r]++
}

// missing counts what a cell is to have and has not, of a judge or (judge "") of
// answers.
func (x *index) missing(counts map[FailureRow]int, judge string, present []int) {
	for i, c := range x.cells {
		n := x.planned(judge, c, present[i]) - present[i]
		if n <= 0 {
			continue
		}
		r := FailureRow{Kind: KindVerdict, Judge: judge, System: x.Systems[c.system].Name, Scenario: c.scenario, Status: data.Pending}
		if judge == "" {
			r.Kind, r.Judge = KindAnswer, noJudge
		}
		if note := x.plan[planKey{judge, r.System, r.Scenario}].Note; note != "" {
			r.Status, r.Reason = data.Skipped, note
		}
		counts[r] += n
	}
}

// compareFailures orders by the places of judges, systems and statuses in
// tables; names that are in none come last.
func (x *index) compareFailures() func(a, b FailureRow) int {
	place := func(parties []Party) func(name string) int {
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
			compareScenarios(a.Scenario, b.Scenario),
			cmp.Compare(slices.Index(data.Statuses, a.Status), slices.Index(data.Statuses, b.Status)), cmp.Compare(a.Status, b.Status),
			cmp.Compare(a.Reason, b.Reason))
	}
}
