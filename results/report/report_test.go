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
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/rubric"
)

var update = flag.Bool("update", false, "write the golden files anew")

// smallRubric has three criteria, five points, two groups.
func smallRubric() rubric.Rubric {
	levels := func(points ...float64) []rubric.Level {
		var all []rubric.Level
		for _, p := range points {
			all = append(all, rubric.Level{Points: p, Text: fmt.Sprint(p)})
		}
		return all
	}
	return rubric.Rubric{Name: "small", Step: 0.5, Measurement: "interval", Criteria: []rubric.Criterion{
		{ID: "a", Group: "form", Name: "short", Text: "It is short.", Levels: levels(0, 1)},
		{ID: "b", Group: "form", Name: "plain", Text: "It is plain.", Levels: levels(0, 1, 2)},
		{ID: "c", Group: "content", Name: "true", Text: "It is true.", Levels: levels(0, 1, 2)},
	}}
}

var smallPairs = [][3]string{{"tea", "coffee", ""}, {"cats", "dogs", "noise"}, {"bus", "train", ""}, {"ink", "pencil", "price"}}

// smallFixture has three systems, one of them without scenarios; six judges; and
// every way in which something may be missing. Scores come from a fixed
// sequence; nothing in it means anything.
func smallFixture() fixture {
	f := fixture{rubric: smallRubric(), seed: 7, config: `{"dataset":"ours","headline":"gpt_j"}`, sizes: map[string]store.Size{}}
	f.systems = []store.Participant{{Name: "alpha", Kind: "baseline", About: "as it is"}, {Name: "be|ta *x*", Kind: "model", Family: "gpt", About: "a <b>model</b>"}, {Name: "old", Kind: "imported"}}
	f.judges = []store.Participant{{Name: "human", Kind: "human"}, {Name: "human:1", Kind: "human"}, {Name: "human:2", Kind: "human"},
		{Name: "constant", Kind: "floor"}, {Name: "gpt_j", Kind: "model", Family: "gpt"}, {Name: "rules", Kind: "embedded"}}
	random := uint32(1)
	points := func(high float64) float64 {
		random = random*1664525 + 1013904223
		return float64(random >> 16 % uint32(high+1))
	}
	for i, pair := range smallPairs {
		q := data.Question{Object1: pair[0], Object2: pair[1], Aspect: pair[2], Text: "Which?", Arguments: []data.Argument{
			{Text: "one", Favours: data.Object1}, {Text: "two", Favours: data.Neither}, {Text: "three", Favours: data.Object1}, {Text: "four", Favours: data.Object2}}}
		q.ID = q.Pair()
		f.questions = append(f.questions, q)
		for _, place := range [][2]string{{"alpha", "1"}, {"alpha", "2"}, {"be|ta *x*", "1"}, {"be|ta *x*", "2"}, {"old", data.NoScenario}} {
			a := data.Answer{ID: data.AnswerID(place[0], place[1], q.ID, 1), Question: q.ID, Object1: pair[0], Object2: pair[1], Aspect: pair[2],
				System: place[0], Scenario: place[1], Repeat: 1, Status: data.Valid, Text: fmt.Sprint(place, i)}
			if place[0] == "be|ta *x*" && place[1] == "2" && i == 3 {
				a.Status, a.Text, a.Reason = data.Truncated, "", "the reply\nwas cut | <off>"
			}
			f.answers, f.sizes[a.ID] = append(f.answers, a), store.Size{Words: 10 * (i + 1), Sentences: i + 1, Reading: smallReading(i, place[1])}
			if a.Status != data.Valid {
				continue
			}
			for _, j := range f.judges {
				if data.IsHuman(j.Name) && place[1] == "2" && i > 1 {
					continue // people scored a part
				}
				v := data.Verdict{Answer: a.ID, Judge: j.Name, Repeat: 1, Scores: data.Scores{}}
				for _, c := range f.rubric.Criteria {
					if v.Scores[c.ID] = c.Max(); j.Name != "constant" {
						v.Scores[c.ID] = points(c.Max())
					}
				}
				f.verdicts = append(f.verdicts, v)
			}
		}
	}
	f.spoil()
	return f
}

// smallReading is of an answer to the i-th pair: those that were shown arguments
// cite them, and choose the second object where these speak for the first.
func smallReading(i int, scenario string) store.Reading {
	if scenario == "1" {
		return store.Reading{Choice: []data.Favours{data.Object1, data.Object2, data.Neither, ""}[i]}
	}
	return store.Reading{Citations: 2 + i, Unknown: i / 2, Generated: i % 2, Choice: []data.Favours{data.Object2, data.Object1, data.Object1, ""}[i], Cited1: 3, Cited2: i, Made2: 2}
}

