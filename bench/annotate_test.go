package bench

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/web/annotate/project"
)

// TestAnnotateRoundTrip: what people submit is in the run's reports as verdicts of human:p1, human:p2, ….
func TestAnnotateRoundTrip(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "answers.jsonl"), filepath.Join(dir, "run")
	answers := `{"id":"x1","object1":"tram","object2":"bus","aspect":"cost","text":"Trams last. I am gpt-4o.","system":"s"}` + "\n" +
		`{"id":"x2","object1":"cat","object2":"dog","aspect":"care","text":"Dogs need walks.","system":"s"}` + "\n"
	if err := os.WriteFile(in, []byte(answers), 0o644); err != nil {
		t.Fatal(err)
	}
	compqa := ending(t)
	compqa(0, "import", "--out", out, "--answers", in)
	compqa(2, "annotate", "init", out, "--study", studyOf(t, "each: -1"))
	if text := compqa(0, "annotate", "init", out, "--study", studyOf(t, "mask: true", "each: 2", "contact: ada@example.org", noChecks)); !strings.Contains(text, "2 items, 2 of them for 2 people") {
		t.Errorf("init: %s", text)
	}
	compqa(2, "annotate", "invite", out)
	compqa(2, "annotate", "invite", "adjudicated", out)
	scores, _ := json.Marshal(rubric.CQA().Full())
	earlier := filepath.Join(dir, "earlier.jsonl")
	if err := os.WriteFile(earlier, fmt.Appendf(nil, `{"id":"x2","judge":"human:ben","scores":%s}`, scores), 0o644); err != nil {
		t.Fatal(err)
	}
	compqa(0, "import", "--out", out, "--verdicts", earlier)
	if text := compqa(2, "annotate", "invite", "ben", out); !strings.Contains(text, "the run already has results of human:ben") {
		t.Errorf("invite: %s", text)
	}
	compqa(0, "annotate", "invite", "anna", out)
	compqa(0, "annotate", "invite", "anna", out, "--revoke")
	if text := compqa(2, "annotate", "invite", "anna", out, "--readmit"); !strings.Contains(text, "the link of anna is revoked") {
		t.Errorf("readmit: %s", text)
	}
	link, _, _ := strings.Cut(compqa(0, "annotate", "invite", "anna", out), "\n")
	compqa(2, "annotate", "init", out) // init fails because people were invited
	p, err := project.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if p.Each != 2 || p.Contact != "ada@example.org" {
		t.Errorf("settings: %+v", p.Settings)
	}
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
		it := p.Item(as.Item)
		if strings.Contains(it.Content.A, "gpt-4o") {
			t.Errorf("the name of a model is not masked: %s", it.Content.A)
		}
		e := project.Event{Item: next, Kind: project.Submit, Sheet: project.ScoreSheet(rubric.CQA().Full()), Nonce: next}
		if it.Source == "x2" {
			e.Kind, e.Sheet = project.Skip, project.Sheet{Reason: "unreadable"}
		} else {
			flag := e
			flag.Kind, flag.Nonce, flag.ActiveMS, flag.View = project.Flag, "flag", 1500, "rendered"
			flag.Sheet.Reason = "names \"its\" model, twice"
			stored, err := p.Append(a.ID, flag)
			if err != nil {
				t.Fatal(err)
			}
			e.Revision, e.ActiveMS, e.View = stored.Revision, 2500, "both"
		}
		if _, err := p.Append(a.ID, e); err != nil {
			t.Fatal(err)
		}
	}
	compqa(0, "annotate", "status", out)
	compqa(0, "annotate", "export", out, "--out", filepath.Join(dir, "sheets"))
	checkColumns(t, "", filepath.Join(dir, "sheets", "flags.csv"))
	for name, want := range map[string][]string{
		"times.csv": {"judge,kind,id,assignment,status,total,choice,order,view,active_ms,revisions,at",
			"human:p1,answer,x1,overlap,valid,19,,,both,4000,2,", "human:p1,answer,x2,overlap,skipped,,,,rendered,,1,"},
		"flags.csv": {"judge,id,kind,text,at", `human:p1,x1,flag,"names ""its"" model, twice",`, "human:p1,x2,skip,unreadable,"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, "sheets", name))
		for _, line := range want {
			if err != nil || !strings.Contains("\n"+string(text), "\n"+line) {
				t.Errorf("%s has no line %q: %v\n%s", name, line, err, text)
			}
		}
	}
	compqa(0, "annotate", "apply", out)
	compqa(0, "annotate", "invite", "anna", out)
	compqa(0, "report", out)
	// A second study in the run keeps the sheets of the first study.
	if err := os.Rename(filepath.Join(out, project.FileName), filepath.Join(dir, "first.db")); err != nil {
		t.Fatal(err)
	}
	if text := compqa(2, "annotate", "init", out); !strings.Contains(text, "the run has 2 score sheets of an earlier study") {
		t.Errorf("init: %s", text)
	}
	compqa(0, "import", "--out", out, "--verdicts", filepath.Join(dir, "sheets", "verdicts.jsonl"))
	compqa(0, "annotate", "init", out)
	compqa(0, "report", out)
	board, err := os.ReadFile(filepath.Join(out, "tables", "leaderboard.csv"))
	if err != nil || !strings.Contains(string(board), "human:p1,s,-,2,1,19,") {
		t.Errorf("%v\n%s", err, board)
	}
}

