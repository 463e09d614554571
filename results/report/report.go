package report

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/leaderboard"
	"compqa/results/store"
	"compqa/results/summaries"
	"compqa/results/table"
)

// A Chapter is a further part of a report, about the record in a folder; without sections it is left out.
type Chapter func(dir string, of *Report) (table.Document, error)

// Write computes all tables of the records in dirs, writes them to the folder to ("" for the first of dirs) and prints them
// on out in short, or all systems and judges. It reads only the records, and the same records give the same bytes.
func Write(dirs []string, to string, out io.Writer, all bool, more ...Chapter) error {
	var sums errgroup.Group // checked beside the loading: each takes a third of the time
	sums.Go(func() error {
		return dataset.SideBySide(len(dirs), func(i int) error { return CheckSums(dirs[i]) })
	})
	run, err := dataset.Load(dirs...)
	if err := cmp.Or(sums.Wait(), err); err != nil {
		return err
	}
	to = cmp.Or(to, dirs[0])
	t, err := write(run, to, more...)
	if err != nil {
		return err
	}
	for _, name := range []string{reparseNote, reparseRows} { // of an earlier ReportRescored
		if err := remove(filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return t.Print(out, to, all)
}

// write computes all tables of a run and writes them to a folder.
func write(run *dataset.Run, to string, more ...Chapter) (*Report, error) {
	t, err := Compute(run)
	if err != nil {
		return nil, fmt.Errorf("computing the report: %w", err)
	}
	if err := t.Write(to, filepath.Join(to, TablesFolder), more...); err != nil {
		return nil, fmt.Errorf("writing the report: %w", err)
	}
	return t, nil
}

// remove deletes a file, if it exists.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// CheckSums finds damage and changes of a record since it was closed, in all that points are computed from. Requests,
// replies and attempts, most of a record, are checked by export and verify.
func CheckSums(dir string) error {
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.CheckSums(context.Background(), store.CallTables...)
	return err
}

// A Report is all tables of a report.
type Report struct {
	*judgequality.Tables

	Failed   []FailureRow // the outcomes that are not valid
	outcomes []FailureRow

	cited  []CitationRow
	argued []ArgumentRow
	tables *summaries.Tables
	scored map[string]int // answers of a system that people scored
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
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	return !has(reparseNote) && has(ReportPage) && has(ReportText) && has(TablesFolder+"/columns.md") && has(TablesFolder+"/leaderboard.csv")
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
	files := append(t.files(), reportFile{"columns.md", 1, table.Text(Columns)})
	for i, f := range files {
		files[i].name = filepath.Join(tables, f.name)
	}
	files = append(files, reportFile{filepath.Join(dir, ReportText), 1, table.Text(t.Front(chapters...).Markdown())},
		reportFile{filepath.Join(dir, ReportPage), 1, table.Text(page)})
	return dataset.SideBySide(len(files), func(i int) error {
		f := files[i]
		if f.rows == 0 {
			return remove(f.name)
		}
		if err := table.WriteFile(f.name, f.write); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(f.name), err)
		}
		return nil
	})
}
