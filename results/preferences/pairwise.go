package preferences

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
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
	pages     bool // with tables that are for pages alone
	overall   []PairwiseRow
	agreed    []AgreementRow
	roundRows []RoundsRow
	risky     []RiskRow
	comparing []ComparatorRow
	compared  []PairwiseComparisonRow
	sliced    []PairwiseSliceRow
	priced    []PriceRow
	atBudget  []BudgetRow
	injected  []InjectionRow
	boards    []systemBoard
	beside    []BoardsRow
	graded    []RationaleRow
}

// PairwiseReport computes all tables of the preferences recorded in the folder from,
// writes them to the folder to and prints a summary on out. It reads only the record,
// and the same record gives the same bytes.
func PairwiseReport(from, to string, out io.Writer) error {
	return PairwiseReportTies(from, to, "", out)
}

// Chapter is a report's chapter about the preferences recorded in a folder; run is the tables of
// its verdicts, nil if there are none. Without preferences it has no sections.
func Chapter(dir string, run *report.Report) (table.Document, error) {
	return document(dir, run, nil, "")
}

// Document is Chapter for pages: it has also each system against each other one. names are other
// names for judges; set is the only set of pairs, if it is not empty.
func Document(dir string, run *report.Report, names map[string]string, set string) (table.Document, error) {
	if names == nil {
		names = map[string]string{}
	}
	return document(dir, run, names, set)
}

func document(dir string, run *report.Report, names map[string]string, set string) (d table.Document, err error) {
	r, err := loaded(dir, run, names, set)
	if err == nil && r != nil {
		d = r.document()
	}
	return d, err
}

// Rules for ties in the accuracies of judges whose reference is a or b.
const (
	TiesWrong = "wrong"
	TiesHalf  = "half"
	TiesSkip  = "skip"
)

