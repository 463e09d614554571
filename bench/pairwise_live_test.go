package bench

import (
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"compqa/bench/config"
	"compqa/data/sharedtest"
)

// promptKinds maps words of a template to the kind of the prompt of a pairwise judge.
var promptKinds = []struct{ kind, words string }{
	{"aspects", "On which aspects should that be done?"},
	{"extract", "Name the aspects on which an answer like this one"},
	{"consolidate", "The aspects below were named"},
	{"comparison", "Compare two answers to a question, aspect by aspect"},
	{"comparator", "Two tables compare the same two answers"},
	{"table", "you are given a table that says, aspect by aspect"},
	{"step", "Take a deep breath"},
	{"1shot", "with the example in mind, take a deep breath"},
	{"meta", "## Background"},
	{"hint", "Give the rationale for it. Reply in JSON"},
	{"fallback", "Give the rationale for it:"},
	{"bare", "Add no explanation."},
	{"con-j", "You are an expert in evaluation"},
	{"weigh", "taking each of these aspects into account"},
	{"formal", "You are a scholar"}, {"verbal", "You explain things"}, {"verbose", "numbered list of its main points"},
	{"direct", "First say which of the two you prefer and why"},
}

// ofTexts replaces the words that a task uses for its texts, such as summaries, by the words of the general prompt.
var ofTexts = strings.NewReplacer("summaries", "answers", "a summary", "an answer", "summary", "answer", "replies", "answers", "a reply", "an answer",
	"for a text", "to a question", "for a conversation", "to a question")

func promptKind(prompt string) string {
	prompt = ofTexts.Replace(prompt)
	for _, k := range promptKinds {
		if strings.Contains(prompt, k.words) {
			return k.kind
		}
	}
	return "unknown"
}

// A kindLog records the kinds of the prompts that a server got, in order.
type kindLog struct {
	mu    sync.Mutex
	kinds []string
}

func (l *kindLog) add(kind string) {
	l.mu.Lock()
	l.kinds = append(l.kinds, kind)
	l.mu.Unlock()
}

// take returns the recorded kinds, run-length encoded, and empties the log.
func (l *kindLog) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var runs []string
	for i := 0; i < len(l.kinds); {
		k := i
		for k < len(l.kinds) && l.kinds[k] == l.kinds[i] {
			k++
		}
		runs = append(runs, fmt.Sprintf("%d %s", k-i, l.kinds[i]))
		i = k
	}
	l.kinds = nil
	return strings.Join(runs, ", ")
}

// wellBehaved gives a correct reply to every kind of prompt. It prefers the answer that contains the word RIGHT, in either position.
func wellBehaved(prompt string) string {
	first := strings.Index(prompt, "RIGHT") < strings.Index(prompt, "WRONG")
	letter := "B"
	digit := "2"
	if first {
		letter = "A"
		digit = "1"
	}
	switch promptKind(prompt) {
	case "aspects", "extract", "consolidate":
		return "Reasoning: they differ.\nAspects:\n- Accuracy\n- Clarity\n- Tone\n- Detail\n- Relevance"
	case "comparison":
		row := `{"only_a": "says one thing", "both": "answer the question", "only_b": "says another"}`
		var rows []string
		for i := 1; i <= strings.Count(prompt, `\"only_a\": \"…\"`); i++ {
			rows = append(rows, fmt.Sprintf(`"%d": %s`, i, row))
		}
		return "{" + strings.Join(rows, ", ") + "}"
	case "comparator":
		return "More consistent: B\nJustification: it is cleaner."
	case "con-j":
		return fmt.Sprintf(`{"rationale": "It is right.", "better_answer": %s}`, digit)
	case "bare":
		return fmt.Sprintf(`{"better_answer": %s}`, digit)
	case "hint":
		given := regexp.MustCompile(`It is known that \w+ (\d)`).FindStringSubmatch(prompt)
		return fmt.Sprintf(`{"rationale": "As was said. It is answer %[1]s.", "better_answer": %[1]s}`, given[1])
	case "fallback":
		return "Because it is so."
	case "meta":
		return `{"preference_correct": "Correct", "rationale_correctness": 4, "rationale_consistency": 3}`
	case "formal", "verbal", "verbose":
		if strings.Contains(prompt, "RIGHT") {
			return "Said otherwise, RIGHT."
		}
		return "Said otherwise, WRONG."
	}
	return "Comparison: one is right.\nPreferred: " + letter
}

