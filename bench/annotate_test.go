package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"compqa/data"
	"compqa/rubric"
	"compqa/web/annotate/project"
)

// What people submit reaches the run's reports as verdicts of human:NAME.
func TestAnnotateRoundTrip(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "answers.jsonl"), filepath.Join(dir, "run")
	answers := `{"id":"x1","object1":"tram","object2":"bus","aspect":"cost","text":"Trams last. I am gpt-4o.","system":"s"}` + "\n" +
		`{"id":"x2","object1":"cat","object2":"dog","aspect":"care","text":"Dogs need walks.","system":"s"}` + "\n"
	if err := os.WriteFile(in, []byte(answers), 0o644); err != nil {
		t.Fatal(err)
	}
	compqa := func(want int, args ...string) string {
		t.Helper()
		var text bytes.Buffer
		if code := Main(args, Streams{In: strings.NewReader(""), Out: &text, Err: &text}); code != want {
			t.Fatalf("%v: exit code %d\n%s", args, code, &text)
		}
		return text.String()
	}
	compqa(0, "import", "--out", out, "--answers", in)
	if text := compqa(0, "annotate", "init", "--run", out, "--mask"); !strings.Contains(text, "2 items, 2 of them for two people") {
		t.Errorf("init: %s", text)
	}
	compqa(2, "annotate", "init", "--run", out)
	compqa(2, "annotate", "invite", "--run", out)
	compqa(2, "annotate", "invite", "adjudicated", "--run", out)
	link, _, _ := strings.Cut(compqa(0, "annotate", "invite", "anna", "--run", out), "\n")
	p, err := project.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	session, err := p.Start(link[strings.LastIndex(link, "/")+1:])
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Session(session)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		next, err := p.Next(a)
		if err != nil {
			t.Fatal(err)
		}
		as, _ := p.Assignment(a.ID, next)
		it, _ := p.Item(as.Item)
		if strings.Contains(it.Content.A, "gpt-4o") {
			t.Errorf("the name of a model is not masked: %s", it.Content.A)
		}
		e := project.Event{Item: next, Kind: project.Submit, Sheet: project.Sheet{Scores: rubric.CQA().Full()}, Nonce: next}
		if it.Source == "x2" {
			e.Kind, e.Sheet = project.Skip, project.Sheet{Reason: "unreadable"}
		}
		if _, err := p.Append(a.ID, e); err != nil {
			t.Fatal(err)
		}
	}
	compqa(0, "annotate", "status", "--run", out)
	sheets := filepath.Join(dir, "sheets")
	compqa(0, "annotate", "export", "--run", out, "--out", sheets)
	compqa(0, "import", "--out", out, "--verdicts", filepath.Join(sheets, "verdicts.jsonl"))
	compqa(0, "report", out)
	board, err := os.ReadFile(filepath.Join(out, "leaderboard.csv"))
	if err != nil || !strings.Contains(string(board), "human:anna,s,-,2,1,19,") {
		t.Errorf("%v\n%s", err, board)
	}
}

