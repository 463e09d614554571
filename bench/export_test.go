package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/archive"
	"compqa/rubric"
)

// exportedRun returns a run and its export, with all that a record can have: models and a baseline, judges with all kinds of replies,
// embedded judges, people, and pairs. It has 20 questions under two scenarios, so 40 answers of each system.
func exportedRun(t *testing.T, args ...string) (dir, file string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "run")
	file = filepath.Join(t.TempDir(), "run.gz")
	if err := os.CopyFS(dir, os.DirFS(recordedRun(t, "").dir)); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa(append([]string{"export", dir, "--out", file}, args...)...); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	return dir, file
}

// A recording is a run's folder, which tests must not change, and the bytes of its export.
type recording struct {
	dir    string
	export []byte
}

var (
	recorded     = map[string]recording{} // by the additional entries of models
	recordedLock sync.Mutex
)

// recordedReply is the reply of the server of recordedRun: sheets, choices, answers, and all kinds of faults.
func recordedReply(prompt string, n int) (int, string) {
	switch {
	case isLabelling(prompt):
		_, reply := labelReply(prompt)
		return 200, completion(reply, "stop")
	case strings.Contains(prompt, "Preferred"):
		return 200, completion("Comparison: one is longer.\nPreferred: "+[]string{"A", "B"}[len(prompt)%2], "stop")
	case !isJudging(prompt):
		return 200, completion("An answer "+prompt, "stop")
	case strings.Contains(prompt, "softball"):
		return 200, completion("no dictionary here", "stop")
	case strings.Contains(prompt, "apple"):
		return 200, completion("I would rather not.", "content_filter")
	case strings.Contains(prompt, "Toyota"):
		return 400, `{"error": {"message": "no, with Authorization: Bearer ` + plantedKey + `"}}`
	case strings.Contains(prompt, "volleyball"):
		return 200, completion("Here you are: "+strings.Replace(fullMarks(), `"9":2`, `"9":1`, 1)+" "+plantedKey, "stop")
	case strings.Contains(prompt, "nixon") && !strings.Contains(prompt, `{\"1\": 1}`):
		return 200, completion(`{"1": 1}`, "stop") // a complete sheet if the prompt is shown again for a repair
	}
	return 200, completion(fullMarks(), "stop")
}

// recordedRun returns exportedRun's run, which is made once for all tests. models has additional entries of models, which may use
// sources.jsonl.
func recordedRun(t *testing.T, models string) recording {
	t.Helper()
	recordedLock.Lock()
	defer recordedLock.Unlock()
	if r, made := recorded[models]; made {
		return r
	}
	server := newScriptedServer(t, recordedReply)
	folder := t.TempDir()
	cfg := filepath.Join(folder, "all.yaml")
	text := fmt.Sprintf(`
scenarios: [1, 2]
providers:
  scripted: {type: openai, base_url: %s/v1, api_key_env: COMPQA_TEST_KEY, concurrency: 16, backoff: 1ms, retries: 1}
models:
  - {name: contestant, provider: scripted, model: m, options: {temperature: 0.2, max_tokens: 300}, price: {input: 2, output: 4}}
  - {name: template, provider: baseline}
%s
judges:
  - {name: judge, provider: scripted, model: m, options: {temperature: 0}, examples: 1, price: {input: 2, output: 4}}
  - {name: sampling, provider: scripted, model: s, sample: 10, repeats: 2}
  - {name: surface, provider: embedded}
  - {name: strict, provider: embedded, model: rules, sample: 12}
  - {name: constant, provider: embedded}
  - {name: people, provider: file, path: people.jsonl}
summary_judges:
  - {name: rules, provider: embedded}
  - {name: labeller, provider: scripted, model: m}
pairwise:
  - {name: votes, method: cot-selfcon, provider: scripted, model: m, draws: 3, sample: 12}
  - {name: tables, method: sc2, provider: scripted, model: m, draws: 2, sample: 4}
`, server.URL, models)
	const sources = `{"id": "a", "entity": "object1", "title": "A", "rank": 1, "text": "PHP has a large community.", "object1": "php", "object2": "asp"}
{"id": "b", "entity": "object2", "text": "The community is small.", "object1": "php", "object2": "asp"}
{"id": "c", "entity": "both", "text": "Both are fine.", "object1": "oolong", "object2": "pu-erh"}
`
	for path, content := range map[string]string{cfg: text, filepath.Join(folder, "people.jsonl"): peoplesSheets(t), filepath.Join(folder, "sources.jsonl"): sources} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.MkdirTemp("", "compqa-test-*") // the folder must outlive this test
	if err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--limit", "20"); code != exitIncomplete {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if code, _, stderr := compqa("run", "--only", "pairs", "--config", cfg, "--out", dir); code != exitIncomplete {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", dir, "--out", file); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	recorded[models] = recording{dir, fileContent(t, file)}
	return recorded[models]
}

