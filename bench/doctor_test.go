package bench

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// doctorConfig writes a configuration with one model at a server of this protocol.
func doctorConfig(t *testing.T, kind, url, more string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "doctor.yaml")
	text := fmt.Sprintf("providers:\n  p: {type: %s, base_url: %q, retries: -1%s}\nmodels: [{name: a, provider: p, model: good-model}]\njudges: [{name: constant, provider: embedded}]\n", kind, url, more)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// sickServer returns the address of a server that answers requests for the list of models with list, and chats with chat.
func sickServer(t *testing.T, list, chat func(w http.ResponseWriter)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/models"), strings.HasSuffix(r.URL.Path, "/api/tags"):
			list(w)
		case strings.HasSuffix(r.URL.Path, "/api/version"):
			fmt.Fprint(w, `{"version": "0.6.5"}`)
		default:
			chat(w)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func replying(status int, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { w.WriteHeader(status); fmt.Fprint(w, body) }
}

// nobody is an address that refuses connections. The port of a closed server would not do, because the next server may get it.
const nobody = "http://127.0.0.1:1"

// TestDoctor: doctor says what is wrong and what the user can do about it.
func TestDoctor(t *testing.T) {
	if !alone(t) {
		return
	}
	const withKey = ", api_key_env: COMPQA_TEST_KEY"
	models := replying(200, `{"object": "list", "data": [{"id": "good-model-2"}, {"id": "other"}]}`)
	refusal := replying(401, `{"error": {"message": "Incorrect API key provided: `+plantedKey+`"}}`)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections, but never replies
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	tests := []struct {
		name, kind, url, more, key string
		want                       []string
	}{
		{"no key", "openai", sickServer(t, models, models), withKey, "",
			[]string{"no key: the environment variable COMPQA_TEST_KEY is not set", "`export COMPQA_TEST_KEY=KEY`", "compqa doctor"}},
		{"wrong key", "openai", sickServer(t, refusal, refusal), withKey, plantedKey,
			[]string{"the key in COMPQA_TEST_KEY is refused", "Incorrect API key", "not expired", "`export COMPQA_TEST_KEY=KEY`"}},
		{"a key is wanted", "openai", sickServer(t, replying(401, ""), replying(401, "")), "", "",
			[]string{"the server requires a key", "api_key_env: NAME"}},
		{"dead server", "openai", nobody, "", "",
			[]string{"no server is running at 127.0.0.1:", "connection refused", "start it on this machine", "base_url"}},
		{"dead Ollama", "ollama", nobody, "", "", []string{"no server is running at 127.0.0.1:", "`ollama serve`"}},
		{"no such host", "openai", "http://no-such-host.invalid/v1", withKey, plantedKey,
			[]string{"no-such-host.invalid", "base_url", "warning: the key is sent to no-such-host.invalid without encryption"}},
		{"silent server", "openai", "http://" + silent.Addr().String(), ", timeout: 100ms", "", []string{"does not answer", "firewall"}},
		{"unknown model", "openai", sickServer(t, models, replying(404, `{"error": {"message": "The model does not exist"}}`)), "", "",
			[]string{`the server has no model "good-model"; did you mean "good-model-2"?`, "It offers good-model-2, other", "for model in the entry"}},
		{"unknown model at Ollama", "ollama", sickServer(t, replying(200, `{"models": [{"name": "llama3:8b"}]}`), replying(404, `{"error": "model not found"}`)), "", "",
			[]string{`the server has no model "good-model". It offers llama3:8b. Use one`, "`ollama pull good-model`"}},
		{"wrong path", "openai", sickServer(t, replying(404, "404 page not found"), replying(404, "404 page not found")), "", "",
			[]string{"no such address or no such model", "the right base_url (usually it ends in /v1)"}},
		{"no credit", "openai", sickServer(t, models, replying(429, `{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}`)), "", "",
			[]string{"has no credit left", "Add credit"}},
		{"sick server", "openai", sickServer(t, replying(200, `{"data": [{"id": "good-model"}]}`), replying(500, `{"error": "out of memory"}`)), "", "",
			[]string{"the server is reachable, but a short chat failed: out of memory (HTTP 500)", "try again later", "its log"}},
		{"a redirect", "openai", sickServer(t, models, func(w http.ResponseWriter) { w.Header().Set("Location", "https://elsewhere.test"); w.WriteHeader(301) }), "", "", []string{"set base_url to the final address"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("COMPQA_TEST_KEY", test.key)
			code, stdout, stderr := compqa("doctor", "--trust", "--config", doctorConfig(t, test.kind, test.url, test.more), "--out", t.TempDir())
			for _, want := range test.want {
				if !strings.Contains(stdout, want) {
					t.Errorf("it doesn't say %q:\n%s", want, stdout)
				}
			}
			if code != exitFailed || strings.Contains(stdout+stderr, plantedKey) || strings.Contains(stdout, "misconfigured:") {
				t.Errorf("exit %d\n%s%s", code, stdout, stderr)
			}
		})
	}
	_, _, stderr := compqa("run", "--trust", "--limit", "1", "--config", doctorConfig(t, "openai", "http://no-such-host.invalid/v1", withKey), "--out", t.TempDir())
	if !strings.Contains(stderr, "provider p: warning: the key is sent to no-such-host.invalid without encryption: use https") {
		t.Errorf("a run does not warn: %s", stderr)
	}
}

// TestDoctorAsksFirst: nothing is sent to a host that the user has not confirmed.
func TestDoctorAsksFirst(t *testing.T) {
	if !alone(t) {
		return
	}
	t.Setenv("COMPQA_TEST_KEY", plantedKey)
	path := doctorConfig(t, "openai", "http://no-such-host.invalid/v1", ", api_key_env: COMPQA_TEST_KEY")
	out := filepath.Join(t.TempDir(), "run")
	for _, command := range []string{"doctor", "run"} {
		code, stdout, stderr := compqa(command, "--config", path, "--out", out)
		if code != exitUsage || !strings.Contains(stdout+stderr, "provider p sends $COMPQA_TEST_KEY to no-such-host.invalid") || !strings.Contains(stderr, "confirm with --trust") {
			t.Errorf("%s: exit %d\n%s%s", command, code, stdout, stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "run.db")); err == nil {
		t.Error("a run was recorded")
	}
	if code, _, stderr := compqa("estimate", "--config", path, "--out", out); code != exitDone || !strings.Contains(stderr, "provider p sends $COMPQA_TEST_KEY to no-such-host.invalid") {
		t.Errorf("estimate: exit %d, %s", code, stderr)
	}
}

// TestKeyForName: if the user puts a key in the place of the variable's name, the error says so without showing the key.
func TestKeyForName(t *testing.T) {
	if !alone(t) {
		return
	}
	for key, fine := range map[string]bool{
		plantedKey: false, "AIzaSyD4planted0of0no0use0at0all0x9": false, "0f1e2d3c4b5a69788796a5b4c3d2e1f0": false, "$COMPQA_TEST_KEY": false,
		"COMPQA_TEST_KEY": true, "key2": true,
	} {
		t.Setenv("COMPQA_TEST_KEY", "x")
		cfg := doctorConfig(t, "openai", "http://127.0.0.1:1/v1", ", api_key_env: "+key)
		for _, command := range []string{"doctor", "run"} {
			code, stdout, stderr := compqa(command, "--config", cfg, "--out", t.TempDir())
			said := strings.Contains(stderr, "api_key_env must be the name of an environment variable")
			if said == fine || !fine && (code != exitUsage || strings.Contains(stdout+stderr, key)) {
				t.Errorf("%s with %q: exit %d, %s%s", command, key, code, stdout, stderr)
			}
		}
	}
}

func TestDoctorFindsAllWell(t *testing.T) {
	t.Parallel()
	url := sickServer(t, replying(200, `{"data": [{"id": "good-model"}]}`), replying(200, completion(`{"ready": true}`, "stop")))
	code, stdout, stderr := compqa("doctor", "--config", doctorConfig(t, "openai", url, ""), "--out", filepath.Join(t.TempDir(), "not", "there", "yet"))
	if code != exitDone || !strings.Contains(stdout, "p, good-model: answers in ") || !strings.Contains(stdout, "yet: can be written, ") || !strings.Contains(stdout, "; a run needs about ") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}

// TestBadRecord: every command that reads a record of another format, or a damaged record, exits with 1. doctor says the same as run.
func TestBadRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config := filepath.Join(dir, "compqa.yaml")
	out := filepath.Join(dir, "run")
	text := "models: [{name: t, provider: baseline, model: template}]\njudges: [{name: rules, provider: embedded}]\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("run", "--config", config, "--limit", "1", "--out", out); code != exitDone {
		t.Fatal(stderr)
	}
	record := filepath.Join(out, "run.db")
	sound, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	for want, content := range map[string][]byte{
		"has format 99; this compqa reads": slices.Concat(sound[:60], []byte{0, 0, 0, 99}, sound[64:]), // user_version
		"the file is damaged":              sound[:len(sound)/2],
		"although its folder has results":  nil,
	} {
		if err := os.WriteFile(record, content, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"run", "--config", config, "--out", out}, {"doctor", "--config", config, "--out", out}, {"report", out},
			{"serve", out}, {"serve", out, "--write", dir + "/site"}, {"compare", out, out}, {"show", out, "--disagree"}, {"validate", out}} {
			if code, stdout, stderr := compqa(args...); code != exitFailed || !strings.Contains(stdout+stderr, want) {
				t.Errorf("%v: exit %d, %s%s", args, code, stdout, stderr)
			}
		}
	}
}

