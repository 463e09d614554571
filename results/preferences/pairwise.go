package preferences

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
)

// A pairwiseReport is all tables of a record's preferences.
type pairwiseReport struct {
	*preferenceBoard
	overall       []PairwiseRow
	compared      []PairwiseComparisonRow
	sliced        []PairwiseSliceRow
	priced        []PriceRow
	atBudget      []BudgetRow
	injected      []InjectionRow
	boards        []systemBoard
	beside        []BoardsRow
	disagreements []DisagreementRow
	graded        []RationaleRow
}

// PairwiseReport computes all tables of the preferences recorded in the folder from,
// writes them to the folder to and prints a summary on out. It reads only the record,
// and the same record gives the same bytes.
func PairwiseReport(from, to string, out io.Writer) error {
	s, err := store.Open(from)
	if err != nil {
		return err
	}
	record, err := s.LoadPairwise()
	s.Close()
	if err != nil {
		return err
	}
	run, err := rubricTables(from, record)
	if err != nil {
		return err
	}
	r, err := newPairwiseReport(record, run)
	if err != nil {
		return fmt.Errorf("computing the report: %w", err)
	}
	if err := r.write(to); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if run != nil { // the costs of preferences are part of its costs
		if err := run.Write(to, "costs.csv", "costs.md"); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
	}
	return r.print(out, to)
}

// rubricTables are the tables of the run with the answers of the pairs, nil without
// such a run.
func rubricTables(dir string, r *store.PairwiseRecord) (*report.Report, error) {
	for _, p := range r.Pairs {
		if p.AnswerA == "" {
			continue
		}
		run, err := dataset.Load(dir)
		if err != nil {
			return nil, err
		}
		return report.Compute(run)
	}
	return nil, nil
}

func newPairwiseReport(record *store.PairwiseRecord, run *report.Report) (*pairwiseReport, error) {
	r := &pairwiseReport{preferenceBoard: newPreferenceBoard(record)}
	r.overall = r.preferenceBoard.rows()
	r.compared = r.comparisons()
	r.sliced = r.slices()
	r.priced, r.atBudget = r.prices()
	r.injected = r.injections()
	r.boards = r.systemBoards()
	if run != nil {
		r.beside, r.disagreements = r.besideRubric(r.boards, run)
	}
	r.graded = r.rationales()
	return r, r.Err
}

// A preferenceExport is a row of preferences.csv. Choice refers to the pair's order, not
// to the order in which the answers were shown.
type preferenceExport struct {
	ID          string       `csv:"id"`
	Dataset     string       `csv:"dataset"`
	Judge       string       `csv:"judge"`
	Method      string       `csv:"method"`
	Order       string       `csv:"order"`
	Status      data.Status  `csv:"status"`
	Choice      data.Choice  `csv:"choice"`
	Label       data.Choice  `csv:"label"`
	SystemA     string       `csv:"system_a"`
	SystemB     string       `csv:"system_b"`
	Calls       int          `csv:"calls"`
	Overlap     table.Figure `csv:"overlap"`      // of the chosen table's shared and exclusive cells
	MeanOverlap table.Figure `csv:"mean_overlap"` // of all sampled tables
	Table       string       `csv:"table"`        // the chosen one, JSON, a being the answer shown first
	Rationale   string       `csv:"rationale"`
	Reason      string       `csv:"reason"`
}

func (r *pairwiseReport) writePreferences(w io.Writer) error {
	rows := make([]preferenceExport, 0, len(r.Prefs))
	for _, p := range r.Prefs {
		pair, judge := r.Pairs[p.Pair], r.Judges[p.Judge]
		view := ""
		if len(p.Detail.Table) > 0 {
			text, err := json.Marshal(p.Detail.Table)
			if err != nil {
				return err
			}
			view = string(text)
		}
		rows = append(rows, preferenceExport{pair.Id, r.Sets[pair.Set].Name, judge.Name, judge.Method, p.Order, p.Status, p.Choice, pair.Label,
			pair.SystemA, pair.SystemB, p.Calls, table.FigureOf(p.Detail.Overlap), table.FigureOf(p.Detail.MeanOverlap), view, p.Rationale, p.Reason})
	}
	return table.WriteCSV(w, rows)
}

func (r *pairwiseReport) writeStrengths(w io.Writer) error {
	var rows []StrengthRow
	for _, board := range r.boards {
		rows = append(rows, board.rows...)
	}
	return table.WriteCSV(w, rows)
}

// plotName is the file name of the plot.
const plotName = "pairwise_calls.svg"

// write writes all files into a folder, which is created if necessary.
func (r *pairwiseReport) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"pairwise.csv", func(w io.Writer) error { return table.WriteCSV(w, r.overall) }},
		{"preferences.csv", r.writePreferences},
		{"bradley_terry.csv", r.writeStrengths},
		{"pairwise_comparisons.csv", func(w io.Writer) error { return table.WriteCSV(w, r.compared) }},
		{"pairwise_slices.csv", func(w io.Writer) error { return table.WriteCSV(w, r.sliced) }},
		{"pairwise_price.csv", func(w io.Writer) error { return table.WriteCSV(w, r.priced) }},
		{"pairwise_budget.csv", func(w io.Writer) error { return table.WriteCSV(w, r.atBudget) }},
		{"pairwise_injection.csv", func(w io.Writer) error { return table.WriteCSV(w, r.injected) }},
		{"pairwise_boards.csv", func(w io.Writer) error { return table.WriteCSV(w, r.beside) }},
		{"pairwise_disagreements.csv", func(w io.Writer) error { return table.WriteCSV(w, r.disagreements) }},
		{"rationales.csv", func(w io.Writer) error { return table.WriteCSV(w, r.graded) }},
		{plotName, text(callsPlot(r.atBudget, r.mainSet()).svg())},
		{"pairwise.md", text(r.markdown())},
	} {
		if err := table.WriteFile(filepath.Join(dir, file.name), file.write); err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
	}
	return nil
}

// mainSet is the set for summaries: all sets, or the only one.
func (r *pairwiseReport) mainSet() string {
	for _, set := range r.setRanges() {
		if set < 0 {
			return allSets
		}
	}
	return r.Sets[0].Name
}
