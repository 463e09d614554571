package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/llm"
	"compqa/results/leaderboard"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// Documents returns all tables of the report, in the order in which readers ask questions.
func (t *Report) Documents() []table.Document {
	costs := t.Quality.CostsDocument()
	if n := len(costs.Sections); n > 0 {
		costs.Sections[n-1].Notes = t.Leaderboard.FittedNotes // the report shows these notes next to the judges
	}
	documents := []table.Document{t.Leaderboard.Details(), t.Quality.AgreementDocument(), t.Quality.JudgesDocument(),
		t.argumentsDocument(), t.tables.Document(),
		t.failuresDocument(), costs, t.Quality.DatasheetsDocument(), t.provenanceDocument()}
	for _, d := range documents {
		t.NameColumns(d.Sections)
	}
	return documents
}

// argumentsDocument returns the tables on whether answers follow their arguments.
func (t *Report) argumentsDocument() table.Document {
	return table.Document{ID: "arguments", Title: "Arguments",
		Lead: "Do answers follow the arguments in their prompts? Nikishina et al. (appendix C) report a model that chose Google although " +
			"the arguments favoured Yahoo.\n\n" +
			"These figures are measured in the texts, without a model. Brackets contain 95 % intervals, clustered by question.",
		Sections: slices.Concat(leaderboard.FaithfulnessTable.Sections(t.Leaderboard.Faithfulness), citationsTable.Sections(t.cited),
			argumentsTable.Sections(t.argued))}
}

// failuresDocument returns which results are missing or not valid, and why.
func (t *Report) failuresDocument() table.Document {
	reasons := t.reasons()
	view := table.From(4, reasons[:min(len(reasons), mostReasons)], "kind", "judge", "status", "reason", "count")
	for i, row := range view.Rows {
		row[len(row)-1].To = itemsWith(reasons[i])
	}
	return table.Document{ID: "failures", Title: "Failures",
		Lead: "Planned are valid, invalid, skipped and pending results together; the statuses of invalid ones have their own columns. Only " +
			"valid results enter the tables.", Sections: []table.Section{
			{Title: "By status", Verdict: t.FailuresLine() + ".", Table: t.statusTable()},
			{Title: "Reasons", About: fmt.Sprintf("%s over all systems and scenarios, the most frequent first, at most %d. All of them, by "+
				"system and scenario, are in failures.csv.", data.Plural(len(reasons), "reason", "reasons"), mostReasons),
				Table: view}}}
}

// itemsWith returns a link to the answers (or to a judge's verdicts) with the status and reason of r. Results that do not exist have no
// link.
func itemsWith(r FailureRow) *table.Target {
	switch {
	case r.Status == data.Pending || r.Status == data.Skipped || r.Kind == store.KindLabel:
		return nil
	case r.Kind == store.KindAnswer:
		return table.ToCounted("status", string(r.Status), "reason", r.Reason)
	}
	return table.ToCounted("judge", r.Judge, "status", string(r.Status), "reason", r.Reason)
}

// reasons sums the failures over systems and scenarios, by reason. The most frequent reason of each kind comes first.
func (t *Report) reasons() []FailureRow {
	reasons := summed(t.Failed, func(r FailureRow) FailureRow {
		return FailureRow{Kind: r.Kind, Judge: r.Judge, Status: r.Status, Reason: r.Reason}
	})
	slices.SortStableFunc(reasons, func(a, b FailureRow) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.Count, a.Count))
	})
	return reasons
}

// mostReasons is the largest number of reasons that the page lists.
const mostReasons = 100

// summed sums the counts of rows with the same key, in the order in which keys first appear.
func summed(rows []FailureRow, key func(FailureRow) FailureRow) []FailureRow {
	groups, sums := stats.NumberLabels(data.Each(rows, key))
	for i, r := range rows {
		sums[groups[i]].Count += r.Count
	}
	return sums
}

// statuses counts the results by kind, judge and status: answers, verdicts and labels.
func (t *Report) statuses() []FailureRow {
	counts := summed(t.outcomes, func(r FailureRow) FailureRow { return FailureRow{Kind: r.Kind, Judge: r.Judge, Status: r.Status} })
	slices.SortStableFunc(counts, func(a, b FailureRow) int {
		return cmp.Compare(slices.Index(data.Statuses, a.Status), slices.Index(data.Statuses, b.Status))
	})
	return counts
}