func TestDoctorOnBudgets(t *testing.T) {
	t.Parallel()
	url := sickServer(t, replying(200, `{"data": [{"id": "good-model"}]}`), replying(200, completion(`{"ready": true}`, "stop")))
	code, _, stderr := compqa("doctor", "--config", doctorConfig(t, "openai", url, ", budget: 5"), "--out", t.TempDir())
	if code != exitUsage || !strings.Contains(stderr, "a budget needs all prices, and these are unknown") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

func TestSpaceInWords(t *testing.T) {
	t.Parallel()
	wrapped := func(err error) error { return errors.Join(nil, &os.PathError{Op: "write", Path: "/x", Err: err}) }
	tests := []struct {
		err        error
		free, need uint64
		want       string
		fine       bool
	}{
		{nil, 0, 0, "can be written", true},
		{nil, 1e12, 0, "can be written, 1.0 TB free", true},
		{nil, 1e12, 3.2e6, "can be written, 1.0 TB free; a run needs about 3.2 MB", true},
		{nil, 0, 32e6, "can be written; a run needs about 32 MB", true},
		{nil, 50e6, 32e7, "can be written, 50 MB free; a run needs about 320 MB: free some space, or use another disk (--out DIR)", true},
		{wrapped(syscall.ENOSPC), 0, 0, "the disk is full: free some space, or use another disk (--out DIR). Recorded results are safe", false},
		{wrapped(syscall.EDQUOT), 0, 0, "the disk is full", false},
		{wrapped(fs.ErrPermission), 1e12, 0, "use a folder of your own", false},
		{wrapped(syscall.EROFS), 0, 0, "cannot be written", false},
		{wrapped(syscall.EIO), 0, 0, "cannot be written", false},
	}
	for _, test := range tests {
		if text, fine := spaceInWords(test.err, test.free, test.need); !strings.Contains(text, test.want) || fine != test.fine {
			t.Errorf("%v, %d of %d bytes: %q, %t", test.err, test.free, test.need, text, fine)
		}
	}
}

// TestDoctorListsOnce: a model is listed once, whatever limits its entries set, and again if an entry's options lead to another result.
// Missing log-probabilities are reported, in a run only once.
func TestDoctorListsOnce(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		if strings.Contains(prompt, "ready") {
			return 200, completion(`{"ready": true}`, "stop")
		}
		return 200, completion("Preferred: A", "stop")
	})
	dir := t.TempDir()
	path := filepath.Join(dir, "compqa.yaml")
	text := fmt.Sprintf(`dataset: questions.jsonl
scenarios: [1]
providers: {p: {type: openai, base_url: %q, retries: -1}}
models:
  - {name: a, provider: p, model: m, options: {max_tokens: 100}}
  - {name: b, provider: file, path: b.jsonl}
  - {name: c, provider: file, path: c.jsonl}
judges:
  - {name: j, provider: p, model: m, options: {max_tokens: 300}, sample: 0}
  - {name: k, provider: p, model: m}
pairwise: [{name: d, method: direct, provider: p, model: m, extra: {logprobs: true, top_logprobs: 5}}]
`, server.URL)
	for name, text := range map[string]string{"compqa.yaml": text, "questions.jsonl": `{"object1": "x", "object2": "y"}` + "\n",
		"b.jsonl": `{"id": "b", "object1": "x", "object2": "y", "aspect": "", "text": "One."}` + "\n",
		"c.jsonl": `{"id": "c", "object1": "x", "object2": "y", "aspect": "", "text": "Two."}` + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := compqa("doctor", "--config", path, "--out", dir)
	if code != 0 || strings.Count(stdout, "p, m: ") != 2 || strings.Count(stdout, "no log-probabilities") != 1 || server.asked() != 2 {
		t.Errorf("exit %d, %d calls:\n%s%s", code, server.asked(), stdout, stderr)
	}
	code, stdout, stderr = compqa("run", "--config", path, "--out", filepath.Join(dir, "run"))
	if n := strings.Count(stdout+stderr, "returns no log-probabilities, which d asks for"); n != 1 {
		t.Errorf("exit %d: reported %d times:\n%s%s", code, n, stdout, stderr)
	}
}

