package report

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"

	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/leaderboard"
	"compqa/results/store"
	"compqa/results/table"
)

// Write computes all tables of the records in dirs, writes them to the folder to ("" for
// the first of dirs) and prints a summary on out. It reads only the records, and the same
// records give the same bytes.
func Write(dirs []string, to string, out io.Writer) error {
	for _, dir := range dirs {
		if err := checkSums(dir); err != nil {
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
	debug.FreeOSMemory() // loading leaves as much garbage as there is data
	return publish(run, to, out)
}

// checkSums finds damage and changes of a record since it was closed.
func checkSums(dir string) error {
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.CheckSums(context.Background())
	return err
}

// publish writes a report and deletes the files of an earlier ReportRescored.
func publish(run *dataset.Run, to string, out io.Writer) error {
	if err := WriteReport(run, to, out); err != nil {
		return err
	}
	return unmark(to)
}

func WriteReport(run *dataset.Run, to string, out io.Writer) error {
	t, err := Compute(run)
	if err != nil {
		return fmt.Errorf("computing the report: %w", err)
	}
	if err := t.Write(to); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return t.print(out, to)
}

// A Report is all tables of a report.
type Report struct {
	*judgequality.Tables

	arguing *arguments
	cited   []CitationRow
	argued  []ArgumentRow
	against []contradictedPair

	failed []FailureRow
}

func Compute(run *dataset.Run) (*Report, error) {
	x := dataset.New(run)
	people := x.AnswerTotals(x.References()...)
	boards, err := leaderboard.NewTables(x, people)
	if err != nil {
		return nil, err
	}
	judges, err := judgequality.NewTables(boards, people)
	if err != nil {
		return nil, err
	}
	t := &Report{Tables: judges, failed: failures(x), arguing: newArguments(x)}
	if t.cited, err = t.arguing.citations(); err != nil {
		return nil, err
	}
	if t.argued, err = t.arguing.choices(); err != nil {
		return nil, err
	}
	t.against = t.arguing.contradicted()
	return t, nil
}

// reportFiles are the files of a report with their writers, the longest first.
var reportFiles = []struct {
	name  string
	write func(*Report, io.Writer) error
}{
	{"verdicts.csv", func(t *Report, w io.Writer) error { return writeVerdicts(t.Dataset, w) }},
	{"answers.csv", func(t *Report, w io.Writer) error { return writeAnswers(t.Dataset, w) }},
	{"leaderboard.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Board) }},
	{"comparisons.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Differences) }},
	{"groups.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.ByGroup) }},
	{"agreement.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Agreements) }},
	{"floors.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Floors) }},
	{"worth.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Assessments) }},
	{"judges.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.JudgeFigures) }},
	{"leniency.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Lenient) }},
	{"countable.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Counted) }},
	{"citations.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.cited) }},
	{"arguments.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.argued) }},
	{"failures.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.failed) }},
	{"costs.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Paid) }},
	{"attacks.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Attacked) }},
	{"leaderboard.md", prose((*Report).LeaderboardText)},
	{"agreement.md", prose((*Report).AgreementText)},
	{"judges.md", prose((*Report).JudgesText)},
	{"arguments.md", prose((*Report).argumentsText)},
	{"failures.md", prose((*Report).failuresText)},
	{"costs.md", prose((*Report).CostsText)},
	{"attacks.md", prose((*Report).AttacksText)},
	{"report.md", prose((*Report).reportText)},
}

func prose(of func(*Report) string) func(*Report, io.Writer) error {
	return func(t *Report, w io.Writer) error { return table.Text(of(t))(w) }
}

// HasReports reports whether a folder has all files of a report of the recorded verdicts.
func HasReports(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, reparseNote)); err == nil {
		return false
	}
	for _, file := range reportFiles {
		if _, err := os.Stat(filepath.Join(dir, file.name)); err != nil {
			return false
		}
	}
	return true
}

// Write writes all files, or only the named ones, to a folder, which is created if
// necessary.
func (t *Report) Write(dir string, only ...string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return dataset.SideBySide(len(reportFiles), func(i int) error {
		file := reportFiles[i]
		if only != nil && !slices.Contains(only, file.name) {
			return nil
		}
		if err := table.WriteFile(filepath.Join(dir, file.name), func(w io.Writer) error { return file.write(t, w) }); err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
		return nil
	})
}
