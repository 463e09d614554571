package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"compqa/data/sharedtest"

	"compqa/bench/cli"
	"compqa/data"
	"compqa/data/sources"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/rubric"
)

// plantedKey is a secret that no output or file may contain.
const plantedKey = "sk-planted-7f3a91c4e05b42d8"

// A scriptedServer is an OpenAI-compatible server that answers by a script and counts its requests.
type scriptedServer struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []map[string]any
	// reply returns the reply to the n-th request with this prompt, counted from 1.
	reply func(prompt string, n int) (status int, body string)
	seen  map[string]int
}

func newScriptedServer(t *testing.T, reply func(prompt string, n int) (int, string)) *scriptedServer {
	t.Helper()
	s := &scriptedServer{reply: reply, seen: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *scriptedServer) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/models") {
		io.WriteString(w, `{"object": "list", "data": [{"id": "m", "object": "model"}]}`)
		return
	}
	var body map[string]any
	json.NewDecoder(r.Body).Decode(&body)
	text, _ := json.Marshal(body["messages"])
	s.mu.Lock()
	s.bodies = append(s.bodies, body)
	key := string(text)
	if seed, ok := body["seed"]; ok {
		key += fmt.Sprint(seed)
	}
	if body["model"] != "m" {
		key += fmt.Sprint("\x00", body["model"])
	}
	s.seen[key]++
	n := s.seen[key]
	s.mu.Unlock()
	status, reply := s.reply(key, n)
	w.WriteHeader(status)
	io.WriteString(w, reply)
}

func (s *scriptedServer) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.bodies)
}

// completion returns the JSON of a chat completion with a text.
func completion(text, finish string) string {
	body, _ := json.Marshal(map[string]any{
		"id": "c", "object": "chat.completion", "model": "m",
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish, "message": map[string]any{"role": "assistant", "content": text}}},
		"usage":   map[string]any{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
	})
	return string(body)
}

// isJudging reports whether a prompt is for a judge, not for a model that answers.
func isJudging(prompt string) bool { return strings.Contains(prompt, rubric.CQA().Criteria[0].Text) }

func fullMarks() string {
	text, _ := json.Marshal(rubric.CQA().Full())
	return string(text)
}

// liveConfig writes a configuration with one model and one judge at the server.
func liveConfig(t *testing.T, url, more string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "live.yaml")
	text := fmt.Sprintf(`
scenarios: [1, 2, 3, 4]
providers:
  scripted: {type: openai, base_url: %s/v1, api_key_env: COMPQA_TEST_KEY, concurrency: 16, backoff: 1ms, retries: 2, give_up: 5s}
models:
  - {name: contestant, provider: scripted, model: m, options: {temperature: 0}}
judges:
  - {name: judge, provider: scripted, model: m, options: {temperature: 0}}
  - {name: constant, provider: embedded}
%s`, url, more)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// compqa runs the command line in this process. It joins lines that continue the line before, so that tests find sentences in them: where a
// line ends depends on the length of a temporary folder's name, which varies.
func compqa(args ...string) (code int, stdout, stderr string) {
	code, stdout, stderr = asPrinted(args...)
	return code, joinedLines(args, stdout), stderr
}

// asPrinted runs the command line in this process, and returns what it prints.
func asPrinted(args ...string) (code int, stdout, stderr string) {
	var out, err strings.Builder
	code = Main(context.Background(), args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &err})
	return code, out.String(), err.String()
}

// joinedLines returns what a command printed, with each line that continues a sentence joined to the line before.
func joinedLines(args []string, text string) string {
	switch {
	case len(args) == 0:
	case args[0] == "verify":
		return strings.ReplaceAll(text, "\n"+strings.Repeat(" ", 15), " ")
	case slices.Contains([]string{"agree", "annotate", "doctor"}, args[0]):
		return continued.ReplaceAllString(text, " $1")
	}
	return text
}

// continued matches the start of a line that continues a sentence. Rows of a reading begin with more spaces or a question mark.
var continued = regexp.MustCompile(`\n  ([^ ?])`)

