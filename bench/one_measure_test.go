package bench

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestOneMeasure: validate of a run and agreement.csv of the run agree in every cell that both have. The data have these difficulties: an
// answer has two sheets of people, a verdict is out of range, one failed, and the judge uses only a part of the scale. People scored none
// of the last 40 answers, which the judge finds better. Questions differ only in their aspects, four for each pair of objects, which is the
// cluster. The record has people's mean, or the mean and the people on some answers, or only the people, for half of the systems or all.
func TestOneMeasure(t *testing.T) {
	t.Parallel()
	for _, recorded := range []string{"mean", "mean and people", "people of one system", "people"} {
		t.Run(recorded, func(t *testing.T) { oneMeasure(t, recorded) })
	}
}

func oneMeasure(t *testing.T, recorded string) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	questions, judged, second, people := "object1,object2,aspect,question\n", "", "", ""
	var answers [2]string
	for i := range 64 {
		id := fmt.Sprint("a", i)
		questions += fmt.Sprintf("left%d,right%d,aspect %d,Which is better?\n", i/4, i/4, i)
		answers[i%2] += fmt.Sprintf(`{"id": "%s", "object1": "left%d", "object2": "right%d", "aspect": "aspect %d", "text": "The left one %d."}`+"\n",
			id, i/4, i/4, i, i)
		score := func(judge string, repeat int, x, y float64) string {
			return fmt.Sprintf(`{"id": "%s", "judge": "%s", "repeat": %d, "status": "valid", "scores": {"x": %v, "y": %v}}`+"\n", id, judge, repeat, x, y)
		}
		second += score("k", 1, float64(i%5), float64(i%3)/2)
		if i >= 24 {
			judged += score("j", 1, 4, 2)
			continue
		}
		if mean := recorded[0] == 'm' || recorded != "people" && i%2 == 1; mean {
			people += score("human", 1, float64(i%6), float64(i*i%5)/2)
		} else {
			people += score("human:1", 1, float64(i%6), float64(i*i%5)/2) + score("human:2", 1, float64(i%3), float64(i*i%4)/2)
		}
		if recorded == "mean and people" && i < 9 { // the other answers have only people's mean, with half points
			people += score("human:1", 1, float64(i%5), float64(i%5)/2) + score("human:2", 1, float64(i%4), float64(i%5)/2)
		}
		switch i {
		case 3:
			if recorded != "people" {
				people += score("human", 2, 5, 0.5)
			}
		case 7:
			judged += fmt.Sprintf(`{"id": "%s", "judge": "j", "status": "failed", "reason": "no reply"}`+"\n", id)
			continue
		}
		judged += score("j", 1, float64((i+i%3)%4), float64(i%5)/2)
	}
	write("questions.csv", questions)
	write("one.jsonl", answers[0])
	write("other.jsonl", answers[1])
	write("judged.jsonl", judged)
	write("second.jsonl", second)
	write("people.jsonl", people)
	level := func(points ...float64) (levels string) {
		for _, p := range points {
			levels += fmt.Sprintf("{points: %v, text: level %v}, ", p, p)
		}
		return levels
	}
	write("rubric.yaml", "name: two\nmeasurement: interval\ncriteria:\n"+
		"  - {id: x, group: g, name: clear, text: It is clear., levels: ["+level(0, 1, 2, 3, 4, 5)+"]}\n"+
		"  - {id: y, group: g, name: short, text: It is short., levels: ["+level(0, 0.5, 1, 1.5, 2)+"]}\n")
	config := filepath.Join(dir, "compqa.yaml")
	write("compqa.yaml", "run: {seed: 7}\ndataset: questions.csv\nrubric: rubric.yaml\nscenarios: [1]\nmodels: [{name: one, provider: file, path: one.jsonl}, {name: other, provider: file, path: other.jsonl}]\n"+
		"judges:\n  - {name: j, provider: file, path: judged.jsonl}\n  - {name: k, provider: file, path: second.jsonl}\n  - {name: people, provider: file, path: people.jsonl, people: true}\n")
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "out")
	if code, stdout, stderr := compqa("run", "--config", config, "--out", run); code != exitDone {
		t.Fatalf("run: exit %d: %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := compqa("validate", run, "--out", out); code != exitDone {
		t.Fatalf("validate: exit %d: %s%s", code, stdout, stderr)
	}
	names := map[string]string{"x": "clear", "y": "short"}
	columns := map[string]string{"n": "n", "agreement": "agreement", "alpha": "alpha_interval", "spearman": "spearman",
		"mean_difference": "mean_difference", "mae": "mae", "alpha_low": "alpha_interval_low", "alpha_high": "alpha_interval_high",
		"spearman_low": "spearman_low", "spearman_high": "spearman_high"}
	validated, compared := csvTable(t, filepath.Join(out, "tables", "validation.csv")), 0
	for _, a := range csvTable(t, filepath.Join(run, "tables", "agreement.csv")) {
		for _, v := range validated {
			reference := a["reference"]
			if recorded == "people" { // no mean is recorded
				reference = "people:mean"
			}
			if a["level"] != "criterion" || v["judge"] != a["judge"] || v["reference"] != reference || v["criterion"] != names[a["item"]] {
				continue
			}
			for name, theirs := range columns {
				if recorded == "people" && name == "agreement" {
					continue // half points are not categories
				}
				compared++
				if v["unit"] != a["unit"] {
					t.Errorf("unit: validate says %q, agreement.csv %q", v["unit"], a["unit"])
				}
				x, err1 := strconv.ParseFloat(v[name], 64)
				y, err2 := strconv.ParseFloat(a[theirs], 64)
				if err1 != nil || err2 != nil || math.Abs(x-y) > 1e-12 {
					t.Errorf("%s of %s: validate says %q, agreement.csv %q", name, v["criterion"], v[name], a[theirs])
				}
			}
		}
	}
	want := 4 * len(columns)
	if recorded == "people" {
		want = 4 * (len(columns) - 1)
	}
	if compared != want {
		t.Errorf("%d cells are in both, want %d: %s", compared, want, strings.Join(validatedKeys(validated), "; "))
	}
}

