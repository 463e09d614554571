package bench

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"compqa/bench/config"
	"compqa/results/store"
)

// A call of the scripted server uses 100 prompt and 20 reply tokens. At 100 dollars per million tokens it costs 1.2 cents.
const (
	cheapPrices = "prices: {m: {input: 100, output: 100}}\n"
	callCost    = 120 * 100 / 1e6
)

func wellServer(t *testing.T) *scriptedServer {
	return newScriptedServer(t, func(prompt string, n int) (int, string) {
		if isJudging(prompt) {
			return 200, completion(fullMarks(), "stop")
		}
		return 200, completion("Fine. "+prompt, "stop")
	})
}

// spentSaid returns the amount that a message says was spent.
func spentSaid(t *testing.T, text string) float64 {
	t.Helper()
	m := regexp.MustCompile(`\(\$([0-9.]+) spent,`).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("it doesn't say what is spent: %s", text)
	}
	x, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func billed(t *testing.T, dir string) (bills []store.CostAccount, total float64) {
	t.Helper()
	db, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if bills, _, err = db.CostAccounts(); err != nil {
		t.Fatal(err)
	}
	for _, b := range bills {
		total += b.Cost
	}
	return bills, total
}

// TestBudget: a run stops before it exceeds its budget, says so and exits with 3. When the budget is raised, the run continues where it
// stopped, until it is complete.
func TestBudget(t *testing.T) {
	t.Parallel()
	server := wellServer(t)
	cfg := liveConfig(t, server.URL, cheapPrices)
	dir := t.TempDir()
	before := 0.0
	for _, budget := range []float64{1, 2.5} {
		code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--budget", fmt.Sprint(budget))
		_, total := billed(t, dir)
		said := fmt.Sprintf("the budget of $%.2f is used up", budget)
		if code != exitIncomplete || !strings.Contains(stderr, said) || !strings.Contains(stderr, "with a larger budget to continue") {
			t.Errorf("budget %v: exit %d, %s", budget, code, stderr)
		}
		// The largest amount reserved for a call is that for a judge's prompt of 17 kB and a reply of 2,048 tokens.
		if total > budget || total < budget-0.85 || total <= before {
			t.Errorf("budget %v: %v spent", budget, total)
		}
		if said := spentSaid(t, stderr); math.Abs(said-total) > 0.0051 || math.Abs(total-float64(server.asked())*callCost) > 1e-9 {
			t.Errorf("budget %v: %v said, %v on record, %d calls", budget, said, total, server.asked())
		}
		before = total
	}
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--budget", "2"); code != exitIncomplete {
		t.Errorf("a budget that is spent: exit %d, %s", code, stderr)
	}
	if _, total := billed(t, dir); total != before {
		t.Errorf("with a budget that is spent %v became %v", before, total)
	}
	code, _, stderr := compqa("run", "--config", cfg, "--out", dir)
	if code != exitDone || server.asked() != 400 {
		t.Errorf("without a budget: exit %d after %d calls, %s", code, server.asked(), stderr)
	}
	bills, total := billed(t, dir)
	if len(bills) != 2 || bills[0].Name != "contestant" || bills[1].Name != "judge" || bills[0].Calls != 200 || bills[1].Attempts != 200 || math.Abs(total-400*callCost) > 1e-9 {
		t.Errorf("bills %+v", bills)
	}
	if !strings.Contains(stderr, "$4.80") {
		t.Errorf("the closing line doesn't say what is spent: %s", stderr)
	}
}