// Two people score 100 answers, some of them twice, and gold: the owner's agreement is that of the
// report. Gold and repeats are checks; they are not exported.
func TestAnnotateTeam(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "answers.jsonl"), filepath.Join(dir, "run")
	var answers strings.Builder
	for i := range 110 {
		fmt.Fprintf(&answers, `{"id":"x%d","object1":"thing %d","object2":"other %[2]d","aspect":"","text":"Thing %[2]d is better.","system":"s"}`+"\n", i, i/2)
	}
	if err := os.WriteFile(in, []byte(answers.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	must := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := compqa(args...)
		if code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, stderr)
		}
		return stdout
	}
	must("import", "--out", out, "--answers", in)
	var gold strings.Builder
	full, err := json.Marshal(rubric.CQA().Full())
	if err != nil {
		t.Fatal(err)
	}
	for i := 100; i < 110; i++ {
		fmt.Fprintf(&gold, `{"id":"x%d","judge":"owner","scores":%s}`+"\n", i, full)
	}
	if err := os.WriteFile(filepath.Join(dir, "gold.jsonl"), []byte(gold.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	if text := must("annotate", "init", "--run", out, "--gold", filepath.Join(dir, "gold.jsonl")); !strings.Contains(text, "100 items") || !strings.Contains(text, "10 with known scores") {
		t.Errorf("%s", text)
	}
	p, err := project.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for k, name := range []string{"anna", "ben"} {
		link := strings.TrimSpace(must("annotate", "invite", name, "--run", out))
		session, err := p.Start(link[strings.LastIndex(link, "/")+1:])
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.Session(session)
		if err != nil {
			t.Fatal(err)
		}
		for {
			next, err := p.Next(a)
			if err != nil {
				t.Fatal(err)
			}
			if next == "" {
				break
			}
			as, _ := p.Assignment(a.ID, next)
			it, _ := p.Item(as.Item)
			n, _ := strconv.Atoi(strings.TrimPrefix(it.Source, "x"))
			sheet := project.Sheet{Scores: rubric.CQA().Full()}
			for c := range n % 7 {
				sheet.Scores[strconv.Itoa(c+1)] = 0
			}
			if k == 1 && n%3 == 0 {
				sheet.Scores["11"] = 1
			}
			if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: sheet, Nonce: fmt.Sprint(k, next)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	status := must("annotate", "status", "--run", out)
	totals := regexp.MustCompile(`alpha of totals: (\S+) \[([^,]+), ([^\]]+)\], 100 items`).FindStringSubmatch(status)
	if totals == nil {
		t.Fatalf("%s", status)
	}
	sheets := filepath.Join(dir, "sheets")
	must("annotate", "export", "--run", out, "--out", sheets)
	must("import", "--out", out, "--verdicts", filepath.Join(sheets, "verdicts.jsonl"))
	must("report", out)
	verdicts, err := os.ReadFile(filepath.Join(sheets, "verdicts.jsonl"))
	if n := strings.Count(string(verdicts), "\n"); err != nil || n != 200 || strings.Contains(string(verdicts), `"x10`+"0") {
		t.Errorf("%d verdicts, %v", n, err)
	}
	kinds := map[string]int{}
	for _, row := range csvTable(t, filepath.Join(sheets, "times.csv")) {
		kinds[row["assignment"]]++
	}
	if kinds["gold"] == 0 || kinds["repeat"] == 0 || kinds["overlap"] != 200 {
		t.Errorf("%v", kinds)
	}
	found := false
	for _, row := range csvTable(t, filepath.Join(out, "agreement.csv")) {
		if row["judge"] == "human:anna" && row["reference"] == "human:ben" && row["level"] == "final" || row["judge"] == "human:ben" && row["reference"] == "human:anna" && row["level"] == "final" {
			found = true
			if alpha, err := strconv.ParseFloat(row["alpha_interval"], 64); err != nil || fmt.Sprintf("%.2f", alpha) != totals[1] || row["n"] != "100" {
				t.Errorf("%v; the owner sees %s", row, totals[0])
			}
		}
	}
	if !found {
		t.Error("agreement.csv has no row of the two people")
	}
}

// Choices between pairs come back through pairwise import.
func TestAnnotatePairsRoundTrip(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "pairs.jsonl"), filepath.Join(dir, "run")
	var text strings.Builder
	for i := range 6 {
		fmt.Fprintf(&text, `{"id":"p%d","question":"Which is better, %d?","a":"good %[1]d","b":"bad %[1]d","label":"a"}`+"\n", i, i)
	}
	answer := `{"id":"x","object1":"tram","object2":"bus","aspect":"","text":"Trams.","system":"s"}` + "\n"
	for name, content := range map[string]string{in: text.String(), filepath.Join(dir, "answers.jsonl"): answer} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := compqa(args...)
		if code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, stderr)
		}
		return stdout
	}
	must("import", "--out", out, "--answers", filepath.Join(dir, "answers.jsonl"))
	must("annotate", "init", "--run", out, "--pairs", in, "--repeats", "0")
	p, err := project.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	link := strings.TrimSpace(must("annotate", "invite", "anna", "--run", out))
	session, err := p.Start(link[strings.LastIndex(link, "/")+1:])
	if err != nil {
		t.Fatal(err)
	}
	a, _ := p.Session(session)
	for n := 0; ; n++ {
		next, err := p.Next(a)
		if err != nil {
			t.Fatal(err)
		}
		if next == "" {
			break
		}
		as, _ := p.Assignment(a.ID, next)
		choice := project.First
		if as.Shown == data.OrderBA {
			choice = project.Second
		}
		if n == 0 {
			choice = project.Tie
		}
		if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: project.Sheet{Choice: choice}, Nonce: next}); err != nil {
			t.Fatal(err)
		}
	}
	sheets, imported := filepath.Join(dir, "sheets"), filepath.Join(dir, "imported")
	must("annotate", "export", "--run", out, "--out", sheets)
	must("pairwise", "import", "--in", filepath.Join(sheets, "preferences.jsonl"), "--pairs", in, "--out", imported)
	right := ""
	for _, row := range csvTable(t, filepath.Join(imported, "preference_agreement.csv")) {
		if row["judge"] == "surface-pair" && row["reference"] == "human:anna" && row["order"] == "ab" && row["n"] == "6" { // it prefers a, as anna does on all pairs but one
			right += row["right"]
		}
	}
	if !strings.Contains(right, "0.8333") {
		t.Errorf("%q", right)
	}
}