// faults are the faulty replies that a scripted server may give to a call.
var faults = []func(judging bool) (int, string){
	func(bool) (int, string) { return 429, `{"error": {"message": "slow down ` + plantedKey + `"}}` },
	func(bool) (int, string) { return 500, `<html><title>Oops</title></html>` },
	func(bool) (int, string) {
		return 400, `{"error": {"message": "no, with Authorization: Bearer ` + plantedKey + `"}}`
	},
	func(bool) (int, string) { return 200, `{"error": {"message": "upstream is gone"}}` },
	func(bool) (int, string) { return 200, `{"choices": []}` },
	func(bool) (int, string) { return 200, `{"choices": [{"index"` },
	func(bool) (int, string) { return 200, completion("I would rather not.", "content_filter") },
	func(bool) (int, string) { return 200, completion("This was going to be a long", "length") },
	func(judging bool) (int, string) { return 200, completion("Ten points for style!", "stop") },
	func(judging bool) (int, string) { return 200, completion(`{"1": 1, "2": 1}`, "stop") },
	func(judging bool) (int, string) {
		return 200, completion(strings.Replace(fullMarks(), `"9":2`, `"9":7`, 1), "stop")
	},
	func(judging bool) (int, string) {
		return 200, completion(strings.Replace(fullMarks(), `"9":2`, `"9":2,"16":1`, 1), "stop")
	},
}

var caseOf = regexp.MustCompile(`case-(\d+)`)

// TestFaultsNeverBecomePoints: whatever mix of faults a server has, in every cell the statuses add up to the planned number, no fault has
// points, and no file of the run contains the key.
func TestFaultsNeverBecomePoints(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		h := fnv.New32a()
		io.WriteString(h, prompt)
		pick := int(h.Sum32() % 24)
		if m := caseOf.FindStringSubmatch(prompt); m != nil { // the answer says which fault its judge has, also for repairs
			pick, _ = strconv.Atoi(m[1])
		}
		switch {
		case pick < len(faults):
			return faults[pick](isJudging(prompt))
		case isJudging(prompt):
			return 200, completion(fullMarks(), "stop")
		}
		return 200, completion(fmt.Sprintf("An answer, case-%d.", h.Sum32()/24%24), "stop")
	})
	cfg := liveConfig(t, server.URL, "")
	dir := t.TempDir()
	// Without retries, several failing calls that are each repeated would look like a server that is down.
	if err := os.WriteFile(cfg, bytes.Replace(fileContent(t, cfg), []byte("retries: 2"), []byte("retries: -1"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := compqa("run", "--config", cfg, "--out", dir)
	if code != exitIncomplete || !strings.Contains(stderr, "--retry-failed asks for them again") {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	record, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	statuses := map[data.Status]int{}
	for _, s := range record.Sheets {
		if record.Judges[s.Rater].Name != "judge" {
			continue
		}
		statuses[s.Status]++
		if (s.Status == data.Valid) != (s.Scores != nil) {
			t.Errorf("a verdict is %s and has the scores %v", s.Status, s.Scores)
		}
		if s.Status == data.Valid && s.Total != 19 {
			t.Errorf("a fault became %v points", s.Total)
		}
	}
	for _, want := range []data.Status{data.Valid, data.Unparsed, data.Incomplete, data.OutOfRange, data.UnknownCriterion, data.Refused, data.Truncated, data.Failed, data.Skipped} {
		if statuses[want] == 0 {
			t.Errorf("no verdict is %s: %v", want, statuses)
		}
	}
	for _, c := range record.Plan {
		recorded := 0
		for _, a := range record.Answers {
			if c.Kind == store.KindAnswer && a.System == c.System && a.Scenario == c.Scenario {
				recorded++
			}
		}
		for _, s := range record.Sheets {
			a := record.Answers[s.Item]
			if c.Kind == store.KindVerdict && record.Judges[s.Rater].Name == c.Judge && a.System == c.System && a.Scenario == c.Scenario {
				recorded++
			}
		}
		if recorded != c.Planned {
			t.Errorf("%s %s %s %s: %d planned, %d on record", c.Kind, c.Judge, c.System, c.Scenario, c.Planned, recorded)
		}
	}
	searchForKey(t, dir, stderr)
}

// searchForKey checks that neither the printed text nor any file of a folder contains the planted key.
func searchForKey(t *testing.T, dir, printed string) {
	t.Helper()
	if strings.Contains(printed, plantedKey) {
		t.Error("the key was printed")
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), plantedKey) {
			t.Errorf("the key is in %s", filepath.Base(path))
		}
		return err
	})
	if err != nil || files < 5 {
		t.Errorf("searched %d files: %v", files, err)
	}
}