const twoPairs = `{"id": "p1", "question": "What is two and two?", "a": "It is four, that is RIGHT.", "b": "It is five, which is WRONG in every way.", "label": "a", "system_a": "good", "system_b": "bad"}
{"id": "p2", "question": "What is three and three?", "a": "It is seven, and that is WRONG.", "b": "It is six: RIGHT.", "label": "b", "system_a": "bad", "system_b": "good"}
`

// pairwiseFiles writes pairs and a configuration with the given entries, and returns their folder.
func pairwiseFiles(t *testing.T, url, listed, more string) string {
	t.Helper()
	dir := t.TempDir()
	cfg := fmt.Sprintf(`
providers:
  scripted: {type: openai, base_url: %s/v1, api_key_env: COMPQA_TEST_KEY, concurrency: 1, backoff: 1ms, retries: 1}
models:
  - {name: rewriter, provider: scripted, model: m}
pairs: [{name: pairs, path: pairs.jsonl}]
%s`, url, more)
	for name, text := range map[string]string{"pairs.jsonl": listed, "compqa.yaml": cfg, "aspects.yaml": "aspects: [Accuracy, Clarity, Tone, Detail, Relevance]\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func pairwiseRunArgs(dir string, more ...string) []string {
	return append([]string{"run", "--only", "pairs", "--config", filepath.Join(dir, "compqa.yaml"), "--out", filepath.Join(dir, "run")}, more...)
}

// withKeys adds keys to the set of pairs in the configuration in dir, and returns dir.
func withKeys(t *testing.T, dir, keys string) string {
	t.Helper()
	path := filepath.Join(dir, "compqa.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "path: pairs.jsonl", "path: pairs.jsonl, "+keys, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// csvTable reads a CSV file. Each row maps the names of columns to values.
func csvTable(t *testing.T, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil // a table without rows is not written
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, r := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = r[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// where returns the rows with these values.
func where(rows []map[string]string, values map[string]string) []map[string]string {
	var found []map[string]string
	for _, r := range rows {
		if !slices.ContainsFunc(slices.Sorted(maps.Keys(values)), func(k string) bool { return r[k] != values[k] }) {
			found = append(found, r)
		}
	}
	return found
}

// TestSoakPairwiseMethodsEndToEnd: every method makes the calls that its paper describes, in this order, once for each order of the pair.
// Its choices are right.
func TestSoakPairwiseMethodsEndToEnd(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	for _, c := range []struct {
		entry  string
		calls  string // calls for one pair in one order
		n      int
		failed bool
	}{
		{"{method: direct}", "1 direct", 1, false},
		{"{method: direct+aspects, aspects: aspects.yaml}", "1 weigh", 1, false},
		{"{method: direct+aspects}", "8 aspects, 1 weigh", 9, false},
		{"{method: cot}", "1 step", 1, false},
		{"{method: cot, shots: 5}", "1 step", 1, false},
		{"{method: cot-1shot, aspects: aspects.yaml}", "1 1shot", 1, false},
		{"{method: cot-1shot, aspects: none}", "1 1shot", 1, false},
		{"{method: cot-selfcon}", "8 step", 8, false},
		{"{method: cot-selfcon, draws: 3, shots: 3}", "3 step", 3, false},
		{"{method: sc2, aspects: aspects.yaml}", "8 comparison, 7 comparator, 1 table", 16, false},
		{"{method: sc2, aspects: aspects.yaml, shots: 5}", "8 comparison, 7 comparator, 1 table", 16, false},
		{"{method: sc2, aspects: aspects.yaml, selection: exact}", "8 comparison, 56 comparator, 1 table", 65, false},
		{"{method: sc2, aspects: aspects.yaml, selection: random}", "8 comparison, 1 table", 9, false},
		{"{method: sc2, aspects: aspects.yaml, draws: 1}", "1 comparison, 1 table", 2, false},
		{"{method: sc2, aspects: aspects.yaml, draws: 6}", "6 comparison, 5 comparator, 1 table", 12, false},
		{"{method: sc2}", "8 aspects, 8 comparison, 7 comparator, 1 table", 24, false},
		{"{method: con-j}", "1 con-j", 1, false},
		{"{method: con-j-no-rationale}", "1 bare", 1, false},
		{"{method: con-j-correct-hint}", "1 hint", 1, false},
		{"{method: con-j-incorrect-hint}", "1 hint", 1, true},
	} {
		t.Run(c.entry, func(t *testing.T) {
			var log kindLog
			server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
				log.add(strings.Replace(promptKind(prompt), "step", stepKind(prompt), 1))
				return 200, completion(wellBehaved(prompt), "stop")
			})
			entry := strings.Replace(c.entry, "{", "{name: judge, provider: scripted, model: m, ", 1)
			dir := pairwiseFiles(t, server.URL, twoPairs, "pairwise:\n  - "+entry+"\n")
			code, _, stderr := compqa(pairwiseRunArgs(dir)...)
			if code != exitDone {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			want := strings.Join(slices.Repeat([]string{c.calls}, 4), ", ")
			if got := log.take(); mergeRuns(got) != mergeRuns(want) {
				t.Errorf("asked\n%s\nwant\n%s", got, want)
			}
			accuracy := map[bool]string{false: "1", true: "0"}[c.failed]
			for _, order := range []string{"ab", "ba", "both"} {
				rows := where(csvTable(t, filepath.Join(dir, "run", "tables", "pairwise.csv")), map[string]string{"judge": "judge", "order": order})
				if len(rows) != 1 || rows[0]["planned"] != "2" || rows[0]["valid"] != "2" || rows[0]["accuracy"] != accuracy {
					t.Errorf("order %s: %v, want 2 of 2 valid and accuracy %s", order, rows, accuracy)
				}
				calls := fmt.Sprint(c.n)
				if order == "both" {
					calls = fmt.Sprint(2 * c.n)
				}
				if rows[0]["calls_per_pair"] != calls || rows[0]["tokens_per_pair"] != fmt.Sprint(120*atoi(t, calls)) {
					t.Errorf("order %s: %s calls and %s tokens a pair, want %s and 120 a call", order, rows[0]["calls_per_pair"], rows[0]["tokens_per_pair"], calls)
				}
			}
			// The same command again makes no calls and prints the same.
			before, _ := os.ReadFile(filepath.Join(dir, "run", "tables", "pairwise.csv"))
			if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitDone {
				t.Fatalf("the second time: exit %d: %s", code, stderr)
			}
			if got := log.take(); got != "" {
				t.Errorf("the second time it asks %s", got)
			}
			if after, _ := os.ReadFile(filepath.Join(dir, "run", "tables", "pairwise.csv")); string(after) != string(before) {
				t.Error("the second report differs from the first")
			}
		})
	}
}

// stepKind returns the kind of a prompt with a chain of thought. In the prompt of cot-1shot, "take a deep breath" is in the middle of a
// sentence.
func stepKind(prompt string) string {
	if strings.Contains(prompt, "with the example in mind") {
		return "1shot"
	}
	return "step"
}

// mergeRuns adds up neighbouring runs of one kind.
func mergeRuns(runs string) string {
	var log kindLog
	for record := range strings.SplitSeq(runs, ", ") {
		var n int
		var kind string
		fmt.Sscanf(record, "%d %s", &n, &kind)
		for range n {
			log.add(kind)
		}
	}
	return log.take()
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	var n int
	if _, err := fmt.Sscan(s, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestPairwiseRoles: each role has its own model. Draws that decide are made at temperature 0. Roles that are drawn several times use
// temperature 1, with a different seed per draw.
func TestPairwiseRoles(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) { return 200, completion(wellBehaved(prompt), "stop") })
	dir := pairwiseFiles(t, server.URL, twoPairs, `pairwise:
  - name: sc2
    method: sc2
    provider: scripted
    model: judge
    roles:
      aspects: {model: aspects-model}
      comparisons: {model: tables-model, options: {temperature: 0.7, max_tokens: 900}}
      comparator: {model: duel-model}
`)
	if code, _, stderr := compqa(pairwiseRunArgs(withKeys(t, dir, "order: ab"), "--limit", "1")...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	counts := map[string]int{}
	seeds := map[string]map[any]bool{}
	for _, body := range server.bodies {
		model := body["model"].(string)
		counts[model]++
		if seeds[model] == nil {
			seeds[model] = map[any]bool{}
		}
		seeds[model][body["seed"]] = true
		want := map[string]float64{"aspects-model": 1, "tables-model": 0.7, "duel-model": 0, "judge": 0}[model]
		if body["temperature"] != want {
			t.Errorf("%s is asked at temperature %v, want %v", model, body["temperature"], want)
		}
		if _, schema := body["response_format"]; schema != (model == "tables-model") {
			t.Errorf("%s: response_format is there: %v", model, schema)
		}
	}
	if want := map[string]int{"aspects-model": 8, "tables-model": 8, "duel-model": 7, "judge": 1}; !maps.Equal(counts, want) {
		t.Errorf("asked %v, want %v", counts, want)
	}
	if len(seeds["tables-model"]) != 8 || len(seeds["aspects-model"]) != 8 {
		t.Errorf("%d and %d different seeds for 8 draws", len(seeds["tables-model"]), len(seeds["aspects-model"]))
	}
}

// TestPairwiseOfflineAspects: aspects are extracted from the pairs once, kept in the file that the entry names, and used from then on.
func TestPairwiseOfflineAspects(t *testing.T) {
	t.Parallel()
	var log kindLog
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		log.add(promptKind(prompt))
		return 200, completion(wellBehaved(prompt), "stop")
	})
	entry := "pairwise:\n  - {name: sc2, method: sc2, provider: scripted, model: m, aspects: kept.yaml}\n"
	dir := pairwiseFiles(t, server.URL, twoPairs, entry)
	if code, _, stderr := compqa(pairwiseRunArgs(withKeys(t, dir, "order: ab"), "--limit", "1")...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got, want := log.take(), "2 extract, 1 consolidate, 8 comparison, 7 comparator, 1 table"; got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	kept := filepath.Join(dir, "kept.yaml")
	if names, found, err := config.ReadAspects(kept); err != nil || !found || len(names) != 5 {
		t.Errorf("kept: %v, %v, %v", names, found, err)
	}
	if err := os.WriteFile(kept, []byte("aspects: [Accuracy, Brevity]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa(pairwiseRunArgs(dir, "--limit", "1")...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got, want := log.take(), "8 comparison, 7 comparator, 1 table"; got != want {
		t.Errorf("with edited aspects it asks %s, want %s", got, want)
	}
	text, err := os.ReadFile(filepath.Join(dir, "run", "tables", "preferences.csv"))
	if err != nil || !strings.Contains(string(text), "Brevity") || strings.Contains(string(text), "Clarity") {
		t.Errorf("the table on record is not the one of the new aspects: %v", err)
	}
}

// TestPairwiseFaults: a failure is a status with a reason, and never a choice. Only failed preferences are asked for again.
func TestPairwiseFaults(t *testing.T) {
	t.Parallel()
	broken := true
	var log kindLog
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		log.add(promptKind(prompt))
		switch {
		case !broken || !strings.Contains(prompt, "two and two"):
			return 200, completion(wellBehaved(prompt), "stop")
		case promptKind(prompt) == "con-j":
			return 200, completion(`{"rationale": "It goes on and`, "length")
		case promptKind(prompt) == "direct":
			return 200, completion("I cannot tell.", "stop")
		case promptKind(prompt) == "step":
			return 200, completion("No.", "content_filter")
		}
		return 500, `{"error": {"message": "no ` + plantedKey + `"}}`
	})
	dir := pairwiseFiles(t, server.URL, twoPairs, `pairwise:
  - {name: direct, method: direct, provider: scripted, model: m}
  - {name: cot, method: cot, provider: scripted, model: m}
  - {name: con-j, method: con-j, provider: scripted, model: m}
  - {name: bare, method: con-j-no-rationale, provider: scripted, model: m}
`)
	code, _, stderr := compqa(pairwiseRunArgs(dir)...)
	if code != exitIncomplete || !strings.Contains(stderr, "8 of 16 preferences") {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	rows := csvTable(t, filepath.Join(dir, "run", "tables", "preferences.csv"))
	for judge, status := range map[string]string{"direct": "unparsed", "cot": "refused", "con-j": "truncated", "bare": "failed"} {
		records := where(rows, map[string]string{"judge": judge, "id": "p1"})
		for _, r := range records {
			if r["status"] != status || r["choice"] != "" || r["reason"] == "" {
				t.Errorf("%s: %v, want %s with a reason", judge, r, status)
			}
		}
		if len(records) != 2 {
			t.Errorf("%s: %d rows for 2 orders", judge, len(records))
		}
		all := where(csvTable(t, filepath.Join(dir, "run", "tables", "pairwise.csv")), map[string]string{"judge": judge, "order": "both"})
		if all[0]["planned"] != "2" || all[0]["valid"] != "1" {
			t.Errorf("%s: %v", judge, all)
		}
	}
	for _, name := range []string{"run.db", "tables/preferences.csv", "report.md"} {
		if text, _ := os.ReadFile(filepath.Join(dir, "run", name)); strings.Contains(string(text), plantedKey) {
			t.Errorf("%s holds the key", name)
		}
	}
	broken = false
	log.take()
	// A reply that cannot be read stays on record, and is requested again as another sample.
	if code, _, stderr := compqa(pairwiseRunArgs(dir, "--retry-failed")...); code != exitDone {
		t.Fatalf("again: exit %d: %s", code, stderr)
	}
	log.mu.Lock()
	asked := slices.Sorted(slices.Values(log.kinds))
	log.mu.Unlock()
	if want := []string{"bare", "bare", "con-j", "con-j", "direct", "direct", "step", "step"}; !slices.Equal(asked, want) {
		t.Errorf("asking again asks %v, want %v", asked, want)
	}
}

// TestPairwiseRanksSystems: preferences rank the systems, with one judge in the configuration.
func TestPairwiseRanksSystems(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) { return 200, completion(wellBehaved(prompt), "stop") })
	var listed strings.Builder
	systems := []string{"one", "two", "three"}
	for q := range 12 {
		for i := range systems {
			for k := i + 1; k < len(systems); k++ {
				a := "RIGHT"
				b := "WRONG"
				if q%4 == 0 { // sometimes the weaker system wins
					a, b = b, a
				}
				fmt.Fprintf(&listed, `{"id": "q%d-%d-%d", "question": "Question %d?", "a": "It is %s.", "b": "It is %s.", "label": "none", "system_a": "%s", "system_b": "%s"}`+"\n", q, i, k, q, a, b, systems[i], systems[k])
			}
		}
	}
	dir := pairwiseFiles(t, server.URL, listed.String(), "pairwise:\n  - {method: direct, provider: scripted, model: m}\n")
	code, stdout, stderr := compqa(pairwiseRunArgs(dir)...)
	if code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	rows := where(csvTable(t, filepath.Join(dir, "run", "tables", "bradley_terry.csv")), map[string]string{"judge": "direct"})
	if len(rows) != 3 {
		t.Fatalf("%v", rows)
	}
	for i, name := range systems {
		r := rows[i]
		if r["system"] != name || r["rank"] != fmt.Sprint(i+1) || r["strength"] == "" || r["ties"] != "0" {
			t.Errorf("place %d: %v, want %s", i+1, r, name)
		}
	}
	// 12 questions with 2 pairs each: the first system wins 18 and loses 6.
	if rows[0]["wins"] != "18" || rows[0]["losses"] != "6" || rows[0]["low"] == "" || rows[0]["rank_high"] == "" {
		t.Errorf("%v, want 18 wins and 6 losses, and intervals", rows[0])
	}
	if !strings.Contains(stdout, "Systems by the preferences of direct") {
		t.Errorf("not printed:\n%s", stdout)
	}
}