// exportedFile writes a copy of recordedRun's export and returns its path.
func exportedFile(t *testing.T, models string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "run.gz")
	if err := os.WriteFile(file, recordedRun(t, models).export, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// withTables is an entry of a system that makes tables, so that the record has tables and sources.
const withTables = "  - {name: tables, provider: baseline, model: strum, sources: sources.jsonl}"

// peoplesSheets returns one sheet of people for each of the first ten answers of the contestant and of the baseline.
func peoplesSheets(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for i := range 20 {
		scores := rubric.CQA().Full()
		scores["1"] = float64(i % 2)
		text, err := json.Marshal(map[string]any{"id": data.AnswerID([]string{"contestant", "template"}[i%2], "1", data.CQA50()[i/2].ID, 1), "judge": "human", "status": "valid", "scores": scores})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", text)
	}
	return b.String()
}

// TestVerify: an export is verified, whatever the judges replied. It contains no key and, unless requested, no requests. The account says
// what was checked.
func TestVerify(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, args       string
		replies, bodies  bool
		said, notChecked string
	}{
		// 80 verdicts of the judge, 20 of the judge with a sample, 80 of surface, 12 of strict, 80 of constant. The 20 of people have no
		// task.
		{"usual", "", true, false, "80 answers, 272 verdicts, ", ""},
		{"bodies", "--bodies", true, true, "80 answers, 272 verdicts, ", ""},
		{"no replies", "--no-replies", false, false, "80 answers, 272 verdicts, ", "the export has no replies"},
	} {
		if test.name != "usual" && !sharedtest.Soaking(t) {
			continue // TestSoakVerify tries it
		}
		t.Run(test.name, func(t *testing.T) {
			dir, file := exportedRun(t, strings.Fields(test.args)...)
			number := func(query string) (n int) {
				t.Helper()
				fmt.Sscan(rowsOf(t, dir, query), &n)
				return n
			}
			if number(`SELECT count(*) FROM verdicts WHERE judge = 'judge' AND status IN ('refused', 'failed')`) != 8 {
				t.Error("the run is not what the test thinks")
			}
			want := test.said
			code, stdout, stderr := compqa("verify", "--verbose", file)
			size, sum, err := archive.HashFile(file)
			if code != exitDone || err != nil || size == 0 || !strings.Contains(stdout, want) || !strings.Contains(stdout, sum) || !strings.Contains(stdout, "80 of 80 planned answers, 292 of 292 planned verdicts, 352 preferences") ||
				!strings.Contains(stdout, test.notChecked) {
				t.Errorf("exit %d, %s%s; want %q", code, stdout, stderr, want)
			}
			if !strings.Contains(stdout, " and 112 preferences have a task") {
				t.Errorf("%s", stdout)
			}
			if code, stdout, _ := compqa("export", dir, "--out", "-"); code != exitDone || strings.Contains(stdout, plantedKey) {
				t.Errorf("exit %d", code)
			}
			within := unpackedTo(t, file)
			searchForKey(t, within, stdout)
			if got := rowsOf(t, within, "SELECT count(*) > 0 FROM calls WHERE request <> '' OR raw <> ''"); strings.HasPrefix(got, "1") != test.bodies {
				t.Errorf("requests and bodies: %s", got)
			}
			if got := rowsOf(t, within, "SELECT (SELECT count(*) FROM verdicts WHERE raw <> '') + (SELECT count(*) FROM calls WHERE reply <> '') > 0"); strings.HasPrefix(got, "1") != test.replies {
				t.Errorf("replies: %s", got)
			}
		})
	}
}

// TestSoakVerify runs TestVerify with all kinds of exports.
func TestSoakVerify(t *testing.T) {
	sharedtest.Soak(t)
	TestVerify(t)
}

// TestSoakExportStops: an export that is stopped leaves no file, neither at its destination nor in the temporary folder. An earlier export
// stays.
func TestSoakExportStops(t *testing.T) {
	sharedtest.Soak(t)
	dir := unpackedTo(t, exportedFile(t, ""))
	work := t.TempDir()
	to := t.TempDir()
	t.Setenv("TMPDIR", work)
	file := filepath.Join(to, "run.gz")
	if err := os.WriteFile(file, []byte("what was there"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"copying the record", "computing the tables", "packing"} {
		ctx, stop := context.WithCancel(t.Context())
		_, err := archive.ExportFile(ctx, dir, file, archive.ExportOptions{Doing: func(what string) {
			if what == at {
				stop()
			}
		}})
		stop()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("stopped at %s: %v", at, err)
		}
	}
	left, err := filepath.Glob(filepath.Join(work, "*"))
	here, failed := filepath.Glob(filepath.Join(to, "*"))
	content, unread := os.ReadFile(file)
	if err := errors.Join(err, failed, unread); err != nil || len(left) > 0 || len(here) != 1 || string(content) != "what was there" {
		t.Errorf("%v; left: %v, %v, %q", err, left, here, content)
	}
}

// TestSoakVerifyByAnotherVersion: a record of another version is checked like one of this version. If this version would ask or score
// differently, the record is not verified.
func TestSoakVerifyByAnotherVersion(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	file := exportedFile(t, "")
	const other = `UPDATE run SET program = 'another version'`
	if code, stdout, stderr := compqa("verify", exportedAgain(t, file, other)); code != exitDone || !strings.Contains(stdout, "made by      said to be compqa another version") {
		t.Errorf("as this version would: exit %d, %s%s", code, stdout, stderr)
	}
	for query, want := range map[string]string{
		`UPDATE plan SET fingerprint = 'other' WHERE kind = 'answer' AND system = 'contestant'`:  "answers of contestant under scenario 1 were planned with another configuration",
		`UPDATE results SET fingerprint = 'other' WHERE kind = 'preference' AND party = 'votes'`: "its fingerprint is recorded as ",
		`UPDATE plan SET fingerprint = 'other' WHERE judge = 'judge'`:                            "the verdicts of judge on answers of contestant under scenario 1 were planned with another configuration",
		`UPDATE plan SET fingerprint = 'other' WHERE judge = 'constant'`:                         "the verdicts of constant on answers of contestant under scenario 1 were planned with another configuration",
	} {
		expectDifference(t, exportedAgain(t, file, other+"; "+query), want)
	}
}