// TestDoctorSaysThatLogprobsAreRefused: if an entry asks for log-probabilities and the server refuses them, in the words of several
// servers, doctor says so. The same model without log-probabilities is usable.
func TestDoctorSaysThatLogprobsAreRefused(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]struct {
		status int
		body   string
	}{
		"OpenAI":   {403, `{"error":{"message":"You are not allowed to request logprobs from this model","type":"invalid_request_error","param":null,"code":null}}`},
		"named":    {400, `{"error":{"message":"Unsupported parameter","type":"invalid_request_error","param":"logprobs","code":"unsupported_parameter"}}`},
		"DeepSeek": {400, `{"error":{"message":"deepseek-reasoner does not support the parameter logprobs","type":"invalid_request_error"}}`},
		"Gemini":   {400, `[{"error":{"code":400,"message":"Logprobs is not enabled for models/m","status":"INVALID_ARGUMENT"}}]`},
		"number":   {400, `{"error":{"message":"Requested sample logprobs of 5, which is greater than max allowed: 0","type":"BadRequestError"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				switch {
				case strings.HasSuffix(r.URL.Path, "/models"):
					io.WriteString(w, `{"data": [{"id": "m"}]}`)
				case strings.Contains(string(body), "logprobs"):
					w.WriteHeader(refusal.status)
					io.WriteString(w, refusal.body)
				default:
					io.WriteString(w, completion(`{"ready": true}`, "stop"))
				}
			}))
			t.Cleanup(server.Close)
			path := filepath.Join(t.TempDir(), "compqa.yaml")
			text := fmt.Sprintf(`scenarios: [1]
providers: {p: {type: openai, base_url: %q, retries: -1}}
models: [{name: a, provider: p, model: m}, {name: b, provider: p, model: m}]
pairwise: [{name: d, method: direct, provider: p, model: m, extra: {logprobs: true, top_logprobs: 5}}]
`, server.URL)
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := compqa("doctor", "--config", path, "--out", t.TempDir())
			if code != exitFailed || !strings.Contains(stdout, "the model does not accept logprobs: true (") || !strings.Contains(stdout, "pairwise") ||
				!strings.Contains(stdout, "p, m: ") || !strings.Contains(stderr, "1 entry is not usable") {
				t.Errorf("exit %d:\n%s%s", code, stdout, stderr)
			}
		})
	}
}

// TestDoctorBatches: for an entry with batch: true, doctor says whether the batches of the server can be listed. The test has the addresses
// of OpenAI, Anthropic and Google. Without such an interface the entry is not usable.
func TestDoctorBatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, base, list, text string
		fine                   bool
	}{
		{"openai", "/v1", "/v1/batches", `{"object": "list", "data": []}`, true},
		{"openai", "/v1beta/openai", "/v1beta/batches", `{}`, true}, // Google omits an empty list
		{"anthropic", "/v1", "/v1/messages/batches", `{"data": []}`, true},
		{"openai", "/v1", "/none", "", false},
		{"openai", "/v1beta/openai", "/none", "", false},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/models"):
				io.WriteString(w, `{"data": [{"id": "m"}]}`)
			case r.URL.Path == c.list:
				io.WriteString(w, c.text)
			case strings.HasSuffix(r.URL.Path, "/messages"):
				io.WriteString(w, `{"content": [{"type": "text", "text": "{\"ready\": true}"}], "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}}`)
			case r.Method == http.MethodPost:
				io.WriteString(w, completion(`{"ready": true}`, "stop"))
			default:
				http.NotFound(w, r)
			}
		}))
		path := filepath.Join(t.TempDir(), "compqa.yaml")
		text := fmt.Sprintf("scenarios: [1]\nproviders: {p: {type: %s, base_url: %q, retries: -1}}\nmodels: [{name: a, provider: p, model: m, batch: true}]\njudges: [{name: rules, provider: embedded}]\n",
			c.kind, server.URL+c.base)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := compqa("doctor", "--config", path, "--out", t.TempDir())
		server.Close()
		want := map[bool]string{true: "; its batches can be listed", false: "its batches cannot be listed: the server seems to have no batch interface"}[c.fine]
		if code != map[bool]int{true: exitDone, false: exitFailed}[c.fine] || !strings.Contains(stdout, want) {
			t.Errorf("%s at %s: exit %d\n%s%s", c.kind, c.list, code, stdout, stderr)
		}
	}
}
