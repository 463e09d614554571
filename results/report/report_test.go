package report

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/dataset"
	"compqa/results/recordtest"
	"compqa/results/store"
	"compqa/results/table"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestReportGolden compares the files of a report, and its output on the terminal, with golden files.
func TestReportGolden(t *testing.T) {
	dir := recordtest.Small().Write(t, filepath.Join(t.TempDir(), "run"))
	out := t.TempDir()
	var screen bytes.Buffer
	if err := printed([]string{dir}, out, &screen); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"screen.txt": bytes.ReplaceAll(screen.Bytes(), []byte(out), []byte("DIR"))}
	for _, name := range written(t, out) {
		files[filepath.Base(name)] = must(os.ReadFile(filepath.Join(out, name)))
	}
	if string(files["columns.md"]) != Columns() {
		t.Error("columns.md is not written as it is")
	}
	if page := string(files["report.html"]); len(page) > 100_000 || !strings.Contains(page, "be|ta *x*") || strings.Contains(page, "<script") {
		t.Errorf("report.html has %d bytes", len(page))
	}
	page := string(files["report.html"])
	for text, times := range map[string]int{"<title>No order: gpt_j (headline in the configuration) scored too little of each system: a rank needs 10 verdicts on 5 questions · compqa</title>": 1, "on 5 questions</h1>": 1, "</h1>": 1,
		`<section id="ranking">`: 1, `<h2 class="else">Everything else</h2>`: 1, "<b>" + table.TermsTitle + "</b>": 1, "<li dir=\"auto\">alpha: agreement beyond chance": 1} {
		if n := strings.Count(page, text); n != times {
			t.Errorf("report.html has %q %d times, want %d", text, n, times)
		}
	}
	delete(files, "columns.md")
	delete(files, "report.html") // it has the date of the run
	golden := filepath.Join("testdata", "report")
	if *update {
		if err := os.MkdirAll(golden, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, content := range files {
			if err := os.WriteFile(filepath.Join(golden, name), content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, entry := range must(os.ReadDir(golden)) {
		want := must(os.ReadFile(filepath.Join(golden, entry.Name())))
		if got := files[entry.Name()]; !bytes.Equal(got, want) {
			t.Errorf("%s is not as in %s; look at the difference, and if it is meant, run the test with -update:\n%s", entry.Name(), golden, firstDifference(string(got), string(want)))
		}
		delete(files, entry.Name())
	}
	for name := range files {
		t.Errorf("%s is written, and there is no golden file of it", name)
	}
}

// written returns the paths of the files of a report.
func written(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, pattern := range []string{"report.*", "tables/*"} {
		for _, name := range must(filepath.Glob(filepath.Join(dir, pattern))) {
			names = append(names, strings.TrimPrefix(name, dir+"/"))
		}
	}
	return names
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func firstDifference(got, want string) string {
	g := strings.Split(got, "\n")
	w := strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\n got: %s\nwant: %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// Repeated reports of the same record have the same bytes in every file.
func TestReportIsTheSameBytesAgain(t *testing.T) {
	dir := recordtest.Small().Write(t, t.TempDir())
	contents := func() map[string]string {
		out := t.TempDir()
		if _, err := Write([]string{dir}, out); err != nil {
			t.Fatal(err)
		}
		files := map[string]string{}
		for _, name := range written(t, out) {
			files[name] = string(must(os.ReadFile(filepath.Join(out, name))))
		}
		return files
	}
	first := contents()
	for range 3 {
		for name, content := range contents() {
			if content != first[name] {
				t.Errorf("%s differs between two reports: %s", name, firstDifference(content, first[name]))
			}
		}
	}
}

// The planned results are the valid and the failed ones together, for every judge, system and scenario.
func TestPlannedIsValidAndTheRest(t *testing.T) {
	report := computed(t, recordtest.Small())
	rest := map[dataset.PlanKey]int{}
	for _, r := range report.Failed {
		if r.Kind == store.KindVerdict {
			rest[dataset.PlanKey{Judge: r.Judge, System: r.System, Scenario: r.Scenario}] += r.Count
		}
	}
	invalid := 0
	for _, r := range report.Leaderboard.Board {
		if r.Scenario == dataset.AllScenarios {
			continue
		}
		n := rest[dataset.PlanKey{Judge: r.Judge, System: r.System, Scenario: r.Scenario}]
		invalid += n
		if r.Planned != r.Valid+n {
			t.Errorf("%s, %s, %s: planned %d, valid %d, the rest %d", r.Judge, r.System, r.Scenario, r.Planned, r.Valid, n)
		}
	}
	// gpt_j: one out of range, one unparsed, two pending; human:2: one incomplete; rules: one pending; human: one whose answer was not
	// found
	if invalid != 7 {
		t.Errorf("%d verdicts are not valid, want 7", invalid)
	}
}

// A report of an empty record, or of one answer, verdict and question, does not panic and has no NaN. It has no interval where none is
// defined.
func TestReportOfTiny(t *testing.T) {
	empty := recordtest.Fixture{Rubric: recordtest.SmallRubric()}
	one := recordtest.Fixture{Rubric: recordtest.SmallRubric(), Systems: []store.Participant{{Name: "s"}}, Judges: []store.Participant{{Name: "j", Kind: "model"}, {Name: "constant", Kind: "floor"}, {Name: "human", Kind: "human"}}}
	one.Answers = []data.Answer{{ID: "1", Question: "q", Object1: "a", Object2: "b", System: "s", Scenario: "1", Repeat: 1, Status: data.Valid}}
	unjudged := one
	for _, j := range one.Judges {
		one.Verdicts = append(one.Verdicts, data.Verdict{Answer: "1", Judge: j.Name, Repeat: 1, Scores: recordtest.SmallRubric().Full()})
	}
	peopleless := one
	peopleless.Verdicts = one.Verdicts[:1]
	for name, f := range map[string]recordtest.Fixture{"empty": empty, "unjudged": unjudged, "one": one, "without people": peopleless} {
		out := t.TempDir()
		if _, err := Write([]string{f.Write(t, t.TempDir())}, out); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, file := range written(t, out) {
			if content := must(os.ReadFile(filepath.Join(out, file))); bytes.Contains(content, []byte("NaN")) {
				t.Errorf("%s: %s holds a NaN", name, file)
			}
		}
	}
	report := computed(t, one)
	r := report.Leaderboard.At[dataset.PlanKey{Judge: "j", System: "s", Scenario: dataset.AllScenarios}]
	if r.Mean.Text(1) != "5.0" || r.SD.Known || r.CILow.Known || r.Rank.Known || !r.Thin() || r.HumanMean.Known || r.NHuman.Text(0) != "1" {
		t.Errorf("the row of one verdict is %+v", *r)
	}
	if words := report.Quality.Assessments; len(words) != 1 || !strings.Contains(words[0].Verdict, "not enough data: it shares 1 score sheet on 1 question with human; at least 10 questions are needed") {
		t.Errorf("what is said of a judge with one verdict: %+v", words)
	}
}

func TestReportNeedsARun(t *testing.T) {
	dir := t.TempDir()
	if _, err := Write([]string{dir}, ""); err == nil || !strings.Contains(err.Error(), "holds no run") {
		t.Errorf("the report of an empty folder: %v", err)
	}
	if _, err := Write(nil, dir); err == nil {
		t.Error("a report of no folder at all")
	}
}

// Failures of a judge or system that is in no plan are listed, too. Of many reasons, the most frequent ones are shown.
func TestFailuresOfStrangers(t *testing.T) {
	f := recordtest.Of(nil, recordtest.By("j", "s", "1", make([]float64, 20)...))
	for i := range f.Verdicts {
		f.Verdicts[i].Status, f.Verdicts[i].Reason = data.Failed, fmt.Sprintf("reason %02d", i/2+i/10)
	}
	f.Unplaced = []store.Unplaced{{Judge: "human", Source: "1", System: "unheard of", Scenario: "1", Reason: "no answer has its text"}}
	report := computed(t, f)
	last := report.Failed[len(report.Failed)-1]
	if last.Judge != "human" || last.System != "unheard of" || last.Status != data.Skipped || last.Count != 1 {
		t.Errorf("the stranger is %+v", last)
	}
	reasons := report.reasons()
	if n := len(reasons); n != 11 {
		t.Errorf("%d reasons, want ten of j and one of human", n)
	}
	if first := reasons[0]; first.Judge != "j" || first.Status != data.Failed || first.Reason != "reason 00" || first.Count != 2 {
		t.Errorf("the first reason is %+v", first)
	}
}

// report.md is a single page, even with many systems, and links only to files that exist.
func TestReportIsOnePage(t *testing.T) {
	var many []recordtest.Scored
	for i := range 200 {
		many = append(many, recordtest.By("j", fmt.Sprintf("system-%03d", i), "1", 1, float64(i%5)))
	}
	fixtures := map[string]recordtest.Fixture{"small": recordtest.Small(), "many systems": recordtest.Of(nil, many...)}
	for name, f := range fixtures {
		reportIsOnePage(t, name, f)
	}
}

// TestSoakReportIsOnePage checks the same for the release.
func TestSoakReportIsOnePage(t *testing.T) {
	sharedtest.Soak(t)
	reportIsOnePage(t, "release", recordtest.Release(t, sharedtest.Path(t)))
}

func reportIsOnePage(t *testing.T, name string, f recordtest.Fixture) {
	t.Helper()
	out := t.TempDir()
	if _, err := Write([]string{f.Write(t, t.TempDir())}, out); err != nil {
		t.Fatal(err)
	}
	text := string(must(os.ReadFile(filepath.Join(out, ReportText))))
	if n := strings.Count(text, "\n"); n > 120 {
		t.Errorf("%s: report.md has %d lines", name, n)
	}
	for _, link := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(out, link[1])); err != nil {
			t.Errorf("%s: report.md links %s, which is not written", name, link[1])
		}
	}
}

func TestWriteFileKeepsTheOldOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := table.WriteFile(path, func(w io.Writer) error { _, err := io.WriteString(w, "old"); return err }); err != nil {
		t.Fatal(err)
	}
	if err := table.WriteFile(path, func(w io.Writer) error { io.WriteString(w, "half"); return errors.New("no more") }); err == nil {
		t.Error("a file that could not be written is no error")
	}
	if content := must(os.ReadFile(path)); string(content) != "old" {
		t.Errorf("the file holds %q", content)
	}
	if entries := must(os.ReadDir(filepath.Dir(path))); len(entries) != 1 {
		t.Errorf("%d files are left behind", len(entries)-1)
	}
}

// If a report cannot be computed, the files of the earlier report stay as they are.
func TestReportThatFailsKeepsTheOldOne(t *testing.T) {
	dir := recordtest.Small().Write(t, t.TempDir())
	if _, err := Write([]string{dir}, ""); err != nil {
		t.Fatal(err)
	}
	tables := filepath.Join(dir, TablesFolder)
	before := must(os.ReadFile(filepath.Join(tables, "verdicts.csv")))
	s := must(store.Create(dir))
	tx := must(s.Begin())
	must(tx.Exec(`UPDATE results SET total = 1e308 WHERE kind = 'verdict' AND status = 'valid' AND rowid % 3 = 1`))
	must(tx.Exec(`DELETE FROM sums`))
	if err := errors.Join(tx.Commit(), s.Close()); err != nil {
		t.Fatal(err)
	}
	_, err := Write([]string{dir}, "")
	if err == nil || !strings.Contains(err.Error(), "computing the report") {
		t.Fatalf("a report of totals that overflow: %v", err)
	}
	if !bytes.Equal(must(os.ReadFile(filepath.Join(tables, "verdicts.csv"))), before) {
		t.Error("verdicts.csv is new, beside tables of the report before")
	}
	fresh := t.TempDir()
	if _, err := Write([]string{dir}, fresh); err == nil {
		t.Fatal("the report has no error")
	}
	if files := written(t, fresh); len(files) > 0 {
		t.Errorf("a report that failed left %q", files)
	}
}

func computed(t *testing.T, f recordtest.Fixture) *Report {
	t.Helper()
	report, err := Compute(f.Dataset(t))
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// printed writes a report, and prints it in its short form.
func printed(dirs []string, to string, out io.Writer) error {
	t, err := Write(dirs, to)
	if err != nil {
		return err
	}
	return t.Print(out, to, false)
}