// TestBillHoldsFailures: the bill includes retries, repairs and failed calls that are charged.
func TestBillHoldsFailures(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		switch {
		case !isJudging(prompt) && n == 1:
			return 500, "" // not charged, and the call is repeated
		case !isJudging(prompt):
			return 200, completion("Fine. "+prompt, "stop")
		case strings.Contains(prompt, "tennis"):
			return 200, completion("no dictionary here", "stop") // repaired once, without success
		}
		return 200, completion(fullMarks(), "stop")
	})
	questions := filepath.Join(t.TempDir(), "q.csv")
	if err := os.WriteFile(questions, []byte("object1,object2,arguments\ntennis,golf,\"[\"\"Golf takes longer.\"\"]\"\ntram,bus,\"[\"\"Buses are slower.\"\"]\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg := liveConfig(t, server.URL, "dataset: "+questions+"\n"+cheapPrices)
	dir := t.TempDir()
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir); code != exitIncomplete {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	bills, _ := billed(t, dir)
	// Eight answers with two attempts each; four verdicts with one call, four with two.
	want := []struct {
		calls, attempts, paid int
	}{{8, 16, 8}, {12, 12, 12}}
	for i, b := range bills {
		if b.Calls != want[i].calls || b.Attempts != want[i].attempts || math.Abs(b.Cost-float64(want[i].paid)*callCost) > 1e-9 || b.Unpriced != 0 || b.Estimated != 0 {
			t.Errorf("%s: %+v, want %+v", b.Name, b, want[i])
		}
	}
}

// TestBudgetNeedsPrices: a budget needs the prices of all models.
func TestBudgetNeedsPrices(t *testing.T) {
	t.Parallel()
	server := wellServer(t)
	for _, test := range []struct {
		name, more, message string
		args                []string
		code                int
	}{
		{"no price", "", `a budget needs all prices, and these are unknown: model "contestant" (m at scripted), judge "judge" (m at scripted)`, []string{"--budget", "1"}, exitUsage},
		{"in the configuration", "run: {budget: 1}\n", "a budget needs all prices", nil, exitUsage},
		{"declared free", "prices: {\"*\": {input: 0, output: 0}}\n", "", []string{"--budget", "0.01"}, exitDone},
		{"no budget", "", "", nil, exitDone},
		{"half a price", "prices: {m: {input: 1}}\n", `prices: "m": a price needs input and output`, nil, exitUsage},
		{"negative", "prices: {m: {input: -1, output: 1}}\n", "input is -1", nil, exitUsage},
		{"negative budget", "", "--budget is -1", []string{"--budget", "-1"}, exitUsage},
		{"no number", "", `--budget is "much"; a number is needed`, []string{"--budget", "much"}, exitUsage},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			code, _, stderr := compqa(append([]string{"run", "--limit", "1", "--config", liveConfig(t, server.URL, test.more), "--out", dir}, test.args...)...)
			if code != test.code || !strings.Contains(stderr, test.message) {
				t.Errorf("exit %d, %s", code, stderr)
			}
			if _, err := os.Stat(dir); code == exitUsage && err == nil {
				t.Error("something was written")
			}
		})
	}
}

// TestProviderBudget: the budget of a provider stops only this provider.
func TestProviderBudget(t *testing.T) {
	t.Parallel()
	dear := wellServer(t)
	cheap := wellServer(t)
	path := filepath.Join(t.TempDir(), "two.yaml")
	text := fmt.Sprintf(`
scenarios: [1, 2]
providers:
  dear: {type: openai, base_url: %s/v1, budget: 0.5, backoff: 1ms}
  cheap: {type: openai, base_url: %s/v1, backoff: 1ms}
models:
  - {name: a, provider: dear, model: m, price: {input: 100, output: 100}, options: {max_tokens: 100}}
  - {name: b, provider: cheap, model: n, options: {max_tokens: 100}}
judges: [{name: constant, provider: embedded}]
`, dear.URL, cheap.URL)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	code, _, stderr := compqa("run", "--config", path, "--out", dir)
	if code != exitIncomplete || !strings.Contains(stderr, "the budget of provider dear of $0.5000 is used up ($0.4920 spent, $0.0080 left; the next call could cost up to $0.0") || cheap.asked() != 100 || dear.asked() > 41 || dear.asked() < 30 {
		t.Errorf("exit %d after %d and %d calls, %s", code, dear.asked(), cheap.asked(), stderr)
	}
	for _, b := range func() []store.CostAccount { bills, _ := billed(t, dir); return bills }() {
		if (b.Name == "b") != (b.Unpriced == 100) {
			t.Errorf("%+v", b)
		}
	}
}