// spoil makes some verdicts invalid, has one answer scored twice by people, and
// plans more than there is.
func (f *fixture) spoil() {
	for i := range f.verdicts {
		v := &f.verdicts[i]
		switch {
		case v.Judge == "gpt_j" && strings.HasPrefix(v.Answer, "alpha/1/coffee"):
			v.Scores = data.Scores{"a": 2, "b": 0, "c": 0}
		case v.Judge == "gpt_j" && strings.HasPrefix(v.Answer, "old/-/bus"):
			v.Scores, v.Status, v.Reason = nil, data.Unparsed, "no sheet\nof scores | <none>"
		case v.Judge == "human:2" && strings.HasPrefix(v.Answer, "old/-/bus"):
			v.Scores = data.Scores{"a": 1}
		}
	}
	again := slices.IndexFunc(f.verdicts, func(v data.Verdict) bool { return v.Judge == "human" })
	f.verdicts = append(f.verdicts, data.Verdict{Answer: f.verdicts[again].Answer, Judge: "human", Repeat: 2, Scores: data.Scores{"a": 0.5, "b": 1.5, "c": 2}})
	f.extra = []store.PlanCell{
		{Kind: store.KindVerdict, Judge: "gpt_j", System: "alpha", Scenario: "1", Planned: 2},
		{Kind: store.KindVerdict, Judge: "rules", System: "be|ta *x*", Scenario: "2", Planned: 1},
		{Kind: store.KindAnswer, System: "old", Scenario: data.NoScenario, Planned: 3, Note: "the questions have no arguments"},
	}
	f.unplaced = []store.Unplaced{{Judge: "human", Source: "table:9", System: "old", Scenario: data.NoScenario, Aspect: "price", Reason: "table:9: no answer has its text"}}
}