// TestNothingIsAskedTwice: a second run makes no calls, and --retry-failed repeats only failed calls. If a judge is added, only this judge
// is called. No call is made if the recorded calls have been changed.
func TestNothingIsAskedTwice(t *testing.T) {
	t.Parallel()
	broken := true
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		switch {
		case isJudging(prompt):
			return 200, completion(fullMarks(), "stop")
		case broken && strings.Contains(prompt, "tennis"):
			return 400, `{"error": {"message": "not today"}}`
		}
		return 200, completion("Fine. "+prompt, "stop")
	})
	questions := filepath.Join(t.TempDir(), "q.csv")
	if err := os.WriteFile(questions, []byte("object1,object2,arguments\ntennis,golf,\"[\"\"Golf takes longer than tennis.\"\"]\"\ntram,bus,\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg := liveConfig(t, server.URL, "dataset: "+questions+"\n")
	dir := t.TempDir()
	step := func(wantCode, wantAsked int, args ...string) {
		t.Helper()
		before := server.asked()
		code, _, stderr := compqa(append([]string{"run", "--config", cfg, "--out", dir}, args...)...)
		if asked := server.asked() - before; code != wantCode || asked != wantAsked {
			t.Errorf("%v: exit %d and %d calls, want %d and %d\n%s", args, code, asked, wantCode, wantAsked, stderr)
		}
	}
	// tennis/golf: 4 answers that fail; tram/bus: 2 answers and 2 verdicts, and 2 answers skipped because the question has no arguments.
	step(exitIncomplete, 4+2+2)
	step(exitIncomplete, 0)
	broken = false
	step(exitDone, 4+4, "--retry-failed")
	step(exitDone, 0, "--retry-failed")
	content, err := os.ReadFile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	more := strings.Replace(string(content), "judges:\n", "judges:\n  - {name: second, provider: scripted, model: m, options: {temperature: 1}}\n", 1)
	if err := os.WriteFile(cfg, []byte(more), 0o644); err != nil {
		t.Fatal(err)
	}
	step(exitDone, 6)
	step(exitDone, 0)
	tampered(t, dir, `UPDATE calls SET reply = reply || ' '`)
	step(exitDone, 0)
	if err := os.WriteFile(cfg, []byte(strings.Replace(more, "name: second", "name: third", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	step(exitFailed, 0) // another program changed the recorded calls
}

// TestChangedConfiguration: results that a changed configuration would make differently are made again in the same folder. Recorded calls
// are reused where they fit. The run is complete only when this is done.
func TestChangedConfiguration(t *testing.T) {
	t.Parallel()
	server := wellServer(t)
	other := wellServer(t)
	dir := t.TempDir()
	begin := liveConfig(t, server.URL, "")
	change := func(old, new string) string {
		text, err := os.ReadFile(begin)
		if err != nil || !strings.Contains(string(text), old) {
			t.Fatalf("%v, %s", err, text)
		}
		path := filepath.Join(t.TempDir(), "changed.yaml")
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, step := range []struct {
		name, config   string
		asked, ofOther int // calls up to then, of two questions in four scenarios, each answer with a verdict
	}{
		{"at first", begin, 16, 0},
		{"another option of the model", change("model: m, options: {temperature: 0}", "model: m, options: {temperature: 1}"), 24, 0}, // the answers are the same, and so the judge's calls
		{"another option of the judge", change("judge, provider: scripted, model: m, options: {temperature: 0}", "judge, provider: scripted, model: m, options: {temperature: 1}"), 32, 0},
		{"another server", change(server.URL, other.URL), 32, 0},
		{"a server with a fingerprint", change(server.URL+"/v1", other.URL+"/v1, fingerprint: url"), 32, 16},
		{"as at first", begin, 32, 16},
	} {
		code, _, stderr := compqa("run", "--config", step.config, "--out", dir, "--limit", "2")
		if code != exitDone || server.asked() != step.asked || other.asked() != step.ofOther {
			t.Errorf("%s: exit %d after %d and %d calls, want %d and %d\n%s", step.name, code, server.asked(), other.asked(), step.asked, step.ofOther, stderr)
		}
		if failures, err := os.ReadFile(filepath.Join(dir, "tables", "failures.csv")); !os.IsNotExist(err) {
			t.Errorf("%s: %v, %s", step.name, err, failures)
		}
	}
}

// TestUnreachable: a provider that cannot be reached is skipped with one line, and its items are counted. With --strict the run fails.
func TestUnreachable(t *testing.T) {
	if !alone(t) {
		return
	}
	cfg := liveConfig(t, nobody, "")
	dir := t.TempDir()
	code, _, stderr := compqa("run", "--config", cfg, "--out", dir)
	if code != exitIncomplete || strings.Count(stderr, "skipped: all items of provider scripted") != 1 || !strings.Contains(stderr, "some items have no valid result: provider scripted cannot be used: ") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--skip-unreachable"); code != exitDone {
		t.Errorf("--skip-unreachable: exit %d, %s", code, stderr)
	}
	failures, err := os.ReadFile(filepath.Join(dir, "tables", "failures.csv"))
	if err != nil || !strings.Contains(string(failures), "answer,-,contestant,1,skipped,") {
		t.Errorf("%v\n%s", err, failures)
	}
	if code, _, stderr := compqa("run", "--config", cfg, "--out", t.TempDir(), "--strict"); code != exitFailed {
		t.Errorf("strict: exit %d, %s", code, stderr)
	}
	t.Setenv("COMPQA_TEST_KEY", "")
	if code, _, stderr := compqa("run", "--config", cfg, "--out", t.TempDir()); code != exitIncomplete || !strings.Contains(stderr, "COMPQA_TEST_KEY") {
		t.Errorf("without a key: %s", stderr)
	}
}

// TestJudgeCommandLive: compqa judge scores any answers with any configured judge.
func TestJudgeCommandLive(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		if strings.Contains(prompt, "Second answer") {
			return 200, completion("no dictionary here", "stop")
		}
		return 200, completion("Here it is: "+fullMarks(), "stop")
	})
	cfg := liveConfig(t, server.URL, "")
	dir := t.TempDir()
	in := filepath.Join(dir, "in.csv")
	out := filepath.Join(dir, "out.csv")
	if err := os.WriteFile(in, []byte("id,object1,object2,text\n1,a,b,First answer.\n2,a,b,Second answer.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := compqa("judge", "--config", cfg, "--judge", "judge", "--in", in, "--out", out)
	if code != exitIncomplete {
		t.Errorf("exit %d, %s", code, stderr)
	}
	verdicts, err := sources.ReadVerdicts(out, rubric.CQA().IDs(), func(string) bool { return true }, sources.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := verdicts.At(0); v.Status != data.Valid || *v.Total != 19 {
		t.Errorf("first: %+v", v)
	}
	if v := verdicts.At(1); v.Status != data.Unparsed || v.Raw != "no dictionary here" {
		t.Errorf("second: %+v", v)
	}
	if asked := server.asked(); asked != 3 {
		t.Errorf("%d calls, want 3: one of the two is repaired once", asked)
	}
}

// TestSoakSmallerPlans: what a changed configuration no longer plans is in no table, as in a folder that never had it. If it is planned
// again, it costs nothing, because the calls are on record.
func TestSoakSmallerPlans(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		if isJudging(prompt) {
			return 200, completion(fullMarks(), "stop")
		}
		h := fnv.New32a()
		io.WriteString(h, prompt)
		return 200, completion(fmt.Sprintf("Answer %d.", h.Sum32()), "stop")
	})
	dir := t.TempDir()
	fresh := t.TempDir()
	cfg := liveConfig(t, server.URL, "")
	content, err := os.ReadFile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	with := func(model, judge string) {
		t.Helper()
		text := strings.Replace(string(content), "scenarios: [1, 2, 3, 4]", "scenarios: [1, 3]", 1)
		text = strings.Replace(text, "model: m, options: {temperature: 0}}\njudges:", "model: m, options: {temperature: 0}"+model+"}\njudges:", 1)
		text = strings.Replace(text, "  - {name: judge, provider: scripted, model: m, options: {temperature: 0}}", "  - {name: judge, provider: scripted, model: m, options: {temperature: 0}"+judge+"}", 1)
		if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	record := func(out string) int {
		t.Helper()
		before := server.asked()
		if code, _, stderr := compqa("run", "--config", cfg, "--out", out); code != exitDone {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		return server.asked() - before
	}
	with(", choices: 2", ", repeats: 2")
	record(dir)
	with("", ", sample: 7")
	if asked := record(dir); asked != 0 {
		t.Errorf("asking for less took %d calls", asked)
	}
	record(fresh)
	for _, name := range []string{"tables/leaderboard.csv", "tables/answers.csv", "tables/verdicts.csv", "tables/failures.csv"} {
		got, err1 := os.ReadFile(filepath.Join(dir, name))
		want, err2 := os.ReadFile(filepath.Join(fresh, name))
		none := os.IsNotExist(err1) && os.IsNotExist(err2) && name == "tables/failures.csv" // a table without rows is not written
		if !none && (err1 != nil || err2 != nil || string(got) != string(want)) {
			t.Errorf("%s is not that of a fresh folder (%v, %v):\n%.400s\n%.400s", name, err1, err2, got, want)
		}
	}
	with(", choices: 2", ", repeats: 2")
	if asked := record(dir); asked != 0 {
		t.Errorf("asking for as much as before took %d calls", asked)
	}
}