// TestOneMeasureOfLog: validate makes a record of a log, and the report of the record says the same about people's mean as validate. The
// intervals come from resamples and are also equal, although the record has another order than the log.
func TestOneMeasureOfLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := "id,system,question,answer,score\n"
	people := "id,person,score\n"
	for i := range 120 {
		k := i * 37 % 120
		log += fmt.Sprintf("i%d,%s,question %d?,answer %d,%d\n", k, []string{"one", "other"}[k%2], k/2, k, 1+(k+k%3)%5)
		people += fmt.Sprintf("i%d,Anna,%d\ni%d,Ben,%d\n", k, 1+k%5, k, 1+(k+k%2)%5)
	}
	for name, text := range map[string]string{"log.csv": log, "people.csv": people} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "out")
	again := filepath.Join(dir, "again")
	for _, args := range [][]string{{"validate", filepath.Join(dir, "log.csv"), "--people", filepath.Join(dir, "people.csv"), "--out", out},
		{"report", out, "--out", again}} {
		if code, stdout, stderr := compqa(args...); code != exitDone {
			t.Fatalf("%s: exit %d: %s%s", args[0], code, stdout, stderr)
		}
	}
	figures := func(table, prefix, level string) (rows []string) {
		for _, r := range csvTable(t, table) {
			if mean := r["reference"] == "people:mean" || r["reference"] == "human"; r["judge"] == "log" && mean && (level == "" || r["level"] == level) {
				rows = append(rows, fmt.Sprint(r["n"], r["unit"], r[prefix], r[prefix+"_low"], r[prefix+"_high"], r["spearman"], r["spearman_low"],
					r["spearman_high"], r["mae"]))
			}
		}
		return rows
	}
	validated := figures(filepath.Join(out, "tables", "validation.csv"), "alpha", "")
	reported := figures(filepath.Join(again, "tables", "agreement.csv"), "alpha_interval", "criterion")
	if len(validated) != 1 || len(reported) != 1 || validated[0] != reported[0] {
		t.Errorf("validate says %q, the report of its record %q", validated, reported)
	}
}

func validatedKeys(rows []map[string]string) (keys []string) {
	for _, r := range rows {
		keys = append(keys, r["judge"]+" "+r["reference"]+" "+r["criterion"])
	}
	return keys
}
