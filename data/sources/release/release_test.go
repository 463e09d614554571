package release

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
)

// A fakeRelease is a small release in the authors' layout, with texts that were written for the tests.
type fakeRelease struct {
	t   *testing.T
	dir string
}

func newFakeRelease(t *testing.T) fakeRelease { return fakeRelease{t, t.TempDir()} }

func (f fakeRelease) write(name, content string) {
	f.t.Helper()
	path := filepath.Join(f.dir, "data", filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f fakeRelease) answers(name string, rows ...[4]string) {
	var list []map[string]any
	for _, r := range rows {
		row := map[string]any{"object1": r[0], "object2": r[1], "aspect": nil, "comparison": r[2]}
		if r[3] != "" {
			row["score_dict"] = json.RawMessage(r[3])
		}
		list = append(list, row)
	}
	text, err := json.Marshal(list)
	if err != nil {
		f.t.Fatal(err)
	}
	f.write(name, string(text))
}

func (f fakeRelease) people(name, prefix string, rows ...string) {
	header := []string{"object1", "object2", "aspect", "comparison", "filename"}
	for i := 1; i <= 15; i++ {
		header = append(header, fmt.Sprintf("%s%d", prefix, i))
	}
	f.write("evaluation_tables/"+name, strings.Join(header, "\t")+"\n"+strings.Join(rows, "\n")+"\n")
}

var fifteen = strings.Repeat("\t1", 15)

const (
	first  = "Trams are quieter than buses, and they carry more people on one ride."
	second = "Buses reach streets without rails, which trams never will, so buses it is."
)

// TestReadRelease checks how a small release is joined: ids, repeats, verdicts by judge, human rows by exact or similar text, and rows
// without an answer.
func TestReadRelease(t *testing.T) {
	f := newFakeRelease(t)
	f.answers("raw_summaries/gpt4_scenario_3.json", [4]string{"tram", "bus", first}, [4]string{"tram", "bus", second}, [4]string{"tram", "bus", second})
	f.answers("raw_summaries/cam.json", [4]string{"Tram", "Bus", "A short one."})
	sheet := `{"1": 1, "2": 0.5}`
	f.answers("evaluated_summaries/gpt-4/gpt4_scenario_3.json",
		[4]string{"tram", "bus", first, sheet}, [4]string{"tram", "bus", second, `{"1": 0}`}, [4]string{"tram", "bus", second, `{"16": 1}`})
	f.answers("evaluated_summaries/other/fewshot/cam.json", [4]string{"tram", "bus", "A short one.", `[1, 2]`})
	f.answers("evaluated_summaries/other/fewshot/yahoo.json", [4]string{"tram", "bus", "Only the judge has this.", `{}`})
	f.people("human_evaluation_367.tsv", "C",
		"bus\ttram\t\t"+strings.ReplaceAll(first, ",", "  ,")+"\tscored_gpt4_scenario_3_comparison"+fifteen,
		"tram\tbus\t\tSomething else entirely was said here.\tscored_gpt4_scenario_3_comparison"+fifteen,
		"tram\tbus\tnoise\tTrams are quieter than buses and they carry more people on one.\tscored_gpt4_scenario_3_comparison"+fifteen)
	f.people("dataset_hum1_evaluation.tsv", "score_dict.",
		"tram\tbus\t\t"+first+"\tscored_gpt4_scenario_3_comparison"+strings.Repeat("\t", 15),
		"tram\tbus\t\t\"A short\none.\"\tscored_cam_comparison"+fifteen)

	r, err := Read(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, a := range r.Answers {
		ids = append(ids, a.ID)
	}
	wantIDs := "cam/-/bus | tram/1 gpt4/3/bus | tram/1 gpt4/3/bus | tram/2 gpt4/3/bus | tram/3 yahoo/-/bus | tram/1"
	if got := strings.Join(ids, " "); got != wantIDs {
		t.Errorf("answers\n%s, want\n%s", got, wantIDs)
	}
	var got []string
	for _, v := range r.Verdicts {
		got = append(got, fmt.Sprintf("%s %s %d %s %d", v.Judge, v.Answer, v.Repeat, v.Status, len(v.Scores)))
	}
	want := []string{
		"gpt-4o gpt4/3/bus | tram/1 1  2", "gpt-4o gpt4/3/bus | tram/2 1  1", "gpt-4o gpt4/3/bus | tram/3 1  1",
		"other cam/-/bus | tram/1 1 unparsed 0", "other yahoo/-/bus | tram/1 1  0",
		"human gpt4/3/bus | tram/1 1  15", "human gpt4/3/bus | tram/1 2  15", "human:1 cam/-/bus | tram/1 1  15",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("verdicts\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(r.Unmatched) != 1 || r.Unmatched[0].Line != 3 || r.Unmatched[0].Judge != data.Human {
		t.Errorf("unjoined: %v", r.Unmatched)
	}
	if len(r.People) != 4 {
		t.Errorf("%d rows of people, want 4: one sheet of five is empty", len(r.People))
	}
	f.write("evaluated_summaries/stray.json", "no JSON")
	if again, err := Read(f.dir); err != nil || again.Hash != r.Hash {
		t.Errorf("with a file that no judge has: %v", err)
	}
	f.people("human_evaluation_367.tsv", "C", "bus\ttram\t\t"+first+"\t"+fifteen)
	if r, err = Read(f.dir); err != nil || len(r.Unmatched) != 1 || r.People[0].Answer != "" {
		t.Errorf("a row without a system: %v", err)
	}
}

func TestReadReleaseFaults(t *testing.T) {
	if _, err := Read(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("no folder: %v", err)
	}
	if _, err := Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not the CompQA authors' release") {
		t.Errorf("an empty folder: %v", err)
	}
	f := newFakeRelease(t)
	f.write("raw_summaries/cam.json", "[\n{\"object1\": \"a\",\n")
	if _, err := Read(f.dir); err == nil || !strings.Contains(err.Error(), "cam.json:3: ") {
		t.Errorf("a torn file: %v", err)
	}
	f.write("raw_summaries/cam.json", "[\n{\"object1\": \"caf\xe9\"}]")
	if _, err := Read(f.dir); err == nil || !strings.Contains(err.Error(), "cam.json:2: byte 17 (0xe9) is not UTF-8") {
		t.Errorf("another encoding: %v", err)
	}
	f.answers("raw_summaries/cam.json", [4]string{"a", "b", "c"})
	f.write("evaluation_tables/human_evaluation_367.tsv", "object1\tobject2\na\tb\n")
	if _, err := Read(f.dir); err == nil || !strings.Contains(err.Error(), "human_evaluation_367.tsv:1: there is no column \"aspect\"") {
		t.Errorf("a table without columns: %v", err)
	}
	f.people("human_evaluation_367.tsv", "C", "a\tb\t\tc\tscored_cam_comparison\tx"+strings.Repeat("\t1", 14))
	if _, err := Read(f.dir); err == nil || !strings.Contains(err.Error(), `human_evaluation_367.tsv:2: criterion 1 is "x"`) {
		t.Errorf("a score that is no number: %v", err)
	}
}

// TestReadTheRelease reads the authors' release. It expects the paper's 2,158 answers, a verdict of both GPT judges on each, and at least
// 276 mean human sheets with an answer. All pairs must be in the built-in set.
func TestReadTheRelease(t *testing.T) {
	r, err := Read(sharedtest.Release(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Answers) != 2158 {
		t.Errorf("%d answers, want 2158", len(r.Answers))
	}
	byJudge := map[string]int{}
	for _, v := range r.Verdicts {
		byJudge[v.Judge]++
	}
	if byJudge["gpt-4o"] != 2158 || byJudge["gpt-3.5"] != 2158 {
		t.Errorf("verdicts by judge: %v", byJudge)
	}
	if people := byJudge[data.Human]; people < 276 {
		t.Errorf("%d sheets of people are joined, want 276 or more", people)
	}
	pairs := map[string]bool{}
	for _, q := range data.CQA50() {
		pairs[q.Pair()] = true
	}
	for _, a := range r.Answers {
		if !pairs[a.Pair()] {
			t.Errorf("%s: its pair is not in the built-in set", a.ID)
		}
	}
}