func TestReportGolden(t *testing.T) {
	dir := smallFixture().record(t, filepath.Join(t.TempDir(), "run"))
	out := t.TempDir()
	var screen bytes.Buffer
	if err := Write([]string{dir}, out, &screen); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"screen.txt": bytes.ReplaceAll(screen.Bytes(), []byte(out), []byte("DIR"))}
	for _, name := range written(t, out) {
		files[filepath.Base(name)] = must(os.ReadFile(filepath.Join(out, name)))
	}
	if string(files["columns.md"]) != Columns {
		t.Error("columns.md is not written as it is")
	}
	if page := string(files["report.html"]); len(page) > 100_000 || !strings.Contains(page, "be|ta *x*") || strings.Contains(page, "<script") {
		t.Errorf("report.html has %d bytes", len(page))
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

// written are the files of a report.
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
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\n got: %s\nwant: %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

func computed(t *testing.T, f fixture) *Report {
	t.Helper()
	run, err := dataset.Load(f.record(t, t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	of, err := Compute(run)
	if err != nil {
		t.Fatal(err)
	}
	return of
}

var releaseReport *Report

// ofTheRelease is the report of the release, computed once for the tests that read it.
func ofTheRelease(t *testing.T) *Report {
	t.Helper()
	if shared := sharedtest.Path(t); releaseReport == nil {
		releaseReport = computed(t, releaseFixture(t, shared))
	}
	return releaseReport
}

func TestReportIsTheSameBytesAgain(t *testing.T) {
	dir := smallFixture().record(t, t.TempDir())
	contents := func() map[string]string {
		out := t.TempDir()
		if err := Write([]string{dir}, out, &bytes.Buffer{}); err != nil {
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

// planned = valid + the rest, for every judge, system and scenario.
func TestPlannedIsValidAndTheRest(t *testing.T) {
	of := computed(t, smallFixture())
	rest := map[dataset.PlanKey]int{}
	for _, r := range of.Failed {
		if r.Kind == store.KindVerdict {
			rest[dataset.PlanKey{Judge: r.Judge, System: r.System, Scenario: r.Scenario}] += r.Count
		}
	}
	invalid := 0
	for _, r := range of.Board {
		if r.Scenario == dataset.AllScenarios {
			continue
		}
		n := rest[dataset.PlanKey{Judge: r.Judge, System: r.System, Scenario: r.Scenario}]
		invalid += n
		if r.Planned != r.Valid+n {
			t.Errorf("%s, %s, %s: planned %d, valid %d, the rest %d", r.Judge, r.System, r.Scenario, r.Planned, r.Valid, n)
		}
	}
	// gpt_j: one out of range, one unparsed, two pending; human:2: one incomplete;
	// rules: one pending; human: one without an answer
	if invalid != 7 {
		t.Errorf("%d verdicts are not valid, want 7", invalid)
	}
}

// Nothing at all, one answer, one verdict, one question: no panic, no NaN, and
// no interval where there is none.
func TestReportOfTiny(t *testing.T) {
	empty := fixture{rubric: smallRubric()}
	one := fixture{rubric: smallRubric(), systems: []store.Participant{{Name: "s"}}, judges: []store.Participant{{Name: "j", Kind: "model"}, {Name: "constant", Kind: "floor"}, {Name: "human", Kind: "human"}}}
	one.answers = []data.Answer{{ID: "1", Question: "q", Object1: "a", Object2: "b", System: "s", Scenario: "1", Repeat: 1, Status: data.Valid}}
	unjudged := one
	for _, j := range one.judges {
		one.verdicts = append(one.verdicts, data.Verdict{Answer: "1", Judge: j.Name, Repeat: 1, Scores: smallRubric().Full()})
	}
	peopleless := one
	peopleless.verdicts = one.verdicts[:1]
	for name, f := range map[string]fixture{"empty": empty, "unjudged": unjudged, "one": one, "without people": peopleless} {
		out := t.TempDir()
		if err := Write([]string{f.record(t, t.TempDir())}, out, &bytes.Buffer{}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, file := range written(t, out) {
			if content := must(os.ReadFile(filepath.Join(out, file))); bytes.Contains(content, []byte("NaN")) {
				t.Errorf("%s: %s holds a NaN", name, file)
			}
		}
	}
	of := computed(t, one)
	r := of.At[dataset.PlanKey{Judge: "j", System: "s", Scenario: dataset.AllScenarios}]
	if r.Mean.Text(1) != "5.0" || r.SD.Known() || r.CILow.Known() || r.Rank.Text(0) != "1" || r.HumanMean.Known() || r.NHuman.Text(0) != "1" {
		t.Errorf("the row of one verdict is %+v", *r)
	}
	if words := verdictsOf(of); len(words) != 1 || !strings.Contains(words[0], "not enough data: it shares 1 score sheet on 1 question with human; at least 10 questions are needed") {
		t.Errorf("what is said of a judge with one verdict: %q", words)
	}
}

func TestReportNeedsARun(t *testing.T) {
	dir := t.TempDir()
	if err := Write([]string{dir}, "", &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "holds no run") {
		t.Errorf("the report of an empty folder: %v", err)
	}
	if err := Write(nil, dir, &bytes.Buffer{}); err == nil {
		t.Error("a report of no folder at all")
	}
}

// Rows of a judge, and of a system, that are in no plan are told all the same;
// of many reasons the most frequent are.
func TestFailuresOfStrangers(t *testing.T) {
	f := fixtureOf(nil, scored{"j", "s", "1", make([]float64, 20)})
	for i := range f.verdicts {
		f.verdicts[i].Status, f.verdicts[i].Reason = data.Failed, fmt.Sprintf("reason %02d", i/2+i/10)
	}
	f.unplaced = []store.Unplaced{{Judge: "human", Source: "1", System: "unheard of", Scenario: "1", Reason: "no answer has its text"}}
	of := computed(t, f)
	last := of.Failed[len(of.Failed)-1]
	if last.Judge != "human" || last.System != "unheard of" || last.Status != data.Skipped || last.Count != 1 {
		t.Errorf("the stranger is %+v", last)
	}
	reasons := of.reasons()
	if n := len(reasons); n != 11 {
		t.Errorf("%d reasons, want ten of j and one of human", n)
	}
	if first := reasons[0]; first.Judge != "j" || first.Status != data.Failed || first.Reason != "reason 00" || first.Count != 2 {
		t.Errorf("the first reason is %+v", first)
	}
}

// report.md is one page, also with many systems, and links only files that exist.
func TestReportIsOnePage(t *testing.T) {
	var many []scored
	for i := range 200 {
		many = append(many, scored{"j", fmt.Sprintf("system-%03d", i), "1", []float64{1, float64(i % 5)}})
	}
	fixtures := map[string]fixture{"small": smallFixture(), "many systems": fixtureOf(nil, many...)}
	check := func(t *testing.T, name string, f fixture) {
		out := t.TempDir()
		if err := Write([]string{f.record(t, t.TempDir())}, out, &bytes.Buffer{}); err != nil {
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
	for name, f := range fixtures {
		check(t, name, f)
	}
	t.Run("release", func(t *testing.T) {
		sharedtest.Soak(t)
		check(t, "release", releaseFixture(t, sharedtest.Path(t)))
	})
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
