package bench

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPairwiseStudy: people choose before and after they see the tables of two judges; the tables
// of one of them always change the choice to the better answer.
func TestPairwiseStudy(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		return 200, completion(wellBehaved(prompt), "stop")
	})
	dir := pairwiseFiles(t, server.URL, manyPairs(6), `pairwise:
  - {name: one, method: sc2, draws: 1, repeats: 2, aspects: aspects.yaml, provider: scripted, model: m, price: {input: 1, output: 1}}
  - {name: eight, method: sc2, draws: 2, aspects: aspects.yaml, provider: scripted, model: m, price: {input: 1, output: 1}}
`)
	if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	run, out := filepath.Join(dir, "run"), filepath.Join(dir, "study")
	study := func(want int, more ...string) string {
		t.Helper()
		code, stdout, stderr := compqa(append([]string{"pairwise", "study", run, "--out", out}, more...)...)
		if code != want {
			t.Fatalf("%v: exit %d: %s", more, code, stderr)
		}
		return stdout + stderr
	}
	study(exitDone, "--sample", "5")
	study(exitUsage)
	read := func(path string) [][]string {
		t.Helper()
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		rows, err := csv.NewReader(f).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	form, key := read(filepath.Join(out, "form.csv")), read(filepath.Join(out, "key.csv"))
	if len(form) != 1+5*3 || len(key) != len(form) {
		t.Fatalf("%d rows, %d of the key", len(form), len(key))
	}
	judge, sides := map[[2]string]string{}, map[string]bool{}
	for _, row := range key[1:] {
		judge[[2]string{row[0], row[1]}], sides[row[3]] = row[4], true
	}
	if len(sides) != 2 {
		t.Errorf("sides %v", sides)
	}
	for _, row := range form[1:] {
		if strings.Contains(strings.Join(row, " "), "eight") || (row[1] == "before") != (row[5] == "") || row[6] != "" {
			t.Errorf("the form has %v", row)
		}
	}
	write := func(name string, choose func(row []string, right, wrong string) string) string {
		t.Helper()
		var b strings.Builder
		w := csv.NewWriter(&b)
		w.Write(form[0])
		for _, row := range form[1:] {
			right, wrong := "first", "second"
			if strings.Contains(row[4], "RIGHT") {
				right, wrong = wrong, right
			}
			row = append([]string(nil), row...)
			row[6] = choose(row, right, wrong)
			w.Write(row)
		}
		w.Flush()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	anna := write("anna.csv", func(row []string, right, wrong string) string {
		if judge[[2]string{row[0], row[1]}] == "eight" {
			return right
		}
		return wrong
	})
	ben := write("ben.csv", func(row []string, right, wrong string) string {
		switch {
		case judge[[2]string{row[0], row[1]}] == "eight":
			return right
		case row[1] == "before":
			return "tie"
		}
		return ""
	})
	text := study(exitDone, "--answers", anna, "--answers", ben)
	rows := csvTable(t, filepath.Join(out, "human_study.csv"))
	if len(rows) != 3 || !strings.Contains(text, "human_study.csv") {
		t.Fatalf("%v\n%s", rows, text)
	}
	for i, want := range []map[string]string{
		{"table": "before", "raters": "2", "planned": "10", "n": "10", "score": "-0.5", "wrong": "5", "ties": "5", "right": "0", "gain": ""},
		{"table": "eight", "n": "10", "score": "1", "right": "10", "better": "10", "worse": "0", "gain": "1.5"},
		{"table": "one", "n": "5", "planned": "10", "score": "-1", "wrong": "5", "better": "0", "gain": "0"},
	} {
		for column, value := range want {
			if rows[i][column] != value {
				t.Errorf("%s of %s: %q, want %q", column, want["table"], rows[i][column], value)
			}
		}
	}
	early := write("early.csv", func(row []string, right, _ string) string {
		if row[1] == "before" {
			return right
		}
		return ""
	})
	study(exitDone, "--answers", early)
	for i, row := range csvTable(t, filepath.Join(out, "human_study.csv")) {
		if n := map[bool]string{true: "5", false: "0"}[i == 0]; row["planned"] != "5" || row["n"] != n || i > 2 {
			t.Errorf("only the first stage is answered: %v", row)
		}
	}
	if text := study(exitUsage, "--answers", anna, "--answers", anna); !strings.Contains(text, "both of anna") {
		t.Error(text)
	}
	semicolons := filepath.Join(dir, "semicolons.csv")
	if err := os.WriteFile(semicolons, []byte("item;stage;choice\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text := study(exitUsage, "--answers", semicolons); !strings.Contains(text, "semicolons.csv:1: the columns are separated by semicolons") {
		t.Error(text)
	}
	bad := write("bad.csv", func([]string, string, string) string { return "perhaps" })
	if text := study(exitUsage, "--answers", bad); !strings.Contains(text, "bad.csv:2") || !strings.Contains(text, "first, second or tie") {
		t.Error(text)
	}
	study(exitUsage, "--answers", filepath.Join(dir, "none.csv"))
	study(exitUsage, "--answers", filepath.Join(dir, "pairs.jsonl"))
}
