package report

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// The additional files of a report with verdicts that were parsed again.
const (
	reparseNote  = "reparse.md"
	reparseRows  = TablesFolder + "/reparse.csv"
	reparseMoved = TablesFolder + "/reparse_leaderboard.csv"
)

// A MovedRow is a row of the leaderboard that differs after parsing verdicts again.
type MovedRow struct {
	Judge       string       `csv:"judge"`
	System      string       `csv:"system"`
	Scenario    string       `csv:"scenario"`
	ValidBefore int          `csv:"valid_before"`
	ValidAfter  int          `csv:"valid_after"`
	MeanBefore  table.Figure `csv:"mean_before"`
	MeanAfter   table.Figure `csv:"mean_after"`
	RankBefore  table.Figure `csv:"rank_before"`
	RankAfter   table.Figure `csv:"rank_after"`
}

// ReportRescored is Write with verdicts parsed by rescore. The records are not changed.
// Differences are printed on out and written to reparse.md, reparse.csv (verdicts) and
// reparse_leaderboard.csv.
func ReportRescored(dirs []string, to string, rescore dataset.Rescore, program string, out io.Writer) error {
	run, anew, err := dataset.LoadRescored(rescore, dirs...)
	if err != nil {
		return err
	}
	after, err := Compute(run)
	if err != nil {
		return fmt.Errorf("computing the report: %w", err)
	}
	var moved []MovedRow
	if len(anew.Changes) > 0 {
		if moved, err = movedSince(dirs, after); err != nil {
			return err
		}
	}
	note := reparseText(run, anew, moved, program)
	if err := os.MkdirAll(filepath.Join(to, TablesFolder), 0o755); err != nil {
		return err
	}
	if err := table.WriteFiles(to, map[string]func(io.Writer) error{reparseNote: table.Text(note)}); err != nil {
		return err
	}
	if err := table.WriteFiles(to, map[string]func(io.Writer) error{reparseRows: table.CSV(anew.Changes),
		reparseMoved: table.CSV(moved)}); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := after.Write(to, filepath.Join(to, TablesFolder)); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := after.Print(out, to); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\n%s", note)
	return err
}

// movedSince are the rows of the leaderboard that differ from those of the recorded
// verdicts.
func movedSince(dirs []string, after *Report) ([]MovedRow, error) {
	run, err := dataset.Load(dirs...)
	if err != nil {
		return nil, err
	}
	before, err := Compute(run)
	if err != nil {
		return nil, fmt.Errorf("computing the report: %w", err)
	}
	var moved []MovedRow
	for _, b := range after.Board {
		a, ok := before.At[dataset.PlanKey{Judge: b.Judge, System: b.System, Scenario: b.Scenario}]
		if !ok {
			continue
		}
		row := MovedRow{b.Judge, b.System, b.Scenario, a.Valid, b.Valid, a.Mean, b.Mean, a.Rank, b.Rank}
		if row.ValidBefore != row.ValidAfter || !equalFigures(a.Mean, b.Mean) || !equalFigures(a.Rank, b.Rank) {
			moved = append(moved, row)
		}
	}
	return moved, nil
}

func equalFigures(a, b table.Figure) bool { return a.Text(9) == b.Text(9) }

// reparseText summarises the differences.
func reparseText(run *dataset.Run, anew dataset.Rereading, moved []MovedRow, program string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "These tables use verdicts that compqa %s parsed again from the raw replies. The record is not changed; compqa "+
		"report without --reparse computes its tables.\n\n", program)
	fmt.Fprintf(&b, "%d of %d verdicts have a recorded reply of a model and were parsed again; the others are unchanged.\n", anew.Read,
		len(run.Sheets))
	if len(anew.Changes) == 0 {
		b.WriteString("All of them equal the recorded verdicts.\n")
		return b.String()
	}
	fmt.Fprintf(&b, "%d differ from the recorded verdicts (complete list: %s):\n\n", len(anew.Changes), reparseRows)
	var kinds []changeCount
	for _, c := range anew.Changes {
		i := slices.IndexFunc(kinds, func(k changeCount) bool {
			return k.Judge == c.Judge && k.Before == c.StatusBefore && k.After == c.StatusAfter
		})
		if i < 0 {
			i, kinds = len(kinds), append(kinds, changeCount{Judge: c.Judge, Before: c.StatusBefore, After: c.StatusAfter})
		}
		kinds[i].Verdicts++
	}
	b.WriteString(table.View(3, kinds, "Judge=judge", "Before=status before", "After=status after", "Verdicts=verdicts").Markdown())
	fmt.Fprintf(&b, "The first one: %s\n", anew.Changes[0])
	if len(moved) == 0 {
		return b.String() + "\nThe leaderboard is unchanged.\n"
	}
	fmt.Fprintf(&b, "\n%d rows of the leaderboard differ (complete list: %s):\n\n", len(moved), reparseMoved)
	b.WriteString(table.View(3, moved[:min(len(moved), mostMoved)], "judge", "system", "scenario", "valid_before", "valid_after",
		"mean_before", "mean_after", "rank_before:0", "rank_after:0").Markdown())
	return b.String()
}

// A changeCount counts a judge's verdicts whose status changed in the same way; with the
// same status, their points differ.
type changeCount struct {
	Judge         string
	Before, After data.Status
	Verdicts      int
}

// mostMoved is the number of rows that are listed; the file has all.
const mostMoved = 20

// unmark deletes the files of an earlier ReportRescored.
func unmark(dir string) error {
	for _, name := range []string{reparseNote, reparseRows, reparseMoved} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}
