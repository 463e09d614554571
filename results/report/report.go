package report

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/leaderboard"
	"compqa/results/store"
	"compqa/results/summaries"
	"compqa/results/table"
)

// Write computes all tables of the records in dirs, writes them to the folder to ("" for
// the first of dirs) and prints a summary on out. It reads only the records, and the same
// records give the same bytes.
func Write(dirs []string, to string, out io.Writer) error {
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
	return publish(run, to, out)
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
	shown   []ShownRow

	failed []FailureRow

	tables *summaries.Tables
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
	if t.shown, err = t.arguing.shown(); err != nil {
		return nil, err
	}
	t.against = t.arguing.contradicted()
	if t.tables, err = summaries.New(x); err != nil {
		return nil, err
	}
	return t, nil
}

// A reportFile is a file of a report with its writer.
type reportFile struct {
	name  string
	write func(*Report, io.Writer) error
}

// reportFiles are the tables in CSV, the longest first.
var reportFiles = []reportFile{
	{"verdicts.csv", func(t *Report, w io.Writer) error { return writeVerdicts(t.Dataset, w) }},
	{"answers.csv", func(t *Report, w io.Writer) error { return writeAnswers(t.Dataset, w) }},
	{"leaderboard.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Board) }},
	{"comparisons.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Differences) }},
	{"groups.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.ByGroup) }},
	{"agreement.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Agreements) }},
	{"floors.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Floors) }},
	{"worth.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Assessments) }},
	{"judges.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.JudgeFigures) }},
	{"human_points.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.HumanPoints.Rows) }},
	{"leniency.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Lenient) }},
	{"countable.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Counted) }},
	{"panel.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Effective) }},
	{"halo.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Halos) }},
	{"faithfulness.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Faithfulness) }},
	{"citations.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.cited) }},
	{"arguments.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.argued) }},
	{"shown.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.shown) }},
	{"summaries.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.tables.Measures) }},
	{"attribution.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.tables.Attributed) }},
	{"summary_agreement.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.tables.Agreements) }},
	{"failures.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.failed) }},
	{"costs.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Paid) }},
	{"attacks.csv", func(t *Report, w io.Writer) error { return table.WriteCSV(w, t.Attacked) }},
}

// Columns describes the columns of all CSV files.
//
//go:embed columns.md
var Columns string

// reportPage is the summary of a report.
const reportPage = "report.md"

// pages are the other files in Markdown, and plots (plots.go) the pictures. One without text is not written.
var pages = []struct {
	name  string
	about string // in report.md
	text  func(*Report) string
}{
	{"agreement.md", "agreement of the judges with human scores, compared with annotators and content-blind baselines ([agreement.csv](agreement.csv), [floors.csv](floors.csv), [worth.csv](worth.csv)); read this first", (*Report).AgreementText},
	{"leaderboard.md", "points by system, judge, scenario, group of criteria and aspect, with intervals and ranks ([leaderboard.csv](leaderboard.csv), [groups.csv](groups.csv), [comparisons.csv](comparisons.csv))", (*Report).LeaderboardText},
	{"judges.md", "leniency, preference for the own family, length bias, self-agreement ([judges.csv](judges.csv), [leniency.csv](leniency.csv), [panel.csv](panel.csv), [halo.csv](halo.csv), [countable.csv](countable.csv))", (*Report).JudgesText},
	{"arguments.md", "citations, whether answers contradict their arguments, and points by the number and relevance of arguments ([faithfulness.csv](faithfulness.csv), [citations.csv](citations.csv), [arguments.csv](arguments.csv), [shown.csv](shown.csv))", (*Report).argumentsText},
	{"summaries.md", "contrastive tables: helpful rows, redundancy, inconsistency, ranking, attribution, throughput, and agreement of their judges ([summaries.csv](summaries.csv), [attribution.csv](attribution.csv), [summary_agreement.csv](summary_agreement.csv))", func(t *Report) string { return t.tables.Text() }},
	{"failures.md", "missing and invalid results with reasons ([failures.csv](failures.csv))", (*Report).failuresText},
	{"costs.md", "costs, and agreement per dollar ([costs.csv](costs.csv))", (*Report).CostsText},
	{"attacks.md", "damage to answers that the built-in judges do not detect ([attacks.csv](attacks.csv))", (*Report).AttacksText},
	{"published.md", "the tables of Nikishina et al., for comparison", (*Report).PublishedText},
	{"provenance.md", "systems, judges, how models were asked, versions, hashes, and the configuration", (*Report).provenanceText},
	{"columns.md", "what the columns of the CSV files mean", func(*Report) string { return Columns }},
}

// HasReports reports whether a folder has the files that every report of the recorded
// verdicts has.
func HasReports(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, reparseNote)); err == nil {
		return false
	}
	for _, file := range append(slices.Clone(reportFiles), reportFile{name: reportPage}) {
		if _, err := os.Stat(filepath.Join(dir, file.name)); err != nil {
			return false
		}
	}
	return true
}

// Write writes all files to a folder, which is created if necessary, and deletes the pages of
// an earlier report that this one leaves out.
func (t *Report) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files := slices.Clone(reportFiles)
	var failed []error
	add := func(name, text string) bool {
		if text != "" {
			files = append(files, reportFile{name, func(_ *Report, w io.Writer) error { return table.Text(text)(w) }})
		} else if err := os.Remove(filepath.Join(dir, name)); err != nil && !os.IsNotExist(err) {
			failed = append(failed, err)
		}
		return text != ""
	}
	images, links := "", ""
	for _, plot := range plots {
		if add(plot.name, plot.draw(t)) {
			images += fmt.Sprintf("![%s](%s)\n\n", plot.about, plot.name)
		}
	}
	for _, page := range pages {
		if add(page.name, page.text(t)) {
			links += fmt.Sprintf("- [%s](%s): %s\n", page.name, page.name, page.about)
		}
	}
	add(reportPage, t.reportText(images, links))
	if failed != nil {
		return errors.Join(failed...)
	}
	return dataset.SideBySide(len(files), func(i int) error {
		file := files[i]
		if err := table.WriteFile(filepath.Join(dir, file.name), func(w io.Writer) error { return file.write(t, w) }); err != nil {
			return fmt.Errorf("%s: %w", file.name, err)
		}
		return nil
	})
}