// statusTable returns a row for the answers and for each judge, and a column for each status that occurs.
func (t *Report) statusTable() *table.Table {
	grid := table.NewGrid("kind", "judge")
	planned := summed(t.outcomes, func(r FailureRow) FailureRow { return FailureRow{Kind: r.Kind, Judge: r.Judge} })
	kinds := []string{store.KindAnswer, store.KindVerdict, store.KindLabel}
	slices.SortStableFunc(planned, func(a, b FailureRow) int {
		return cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind))
	})
	for _, r := range planned {
		grid.Set(r.Count, "planned", r.Kind, r.Judge)
	}
	for _, r := range t.statuses() {
		cell := table.Figured(r.Count, 0)
		cell.To = itemsWith(r)
		grid.Set(cell, string(r.Status), r.Kind, r.Judge)
	}
	return grid.Table.Mark(1, func(row []table.Cell) string { return t.MarkOfImport(row[1].Text) })
}

// StatusesOf returns the numbers of a judge's verdicts by status.
func (t *Report) StatusesOf(judge string) *table.Table {
	view := table.New(1, "status", "verdicts")
	for _, r := range t.statuses() {
		if r.Judge == judge && r.Kind == store.KindVerdict && r.Count > 0 {
			view.Add(table.Cell{Text: strings.ReplaceAll(string(r.Status), "_", " "), To: itemsWith(r)}, r.Count)
		}
	}
	return view
}

// NotValid counts the results that failed: planned, but neither valid, nor pending, nor left to other judges or people. It counts answers
// if judge is "", else the judge's verdicts. An empty system or scenario stands for all.
func (t *Report) NotValid(judge, system, scenario string) int {
	kind := store.KindVerdict
	if judge == "" {
		kind = store.KindAnswer
	}
	n := t.counted(kind, judge, system, scenario)
	return n.planned - n.valid - n.pending - n.left
}

// FailuresLine says how many answers and verdicts are valid.
func (t *Report) FailuresLine() string {
	answers := t.counted(store.KindAnswer, "", "", "")
	verdicts := t.counted(store.KindVerdict, "", "", "")
	text := fmt.Sprintf("%d of %d answers and %d of %d verdicts are valid", answers.valid, answers.planned, verdicts.valid,
		verdicts.planned-verdicts.left)
	if verdicts.left > 0 {
		text += fmt.Sprintf("; %d more %s not asked for, as other judges or people decide", verdicts.left, data.Form(verdicts.left, "is", "are"))
	}
	return text
}

// A count is the number of results that are planned, valid, pending (not made yet), and left (a judge is not asked).
type count struct{ planned, valid, pending, left int }

// counted counts the results of a kind. An empty judge, system or scenario stands for all.
func (t *Report) counted(kind, judge, system, scenario string) (n count) {
	for i := range t.outcomes {
		if r := &t.outcomes[i]; r.Kind == kind && (judge == "" || r.Judge == judge) && (system == "" || r.System == system) &&
			(scenario == "" || r.Scenario == scenario) {
			switch n.planned += r.Count; r.Status {
			case data.Valid:
				n.valid += r.Count
			case data.Pending:
				n.pending += r.Count
			case data.Skipped:
				if strings.HasPrefix(r.Reason, data.NotAsked) {
					n.left += r.Count
				}
			}
		}
	}
	return n
}

// adaptationLines returns a Markdown list of how models were asked differently from the configuration: with higher token limits, or without
// a parameter that they reject.
func (t *Report) adaptationLines() []string {
	var lines []string
	list := slices.SortedFunc(slices.Values(t.Adaptations), func(a, b store.Adaptation) int {
		return slices.Compare([]string{a.Provider, a.Model, a.Parameter}, []string{b.Provider, b.Model, b.Parameter})
	})
	for _, adaptations := range table.Grouped(list, func(a store.Adaptation) [2]string { return [2]string{a.Provider, a.Model} }) {
		var without []string
		for _, a := range adaptations {
			if a.Parameter == llm.ReasoningAllowance {
				lines = append(lines, fmt.Sprintf("- %s at %s reasons: limits of replies are raised by %s tokens.", a.Model, a.Provider, a.Value))
			} else if a.Value == "" {
				without = append(without, a.Parameter)
			}
		}
		if without != nil {
			lines = append(lines, fmt.Sprintf("- %s at %s was asked without %s: the model does not accept %s.", adaptations[0].Model,
				adaptations[0].Provider,
				data.List(without), data.Form(len(without), "it", "them")))
		}
	}
	return lines
}
