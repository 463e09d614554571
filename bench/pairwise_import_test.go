package bench

import (
	"compqa/data/sharedtest"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// agreementRow returns the row of preference_agreement.csv with these values.
func agreementRow(t *testing.T, dir string, want map[string]string) map[string]string {
	t.Helper()
	for _, row := range csvTable(t, filepath.Join(dir, "tables", "preference_agreement.csv")) {
		found := true
		for name, value := range want {
			found = found && row[name] == value
		}
		if found {
			return row
		}
	}
	t.Fatalf("no row %v", want)
	return nil
}

// TestSoakPandaLM reproduces the figures that PandaLM's authors print (kappas 0.85, 0.88, 0.86) and those that follow from their files. The
// majority has 105 ties, 422 choices of a and 472 of b. With ties as a class, gpt-3.5-turbo is right in 697 of 974 valid results,
// PandaLM-7B in 667 of 999.
func TestSoakPandaLM(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	folder := sharedtest.Path(t, "data", "pandalm")
	dir := t.TempDir()
	code, stdout, stderr := compqa("pairwise", "import", "--config", emptyConfig(t), "--format", "pandalm", "--in", folder, "--gold", "majority", "--out", dir)
	if code != exitDone || !strings.Contains(stdout, "gold: majority, 422 a, 472 b, 105 ties, 0 without") {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	for _, c := range []struct {
		judge, reference, column string
		want                     float64
	}{
		{"human:1", "human:2", "kappa", 0.8520}, {"human:1", "human:3", "kappa", 0.8789}, {"human:2", "human:3", "kappa", 0.8617},
		{"gpt-3.5-turbo", "gold", "accuracy_3way", 697. / 974}, {"gpt-3.5-turbo", "gold", "right", 697. / 999}, {"gpt-3.5-turbo", "gold", "n", 974},
		{"pandalm-7b", "gold", "accuracy_3way", 667. / 999},
	} {
		row := agreementRow(t, dir, map[string]string{"judge": c.judge, "reference": c.reference, "order": "ab", "domain": "all"})
		if v, err := strconv.ParseFloat(row[c.column], 64); err != nil || math.Abs(v-c.want) > 5e-5 {
			t.Errorf("%s and %s: %s is %s, want %v", c.judge, c.reference, c.column, row[c.column], c.want)
		}
	}
	if got := strings.TrimSpace(rowsOf(t, dir, `SELECT count(*) || ' ' || reason FROM preferences p WHERE p.status = 'unparsed' GROUP BY reason`)); got != `25 the published result is "garbage"` {
		t.Errorf("%s", got)
	}
	for ties, want := range map[string]string{"half": "0.803", "skip": "0.815"} { // 692 of 882 are right, 33 are ties
		_, stdout, _ := compqa("pairwise", "report", dir, "--ties", ties)
		if line := regexp.MustCompile(`(?m)^ gpt-3.5-turbo° +pandalm +ab +974 .*$`).FindString(stdout); !strings.Contains(line, " "+want) {
			t.Errorf("--ties %s: %q in %s", ties, line, stdout)
		}
	}
	if code, _, stderr := compqa("pairwise", "report", dir, "--ties", "half", "--json"); code != exitUsage || !strings.Contains(stderr, "accuracy_half") {
		t.Errorf("--ties with --json: exit %d: %s", code, stderr)
	}
	if code, _, stderr := compqa("pairwise", "report", dir, "--ties", "no"); code != exitUsage || !strings.Contains(stderr, "wrong, half or skip") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", dir, "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, stdout, stderr := compqa("verify", file); code != exitDone {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

// emptyConfig writes a configuration with only a built-in model and judge.
func emptyConfig(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "compqa.yaml")
	if err := os.WriteFile(path, []byte("models: [{name: template, provider: baseline}]\njudges: [{name: rules, provider: embedded}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAutoJ: agreement (right in both orders) and consistency (the same choice in both orders) equal those of auto-j's script, over all
// pairs and by group. The exchanged outputs are for the answers in the other order.
func TestAutoJ(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	dir := t.TempDir()
	labels := []int{0, 1, 2, 0, 1}
	ab := []int{0, 1, 2, 1, 1}
	ba := []int{1, 0, 2, 1, 1} // right and consistent: pairs 1, 2 and 3
	lines := map[string]string{}
	for i, label := range labels {
		scenario := []string{"chitchat", "planning", "ranking"}[i%3]
		lines["test/testdata_pairwise.jsonl"] += fmt.Sprintf("{\"scenario\": %q, \"label\": %d, \"prompt\": \"Question %d?\", \"response 1\": \"One %d.\", \"response 2\": \"\"}\n", scenario, label, i, i)
		lines["outputs/pairwise_mine_output.jsonl"] += fmt.Sprintf("{\"output\": %d}\n", ab[i])
		lines["outputs/pairwise_exchange_mine_output.jsonl"] += fmt.Sprintf("{\"output\": %d}\n", ba[i])
	}
	for name, text := range lines {
		path := filepath.Join(folder, "data", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if code, _, stderr := compqa("pairwise", "import", "--config", emptyConfig(t), "--format", "auto-j", "--in", folder, "--out", dir); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, c := range []struct{ domain, order, right, same string }{
		{"all", "ab", "0.8", ""}, {"all", "both", "0.6", "0.6"}, {"NLP Tasks", "both", "1", "1"}, {"General Communication", "both", "0.5", "0.5"},
	} {
		row := agreementRow(t, dir, map[string]string{"judge": "mine", "reference": "gold", "domain": c.domain, "order": c.order})
		if row["right"] != c.right || row["same"] != c.same {
			t.Errorf("%v: right %s, same %s", c, row["right"], row["same"])
		}
	}
	short := filepath.Join(folder, "data", "outputs", "pairwise_short.jsonl")
	if err := os.WriteFile(short, []byte("{\"output\": 1}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("pairwise", "import", "--config", emptyConfig(t), "--format", "auto-j", "--in", folder, "--out", t.TempDir()); code != exitUsage || !strings.Contains(stderr, "has 1 outputs; there are 5 pairs") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestGivenPreferences: people's preferences on the pairs of a file can be imported, or read by an entry of the configuration. They stay
// when live judges are run. Faulty files are refused with file and line.
func TestGivenPreferences(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pairs := write("pairs.jsonl", `{"id":"1","question":"Which?","a":"short","b":"a longer answer","label":"a"}
{"id":"2","question":"What?","a":"short one here","b":"","label":"none"}
{"id":"3","question":"Who?","a":"x y","b":"z","label":"tie"}
`)
	prefs := write("people.jsonl", `{"id":"1","judge":"human:1","choice":"b"}
{"id":"1","judge":"human:2","choice":"b"}
{"id":"1","judge":"human:3","choice":"a"}
{"id":"2","judge":"human:1","choice":"a"}
{"id":"2","judge":"human:2","choice":"b"}
{"id":"3","judge":"human:1","choice":"tie"}
{"id":"1","judge":"other","method":"m","order":"ba","choice":"b","rationale":"because"}
{"id":"2","judge":"other","method":"m","order":"ba","status":"refused","reason":"no"}
`)
	cfg := write("compqa.yaml", "models: [{name: template, provider: baseline}]\njudges: [{name: rules, provider: embedded}]\npairwise: [{name: people, provider: file, path: people.jsonl}]\npairs: [{name: pairs, path: pairs.jsonl, gold: majority}]\n")
	dir := t.TempDir()
	code, stdout, stderr := compqa("run", "--only", "pairs", "--config", cfg, "--out", dir)
	if code != exitDone {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	if got := rowsOf(t, dir, `SELECT group_concat(label, ' ') FROM (SELECT label FROM pairs ORDER BY id)`); strings.TrimSpace(got) != "b none tie" {
		t.Errorf("labels %s", got)
	}
	if row := agreementRow(t, dir, map[string]string{"judge": "longer", "reference": "gold", "order": "both"}); row["n"] != "2" || row["right"] != "0.5" {
		t.Errorf("%v", row)
	}
	if row := agreementRow(t, dir, map[string]string{"judge": "human:3", "reference": "human:1"}); row["n"] != "1" || row["accuracy_3way"] != "0" {
		t.Errorf("%v", row)
	}
	// A file with one preference less is imported into the same record.
	fewer := write("fewer.csv", "id,judge,choice\n1,human:3,b\n")
	code, stdout, stderr = compqa("pairwise", "import", "--config", cfg, "--pairs", pairs, "--in", fewer, "--out", dir)
	if want := "human:3 on pairs: 1 preference deleted or replaced"; code != exitDone || strings.Count(stdout+stderr, "deleted or replaced") != 1 || !strings.Contains(stdout+stderr, want) {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	if got := strings.TrimSpace(rowsOf(t, dir, `SELECT group_concat(judge || choice, ' ') FROM (SELECT judge, choice FROM preferences WHERE id = '1' AND judge LIKE 'human%' ORDER BY judge)`)); got != "human:1b human:2b human:3b" {
		t.Errorf("%s", got)
	}
	if row := agreementRow(t, dir, map[string]string{"judge": "human:1", "reference": "human:2"}); row["n"] != "2" {
		t.Errorf("%v", row)
	}
	for text, want := range map[string]string{
		`{"id":"9","judge":"human:1","choice":"b"}`:             `bad.jsonl:1: no pair has the id "9"`,
		`{"id":"1","judge":"human:1"}`:                          `bad.jsonl:1: preferences need the id of a pair and a choice`,
		`{"id":"1","judge":"human:1","choice":"b","order":"c"}`: `bad.jsonl:1: order is "c"; it must be ab or ba`,
	} {
		bad := write("bad.jsonl", text+"\n")
		if code, _, stderr := compqa("pairwise", "import", "--config", cfg, "--pairs", pairs, "--in", bad, "--out", t.TempDir()); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("exit %d: %s; want %s", code, stderr, want)
		}
	}
	for flag, value := range map[string]string{"--config": cfg, "--limit": "1"} { // without --pairs, the run has all pairs
		if code, _, stderr := compqa("pairwise", "import", flag, value, "--in", fewer, "--out", dir); code != exitUsage ||
			!strings.Contains(stderr, "has the pairs, and an import into it does not use "+flag+"; leave") {
			t.Errorf("%s: exit %d: %s", flag, code, stderr)
		}
	}
	for args, want := range map[string]string{"--format x": `there is no format "x"`, "--gold human:9": "no human preference has that name", "--in ": "needs --in"} {
		name, value, _ := strings.Cut(args, " ")
		line := []string{"pairwise", "import", "--config", cfg, "--pairs", pairs, "--in", prefs, "--out", t.TempDir(), name, value}
		if code, _, stderr := compqa(line...); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d: %s", args, code, stderr)
		}
	}
}

// TestOrderOfImportedChoices: for choices without an order, the share of the answer shown first is not computed; for choices in both orders
// it is. A table of chosen and rejected answers contains nobody's choices.
func TestOrderOfImportedChoices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	pairs := "id,question,a,b\n"
	plain := "id,person,choice\n"
	ordered := "id,person,choice,order\n"
	for i := range 12 {
		pairs += fmt.Sprintf("p%d,Which %[1]d?,x%[1]d,y%[1]d\n", i)
		plain += fmt.Sprintf("p%d,anna,%s\n", i, []string{"a", "b", "a"}[i%3])
		ordered += fmt.Sprintf("p%d,anna,%s,%s\n", i, []string{"a", "b", "a"}[i%3], []string{"ab", "ba"}[i%2])
	}
	file := in("pairs.csv", pairs)
	for name, c := range map[string]struct {
		choices string
		known   bool
	}{"plain": {plain, false}, "ordered": {ordered, true}} {
		out := filepath.Join(dir, name)
		code, _, errs := compqa("pairwise", "import", "--in", in(name+".csv", c.choices), "--pairs", file, "--out", out)
		if code != exitDone {
			t.Fatalf("%s: exit code %d, %s", name, code, errs)
		}
		rows := where(csvTable(t, filepath.Join(out, "tables", "pairwise.csv")), map[string]string{"judge": "human:anna"})
		if len(rows) == 0 || slices.ContainsFunc(rows, func(r map[string]string) bool { return (r["first_share"] != "") != c.known }) {
			t.Errorf("%s: %v", name, rows)
		}
	}
	chosen := in("chosen.csv", "prompt,chosen,rejected,who\nQ,good,bad,anna\nR,fine,poor,ben\n")
	code, _, errs := compqa("pairwise", "import", "--format", "table", "--in", chosen, "--map", "person=who", "--out", filepath.Join(dir, "c"))
	if code != exitUsage || !strings.Contains(errs, "--map person=who has no effect; leave it out") {
		t.Errorf("person of chosen and rejected: exit code %d, %s", code, errs)
	}
}
