package paper

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data/sources/release"
	"compqa/rubric"
)

// releaseFiles writes a small release in the layout of the authors' release, and reads it.
func releaseFiles(t *testing.T, files map[string]string) *release.Release {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, "data", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	release, err := release.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return release
}

func reproduced(t *testing.T, release *release.Release) *Reproduction {
	t.Helper()
	rep, err := Reproduce(release, rubric.CQA())
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// sheet returns 15 scores as JSON. The first has the given points, all others 1.
func sheet(first string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"1": %s`, first)
	for i := 2; i <= 15; i++ {
		fmt.Fprintf(&b, `, "%d": 1`, i)
	}
	return b.String() + "}"
}

// jsonRows returns a file of the release with one row for each pair. An empty sheet leaves out the scores.
func jsonRows(text string, sheets ...string) string {
	var rows []string
	for i, s := range sheets {
		scores := ""
		if s != "" {
			scores = `, "score_dict": ` + s
		}
		rows = append(rows, fmt.Sprintf(`{"object1": "left %d", "object2": "right", "aspect": null, "comparison": "%s number %d"%s}`, i, text, i, scores))
	}
	return "[" + strings.Join(rows, ",\n") + "]"
}

// oddSheets has one sheet of each kind. Only the first four are valid by the published rule.
var oddSheets = []string{
	sheet("1"),   // valid: 15 points
	sheet("0.5"), // valid: 14.5 points
	strings.Replace(sheet("1"), "}", `, "16": 2}`, 1), // an additional key: 15 points by the published rule
	sheet("7"), // above the maximum: 21 points by the published rule
	strings.Replace(sheet("1"), `"15": 1`, `"15": null`, 1), // a null is not a score
	`{"1": 1, "2": 1}`,
	`{}`,
	`null`,
	`[1, 2, 3]`,
	`"nineteen"`,
}

// Neither rule counts a malformed sheet. Only the published rule counts a sheet with an additional key or with scores above the maximum.
// Answer files may be empty, missing, or only in a judge's folder.
func TestReproduceOddSheets(t *testing.T) {
	none := make([]string, len(oddSheets))
	rep := reproduced(t, releaseFiles(t, map[string]string{
		"raw_summaries/cam.json":                                 jsonRows("An answer", none...),
		"raw_summaries/gpt4_scenario_1.json":                     jsonRows("Another answer", none...),
		"evaluated_summaries/stern/fewshot/cam.json":             jsonRows("An answer", oddSheets...),
		"evaluated_summaries/mixtral/cam.json":                   jsonRows("An answer", sheet("1")),
		"evaluated_summaries/mixtral/gpt4_scenario_1.json":       jsonRows("Another answer", sheet("0")),
		"evaluated_summaries/mixtral/yahoo.json":                 jsonRows("Only here", sheet("1"), sheet("0")),
		"evaluated_summaries/mixtral/perplexity_scenario_4.json": "[]",
	}))
	for _, c := range []struct {
		want string
		path []string
	}{
		{"6 8 10", []string{"invalid", "stern", "missing_or_malformed,not_strictly_valid,planned"}},
		{"10 4 2", []string{"table5", "stern", "cam", "planned,published_rule.n,strict.n"}},
		{"16.375 14.75", []string{"table5", "stern", "cam", "published_rule.mean,strict.mean"}}, // (15 + 14.5 + 15 + 21) / 4
		// a judge's folder may have an answer file that raw_summaries lacks
		{"map[cam:10 gpt4_scenario_1:10 yahoo:2]", []string{"answers", "per_file"}},
		{"1 1 <nil>", []string{"table5", "mixtral", "cam", "planned,published_rule.n,published_rule.sd"}},
		{"<nil>", []string{"table5", "stern", "yahoo"}}, // no file
	} {
		if got := figuresAt(t, rep, c.path...); got != c.want {
			t.Errorf("%v: %s, want %s", c.path, got, c.want)
		}
	}
}

// figuresAt returns figures of reproduce.json at a path. The last element may name several: "a,b.c".
func figuresAt(t *testing.T, rep *Reproduction, path ...string) string {
	t.Helper()
	content, err := json.Marshal(rep.Figures)
	if err != nil {
		t.Fatal(err)
	}
	var at any
	if err := json.Unmarshal(content, &at); err != nil {
		t.Fatal(err)
	}
	for _, step := range path[:len(path)-1] {
		at = at.(object)[step]
	}
	var texts []string
	for _, name := range strings.Split(path[len(path)-1], ",") {
		of := at
		for _, step := range strings.Split(name, ".") {
			of = of.(object)[step]
		}
		texts = append(texts, fmt.Sprint(of))
	}
	return strings.Join(texts, " ")
}

// A system that lacks a scenario has no mean over scenarios to compare with the paper's. Judges that the paper does not have get cells
// without a published figure. The paper's judges without verdicts get cells without a recomputed figure.
func TestReproduceCellsOfAPartialRelease(t *testing.T) {
	rep := reproduced(t, releaseFiles(t, map[string]string{
		"raw_summaries/gpt4_scenario_1.json":               jsonRows("An answer", "", ""),
		"evaluated_summaries/mixtral/gpt4_scenario_1.json": jsonRows("An answer", sheet("1"), sheet("0")),
		"evaluated_summaries/stern/gpt4_scenario_1.json":   jsonRows("An answer", sheet("1"), sheet("1")),
	}))
	cell := func(view int, row, column string) ReproducedCell {
		i := slices.IndexFunc(rep.Cells, func(c ReproducedCell) bool {
			return c.Table == view && c.Row == row && c.Column == column && c.Rule == RulePublished
		})
		if i < 0 {
			t.Fatalf("Table %d has no cell %s, %s", view, row, column)
		}
		return rep.Cells[i]
	}
	if c := cell(5, "gpt4_scenario_1", "mixtral mean"); c.N != 2 || !c.compared() || c.Recomputed.Value != 14.5 || c.Published.Text(2) != "18.57" || c.Difference.Text(2) != "−4.07" {
		t.Errorf("Table 5: %+v, want 14.5 over 2 beside 18.57, a difference of -4.07", c)
	}
	if c := cell(3, "gpt4", "mixtral mean"); c.Recomputed.Known || c.Difference.Known || !c.Published.Known {
		t.Errorf("Table 3: %+v, want no figure of ours: three of four scenarios are missing", c)
	}
	if c := cell(5, "gpt4_scenario_1", "stern sd"); c.Published.Known || c.Difference.Known || c.Recomputed.Value != 0 {
		t.Errorf("Table 5: %+v, want a deviation of 0 and no published figure", c)
	}
	if c := cell(5, "cam", "gpt-4o mean"); c.Recomputed.Known || c.N != 0 || !c.Published.Known {
		t.Errorf("Table 5: %+v, want the published figure alone", c)
	}
}

// humanTable returns a table of people's scores. A row has the number of its answer, the aspect, the text and the scores.
func humanTable(column string, rows ...[]string) string {
	header := []string{"object1", "object2", "aspect", "comparison", "filename"}
	for i := 1; i <= 15; i++ {
		header = append(header, fmt.Sprint(column, i))
	}
	lines := []string{strings.Join(header, "\t")}
	for _, row := range rows {
		cells := []string{"left " + row[0], "right", row[1], row[2], "gpt4_scenario_1"}
		for i := range 15 {
			cells = append(cells, row[3+min(i, len(row)-4)])
		}
		lines = append(lines, strings.Join(cells, "\t"))
	}
	return strings.Join(lines, "\n") + "\n"
}

// Human rows are joined with answers by their text, ignoring case and punctuation. Rows without an answer and rows with an invalid
// verdict are counted, but not compared. Only the published rule compares rows above the maximum. Table 2 by pairs uses the rows that
// both annotators scored completely.
func TestReproducePeople(t *testing.T) {
	rep := reproduced(t, releaseFiles(t, map[string]string{
		"raw_summaries/gpt4_scenario_1.json":             jsonRows("An answer", "", "", "", ""),
		"evaluated_summaries/gpt-4/gpt4_scenario_1.json": jsonRows("An answer", sheet("1"), sheet("7"), sheet("0"), `{}`),
		"evaluation_tables/human_evaluation_367.tsv": humanTable("C",
			[]string{"0", "", "An answer number 0", "1"},
			[]string{"1", "speed", "An answer number 1", "0.5"},
			[]string{"2", "", "AN ANSWER, number 2!", "0", "1"},
			[]string{"2", "", "An answer number 2", "2", "1"}, // above the maximum; the same answer again
			[]string{"3", "", "An answer number 3", "1"},
			[]string{"0", "", "something else entirely", "1"}),
		"evaluation_tables/dataset_hum1_evaluation.tsv": humanTable("score_dict.",
			[]string{"0", "", "An answer number 0", "1"}, []string{"1", "", "An answer number 1", ""}, []string{"2", "", "An answer number 2", "0", "1"}),
		"evaluation_tables/dataset_hum2_evaluation.tsv": humanTable("score_dict.",
			[]string{"0", "", "An answer number 0", "1"}, []string{"1", "", "An answer number 1", "0"}, []string{"2", "", "An answer number 2", "0"}),
	}))
	for _, c := range []struct {
		want string
		path []string
	}{
		{"6 1 1 5", []string{"human", "n,out_of_range_rows,table4.with_aspect.n,table4.without_aspect.n"}},
		// row 1's verdict is out of range, row 3's is malformed, and the last row's answer is not in the release
		{"3 1 2", []string{"judge_human", "gpt-4o", "n,unjoined,invalid"}},
		{"2 1 2", []string{"judge_human_strict", "gpt-4o", "n,unjoined,invalid"}},
		{"2", []string{"human_human", "n_answers"}}, // answers with two complete sheets
		// full marks are constant, so their correlation is undefined, not 0
		{"<nil>", []string{"null_judge_all_maximum", "final.pearson"}},
	} {
		if got := figuresAt(t, rep, c.path...); got != c.want {
			t.Errorf("%v: %s, want %s", c.path, got, c.want)
		}
	}
	// without the list of pairs: rows 0 and 2 have both annotators, row 1 only the second; the verdict on row 1 is out of range
	if got := table2N(rep, RulePairs); got != 2 {
		t.Errorf("Table 2 by the annotators' tables is over %d rows, want 2", got)
	}
	constant := rep.people[slices.IndexFunc(rep.people, func(p comparison) bool { return p.judge == constantJudge })]
	if final := constant.levels["final"]; constant.rhos[0] != nil || *final.MeanDifference <= 0 {
		t.Errorf("the constant judge: %+v", final)
	}
	if !strings.Contains(rep.Markdown(), "human, human_evaluation_367.tsv:7: gpt4, scenario 1, on left 0 / right") {
		t.Error("the row without an answer is not listed")
	}
}

// table2N returns the number of rows behind GPT-4o's cells in Table 2, by a rule.
func table2N(rep *Reproduction, rule Rule) int {
	for _, c := range rep.table(2) {
		if c.judge == "gpt-4o" && c.Rule == rule {
			return c.N
		}
	}
	return -1
}

// The authors' list of annotation pairs names no file. Sheets with a gap do not count.
func TestReproduceListOfPairs(t *testing.T) {
	paired := func(text string, one, two string) string {
		var b strings.Builder
		fmt.Fprintf(&b, `{"object1": "left %s", "object2": "right", "comparison": "An answer number %s", "sum": [3, null]`, text, text)
		for i := range 15 {
			fmt.Fprintf(&b, `, "%d. a criterion: 0-1": [%s, %s]`, i+1, one, two)
		}
		return b.String() + "}"
	}
	rep := reproduced(t, releaseFiles(t, map[string]string{
		"raw_summaries/gpt4_scenario_1.json":             jsonRows("An answer", "", "", ""),
		"evaluated_summaries/gpt-4/gpt4_scenario_1.json": jsonRows("An answer", sheet("1"), sheet("0"), sheet("1")),
		"annotation_pairs_human_397_x.json":              "[" + strings.Join([]string{paired("0", "1", "0"), paired("1", "null", "1"), paired("2", "null", "null"), paired("9", "1", "1")}, ",\n") + "]",
	}))
	if got := table2N(rep, RulePairs); got != 2 {
		t.Errorf("%d rows, want 2: one has no sheet, one no answer", got)
	}
	if got := rep.paired[0].points[0]; got != 0.5 {
		t.Errorf("the mean of 1 and 0 is %v", got)
	}
}

// Without people or judges, figures are null and nothing fails.
func TestReproduceNextToNothing(t *testing.T) {
	rep := reproduced(t, releaseFiles(t, map[string]string{"raw_summaries/cam.json": jsonRows("An answer", "")}))
	content, err := json.Marshal(rep.Figures)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"total":1`, `"n_answers":0`, `"judge_human":{}`, `"alpha_final":{"interval":null,"ordinal":null}`, `"mean":null`} {
		if !strings.Contains(string(content), want) {
			t.Errorf("no %s in %s", want, content)
		}
	}
	var terminal strings.Builder
	if err := rep.Print(&terminal); err != nil || !strings.Contains(terminal.String(), "Table 5") {
		t.Errorf("%v: %s", err, terminal.String())
	}
}

