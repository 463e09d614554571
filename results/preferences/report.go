package preferences

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"reflect"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// A Report has all tables of a record's preferences.
type Report struct {
	*board
	pages    bool // also has the tables that only pages show
	overall  []PairwiseRow
	agreed   []AgreementRow
	compared []PairwiseComparisonRow
	boards   []*systemBoard

	benchmarks []BenchmarkRow

	tables   *table.Catalogue // without preferences.csv, which is written row by row
	sections []table.Section  // in the order of their chapters
	chapters chapters
	disputed []table.Section
}

// Write computes all tables of the preferences recorded in the folder from, and writes them to the folder to. It uses only the record, and
// the same record gives the same bytes.
func Write(from, to string) (*Report, error) {
	run, err := rubricTables(from)
	if err != nil {
		return nil, err
	}
	r, err := loaded(from, run, nil, "")
	if err == nil && r == nil {
		err = fmt.Errorf("%s has no pairs; `compqa run --only pairs` adds them", from)
	}
	if err != nil {
		return nil, err
	}
	tables := filepath.Join(to, report.TablesFolder)
	if run != nil {
		err = run.Write(to, tables, Chapter)
	} else if err = report.WritePages(to, tables, r.source(), r.document()); err == nil {
		err = table.WriteFiles(tables, r.files())
	}
	if err != nil {
		return nil, fmt.Errorf("writing the report: %w", err)
	}
	return r, nil
}

// Print prints a summary of the tables and the path of the report in the folder to. If ties is a key of Ties, Print also prints the
// agreement with the labels by this rule. If papers is true, it prints the figures of the papers, too.
func (r *Report) Print(out io.Writer, to, ties string, papers bool) error {
	if ties != "" {
		if err := r.printAgreement(out, ties); err != nil {
			return fmt.Errorf("printing the agreement: %w", err)
		}
	}
	if err := r.print(out); err != nil {
		return err
	}
	if papers {
		if err := printPublished(out); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "Report: %s\n", filepath.Join(to, report.ReportPage))
	return err
}

// Catalogue returns the computed tables, without the table of single preferences.
func (r *Report) Catalogue() *table.Catalogue { return r.tables }

// files returns a function that writes each table, by file name. A table without rows has nil.
func (r *Report) files() map[string]func(io.Writer) error {
	files := r.tables.Files()
	files["preferences.csv"] = nil
	if len(r.Prefs) > 0 {
		files["preferences.csv"] = r.writePreferences
	}
	return files
}

// A JSON has the main tables of a report, for programs.
type JSON struct {
	Folder   string         `json:"folder"`   // contains report.html and all tables
	Findings table.Findings `json:"findings"` // the first is the headline
	Tables   *table.Catalogue
}

// The tables that JSON contains.
var (
	overallTable    = table.Def[PairwiseRow]{File: "pairwise.csv"}
	agreementTable  = table.Def[AgreementRow]{File: "preference_agreement.csv"}
	benchmarksTable = table.Def[BenchmarkRow]{File: "pairwise_benchmarks.csv"}
	mainTables      = []table.Definition{overallTable, agreementTable, benchmarksTable}
)

// MarshalJSON writes the tables in place of the catalogue.
func (j JSON) MarshalJSON() ([]byte, error) { return table.InJSON(j) }

// JSONType returns the type that MarshalJSON writes, for JSON Schema.
func (JSON) JSONType() reflect.Type {
	return table.JSONTypeWith(reflect.TypeFor[JSON](), mainTables...)
}

// JSON returns the main tables of a report that was written to the folder to.
func (r *Report) JSON(to string) JSON {
	return JSON{to, r.Findings(), r.tables.Select(mainTables...)}
}

// Chapter returns the chapter of a report about the preferences recorded in a folder, and the files of their tables. run has the tables of
// the folder's rubric verdicts, or is nil. Without preferences, the document is empty and the files are nil.
func Chapter(dir string, run *report.Report) (table.Document, map[string]func(io.Writer) error, error) {
	r, err := loaded(dir, run, nil, "")
	if err != nil || r == nil {
		return table.Document{}, nil, err
	}
	if len(r.Sets) == 0 { // the configuration no longer has pairs; tables of earlier runs are deleted
		return table.Document{}, r.files(), nil
	}
	d := r.document()
	d.Title, d.Lead = "Pairs", d.Title // a run's headline is another one
	return d, r.files(), nil
}

