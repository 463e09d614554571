package results

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
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
	*index
	board       []LeaderboardRow
	at          map[planKey]*LeaderboardRow
	differences []ComparisonRow
	byGroup     []GroupRow
	byScenario  []GroupRow
	byAspect    []aspectRow
	agreements  []AgreementRow
	floors      []FloorRow
	worth       []worth

	lenient      []LeniencyRow
	counted      []CountableRow
	panel        panel
	judgeFigures []JudgeRow

	arguing *arguments
	cited   []CitationRow
	argued  []ArgumentRow
	against []contradictedPair

	failed []FailureRow
	paid   []CostRow

	attacked []AttackRow
}

func compute(run *Run) (*tables, error) {
	t := &tables{index: newIndex(run), at: map[planKey]*LeaderboardRow{}}
	return t, t.compute()
}

func (t *tables) compute() error {
	people := t.answerTotals(t.references()...)
	err := t.boards(people)
	if err != nil {
		return err
	}
	contests := t.contests()
	if t.agreements, err = t.agreement(contests); err != nil {
		return err
	}
	if t.floors, err = t.overFloors(contests); err != nil {
		return err
	}
	if t.worth, err = t.worths(contests); err != nil {
		return err
	}
	t.failed = t.failures()
	for i := range t.board {
		r := &t.board[i]
		t.at[planKey{r.Judge, r.System, r.Scenario}] = r
	}
	if t.lenient, err = t.leniency(people); err != nil {
		return err
	}
	if t.counted, err = t.countable(); err != nil {
		return err
	}
	t.panel = t.newPanel()
	if t.judgeFigures, err = t.judgeRows(people); err != nil {
		return err
	}
	t.arguing = t.arguments()
	if t.cited, err = t.arguing.citations(); err != nil {
		return err
	}
	if t.argued, err = t.arguing.choices(); err != nil {
		return err
	}
	t.against = t.arguing.contradicted()
	t.paid = t.costs()
	t.priceJudges()
	if t.attacked, err = t.attackRows(); err != nil {
		return err
	}
	return nil
}

// boards computes each judge's tables, for several judges at once: they take most
// of the time of a report, since every two systems are compared.
func (t *tables) boards(people answerTotals) error {
	type judgeTables struct {
		rows              []LeaderboardRow
		differences       []ComparisonRow
		groups, scenarios []GroupRow
		aspects           []aspectRow
		err               error
	}
	of := make([]judgeTables, len(t.Judges))
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for j := range t.Judges {
		work.Go(func() error {
			b := t.index.board(j, people)
			rows := b.rows()
			of[j] = judgeTables{rows: rows, differences: b.rank(rows), groups: b.groupRows(), scenarios: b.scenarioGroups(), aspects: b.aspectRows()}
			of[j].err = b.err
			return nil
		})
	}
	work.Wait()
	for _, judge := range of {
		if judge.err != nil {
			return judge.err
		}
		t.board = append(t.board, judge.rows...)
		t.differences = append(t.differences, judge.differences...)
		t.byGroup = append(t.byGroup, judge.groups...)
		t.byScenario = append(t.byScenario, judge.scenarios...)
		t.byAspect = append(t.byAspect, judge.aspects...)
	}
	return nil
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