func TestPriceOfModel(t *testing.T) {
	t.Parallel()
	c := &config.Config{}
	path := filepath.Join(t.TempDir(), "c.yaml")
	text := `
providers:
  openai: {type: openai}
  local: {type: ollama}
  other: {type: openai, base_url: "http://127.0.0.1:1/v1"}
prices:
  "gpt-4o*": {input: 7, output: 7}
  "gpt-4o-mini*": {input: 8, output: 8}
  "*turbo": {input: 9, output: 9}
models:
  - {name: a, provider: openai, model: gpt-4o-2024-11-20, price: {input: 1, output: 2}}
  - {name: b, provider: openai, model: gpt-4o-2024-11-20}
judges: [{name: constant, provider: embedded}]
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var err error
	if c, err = config.Load(path); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		provider, model string
		input           float64 // -1 if unknown
	}{
		{"openai", "gpt-4o-2024-11-20", 1},      // from the entry
		{"openai", "gpt-4o", 7},                 // from a pattern
		{"openai", "gpt-4o-mini-2024-07-18", 8}, // from the longer pattern
		{"openai", "gpt-3.5-turbo", 9},
		{"openai", "gpt-4.1", 2}, // from the built-in list
		{"other", "gpt-4.1", -1},
		{"other", "gpt-4o", 7},
		{"local", "llama3:8b", 0},
	} {
		price, known := c.Price(test.provider, test.model)
		if known != (test.input >= 0) || known && *price.Input != test.input {
			t.Errorf("%s at %s: %t, %+v", test.model, test.provider, known, price)
		}
	}
	for pattern, names := range map[string][2]string{
		"a": {"a", "ab"}, "a*": {"a/b", "ba"}, "*b*c": {"abxc", "abx"}, "*": {"", ""},
	} {
		if !config.Fits(pattern, names[0]) || names[1] != "" && config.Fits(pattern, names[1]) {
			t.Errorf("pattern %q", pattern)
		}
	}
	clash := strings.Replace(text, "model: gpt-4o-2024-11-20}", "model: gpt-4o-2024-11-20, price: {input: 3, output: 2}}", 1)
	batch := strings.Replace(text, "judges:", "  - {name: c, provider: local, model: x, batch: true}\njudges:", 1)
	for want, text := range map[string]string{"a different price": clash, "batch needs a provider of type anthropic or openai": batch} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := config.Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestJudgeStopped: if `compqa judge` stops early, it says what it wrote, and that repeating the command asks about all answers again.
func TestJudgeStopped(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(string, int) (int, string) { return 200, completion(fullMarks(), "stop") })
	dir := t.TempDir()
	config := filepath.Join(dir, "c.yaml")
	in := filepath.Join(dir, "in.jsonl")
	out := filepath.Join(dir, "out.jsonl")
	answer := `{"id": "%d", "object1": "tea", "object2": "coffee", "aspect": "", "text": "Tea is cheap."}` + "\n"
	for path, text := range map[string]string{
		config: "providers: {p: {type: openai, base_url: " + server.URL + "/v1, concurrency: 1}}\n" +
			"judges: [{name: j, provider: p, model: m, options: {max_tokens: 25}, price: {input: 0, output: 10000}}]\nrun: {budget: 0.5}\n",
		in: fmt.Sprintf(answer+answer+answer, 1, 2, 3),
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, _, stderr := compqa("judge", "--config", config, "--judge", "j", "--in", in, "--out", out)
	if n := strings.Count(string(fileContent(t, out)), "\n"); code != exitFailed || n == 0 || n == 3 ||
		!strings.Contains(stderr, "their verdicts are written to "+out+", and the same command asks about all answers again") {
		t.Errorf("exit %d, %d verdicts: %s", code, n, stderr)
	}
}
