package report

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/leaderboard"
	"compqa/results/store"
	"compqa/results/summaries"
	"compqa/results/table"
)

// A Chapter is a further part of a report, about the record in a folder; without sections it is
// left out.
type Chapter func(dir string, of *Report) (table.Document, error)

// Write computes all tables of the records in dirs, writes them to the folder to ("" for
// the first of dirs) and prints a summary on out. It reads only the records, and the same
// records give the same bytes.
func Write(dirs []string, to string, out io.Writer, more ...Chapter) error {
	for _, dir := range dirs {
		if err := CheckSums(dir); err != nil {
			return err
		}
	}
	run, err := dataset.Load(dirs...)
	if err != nil {
		return err
	}
	if to == "" {
		to = dirs[0]
	}
	t, err := Compute(run)
	if err != nil {
		return fmt.Errorf("computing the report: %w", err)
	}
	if err := t.Write(to, filepath.Join(to, TablesFolder), more...); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := unmark(to); err != nil {
		return err
	}
	return t.Print(out, to)
}

// CheckSums finds damage and changes of a record since it was closed, in all that points are
// computed from. Requests, replies and attempts, most of a record, are checked by export and
// verify.
func CheckSums(dir string) error {
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.CheckSums(context.Background(), "calls", "prompts", "attempts")
	return err
}

// A Report is all tables of a report.
type Report struct {
	*judgequality.Tables

	Failed   []FailureRow // the outcomes that are not valid
	outcomes []FailureRow

	cited    []CitationRow
	argued   []ArgumentRow
	tables   *summaries.Tables
	answered map[string]count // answers by system
	scored   map[string]int   // answers of a system that people scored
}

func Compute(run *dataset.Run) (*Report, error) { return Of(dataset.New(run)) }

// Of computes all tables of a dataset, which is not changed.
func Of(x *dataset.Dataset) (*Report, error) {
	people := x.AnswerTotals(x.References()...)
	boards, err := leaderboard.NewTables(x, people)
	if err != nil {
		return nil, err
	}
	judges, err := judgequality.NewTables(boards, people)
	if err != nil {
		return nil, err
	}
	t := &Report{Tables: judges, outcomes: outcomes(x), scored: map[string]int{}}
	t.Failed = table.Where(t.outcomes, func(r FailureRow) bool { return r.Status != data.Valid })
	t.answered = t.counted(func(r FailureRow) string { return r.Kind + r.System })
	for i, a := range t.Answers {
		if _, scored := people.Of(i); scored && t.CellOf[i] >= 0 && a.Status == data.Valid {
			t.scored[a.System]++
		}
	}
	t.cited = t.citations()
	if t.argued, err = t.choices(); err != nil {
		return nil, err
	}
	if t.tables, err = summaries.New(x); err != nil {
		return nil, err
	}
	return t, nil
}

// TablesFolder has the tables of a report; its pages are beside it.
const TablesFolder = "tables"

// The pages of a report.
const (
	ReportPage = "report.html"
	ReportText = "report.md"
)

// A reportFile is a table in CSV; it is not written without rows.
type reportFile struct {
	name  string
	rows  int
	write func(io.Writer) error
}

func csvOf[Row any](name string, rows []Row) reportFile {
	return reportFile{name, len(rows), table.CSV(rows)}
}

// files are the tables in CSV, the longest first.
func (t *Report) files() []reportFile {
	return []reportFile{
		{"verdicts.csv", len(t.Sheets), func(w io.Writer) error { return writeVerdicts(t.Dataset, w) }},
		{"answers.csv", len(t.Answers), func(w io.Writer) error { return writeAnswers(t.Dataset, w) }},
		csvOf("leaderboard.csv", t.Board), csvOf("comparisons.csv", t.Differences), csvOf("groups.csv", t.ByGroup),
		csvOf("agreement.csv", t.Agreements), csvOf("floors.csv", t.Floors), csvOf("worth.csv", t.Assessments),
		csvOf("judges.csv", t.JudgeFigures), csvOf("human_points.csv", t.HumanPoints.Rows), csvOf("leniency.csv", t.Lenient),
		csvOf("panel.csv", t.Effective), csvOf("halo.csv", t.Halos), csvOf("wordings.csv", t.Wordings),
		csvOf("shots.csv", t.Shots),
		csvOf("faithfulness.csv", t.Faithfulness),
		csvOf("citations.csv", t.cited), csvOf("arguments.csv", t.argued),
		csvOf("summaries.csv", t.tables.Measures), csvOf("attribution.csv", t.tables.Attributed),
		csvOf("summary_agreement.csv", t.tables.Agreements),
		csvOf("failures.csv", t.Failed), csvOf("costs.csv", t.Paid), csvOf("attacks.csv", t.Attacked),
	}
}

// Columns describes the columns of all CSV files.
//
//go:embed columns.md
var Columns string

// HasReports reports whether a folder has the files that every report of recorded verdicts has.
func HasReports(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, reparseNote)); err == nil {
		return false
	}
	for _, name := range []string{ReportPage, ReportText, filepath.Join(TablesFolder, "columns.md"),
		filepath.Join(TablesFolder, "leaderboard.csv")} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// Write writes the pages to the folder dir and the tables to the folder tables, and deletes tables
// of an earlier report that are empty in this one.
func (t *Report) Write(dir, tables string, more ...Chapter) error {
	if err := os.MkdirAll(tables, 0o755); err != nil {
		return err
	}
	var chapters []table.Document
	for _, chapter := range more {
		for _, from := range t.Dirs {
			d, err := chapter(from, t)
			if err != nil {
				return err
			}
			chapters = append(chapters, d)
		}
	}
	page, err := t.Page(chapters...)
	if err != nil {
		return err
	}
	files := t.files()
	for i, f := range files {
		if files[i].name = filepath.Join(tables, f.name); f.rows == 0 {
			if err := os.Remove(files[i].name); err != nil && !os.IsNotExist(err) {
				return err
			}
		}
	}
	files = append(table.Where(files, func(f reportFile) bool { return f.rows > 0 }),
		reportFile{name: filepath.Join(tables, "columns.md"), write: table.Text(Columns)},
		reportFile{name: filepath.Join(dir, ReportText), write: table.Text(t.Front(chapters...).Markdown())},
		reportFile{name: filepath.Join(dir, ReportPage), write: table.Text(page)})
	return dataset.SideBySide(len(files), func(i int) error {
		if err := table.WriteFile(files[i].name, files[i].write); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(files[i].name), err)
		}
		return nil
	})
}
