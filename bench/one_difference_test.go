package bench

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// differencesShown maps an output to a difference, with two decimals, and its number of questions.
type differencesShown map[string]string

// TestOneDifference: all outputs have the same difference of two systems, with the same number of questions. They are comparisons.csv, the
// table, the sentence, the JSON and the gate of compare, the page of two systems, and the page of all pairs. The difference is the first
// system minus the second, as the headings say. A constant added to the first system's points raises the difference by it in every output;
// added to the second's points, it lowers it. Only the first system has an answer to question 7, and question 6 is shared under one
// scenario.
func TestOneDifference(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		first, second float64 // constants added to the points of each system
		want          string
	}{{0, 0, "−0.31"}, {2, 0, "+1.69"}, {0, 1, "−1.31"}} {
		shown := differencesOf(t, c.first, c.second)
		want := c.want + " of 7 questions"
		for surface, got := range shown {
			if got != want {
				t.Errorf("first raised by %v, second by %v: %s has %s, want %s", c.first, c.second, surface, got, want)
			}
		}
		if len(shown) != 7 {
			t.Errorf("%d surfaces: %v", len(shown), shown)
		}
	}
}

// differencesOf returns the difference in each output. By hand, the points of the first system minus those of the second are:
// 1, −1, 0, −2, 1 and 0 on six questions under scenario 1; 0, 0, −1, 0, −2 and 1 on these questions under scenario 2;
// and −1 on the seventh question under scenario 1. This gives −4/13 = −0.31.
func differencesOf(t *testing.T, first, second float64) differencesShown {
	dir := t.TempDir()
	differences := [][]float64{{1, 0}, {-1, 0}, {0, -1}, {-2, 0}, {1, -2}, {0, 1}, {-1}}
	questions, judged := "object1,object2,question\n", ""
	answers := map[string]string{}
	add := func(system string, i, scenario int, points float64) {
		id := fmt.Sprint(system, i, "-", scenario)
		answers[system] += fmt.Sprintf(`{"id": "%s", "object1": "left%d", "object2": "right%d", "scenario": "%d", "text": "%s"}`+"\n", id, i, i, scenario, id)
		judged += fmt.Sprintf(`{"id": "%s", "judge": "j", "status": "valid", "scores": {"x": %v}}`+"\n", id, points)
	}
	for i := range 8 {
		questions += fmt.Sprintf("left%d,right%d,Which is better?\n", i, i)
		for scenario := 1; scenario <= 2; scenario++ {
			if i == 7 {
				add("mine", i, scenario, 9)
				continue
			}
			if scenario > len(differences[i]) {
				add("mine", i, scenario, 9)
				continue
			}
			add("mine", i, scenario, 4+differences[i][scenario-1]+first)
			add("other", i, scenario, 4+second)
		}
	}
	var levels []string
	for points := range 10 {
		levels = append(levels, fmt.Sprintf("{points: %d, text: level %d}", points, points))
	}
	for name, text := range map[string]string{"questions.csv": questions, "mine.jsonl": answers["mine"], "other.jsonl": answers["other"], "judged.jsonl": judged,
		"rubric.yaml": "name: one\nmeasurement: interval\ncriteria:\n  - {id: x, group: g, name: clear, text: It is clear., levels: [" + strings.Join(levels, ", ") + "]}\n",
		"compqa.yaml": "dataset: questions.csv\nrubric: rubric.yaml\nscenarios: [1, 2]\nmodels: [{name: mine, provider: file, path: mine.jsonl}, " +
			"{name: other, provider: file, path: other.jsonl}]\njudges: [{name: j, provider: file, path: judged.jsonl}]\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := filepath.Join(dir, "run")
	if code, stdout, stderr := compqa("run", "--config", filepath.Join(dir, "compqa.yaml"), "--out", run); code != exitDone && code != exitIncomplete {
		t.Fatalf("run: exit %d: %s%s", code, stdout, stderr)
	}
	shown := differencesShown{}
	for _, row := range csvTable(t, filepath.Join(run, "tables", "comparisons.csv")) {
		if row["scenario"] == "all" && row["system_a"] == "mine" && row["system_b"] == "other" {
			shown["comparisons.csv"] = signedOf(t, row["difference"], row["n_questions"])
		}
	}
	args := []string{"compare", run, "--system", "mine", "--with", "other"}
	_, stdout, _ := compqa(append(args, "--json")...)
	var output struct {
		Rows []struct {
			Difference float64 `json:"difference"`
			Questions  int     `json:"n_questions"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &output); err != nil {
		t.Fatalf("%v: %s", err, stdout)
	}
	shown["--json"] = signedOf(t, fmt.Sprint(output.Rows[0].Difference), fmt.Sprint(output.Rows[0].Questions))
	_, screen, _ := compqa(args...)
	read := func(surface, pattern, text string) {
		text = strings.Join(strings.Fields(text), " ")
		match := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if match == nil {
			t.Errorf("%s: no %s in\n%s", surface, pattern, text)
			return
		}
		n, difference := match[1], match[2]
		if surface == "sentence" || surface == "page" {
			n, difference = match[2], match[1]
		}
		shown[surface] = difference + " of " + n + " questions"
	}
	const signed = `([−+]\d\.\d\d)`
	read("sentence", `mine minus other is `+signed+` \[[^]]*\] points \((\d+) questions\)`, screen)
	if !strings.Contains(strings.Join(strings.Fields(screen), " "), "first minus") {
		t.Errorf("the heading does not say which is subtracted:\n%s", screen)
	}
	read("terminal", ` j mine other \d+/\d+ \d+/\d+ (\d+) [\d.]+ [\d.]+ `+signed, screen)
	_, _, gate := compqa(append(args, "--fail-if-worse", "0")...)
	if second == 0 && first > 0 {
		read("gate", `(7) .*first minus second is `+signed, "7 "+gate)
	} else {
		shown["gate"] = shown["terminal"] // the gate passes
	}
	pages := boardOf(t, run, "/compare?a=mine&b=other", "/compare")
	plain := func(path string) string { return html.UnescapeString(tags.ReplaceAllString(pages[path], " ")) }
	read("page", `points more based on says .*? `+signed+` .*?(\d+) questions`, plain("/compare?a=mine&b=other"))
	read("pairs", `first minus second adjusted p .*?mine other (\d+) `+signed, plain("/compare"))
	return shown
}

// signedOf returns a difference with its sign and two decimals, and the number of questions.
func signedOf(t *testing.T, difference, n string) string {
	t.Helper()
	v, err := strconv.ParseFloat(difference, 64)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(fmt.Sprintf("%+.2f", v), "-", "−", 1) + " of " + n + " questions"
}
