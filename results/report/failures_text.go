package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// failuresText is failures.md.
func (t *Report) failuresText() string {
	reasons := t.reasons()
	return table.Page("Missing and invalid results", "planned = valid + invalid + skipped + pending. Only valid results enter the tables.",
		table.Section{Table: t.statusTable()},
		table.Section{Title: "Reasons", About: fmt.Sprintf("%d reasons over all systems and scenarios, the most frequent first, at most %d. All of them, by system and scenario, are in [failures.csv](failures.csv).", len(reasons), mostReasons),
			Table: table.View(4, reasons[:min(len(reasons), mostReasons)], "kind", "judge", "status", "reason", "count")})
}

// reasons counts the reasons over systems and scenarios, the most frequent first.
func (t *Report) reasons() []FailureRow {
	reasons := summed(t.failed, func(r FailureRow) FailureRow {
		return FailureRow{Kind: r.Kind, Judge: r.Judge, Status: r.Status, Reason: r.Reason}
	})
	slices.SortStableFunc(reasons, func(a, b FailureRow) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Count, a.Count))
	})
	return reasons
}

// mostReasons is the number of reasons listed.
const mostReasons = 100

// summed adds the counts of rows with the same key, in the order of first appearance.
func summed(rows []FailureRow, key func(FailureRow) FailureRow) []FailureRow {
	var sums []FailureRow
	at := map[FailureRow]int{}
	for _, r := range rows {
		k := key(r)
		i, ok := at[k]
		if !ok {
			i, at[k] = len(sums), len(sums)
			sums = append(sums, k)
		}
		sums[i].Count += r.Count
	}
	return sums
}

// statuses counts the answers, and the verdicts and labels of each judge, by status.
func (t *Report) statuses() []FailureRow {
	answers := FailureRow{Kind: store.KindAnswer, Judge: noJudge, Status: data.Valid}
	for i, a := range t.Answers {
		if t.CellOf[i] >= 0 && a.Status == data.Valid {
			answers.Count++
		}
	}
	all := []FailureRow{answers}
	for _, j := range t.Judges {
		all = append(all, FailureRow{Kind: store.KindVerdict, Judge: j.Name, Status: data.Valid})
	}
	for _, r := range t.Board {
		if r.Scenario == dataset.AllScenarios {
			all = append(all, FailureRow{Kind: store.KindVerdict, Judge: r.Judge, Status: data.Valid, Count: r.Valid})
		}
	}
	for i, a := range t.Answers {
		if t.CellOf[i] < 0 {
			continue
		}
		a.EachLabel(func(_, judge string, status data.Status, _ string) {
			if status == data.Valid {
				all = append(all, FailureRow{Kind: store.KindLabel, Judge: judge, Status: data.Valid, Count: 1})
			}
		})
	}
	return summed(append(all, t.failed...), func(r FailureRow) FailureRow {
		return FailureRow{Kind: r.Kind, Judge: r.Judge, Status: r.Status}
	})
}

// statusTable has one column per status that occurs.
func (t *Report) statusTable() *table.Table {
	grid := table.NewGrid("kind", "judge")
	counts := t.statuses()
	for _, r := range summed(counts, func(r FailureRow) FailureRow { return FailureRow{Kind: r.Kind, Judge: r.Judge} }) {
		grid.Set(strconv.Itoa(r.Count), "planned", r.Kind, r.Judge)
	}
	slices.SortStableFunc(counts, func(a, b FailureRow) int {
		return cmp.Compare(slices.Index(data.Statuses, a.Status), slices.Index(data.Statuses, b.Status))
	})
	for _, r := range counts {
		grid.Set(strconv.Itoa(r.Count), string(r.Status), r.Kind, r.Judge)
	}
	return &grid.Table
}

// FailuresLine is the counts in a sentence.
func (t *Report) FailuresLine() string {
	valid, planned := map[string]int{}, map[string]int{}
	for _, r := range t.statuses() {
		planned[r.Kind] += r.Count
		if r.Status == data.Valid {
			valid[r.Kind] += r.Count
		}
	}
	return fmt.Sprintf("%d of %d answers and %d of %d verdicts are valid", valid[store.KindAnswer], planned[store.KindAnswer], valid[store.KindVerdict], planned[store.KindVerdict])
}
