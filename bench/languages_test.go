package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestLanguages has German, Russian, Chinese and Arabic questions. A model answers and judges all of them. People's scores and alpha are
// computed, and the pages show texts in the direction of their script. Systems and judges that read only English skip these questions with
// a reason, which doctor announces. All of them answer and score the English question.
func TestLanguages(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const arabic = "القطار أرخص من السيارة، والسيارة أسرع من القطار. الخيار الأفضل: القطار"
	said := map[string]string{"besser": "Der Zug ist billiger als das Auto, und das Auto ist schneller. Beste Wahl: Zug", "лучше": "Поезд дешевле машины. Машина быстрее поезда. Лучший выбор: поезд",
		"更好": "火车比汽车便宜。汽车比火车快。最佳选择：火车", "أفضل": arabic, "better": "The train is cheaper than the car, and the car is faster. Best option: train"}
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		if isJudging(prompt) {
			return 200, completion(fullMarks(), "stop")
		}
		for word, answer := range said {
			if strings.Contains(prompt, word) {
				return 200, completion(answer, "stop")
			}
		}
		return 200, completion("OK", "stop")
	})
	questions := []map[string]any{
		{"id": "de", "object1": "Zug", "object2": "Auto", "question": "Was ist besser: Zug oder Auto?", "arguments": []string{"Der Zug ist billiger als das Auto.", "Das Auto ist schneller und nicht so laut."}},
		{"id": "ru", "object1": "поезд", "object2": "машина", "aspect": "цена", "question": "Что лучше: поезд или машина?", "arguments": []string{"Поезд дешевле машины.", "Машина быстрее поезда."}},
		{"id": "zh", "object1": "火车", "object2": "汽车", "question": "火车和汽车哪个更好？", "arguments": []string{"火车比汽车便宜。", "汽车比火车快。"}},
		{"id": "ar", "object1": "القطار", "object2": "السيارة", "question": "أيهما أفضل: القطار أم السيارة؟", "arguments": []string{"القطار أرخص من السيارة.", "السيارة أسرع من القطار."}},
		{"id": "en", "object1": "train", "object2": "car", "question": "Which is better: train or car?", "arguments": []string{"A train is cheaper than a car.", "A car is faster than a train to the mountains."}},
	}
	var lines, people strings.Builder
	people.WriteString("id;anna;ben\n")
	for i, q := range questions {
		line, _ := json.Marshal(q)
		fmt.Fprintf(&lines, "%s\n", line)
		fmt.Fprintf(&people, "llm/question/%s/1;%d;%d\n", q["id"], i%2, (i+i/3)%2)
	}
	write("q.jsonl", lines.String())
	config := func(rubric, judges string) string {
		return write(rubric+".yaml", fmt.Sprintf(`dataset: q.jsonl
rubric: %s
scenarios: [question]
providers: {m: {type: openai, base_url: %s/v1}}
models:
  - {name: llm, provider: m, model: m}
  - {name: extractive, provider: baseline}
  - {name: template, provider: baseline}
  - {name: strum, provider: baseline}
judges:
  - {name: judge, provider: m, model: m, repeats: 1}
%s`, rubric, server.URL, judges))
	}
	path, dir := config("cqa", "  - {name: rules, provider: embedded}\n  - {name: surface, provider: embedded}\n"+
		"summary_judges: [{name: rules, provider: embedded}]\npairs: [{name: run}]\n"+
		"pairwise: [{name: surface-pair, provider: embedded, method: surface-pair}]\n"), filepath.Join(folder, "run")
	code, stdout, stderr := compqa("doctor", "--config", path, "--out", dir)
	want := `4 of 5 questions are in another language than English (for instance "de"), which template, strum, rules and surface cannot read: ` +
		"answers and verdicts there are skipped"
	if code != exitDone || !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
		t.Errorf("doctor: %d, want %q in\n%s%s", code, want, stdout, stderr)
	}
	if code, stdout, stderr := compqa("run", "--config", path, "--out", dir); code != exitDone && code != exitIncomplete {
		t.Fatalf("%d, %s%s", code, stdout, stderr)
	}
	tables := filepath.Join(dir, "tables")
	count := map[string]int{}
	for _, row := range csvTable(t, tables+"/answers.csv") {
		count[row["system"]+" "+row["status"]]++
	}
	for _, row := range csvTable(t, tables+"/verdicts.csv") {
		if row["system"] == "llm" {
			count[row["judge"]+" "+row["status"]]++
		}
	}
	for key, n := range map[string]int{"llm valid": 5, "extractive valid": 5, "template valid": 1, "template skipped": 4, "strum skipped": 4,
		"judge valid": 5, "rules valid": 1, "rules skipped": 4, "surface valid": 1, "surface skipped": 4} {
		if count[key] != n {
			t.Errorf("%s: %d, want %d", key, count[key], n)
		}
	}
	reasons := map[string]bool{}
	for _, row := range csvTable(t, tables+"/failures.csv") {
		reasons[row["judge"]+" "+row["system"]+" "+row["reason"]] = strings.Contains(row["reason"], "it reads English only")
	}
	for _, who := range []string{"- template it reads", "- strum it reads", "rules llm it reads", "surface llm it reads"} {
		found := false
		for key := range reasons {
			found = found || strings.HasPrefix(key, who)
		}
		if !found {
			t.Errorf("failures.csv has no reason %q: %v", who, reasons)
		}
	}
	for _, row := range csvTable(t, tables+"/pairwise.csv") { // of 10 pairs, those of llm and extractive to four questions are not in English
		if row["judge"] == "surface-pair" && row["order"] == "both" && row["planned"] == row["valid"] {
			t.Errorf("surface-pair decides pairs that it cannot read: %v", row)
		}
	}
	if code, stdout, stderr := compqa("serve", dir, "--write", dir+"/site"); code != exitDone {
		t.Fatal(code, stdout, stderr)
	}
	for folder, want := range map[string]string{"questions": `<h1 dir=auto>أيهما أفضل: القطار أم السيارة؟</h1>`, "answers": `dir=auto><p>` + arabic} {
		pages, err := filepath.Glob(filepath.Join(dir, "site", folder, "*.html"))
		found := slices.ContainsFunc(pages, func(page string) bool {
			text, err := os.ReadFile(page)
			return err == nil && strings.Contains(string(text), want)
		})
		if err != nil || !found {
			t.Errorf("%v: none of %d pages of %s has %s", err, len(pages), folder, want)
		}
	}
	made, err := os.ReadFile(dir + "/report.html")
	if err != nil || strings.Count(string(made), "English only") < 4 {
		t.Errorf("%v; report.html says %d times who reads English only", err, strings.Count(string(made), "English only"))
	}
	checkPeopleOfLanguages(t, dir, folder, people.String())
}