// People mark the rows of tables as useful, and the marks are labels of judges human:NAME: the
// measures of whole tables have only tables that a person finished, and rows agree one by one.
func TestAnnotateRows(t *testing.T) {
	dir := t.TempDir()
	cfg, out, sheets := filepath.Join(dir, "compqa.yaml"), filepath.Join(dir, "out"), filepath.Join(dir, "sheets")
	configure := func(more string) {
		text := `
scenarios: [4]
models: [{name: strum, provider: baseline}]
judges: [{name: rules, provider: embedded}]
summary_judges: [{name: rules, provider: embedded}` + more + `]
`
		if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	must := func(args ...string) string {
		t.Helper()
		code, stdout, stderr := compqa(args...)
		if code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, stderr)
		}
		return stdout
	}
	run := []string{"run", "--config", cfg, "--out", out, "--limit", "3"}
	configure("")
	must(run...)
	must("annotate", "init", "--run", out, "--rows")
	p, err := project.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	marked, useful := map[string]int{}, map[string]int{}
	for _, name := range []string{"anna", "ben"} {
		link := strings.TrimSpace(must("annotate", "invite", name, "--run", out))
		session, err := p.Start(link[strings.LastIndex(link, "/")+1:])
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.Session(session)
		if err != nil {
			t.Fatal(err)
		}
		for name == "anna" || marked[name] < 3 {
			next, err := p.Next(a)
			if err != nil {
				t.Fatal(err)
			}
			if next == "" {
				break
			}
			as, err := p.Assignment(a.ID, next)
			if err != nil {
				t.Fatal(err)
			}
			it, err := p.Item(as.Item)
			if err != nil {
				t.Fatal(err)
			}
			e := project.Event{Item: next, Kind: project.Submit, Sheet: project.Sheet{Useful: "no"}, Nonce: next}
			if row := it.Content.Row; len(row.Object1) > 0 && len(row.Object2) > 0 {
				e.Sheet.Useful = "yes"
			}
			if _, err := p.Append(a.ID, e); err != nil {
				t.Fatal(err)
			}
			if as.Kind != project.Repeat {
				marked[name]++
				useful[name] += map[string]int{"yes": 1}[e.Sheet.Useful]
			}
		}
	}
	if text := must("annotate", "export", "--run", out, "--out", sheets); !strings.Contains(text, "labels.jsonl: 3") && !strings.Contains(text, "{name: people, provider: file, path: "+sheets+"/labels.jsonl}") {
		t.Errorf("%s", text)
	}
	configure(", {name: people, provider: file, path: sheets/labels.jsonl}")
	must(run...)
	for _, r := range csvTable(t, filepath.Join(out, "summaries.csv")) {
		switch {
		case r["judge"] == "human:anna" && r["measure"] == "chs_micro":
			if want := strconv.FormatFloat(float64(useful["anna"])/float64(marked["anna"]), 'g', -1, 64); r["valid"] != "3" || r["value"] != want {
				t.Errorf("%d of %d rows are useful: %v", useful["anna"], marked["anna"], r)
			}
			delete(useful, "anna")
		case r["judge"] == "human:ben" && r["measure"] == "chs" && r["valid"] == r["planned"], strings.HasPrefix(r["judge"], "human:") && r["measure"] == "ok" && r["valid"] != "0":
			t.Errorf("labels that nobody gave are measured: %v", r)
		}
	}
	var levels []string
	for _, r := range csvTable(t, filepath.Join(out, "summary_agreement.csv")) {
		if r["kind"] == "human" {
			levels = append(levels, r["level"]+" "+r["n"]+" "+r["agreement"])
		}
		if n, _ := strconv.Atoi(r["n"]); r["judge"] == "rules" && r["reference"] == "people" && r["level"] == "useful" && n != marked["anna"] {
			t.Errorf("%d rows are marked: %v", marked["anna"], r)
		}
	}
	if strings.Join(levels, ", ") != "useful 3 1" || useful["anna"] != 0 {
		t.Errorf("agreement of people: %v", levels)
	}
}
