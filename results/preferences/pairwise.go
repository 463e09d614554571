package preferences

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"

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
	agreed        []AgreementRow
	roundRows     []RoundsRow
	risky         []RiskRow
	comparing     []ComparatorRow
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
	return PairwiseReportTies(from, to, "", out)
}

// Sections are the introduction and the parts of pairwise.md for the preferences recorded in a
// folder; run is the tables of its verdicts, nil if there are none, and names are other names for
// judges. Without preferences there are no sections.
func Sections(dir string, run *report.Report, names map[string]string) (intro string, sections []table.Section, err error) {
	s, err := store.Open(dir)
	if err != nil {
		return "", nil, err
	}
	defer s.Close()
	if has, err := s.HasPairs(); !has || err != nil {
		return "", nil, err
	}
	record, err := s.LoadPairwise()
	if err != nil {
		return "", nil, err
	}
	for i, j := range record.Judges {
		record.Judges[i].Name = cmp.Or(names[j.Name], j.Name)
	}
	for i, g := range record.Grades {
		record.Grades[i].Grader = cmp.Or(names[g.Grader], g.Grader)
	}
	r := newPairwiseReport(record, run)
	if r.Err != nil {
		return "", nil, fmt.Errorf("computing the report: %w", r.Err)
	}
	intro, sections = r.sections()
	return intro, sections, nil
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
	r := newPairwiseReport(record, run)
	if r.Err != nil {
		return fmt.Errorf("computing the report: %w", r.Err)
	}
	err = r.write(to)
	if err == nil && run != nil && len(run.Paid) > 0 { // the costs of preferences are part of its costs
		err = table.WriteFiles(to, map[string]func(io.Writer) error{"costs.csv": table.CSV(run.Paid), "costs.md": table.Text(run.CostsText())})
	}
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if ties != "" {
		if err := r.printAgreement(out, ties); err != nil {
			return fmt.Errorf("printing the agreement: %w", err)
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

func newPairwiseReport(record *store.PairwiseRecord, run *report.Report) *pairwiseReport {
	b := newPreferenceBoard(record)
	r := &pairwiseReport{preferenceBoard: b, overall: b.rows(), compared: b.comparisons(), sliced: b.slices(), injected: b.injections(),
		boards: b.systemBoards(), graded: b.rationales(), agreed: b.agreements()}
	r.priced, r.atBudget = b.prices()
	r.roundRows, r.risky, r.comparing = b.rounds(r.overall), b.risks(), b.comparators()
	if run != nil {
		r.beside, r.disagreements = b.besideRubric(r.boards, run)
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
}

func (r *pairwiseReport) preferenceRows() ([]preferenceExport, error) {
	rows := make([]preferenceExport, len(r.Prefs))
	for i, p := range r.Prefs {
		pair, judge := r.Pairs[p.Pair], r.Judges[p.Judge]
		rows[i] = preferenceExport{pair.Id, r.Sets[pair.Set].Name, judge.Name, judge.Method, p.Order, p.Status, p.Choice, pair.Label,
			pair.SystemA, pair.SystemB, p.Calls, table.FigureOf(p.Detail.Overlap), table.FigureOf(p.Detail.MeanOverlap), "", p.Rationale, p.Reason}
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

// plotName is the file name of the plot.
const plotName = "pairwise_calls.svg"

// write writes all files into a folder, which is created if necessary.
func (r *pairwiseReport) write(dir string) error {
	preferences, err := r.preferenceRows()
	if err != nil {
		return err
	}
	return table.WriteFiles(dir, map[string]func(io.Writer) error{
		"pairwise.csv":               table.CSV(r.overall),
		"preferences.csv":            table.CSV(preferences),
		"bradley_terry.csv":          table.CSV(r.strengthRows()),
		"pairwise_comparisons.csv":   table.CSV(r.compared),
		"pairwise_slices.csv":        table.CSV(r.sliced),
		"pairwise_price.csv":         table.CSV(r.priced),
		"pairwise_budget.csv":        table.CSV(r.atBudget),
		"pairwise_injection.csv":     table.CSV(r.injected),
		"pairwise_boards.csv":        table.CSV(r.beside),
		"pairwise_disagreements.csv": table.CSV(r.disagreements),
		"rationales.csv":             table.CSV(r.graded),
		"preference_agreement.csv":   table.CSV(r.agreed),
		"pairwise_rounds.csv":        table.CSV(r.roundRows),
		"pairwise_risk.csv":          table.CSV(r.risky),
		"pairwise_comparator.csv":    table.CSV(r.comparing),
		plotName:                     table.Text(callsPlot(r.atBudget, r.mainSet())),
		"pairwise.md":                table.Text(r.markdown()),
		"published.md":               table.Text(r.published()),
	})
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