// checkPeopleOfLanguages gives the answers to people, imports their scores, and computes alpha.
func checkPeopleOfLanguages(t *testing.T, dir, folder, people string) {
	t.Helper()
	code, stdout, stderr := compqa("annotate", "init", dir)
	if code != exitDone || !strings.Contains(stdout, "12 items") {
		t.Errorf("annotate: %d, %s%s", code, stdout, stderr)
	}
	file := filepath.Join(folder, "people.csv")
	answers := filepath.Join(folder, "judge.csv")
	log := strings.Replace(people, "id;anna;ben", "id;judge;other", 1)
	for path, text := range map[string]string{file: people, answers: log} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr = compqa("agree", "--units", file, "--level", "nominal", "--out", filepath.Join(folder, "agree.csv"))
	if code != exitDone {
		t.Errorf("agree: %d, %s%s", code, stdout, stderr)
	}
	if rows := csvTable(t, filepath.Join(folder, "agree.csv")); len(rows) == 0 || !slices.Contains([]string{"5", "5.0"}, rows[0]["units"]) {
		t.Errorf("agree.csv: %v", rows)
	}
}

// TestAlphaOfLanguages: people with names in three scripts rate texts in German, Russian, Chinese and Arabic, with gaps. The expected
// values come from krippendorff 0.9.0 in Python, for the same ratings without the texts.
func TestAlphaOfLanguages(t *testing.T) {
	t.Parallel()
	texts := []string{"Der Zug ist billiger, aber langsamer.", "Поезд дешевле, но медленнее.", "火车更便宜，但更慢。", "القطار أرخص لكنه أبطأ."}
	raters := []string{"Jürgen", "Борис", "王芳"}
	folder := t.TempDir()
	var people, log, single strings.Builder
	people.WriteString("text,rater,score\n")
	log.WriteString("text,score\n")
	single.WriteString("text,rater,score\n")
	for i := range 24 {
		text := fmt.Sprintf("%q", fmt.Sprintf("%s %d", texts[i%len(texts)], i))
		sixth := 0
		if i%6 == 0 {
			sixth = 1
		}
		for k, score := range []int{1 + (i*7+i/4)%5, 1 + (i*7+i/3)%5, 1 + (i*7+i/5+sixth)%5} {
			if i%5 == 1 && i%3 == k {
				continue
			}
			fmt.Fprintf(&people, "%s,%s,%d\n", text, raters[k], score)
			switch k {
			case 0:
				fmt.Fprintf(&single, "%s,%s,%d\n", text, raters[k], score)
			case 2:
				fmt.Fprintf(&log, "%s,%d\n", text, score)
			}
		}
	}
	path := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	file := path("people.csv", people.String())
	near := func(what, got string, want float64) {
		t.Helper()
		if value, err := strconv.ParseFloat(got, 64); err != nil || math.Abs(value-want) > 1e-12 {
			t.Errorf("%s: alpha %q, want %v", what, got, want)
		}
	}
	out := filepath.Join(folder, "agree.csv")
	for level, want := range map[string]float64{"nominal": 0.11458915595304642, "ordinal": 0.21885130400873742, "interval": 0.2227129337539434} {
		if code, stdout, stderr := compqa("agree", "--units", file, "--map", "item=text", "--level", level, "--out", out); code != exitDone {
			t.Fatalf("%d, %s%s", code, stdout, stderr)
		}
		near(level, csvTable(t, out)[0]["alpha"], want)
	}
	code, stdout, stderr := compqa("validate", path("judge.csv", log.String()), "--people", path("one.csv", single.String()), "--join", "text",
		"--scale", "1..5", "--out", folder+"/validate")
	if code != exitDone {
		t.Fatalf("%d, %s%s", code, stdout, stderr)
	}
	near("a judge joined with one person by text", csvTable(t, folder+"/validate/tables/validation.csv")[0]["alpha"], 0.5028868360277134)
}