// PairwiseReportTies is PairwiseReport, and also prints the agreement with the labels by a rule for
// ties; "" prints none.
func PairwiseReportTies(from, to, ties string, out io.Writer) error {
	run, err := rubricTables(from)
	if err != nil {
		return err
	}
	r, err := loaded(from, run, nil, "")
	if err == nil && r == nil {
		err = fmt.Errorf("%s has no pairs; `compqa run --only pairs` adds them", from)
	}
	if err != nil {
		return err
	}
	if err = r.write(from, to, run); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if ties != "" {
		if err := r.printAgreement(out, ties); err != nil {
			return fmt.Errorf("printing the agreement: %w", err)
		}
	}
	if err := r.print(out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Report: %s\n", filepath.Join(to, report.ReportPage))
	return err
}

// Print prints the systems by preference and the judges of the records in folders, if they have pairs.
func Print(dirs []string, out io.Writer) error {
	for _, dir := range dirs {
		r, err := loaded(dir, nil, nil, "")
		if err != nil || r == nil {
			return err
		}
		fmt.Fprintln(out)
		if err := r.print(out); err != nil {
			return err
		}
	}
	return nil
}

// loaded is the report of the preferences recorded in a folder, nil if there are none; see Document.
func loaded(dir string, run *report.Report, names map[string]string, set string) (*pairwiseReport, error) {
	s, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if has, err := s.HasPairs(); !has || err != nil {
		return nil, err
	}
	record, err := s.LoadPairwise(set)
	if err != nil {
		return nil, err
	}
	for i, j := range record.Judges {
		record.Judges[i].Name = cmp.Or(names[j.Name], j.Name)
	}
	for i, g := range record.Grades {
		record.Grades[i].Grader = cmp.Or(names[g.Grader], g.Grader)
	}
	r := newPairwiseReport(record, run)
	if r.pages = names != nil; r.Err != nil {
		return nil, fmt.Errorf("computing the report: %w", r.Err)
	}
	return r, nil
}

// rubricTables are the tables of the verdicts of a record, nil without a run that plans any.
func rubricTables(dir string) (*report.Report, error) {
	s, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if cells, err := s.Plan(); err != nil || len(cells) == 0 {
		return nil, err
	}
	run, err := dataset.Load(dir)
	if err != nil {
		return nil, err
	}
	return report.Compute(run)
}

func newPairwiseReport(record *store.PairwiseRecord, run *report.Report) *pairwiseReport {
	b := newPreferenceBoard(record)
	r := &pairwiseReport{preferenceBoard: b, overall: b.rows(), compared: b.comparisons(), sliced: b.slices(), injected: b.injections(),
		boards: b.systemBoards(), graded: b.rationales(), agreed: b.agreements()}
	r.priced, r.atBudget = b.prices()
	r.roundRows, r.risky, r.comparing = b.rounds(), b.risks(), b.comparators()
	if run != nil {
		r.beside = b.besideRubric(r.boards, run)
	}
	return r
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
	Confidence  table.Figure `csv:"confidence"` // of the choice, by log-probabilities
}

func (r *pairwiseReport) preferenceRows() ([]preferenceExport, error) {
	rows := make([]preferenceExport, len(r.Prefs))
	for i, p := range r.Prefs {
		pair, judge := r.Pairs[p.Pair], r.Judges[p.Judge]
		if r.roundOf[i] > 1 {
			judge.Name = Round(judge.Name, r.roundOf[i])
		}
		rows[i] = preferenceExport{pair.Id, r.Sets[pair.Set].Name, judge.Name, judge.Method, p.Order, p.Status, p.Choice, pair.Label,
			pair.SystemA, pair.SystemB, p.Calls, table.FigureOf(p.Detail.Overlap), table.FigureOf(p.Detail.MeanOverlap), "", p.Rationale, p.Reason,
			table.FigureOf(p.Detail.Confidence)}
		if len(p.Detail.Table) > 0 {
			text, err := json.Marshal(p.Detail.Table)
			if err != nil {
				return nil, err
			}
			rows[i].Table = string(text)
		}
	}
	return rows, nil
}

func (r *pairwiseReport) strengthRows() []StrengthRow {
	var rows []StrengthRow
	for _, board := range r.boards {
		rows = append(rows, board.rows...)
	}
	return rows
}

// WriteTables writes the tables of the preferences recorded in the folder from, if there are any;
// run is the tables of its verdicts.
func WriteTables(from, to string, run *report.Report) error {
	r, err := loaded(from, run, nil, "")
	if err != nil || r == nil {
		return err
	}
	return r.writeTables(to)
}

// write writes the pages of the record in the folder from into a folder, and the tables below it.
func (r *pairwiseReport) write(from, dir string, run *report.Report) error {
	tables := filepath.Join(dir, report.TablesFolder)
	var err error
	if run != nil {
		err = run.Write(dir, tables, Chapter)
	} else {
		err = report.WritePages(dir, tables, filepath.Base(from), r.document())
	}
	if err != nil {
		return err
	}
	return r.writeTables(tables)
}

func (r *pairwiseReport) writeTables(tables string) error {
	preferences, err := r.preferenceRows()
	if err != nil {
		return err
	}
	files := map[string]func(io.Writer) error{}
	add(files, "pairwise.csv", r.overall)
	add(files, "preferences.csv", preferences)
	add(files, "bradley_terry.csv", r.strengthRows())
	add(files, "pairwise_comparisons.csv", r.compared)
	add(files, "pairwise_slices.csv", r.sliced)
	add(files, "pairwise_price.csv", r.priced)
	add(files, "pairwise_budget.csv", r.atBudget)
	add(files, "pairwise_injection.csv", r.injected)
	add(files, "pairwise_boards.csv", r.beside)
	add(files, "rationales.csv", r.graded)
	add(files, "preference_agreement.csv", r.agreed)
	add(files, "pairwise_rounds.csv", r.roundRows)
	add(files, "pairwise_risk.csv", r.risky)
	add(files, "pairwise_comparator.csv", r.comparing)
	return table.WriteFiles(tables, files)
}

// add adds a table that has rows.
func add[Row any](files map[string]func(io.Writer) error, name string, rows []Row) {
	if len(rows) > 0 {
		files[name] = table.CSV(rows)
	}
}

// mainSet is the set for summaries: all sets, or the only one.
func (r *pairwiseReport) mainSet() string {
	if len(r.Sets) == 0 {
		return allSets
	}
	for _, set := range r.setRanges() {
		if set < 0 {
			return allSets
		}
	}
	return r.Sets[0].Name
}