// Two reproductions of the same release write the same files. Tables 2 to 5 have the same header. Table 5 also has rows for figures that
// the paper or the release lacks.
func TestReproductionFiles(t *testing.T) {
	files := map[string]string{
		"raw_summaries/cam.json":             jsonRows("An answer", "", ""),
		"evaluated_summaries/gpt-4/cam.json": jsonRows("An answer", sheet("1"), sheet("0")),
		"evaluated_summaries/a|b/cam.json":   jsonRows("An answer", sheet("1"), sheet("0")),
	}
	dir := t.TempDir()
	again := t.TempDir()
	for _, to := range []string{dir, again} {
		if err := reproduced(t, releaseFiles(t, files)).Write(filepath.Join(to, "made", "here")); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"table1.csv", "table2.csv", "table3.csv", "table4.csv", "table5.csv", "figure6.csv", "figure7.csv", "figure8.csv", "reproduce.json", "reproduce.md"} {
		one, err := os.ReadFile(filepath.Join(dir, "made", "here", name))
		if err != nil {
			t.Fatal(err)
		}
		two, err := os.ReadFile(filepath.Join(again, "made", "here", name))
		if err != nil || string(one) != string(two) {
			t.Errorf("%s is not the same twice (%v)", name, err)
		}
		if strings.HasPrefix(name, "table") && name != "table1.csv" && !strings.HasPrefix(string(one), "table,row,column,published,recomputed,difference,n,rule\n") {
			t.Errorf("%s begins %.60q", name, one)
		}
	}
	table5, err := os.Open(filepath.Join(dir, "made", "here", "table5.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer table5.Close()
	records, err := csv.NewReader(table5).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]string{
		{"5", "cam", "gpt-4o mean", "9.52", "14.5", "4.98", "2", "published"},
		{"5", "cam", "perplexity sd", "2.89", "", "", "0", "strict"},
		{"5", "cam", "a|b mean", "", "14.5", "", "2", "strict"},
	} {
		if !slices.ContainsFunc(records, func(r []string) bool { return slices.Equal(r, want) }) {
			t.Errorf("table5.csv has no row %q", want)
		}
	}
	if want := 1 + 27*8*2*2; len(records) != want { // the paper's seven judges and a|b, mean and sd, two rules
		t.Errorf("table5.csv has %d lines, want %d", len(records), want)
	}
}
