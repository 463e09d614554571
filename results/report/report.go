// Package report composes the report of a run from the tables of the other packages.
package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"golang.org/x/sync/errgroup"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/humanpoints"
	"compqa/results/judgequality"
	"compqa/results/leaderboard"
	"compqa/results/store"
	"compqa/results/summaries"
	"compqa/results/table"
)

// A Chapter computes a further part of a report about the record in a folder. It returns a document, which is left out if it has no
// sections, and functions that write tables, by file name (nil for a table without rows).
type Chapter func(dir string, report *Report) (table.Document, map[string]func(io.Writer) error, error)

// Write computes all tables of the records in dirs and writes them to the folder to ("" for the first of dirs). It uses only the records,
// and the same records give the same bytes.
func Write(dirs []string, to string, more ...Chapter) (*Report, error) {
	var sums errgroup.Group // in parallel with loading: 1.2 and 1.9 s of processor time for 300,000 verdicts with their calls
	sums.Go(func() error {
		return data.SideBySide(len(dirs), func(i int) error { return CheckSums(dirs[i]) })
	})
	run, loading := dataset.Load(dirs...)
	if err := sums.Wait(); err != nil { // reported first, as a changed record may also fail to load
		return nil, err
	}
	if loading != nil {
		return nil, loading
	}
	to = cmp.Or(to, dirs[0])
	t, err := computeAndWrite(dataset.New(run), to, more...)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{reparseNote, reparseRows} { // files of an earlier ReportRescored
		if err := remove(filepath.Join(to, name)); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// A JSON has the main tables of a report, for programs.
type JSON struct {
	Folder   string         `json:"folder"`   // contains report.html and all tables
	Findings table.Findings `json:"findings"` // the first is the headline
	Tables   *table.Catalogue
	Reparsed *Reparsed `json:"reparsed,omitempty"`
}

// mainTables are the tables that JSON contains.
var mainTables = []table.Definition{leaderboard.BoardTable, leaderboard.ComparisonsTable, judgequality.AgreementTable,
	judgequality.JudgesTable, humanpoints.PointsTable, failuresTable, judgequality.CostsTable}

// MarshalJSON writes the tables in place of the catalogue.
func (j JSON) MarshalJSON() ([]byte, error) { return table.InJSON(j) }

// JSONType returns the type that MarshalJSON writes, for JSON Schema.
func (JSON) JSONType() reflect.Type {
	return table.JSONTypeWith(reflect.TypeFor[JSON](), mainTables...)
}

// Reparsed says how verdicts differ after they were parsed again.
type Reparsed struct {
	Read    int                        `json:"read"` // verdicts with a recorded reply from a model
	Changes table.Rows[dataset.Change] `json:"changes"`
}

// JSON returns the main tables of a report that was written to the folder to.
func (t *Report) JSON(to string) JSON {
	return JSON{to, t.Findings(), t.Catalogue().Select(mainTables...), t.reparsed}
}

// computeAndWrite computes all tables of a dataset and writes them to a folder. It writes the rows of answers and verdicts in parallel,
// because there may be millions. For 300,000 verdicts, these take 1.2 s of processor time, next to 3.5 s for the tables. Their files appear
// only when the tables are computed.
func computeAndWrite(x *dataset.Dataset, to string, more ...Chapter) (*Report, error) {
	tables := filepath.Join(to, TablesFolder)
	computed := make(chan struct{})
	var t *Report
	var err error
	var rows errgroup.Group
	rows.Go(func() error {
		return table.WriteFiles(tables, rowFiles(x, func() error { <-computed; return err }))
	})
	t, err = Compute(x)
	if err != nil {
		err = fmt.Errorf("computing the report: %w", err)
	}
	close(computed)
	written := rows.Wait()
	if err != nil {
		return nil, err
	}
	if written != nil {
		return nil, written
	}
	return t, t.writeComputed(to, tables, more...)
}

// remove deletes a file if it exists.
func remove(path string) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// CheckSums detects changes of a record since it was closed, in all data that points are computed from. Requests, replies and attempts,
// which are most of a record, are checked by export and verify instead.
func CheckSums(dir string) error {
	s, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.CheckSums(context.Background(), store.CallTables...)
	return err
}

// A Report has all tables of a report.
type Report struct {
	*dataset.Dataset
	Leaderboard *leaderboard.Tables
	Quality     *judgequality.Tables
	// outcomes that are not valid
	Failed   []FailureRow // the outcomes that are not valid
	outcomes []FailureRow

	cited  []CitationRow
	argued []ArgumentRow

	scenarios []ScenarioRow
	aspects   []AspectRow

	tables *summaries.Tables
	scored map[string]int // by system: number of its answers that people scored

	reparsed *Reparsed // nil unless verdicts were parsed again
}

// Ordered computes only the board of a dataset and its order, which is all that Two needs.
func Ordered(x *dataset.Dataset) (*Report, error) {
	people := x.AnswerTotals(x.References()...)
	boards, err := leaderboard.NewTables(x, people)
	if err != nil {
		return nil, err
	}
	judges, err := judgequality.NewOrder(boards, people)
	return &Report{Dataset: x, Leaderboard: boards, Quality: judges}, err
}

// Compute computes all tables of a dataset. It does not change the dataset.
func Compute(x *dataset.Dataset) (*Report, error) {
	people := x.AnswerTotals(x.References()...)
	boards, err := leaderboard.NewTables(x, people)
	if err != nil {
		return nil, err
	}
	judges, err := judgequality.NewTables(boards, people)
	if err != nil {
		return nil, err
	}
	contrasts, err := summaries.New(x)
	if err != nil {
		return nil, err
	}
	t := &Report{Dataset: x, Leaderboard: boards, Quality: judges, outcomes: outcomes(x), tables: contrasts, scored: map[string]int{}}
	t.Failed = data.Where(t.outcomes, func(r FailureRow) bool { return r.Status != data.Valid })
	for i, a := range t.Answers {
		if _, scored := people.Of(i); scored && t.ConditionOf[i] >= 0 && a.Status == data.Valid {
			t.scored[a.System]++
		}
	}
	t.cited = t.citations()
	t.argued, err = t.choices()
	if err != nil {
		return nil, err
	}
	t.scenarios, err = t.scenarioRows()
	if err != nil {
		return nil, err
	}
	t.aspects, err = t.aspectRows()
	return t, err
}

// TablesFolder is the folder with the tables of a report, next to its pages.
const TablesFolder = "tables"

// File names of a report's pages.
const (
	ReportPage = "report.html"
	ReportText = "report.md"
)

// rowFiles returns functions that write the rows of answers and verdicts, or nil for a table without rows. They call finish after the last
// row; an error from it discards the file.
func rowFiles(x *dataset.Dataset, finish func() error) map[string]func(io.Writer) error {
	file := func(rows int, write func(*dataset.Dataset, io.Writer) error) func(io.Writer) error {
		if rows == 0 {
			return nil
		}
		return func(w io.Writer) error {
			if err := write(x, w); err != nil {
				return err
			}
			return finish()
		}
	}
	return map[string]func(io.Writer) error{"answers.csv": file(len(x.Answers), writeAnswers),
		"verdicts.csv": file(len(x.Sheets), writeVerdicts)}
}

// Catalogue returns the computed tables, without the rows of single answers and verdicts.
func (t *Report) Catalogue() *table.Catalogue {
	c := &table.Catalogue{}
	table.Put(c, leaderboard.BoardTable, t.Leaderboard.Board)
	table.Put(c, leaderboard.ComparisonsTable, t.Leaderboard.Differences)
	table.Put(c, leaderboard.GroupsTable, t.Leaderboard.ByGroup)
	table.Put(c, judgequality.AgreementTable, t.Quality.Agreements)
	table.Put(c, judgequality.FloorsTable, t.Quality.Floors)
	table.Put(c, judgequality.AssessmentsTable, t.Quality.Assessments)
	table.Put(c, judgequality.JudgesTable, t.Quality.JudgeFigures)
	table.Put(c, humanpoints.PointsTable, t.Quality.HumanPoints.Rows)
	table.Put(c, judgequality.LeniencyTable, t.Quality.Lenient)
	table.Put(c, judgequality.PanelTable, t.Quality.Panels)
	table.Put(c, judgequality.HaloTable, t.Quality.Halos)
	table.Put(c, judgequality.WordingsTable, t.Quality.Wordings)
	table.Put(c, judgequality.ShotsTable, t.Quality.Shots)
	table.Put(c, leaderboard.FaithfulnessTable, t.Leaderboard.Faithfulness)
	table.Put(c, citationsTable, t.cited)
	table.Put(c, argumentsTable, t.argued)
	table.Put(c, scenariosTable, t.scenarios)
	table.Put(c, aspectsTable, t.aspects)
	table.Put(c, summaries.MeasuresTable, t.tables.Measures)
	table.Put(c, summaries.AttributionTable, t.tables.Attributed)
	table.Put(c, summaries.AgreementTable, t.tables.Agreements)
	table.Put(c, failuresTable, t.Failed)
	table.Put(c, judgequality.CostsTable, t.Quality.Bills())
	table.Put(c, judgequality.AttacksTable, t.Quality.Attacked)
	table.Put(c, dataset.FragilityTable, t.Leaderboard.Fragile)
	return c
}

// HasReports reports whether a folder has the files of a report of recorded verdicts (not parsed again).
func HasReports(dir string) bool {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	return !has(reparseNote) && has(ReportPage) && has(ReportText) && has(TablesFolder+"/columns.md") && has(TablesFolder+"/leaderboard.csv")
}

// Write writes the pages to the folder dir and the tables to the folder tables. It deletes files of tables that an earlier report had but
// that are now empty.
func (t *Report) Write(dir, tables string, more ...Chapter) error {
	if err := table.WriteFiles(tables, rowFiles(t.Dataset, func() error { return nil })); err != nil {
		return err
	}
	return t.writeComputed(dir, tables, more...)
}

// writeComputed writes everything that Write does, except the rows of answers and verdicts.
func (t *Report) writeComputed(dir, tables string, more ...Chapter) error {
	var chapters []table.Document
	files := t.Catalogue().Files()
	files[ColumnsText] = table.Text(Columns())
	for _, chapter := range more {
		for _, from := range t.Dirs {
			d, writers, err := chapter(from, t)
			if err != nil {
				return err
			}
			chapters = append(chapters, d)
			if len(t.Dirs) == 1 { // with several records, each would have its own tables of the chapter
				maps.Copy(files, writers)
			}
		}
	}
	page, err := t.Page(chapters...)
	if err != nil {
		return err
	}
	if err := table.WriteFiles(tables, files); err != nil {
		return err
	}
	return table.WriteFiles(dir, map[string]func(io.Writer) error{ReportText: table.Text(t.Front(chapters...).Markdown()),
		ReportPage: table.Text(page)})
}

// Additional files of a report whose verdicts were parsed again.
const (
	reparseNote = "reparse.md"
	reparseRows = TablesFolder + "/reparse.csv"
)

// ReportRescored writes a report whose verdicts are parsed again by rescore. It writes the differences to reparse.md and reparse.csv, and
// returns reparse.md as note. The records are not changed.
func ReportRescored(dirs []string, to string, rescore dataset.Rescore, program string) (t *Report, note string, err error) {
	run, anew, err := dataset.LoadRescored(rescore, nil, dirs...)
	if err != nil {
		return nil, "", err
	}
	after, err := computeAndWrite(dataset.New(run), to)
	if err != nil {
		return nil, "", err
	}
	after.reparsed = &Reparsed{anew.Read, anew.Changes}
	note = reparseText(len(run.Sheets), anew, program)
	if err := table.WriteFiles(to, map[string]func(io.Writer) error{reparseNote: table.Text(note),
		reparseRows: table.CSV(anew.Changes)}); err != nil {
		return nil, "", err
	}
	return after, note, nil
}

// reparseText summarises the differences, as Markdown.
func reparseText(verdicts int, anew dataset.Rereading, program string) string {
	text := fmt.Sprintf("These tables use verdicts that compqa %s parsed again from the raw replies. The record is not changed; compqa "+
		"report without --reparse computes its tables.\n\n%d of %d verdicts have a recorded reply of a model and were parsed again; the "+
		"others are unchanged.\n", program, anew.Read, verdicts)
	if len(anew.Changes) == 0 {
		return text + "All of them equal the recorded verdicts.\n"
	}
	counts := map[[3]string]int{}
	for _, c := range anew.Changes {
		counts[[3]string{c.Judge, string(c.StatusBefore), string(c.StatusAfter)}]++
	}
	kinds := table.New(3, "judge", "status before", "status after", "verdicts")
	for _, k := range slices.SortedFunc(maps.Keys(counts), func(a, b [3]string) int { return slices.Compare(a[:], b[:]) }) {
		kinds.Add(k[0], k[1], k[2], counts[k])
	}
	return text + fmt.Sprintf("%d differ from the recorded verdicts (complete list: %s):\n\n%sThe first one: %s\n", len(anew.Changes),
		reparseRows, kinds.Markdown(), anew.Changes[0])
}