// Document returns the chapter as pages show it, which adds a table of each system against each other one. names replaces names of judges.
// If set is not empty, only pairs of this set are used.
func Document(dir string, run *report.Report, names map[string]string, set string) (table.Document, error) {
	if names == nil {
		names = map[string]string{}
	}
	r, err := loaded(dir, run, names, set)
	return r.document(), err
}

// Print prints the systems by preference and the judges, for each folder whose record has pairs.
func Print(dirs []string, out io.Writer) error {
	for _, dir := range dirs {
		r, err := loaded(dir, nil, nil, "")
		if err != nil || r == nil || len(r.Sets) == 0 {
			return err
		}
		fmt.Fprintln(out)
		if err := r.print(out); err != nil {
			return err
		}
	}
	return nil
}

// loaded computes the report of the preferences recorded in a folder, or returns nil if there are none. See Document for names and set.
func loaded(dir string, run *report.Report, names map[string]string, set string) (*Report, error) {
	s, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if has, err := s.HasPairs(); !has || err != nil {
		return nil, err
	}
	record, err := dataset.LoadPairs(s, set)
	if err != nil {
		return nil, err
	}
	for i, j := range record.Judges {
		record.Judges[i].Name = cmp.Or(names[j.Name], j.Name)
	}
	for i, g := range record.Grades {
		record.Grades[i].Grader = cmp.Or(names[g.Grader], g.Grader)
	}
	b := newBoard(record)
	if with := b.withPanel(); with != record {
		b = newBoard(with)
	}
	r := &Report{board: b, pages: names != nil, overall: each(b.groups, group.rows), agreed: b.agreements(), compared: b.comparisons(),
		boards: b.systemBoards(), benchmarks: each(b.groups, group.benchmarkRows),
		tables: &table.Catalogue{}}
	r.compute(run)
	if r.Err != nil {
		return nil, fmt.Errorf("computing the report: %w", r.Err)
	}
	r.disputed, err = r.disputedSections(s, r.choosers())
	if err != nil {
		return nil, fmt.Errorf("reading the pairs: %w", err)
	}
	return r, nil
}

// rubricTables returns the tables of the rubric verdicts of a record, or nil if its run plans no verdicts.
func rubricTables(dir string) (*report.Report, error) {
	s, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if cells, err := s.Plan(store.OfPoints); err != nil || len(cells) == 0 {
		return nil, err
	}
	run, err := dataset.Load(dir)
	if err != nil {
		return nil, err
	}
	return report.Compute(dataset.New(run))
}

// A preferenceExport is a row of preferences.csv. Choice names an answer of the pair (a or b), not the place where the answer was shown.
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
	Overlap     stats.Figure `csv:"overlap"`      // share of words in both the shared and the exclusive cells of the chosen table
	MeanOverlap stats.Figure `csv:"mean_overlap"` // mean overlap of all sampled tables
	Table       string       `csv:"table"`        // the chosen table as JSON, where a is the answer shown first
	Rationale   string       `csv:"rationale"`
	Reason      string       `csv:"reason"`
	Confidence  stats.Figure `csv:"confidence"` // probability of the choice, from log-probabilities
	Strength    string       `csv:"strength"`   // of the choice, as a person stated it
}

func (r *Report) writePreferences(w io.Writer) error {
	return table.CSVOf(func(yield func(preferenceExport) bool) {
		for i := range r.Prefs {
			p := &r.Prefs[i]
			if r.Judges[p.Judge].Method != panel && !yield(r.exported(p)) {
				return
			}
		}
	})(w)
}

func (r *Report) exported(p *dataset.PreferenceRow) preferenceExport {
	pair := &r.Pairs[p.Pair]
	judge := &r.Judges[p.Judge]
	cells := ""
	if len(p.Detail.Table) > 0 {
		text, _ := json.Marshal(p.Detail.Table) // a table of texts, for which Marshal cannot fail
		cells = string(text)
	}
	return preferenceExport{pair.Id, r.Sets[pair.Set].Name, judge.Name, judge.Method, p.Order, p.Status, p.Choice, pair.Label,
		pair.SystemA, pair.SystemB, len(p.Calls), stats.FigureOf(p.Detail.Overlap), stats.FigureOf(p.Detail.MeanOverlap), cells, p.Rationale,
		p.Reason, stats.FigureOf(p.Detail.Confidence), p.Detail.Strength}
}