// TestSoakAnnotateTeam: two people score 100 answers, some of them twice, and items of gold. The owner's page and the report show the same
// agreement. Gold and repeats are checks and are not exported.
func TestSoakAnnotateTeam(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
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
	if text := must("annotate", "init", out, "--study", studyOf(t, "gold: "+filepath.Join(dir, "gold.jsonl"))); !strings.Contains(text, "100 items, 100 of them") || !strings.Contains(text, "10 with known sheets") {
		t.Errorf("%s", text)
	}
	p, err := project.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for k, name := range []string{"anna", "ben"} {
		link := strings.TrimSpace(must("annotate", "invite", name, out))
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
			it := p.Item(as.Item)
			n, _ := strconv.Atoi(strings.TrimPrefix(it.Source, "x"))
			scores := data.Scores(rubric.CQA().Full())
			for c := range n % 7 {
				scores[strconv.Itoa(c+1)] = 0
			}
			if k == 1 && n%3 == 0 {
				scores["11"] = 1
			}
			if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: project.ScoreSheet(scores), Nonce: fmt.Sprint(k, next)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	status := must("annotate", "status", out)
	totals := regexp.MustCompile(`alpha of total \(interval\): (\S+) \[([^,]+) to ([^\]]+)\], 100 items, 100 units; enough`).FindStringSubmatch(status)
	if totals == nil || !strings.Contains(status, "], 100 items, 1500 units; enough") {
		t.Fatalf("%s", status)
	}
	sheets := filepath.Join(dir, "sheets")
	must("annotate", "export", out, "--out", sheets)
	must("import", "--out", out, "--verdicts", filepath.Join(sheets, "verdicts.jsonl"))
	must("report", out)
	verdicts, err := os.ReadFile(filepath.Join(sheets, "verdicts.jsonl"))
	if n := strings.Count(string(verdicts), "\n"); err != nil || n != 200 || strings.Contains(string(verdicts), `"x10`+"0") {
		t.Errorf("%d verdicts, %v", n, err)
	}
	tables, _ := filepath.Glob(filepath.Join(sheets, "*.csv"))
	if checkColumns(t, "annotation/", tables...); len(tables) != 4 {
		t.Errorf("%v", tables)
	}
	kinds := map[string]int{}
	for _, row := range csvTable(t, filepath.Join(sheets, "times.csv")) {
		kinds[row["assignment"]]++
	}
	if kinds["gold"] == 0 || kinds["repeat"] == 0 || kinds["overlap"] != 200 {
		t.Errorf("%v", kinds)
	}
	found := false
	for _, row := range csvTable(t, filepath.Join(out, "tables", "agreement.csv")) {
		if row["judge"] == "human:p1" && row["reference"] == "human:p2" && row["level"] == "final" || row["judge"] == "human:p2" && row["reference"] == "human:p1" && row["level"] == "final" {
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

// TestAnnotatePairsRoundTrip: people's choices between pairs are imported by pairwise import.
func TestAnnotatePairsRoundTrip(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := filepath.Join(dir, "pairs.jsonl")
	out := filepath.Join(dir, "run")
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
	must("annotate", "init", out, "--pairs", in, "--study", studyOf(t, noChecks))
	p, err := project.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	link := strings.TrimSpace(must("annotate", "invite", "anna", out))
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
		if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: project.Sheet{Values: map[string]string{"choice": choice}}, Nonce: next}); err != nil {
			t.Fatal(err)
		}
	}
	sheets := filepath.Join(dir, "sheets")
	imported := filepath.Join(dir, "imported")
	must("annotate", "export", out, "--out", sheets)
	must("pairwise", "import", "--in", filepath.Join(sheets, "preferences.jsonl"), "--pairs", in, "--out", imported)
	right := ""
	for _, row := range csvTable(t, filepath.Join(imported, "tables", "preference_agreement.csv")) {
		// surface-pair prefers a on all pairs, and anna on all but one.
		if row["judge"] == "surface-pair" && row["reference"] == "human:p1" && row["order"] == "ab" && row["n"] == "6" {
			right += row["right"]
		}
	}
	if !strings.Contains(right, "0.8333") {
		t.Errorf("%q", right)
	}
}

// TestAnnotateTables: people label the tables of a run with the six kinds of rows. The measures computed from their labels equal an
// independent count.
func TestAnnotateTables(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg, out := filepath.Join(dir, "compqa.yaml"), filepath.Join(dir, "out")
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
	earlier := filepath.Join(out, "annotation", "labels.jsonl")
	if err := cmp.Or(os.MkdirAll(filepath.Dir(earlier), 0o755), os.WriteFile(earlier, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("annotate", "init", out, "--study", studyOf(t, "kind: table")); code != exitUsage || !strings.Contains(stderr, "has the labels of an earlier study") {
		t.Errorf("a second study of tables: exit %d, %s", code, stderr)
	}
	os.Remove(earlier)
	must("annotate", "init", out, "--people", "3", "--study", studyOf(t, "kind: table", noChecks))
	p, err := project.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	rows, helpful := 0, 0
	for k, name := range []string{"anna", "ben", "carl"} {
		link := strings.TrimSpace(must("annotate", "invite", name, out))
		session, err := p.Start(link[strings.LastIndex(link, "/")+1:])
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.Session(session)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; ; n++ {
			next, err := p.Next(a)
			if err != nil {
				t.Fatal(err)
			}
			if next == "" {
				if n != 3 {
					t.Errorf("%s labels %d tables", name, n)
				}
				break
			}
			as, _ := p.Assignment(a.ID, next)
			it := p.Item(as.Item)
			sheet := project.Sheet{Values: map[string]string{}}
			for _, f := range p.Fields(it) {
				if f.Type == project.Buttons {
					sheet.Values[f.ID] = f.Options[(len(it.Source)+len(f.ID)+k)%len(f.Options)].Value
				}
				if strings.HasPrefix(f.ID, "row-") && k == 0 {
					rows++
					if sheet.Values[f.ID] == data.RowYes {
						helpful++
					}
				}
			}
			for _, id := range []string{"same", "against"} {
				if _, asked := sheet.Values[id]; asked {
					sheet.Values[id] = "none"
				}
			}
			if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: sheet, Nonce: next}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if text := must("annotate", "apply", out, "--include-flagged"); !strings.Contains(text, "labels.jsonl: 9") {
		t.Errorf("%s", text)
	}
	configure(", {name: people, provider: file, path: out/annotation/labels.jsonl}")
	must(run...)
	found := false
	for _, r := range csvTable(t, filepath.Join(out, "tables", "summaries.csv")) {
		if r["judge"] == "human:p1" && r["measure"] == "chs_micro" {
			found = true
			if want := strconv.FormatFloat(float64(helpful)/float64(rows), 'g', -1, 64); r["valid"] != "3" || r["value"] != want {
				t.Errorf("%d of %d rows help: %v", helpful, rows, r)
			}
		}
	}
	if !found || helpful == 0 {
		t.Error("summaries.csv has no measure of the people's labels")
	}
}

// studyOfOne returns a run with one answer and a study in which this number of people score it. must runs a command and checks its exit
// code.
func studyOfOne(t *testing.T, people string) (out string, must func(want int, args ...string) string) {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "answers.jsonl")
	out = filepath.Join(dir, "run")
	answers := `{"id":"x1","object1":"tram","object2":"bus","aspect":"","text":"Trams last.","system":"s"}` + "\n"
	if err := os.WriteFile(in, []byte(answers), 0o644); err != nil {
		t.Fatal(err)
	}
	must = func(want int, args ...string) string {
		t.Helper()
		code, stdout, stderr := compqa(args...)
		if code != want {
			t.Fatalf("%v: exit code %d\n%s", args, code, stderr)
		}
		return stdout + stderr
	}
	must(0, "import", "--out", out, "--answers", in)
	must(0, "annotate", "init", out, "--people", people, "--study", studyOf(t, noChecks))
	return out, must
}

// TestAnnotatePeopleLeave: an excluded person leaves the run at the next apply, a forgotten person at once. The means of people are
// recomputed. The run has aliases, and names only if asked for.
func TestAnnotatePeopleLeave(t *testing.T) {
	t.Parallel()
	out, must := studyOfOne(t, "3")
	p, err := project.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for i, name := range []string{"anna", "ben", "carl"} {
		link := strings.TrimSpace(must(0, "annotate", "invite", name, out))
		link, _, _ = strings.Cut(link, "\n")
		session, err := p.Start(link[strings.LastIndex(link, "/")+1:])
		if err != nil {
			t.Fatal(err)
		}
		a, _ := p.Session(session)
		next, err := p.Next(a)
		if err != nil {
			t.Fatal(err)
		}
		scores := data.Scores(rubric.CQA().Full())
		for c := range 3 * i { // 19, 16 and 13 points: criteria 1 to 6 have one point each
			scores[strconv.Itoa(c+1)] = 0
		}
		if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: project.ScoreSheet(scores), Nonce: next}); err != nil {
			t.Fatal(err)
		}
	}
	judges := func() string {
		t.Helper()
		must(0, "report", out)
		var found []string
		for _, row := range csvTable(t, filepath.Join(out, "tables", "leaderboard.csv")) {
			if strings.HasPrefix(row["judge"], "human") && row["scenario"] == "-" {
				found = append(found, row["judge"]+" "+row["mean"])
			}
		}
		return strings.Join(found, ", ")
	}
	total := func(n int) float64 {
		scores := data.Scores(rubric.CQA().Full())
		for c := range n {
			scores[strconv.Itoa(c+1)] = 0
		}
		return rubric.CQA().Total(scores)
	}
	points := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	must(0, "annotate", "apply", out)
	if got, want := judges(), fmt.Sprintf("human %s, human:p1 %s, human:p2 %s, human:p3 %s", points((total(0)+total(3)+total(6))/3), points(total(0)),
		points(total(3)), points(total(6))); got != want {
		t.Errorf("all: %s, want %s", got, want)
	}
	if text := must(2, "annotate", "exclude", "ben", out); !strings.Contains(text, "say why ben is excluded") {
		t.Error(text)
	}
	must(2, "annotate", "exclude", "bem", out, "--why", "x")
	text := must(0, "annotate", "exclude", "carl", out, "--why", "careless")
	for _, want := range []string{"with excluded people: 3 sheets on 1 of 1 items; mean total", "without: 2 sheets on 1 of 1 items"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
	text = must(0, "annotate", "export", out, "--out", t.TempDir(), "--format", "hf")
	if !strings.Contains(text, "left out: 1 sheet of people who are excluded") {
		t.Errorf("the export does not count the sheet that it leaves out:\n%s", text)
	}
	if text := must(0, "annotate", "status", out); !strings.Contains(text, "excluded: careless") || strings.Contains(text, "; \n") {
		t.Error(text)
	}
	if text := must(0, "annotate", "apply", out); !strings.Contains(text, "left out: 1 sheet") || !strings.Contains(text, "1 result of human:p3 deleted") {
		t.Error(text)
	}
	if got, want := judges(), fmt.Sprintf("human %s, human:p1 %s, human:p2 %s", points((total(0)+total(3))/2), points(total(0)),
		points(total(3))); got != want {
		t.Errorf("without carl: %s, want %s", got, want)
	}
	must(2, "annotate", "report", out, "--wage", "-1")
	study := filepath.Join(filepath.Dir(out), "study")
	if text := must(0, "annotate", "report", out, "--out", study, "--wage", "12"); !strings.Contains(text, "invited: 3") || !strings.Contains(text, "excluded: 1") {
		t.Error(text)
	}
	headline := found(t, string(fileContent(t, filepath.Join(study, "study.json"))))[0]
	title, _ := titled(t, string(fileContent(t, filepath.Join(study, "report.html"))))
	if text := must(0, "annotate", "report", out, "--out", study); title+"." != headline || !begins(text, headline) {
		t.Errorf("%q is the title, %q the first finding, and the terminal says\n%s", title, headline, text)
	}
	for _, name := range []string{"report.html", "report.md", "study.json"} {
		if text, err := os.ReadFile(filepath.Join(study, name)); err != nil || !strings.Contains(string(text), "careless") || strings.Contains(string(text), "carl") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	must(0, "annotate", "rename", "anna", "expert", out)
	must(0, "annotate", "apply", out)
	if got := judges(); !strings.Contains(got, "human:expert "+points(total(0))) || strings.Contains(got, "p1") {
		t.Errorf("renamed: %s", got)
	}
	if text := must(0, "annotate", "forget", "ben", out); !strings.Contains(text, "Deleted: 1 sheet, 1 event, 0 remarks") {
		t.Error(text)
	}
	if got, want := judges(), fmt.Sprintf("human:expert %s", points(total(0))); !strings.HasSuffix(got, want) || strings.Contains(got, "p2") {
		t.Errorf("ben is forgotten: %s, want %s", got, want)
	}
	must(2, "annotate", "forget", "ben", out)
	copied := filepath.Join(filepath.Dir(out), "copy.db")
	must(0, "annotate", "backup", copied, out)
	must(2, "annotate", "backup", copied, out)
	must(0, "annotate", "apply", out, "--names")
	if got := judges(); !strings.Contains(got, "human:anna") || strings.Contains(got, "expert") {
		t.Errorf("with names: %s", got)
	}
}

// TestAnnotateAgain: a person who labelled before the study keeps the name in the run, gets no item twice, and has each sheet only once in
// the run. If the person is excluded from the study, the earlier sheets stay. If the person is forgotten, all sheets are deleted.
func TestAnnotateAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, out, earlier := filepath.Join(dir, "answers.jsonl"), filepath.Join(dir, "run"), filepath.Join(dir, "earlier.jsonl")
	var answers string
	for i := range 3 {
		answers += fmt.Sprintf(`{"id":"x%d","object1":"tram","object2":"bus","aspect":"%[1]d","text":"Trams last %[1]d.","system":"s"}`+"\n", i)
	}
	if err := os.WriteFile(in, []byte(answers), 0o644); err != nil {
		t.Fatal(err)
	}
	must := ending(t)
	must(0, "import", "--out", out, "--answers", in)
	start := func(args ...string) (*project.Project, string) {
		t.Helper()
		text := must(0, append([]string{"annotate", "init", out, "--people", "1", "--study", studyOf(t, noChecks)}, args...)...)
		p, err := project.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		return p, text
	}
	work := recordedStudy{t, out}.work
	recorded := func() string {
		t.Helper()
		run, err := store.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		list, err := store.Select[string](run, `SELECT judge || ' ' || count(*) || ' of ' || count(DISTINCT answer) FROM verdicts
			WHERE judge <> 'human' GROUP BY judge ORDER BY judge`)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(list, ", ")
	}
	p, _ := start("--sample", "2")
	if n := work(p, must(0, "annotate", "invite", "anna", out)); n != 2 {
		t.Fatalf("%d items of 2", n)
	}
	must(0, "annotate", "apply", out, "--include-flagged")
	p.Close()
	for _, name := range []string{"annotation.db", "annotation.lock"} {
		if err := os.Rename(filepath.Join(out, name), filepath.Join(dir, name)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(out, "annotation", "verdicts.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(earlier, text, 0o644); err != nil {
		t.Fatal(err)
	}
	must(2, "annotate", "init", out)
	must(0, "import", "--out", out, "--verdicts", earlier)
	p, _ = start()
	defer p.Close()
	if text := must(2, "annotate", "invite", "p1", out); !strings.Contains(text, "--as human:p1") {
		t.Error(text)
	}
	if text := must(2, "annotate", "invite", "anna", out, "--as", "human:p9"); !strings.Contains(text, "the run has no results of human:p9") {
		t.Error(text)
	}
	printed := must(0, "annotate", "invite", "anna", out, "--as", "human:p1")
	if !strings.Contains(printed, "anna is human:p1 of the run; of the 3 items of this study 2 were judged then") {
		t.Error(printed)
	}
	if text := must(2, "annotate", "invite", "carl", out, "--as", "human:p1"); !strings.Contains(text, "anna is in this study") {
		t.Error(text)
	}
	if n := work(p, printed); n != 1 {
		t.Errorf("anna judges %d items in the new study", n)
	}
	if n := work(p, must(0, "annotate", "invite", "ben", out)); n != 2 {
		t.Errorf("ben judges %d items in the new study", n)
	}
	apply := func(want string) {
		t.Helper()
		must(0, "annotate", "apply", out, "--include-flagged", "--names")
		if got := recorded(); got != want {
			t.Errorf("the run has %s, want %s", got, want)
		}
	}
	apply("human:ben 2 of 2, human:p1 3 of 3")
	must(2, "annotate", "rename", "anna", "other", out)
	must(0, "annotate", "exclude", "anna", out, "--why", "x")
	apply("human:ben 2 of 2, human:p1 2 of 2")
	must(0, "annotate", "include", "anna", out)
	apply("human:ben 2 of 2, human:p1 3 of 3")
	must(0, "annotate", "forget", "anna", out)
	if got := recorded(); got != "human:ben 2 of 2" {
		t.Errorf("after anna is forgotten the run has %s", got)
	}
}

// TestAnnotateForgetLeavesNothing: no byte of a forgotten person's data stays in the run's folder, neither in free pages of run.db after an
// earlier deletion nor in tables and reports. The sheets of other people stay as the last apply left them, with the same people left out
// and without names.
func TestAnnotateForgetLeavesNothing(t *testing.T) {
	t.Parallel()
	out, must := studyOfOne(t, "5")
	list := filepath.Join(t.TempDir(), "people.txt")
	for text, want := range map[string]string{"anna\nanna\n": "people.txt:2: ", "a b\n": "people.txt:1: ", "crowd\n": "people.txt:1: "} {
		if err := os.WriteFile(list, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if text := must(2, "annotate", "invite", "--from", list, out); !strings.Contains(text, want) {
			t.Error(text)
		}
	}
	if err := os.WriteFile(list, []byte("anna\n\nzebedeus\ncarl\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := project.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if people, _ := p.Annotators(); len(people) != 0 {
		t.Errorf("%d people are invited by files with faults", len(people))
	}
	// dora used the study's link, so her name is her alias.
	if _, err := p.OpenStudy(1); err != nil {
		t.Fatal(err)
	}
	session, err := p.Arrive("dora", "", "")
	if err != nil {
		t.Fatal(err)
	}
	sessions := []string{session}
	for _, line := range strings.Split(must(0, "annotate", "invite", "--from", list, out), "\n") {
		if name, link, is := strings.Cut(line, "\t"); is && name != "" {
			session, err := p.Start(link[strings.LastIndex(link, "/")+1:])
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			sessions = append(sessions, session)
		}
	}
	if len(sessions) != 4 {
		t.Fatalf("%d of 4 people", len(sessions))
	}
	if text := must(0, "annotate", "invite", "--from", list, out); !strings.Contains(text, "0 people are invited; 3 were invited before") {
		t.Error(text)
	}
	must(2, "annotate", "invite", "p2", out) // fails because anna is published as p2
	for _, session := range sessions {
		a, err := p.Session(session)
		if err != nil {
			t.Fatal(err)
		}
		next, err := p.Next(a)
		if err != nil {
			t.Fatal(err)
		}
		sheet := project.ScoreSheet(rubric.CQA().Full())
		sheet.Reason = "unmistakable remark of " + a.Name + strings.Repeat(", who writes a lot", 100)
		if _, err := p.Append(a.ID, project.Event{Item: next, Kind: project.Submit, Sheet: sheet, Nonce: next}); err != nil {
			t.Fatal(err)
		}
	}
	people := func() string {
		t.Helper()
		run, err := store.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		names, err := run.PeopleJudges()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(names, " ")
	}
	must(0, "annotate", "apply", out, "--names")
	must(0, "report", out)
	must(0, "annotate", "report", out, "--names")
	if text := must(0, "annotate", "apply", out, "--exclude", "carl", "--names"); strings.Contains(text, "human:p1 deleted") {
		t.Errorf("results that stay are said to be deleted: %s", text)
	}
	must(0, "annotate", "exclude", "zebedeus", out, "--why", "asked for it")
	must(0, "annotate", "apply", out, "--exclude", "carl")
	if got := people(); got != "human:p1 human:p2" {
		t.Errorf("before: %s", got)
	}
	p.Close() // as if nobody served the project
	must(0, "annotate", "forget", "zebedeus", out)
	if got := people(); got != "human:p1 human:p2" {
		t.Errorf("after zebedeus is forgotten, the run has %s", got)
	}
	files := 0
	err = filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		for _, word := range []string{"zebedeus", "human:p3"} {
			if strings.Contains(string(text), word) {
				t.Errorf("%s still has %s", path, word)
			}
		}
		return err
	})
	if err != nil || files < 10 {
		t.Errorf("%d files: %v", files, err)
	}
}

// ending returns a function that runs a command, checks its exit code, and returns what it prints.
func ending(t *testing.T) func(want int, args ...string) string {
	return func(want int, args ...string) string {
		t.Helper()
		var text bytes.Buffer
		if code := Main(context.Background(), args, Streams{In: strings.NewReader(""), Out: &text, Err: &text}); code != want {
			t.Fatalf("%v: exit code %d\n%s", args, code, &text)
		}
		return joinedLines(args, text.String())
	}
}
