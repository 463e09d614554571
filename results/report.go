package results

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// Report computes every table of the records in dirs, writes them into the
// folder to ("" for the first of dirs) and prints a summary on out. It reads
// nothing but the records, and the same records give the same bytes.
func Report(dirs []string, to string, out io.Writer) error {
	run, err := Load(dirs...)
	if err != nil {
		return err
	}
	if to == "" {
		to = dirs[0]
	}
	return publish(run, to, out)
}

// publish is a report, which takes the place of one of verdicts read anew.
func publish(run *Run, to string, out io.Writer) error {
	if err := report(run, to, out); err != nil {
		return err
	}
	return unmark(to)
}

func report(run *Run, to string, out io.Writer) error {
	t, err := compute(run)
	if err != nil {
		return fmt.Errorf("computing the report: %w", err)
	}
	if err := t.write(to); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return t.print(out, to)
}

// tables are all that a report shows.
type tables struct {
	*judgeTables

	arguing *arguments
	cited   []CitationRow
	argued  []ArgumentRow
	against []contradictedPair

	failed []FailureRow
}

func compute(run *Run) (*tables, error) {
	x := newIndex(run)
	people := x.answerTotals(x.references()...)
	boards, err := newBoardTables(x, people)
	if err != nil {
		return nil, err
	}
	judges, err := newJudgeTables(boards, people)
	if err != nil {
		return nil, err
	}
	t := &tables{judgeTables: judges, failed: x.failures(), arguing: x.arguments()}
	if t.cited, err = t.arguing.citations(); err != nil {
		return nil, err
	}
	if t.argued, err = t.arguing.choices(); err != nil {
		return nil, err
	}
	t.against = t.arguing.contradicted()
	return t, nil
}

// reportFiles are the files of a report, each with what writes it, the longest
// first.
var reportFiles = []struct {
	name  string
	write func(*tables, io.Writer) error
}{
	{"verdicts.csv", (*tables).writeVerdicts},
	{"answers.csv", (*tables).writeAnswers},
	{"leaderboard.csv", func(t *tables, w io.Writer) error { return writeCSV(w, t.board) }},
	{"comparisons.csv", func(t *tables, w io.Writer) error { return writeCSV(w, t.differences) }},
	{"groups.csv", func(t *tables, w io.Writer) error { return writeCSV(w, t.byGroup) }},
	{"agreement.csv", func(t *tables, w io.Writer) error { return writeCSV(w, t.agreements) }},
	{"floors.csv", func(t *tables, w io.Writer) error { return writeCSV(w, t.floors) }},
	{"worth.csv", func(t *tables, w io.Writer) error { return writeCSV(w, t.worthRows()) }},
	{"judges.csv", func(t *tables, w io.Writer) error { return writeCSV(w, t.judgeFigures) }},
	{"leniency.csv", func(t *tables, w io.Writer) error { return writeCSV(w, t.lenient) }},
	{"countable.csv", func(t *tables, w io.Writer) error { return writeCSV(w, t.counted) }},
	{"citations.csv", func(t *tables, w io.Writer) error { return writeCSV(w, t.cited) }},
	{"arguments.csv", func(t *tables, w io.Writer) error { return writeCSV(w, t.argued) }},
	{"failures.csv", func(t *tables, w io.Writer) error { return writeCSV(w, t.failed) }},
	{"costs.csv", func(t *tables, w io.Writer) error { return writeCSV(w, t.paid) }},
	{"attacks.csv", func(t *tables, w io.Writer) error { return writeCSV(w, t.attacked) }},
	{"leaderboard.md", prose((*tables).leaderboardText)},
	{"agreement.md", prose((*tables).agreementText)},
	{"judges.md", prose((*tables).judgesText)},
	{"arguments.md", prose((*tables).argumentsText)},
	{"failures.md", prose((*tables).failuresText)},
	{"costs.md", prose((*tables).costsText)},
	{"attacks.md", prose((*tables).attacksText)},
	{"report.md", prose((*tables).reportText)},
}

func prose(of func(*tables) string) func(*tables, io.Writer) error {
	return func(t *tables, w io.Writer) error { _, err := io.WriteString(w, of(t)); return err }
}

// HasReports reports whether every file of a report is in a folder, and of the
// verdicts as they are on record.
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

// write puts every file into a folder, or only those named, and makes it where there
// is none.
func (t *tables) write(dir string, only ...string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return sideBySide(len(reportFiles), func(i int) error {
		file := reportFiles[i]
		if only != nil && !slices.Contains(only, file.name) {
			return nil
		}
		if err := writeFile(filepath.Join(dir, file.name), func(w io.Writer) error { return file.write(t, w) }); err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
		return nil
	})
}

// writeFile replaces a file when all of it is written: whoever reads it
// meanwhile has the old one.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone once it is renamed
	buffered := bufio.NewWriter(f)
	err = write(buffered)
	if err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
