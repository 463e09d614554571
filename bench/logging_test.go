package bench

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// troubledServer answers each prompt after one refusal, a 429 whose message repeats the key, as some servers do.
func troubledServer(t *testing.T) *scriptedServer {
	return newScriptedServer(t, func(prompt string, n int) (int, string) {
		switch {
		case n == 1:
			return 429, `{"error": {"message": "slow down, Bearer ` + plantedKey + `"}}`
		case isJudging(prompt):
			return 200, completion(fullMarks(), "stop")
		}
		return 200, completion("Fine. "+prompt, "stop")
	})
}

// TestLogJSON: every line on standard error is a JSON record. Each request has one with its call, its waiting time and the reason of its
// failure. No record contains the key.
func TestLogJSON(t *testing.T) {
	t.Parallel()
	server := troubledServer(t)
	cfg := liveConfig(t, server.URL, "dataset: "+twoQuestions(t)+"\n")
	dir := t.TempDir()
	code, stdout, stderr := compqa("run", "--config", cfg, "--out", dir, "-v", "--log-format", "json")
	if code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	asked := 0
	failed := 0
	for line := range strings.Lines(stderr) {
		var r struct {
			Level, Msg, Call, For, Provider, Model, Status, Waited, Took, Reason string
			Attempt, HTTP                                                        int
			Again                                                                string `json:"again_in"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Level == "" || r.Msg == "" {
			t.Fatalf("no record: %s", line)
		}
		if r.Call == "" {
			continue
		}
		asked++
		if len(r.Call) != 64 || r.For == "" || r.Provider != "scripted" || r.Model != "m" || r.Waited == "" || r.Took == "" {
			t.Errorf("a request without what belongs to it: %s", line)
		}
		if r.Level == "WARN" {
			failed++
			if r.Attempt != 1 || r.HTTP != 429 || r.Status != "failed" || !strings.Contains(r.Reason, "slow down") || r.Again == "" {
				t.Errorf("a failure without what belongs to it: %s", line)
			}
		} else if r.Attempt != 2 || r.Again != "" || r.Reason != "" {
			t.Errorf("a success that is none: %s", line)
		}
	}
	if asked != server.asked() || failed*2 != asked {
		t.Errorf("%d requests, %d in the log, of these %d failed", server.asked(), asked, failed)
	}
	searchForKey(t, dir, stdout+stderr)
	if strings.Contains(stderr, "Bearer "+plantedKey[:6]) || regexp.MustCompile(`(?i)"authorization"`).MatchString(stderr) {
		t.Error("an authorisation header is in the log")
	}
}

// TestLogText: -v logs every request as a line of text. --log-format alone logs only failed requests. Without both flags nothing is logged.
func TestLogText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args          []string
		asked, failed int // numbers of lines
	}{
		{[]string{"-v"}, 12, 12},
		{[]string{"--log-format", "text"}, 0, 12},
		{nil, 0, 0},
	} {
		server := troubledServer(t)
		cfg := liveConfig(t, server.URL, "dataset: "+twoQuestions(t)+"\n")
		code, _, stderr := compqa(append([]string{"run", "--config", cfg, "--out", t.TempDir()}, test.args...)...)
		asked := strings.Count(stderr, "msg=request call=")
		failed := strings.Count(stderr, `msg="request failed" call=`)
		if code != exitDone || asked != test.asked || failed != test.failed {
			t.Errorf("%v: exit %d, %d lines of requests and %d of failures, want %d and %d\n%s", test.args, code, asked, failed, test.asked, test.failed, stderr)
		}
	}
	if code, _, stderr := compqa("run", "--log-format", "xml"); code != exitUsage || !strings.Contains(stderr, "must be text or json") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// TestLogOfAnError: with a log in JSON, the error that ends a command is in JSON, too.
func TestLogOfAnError(t *testing.T) {
	t.Parallel()
	code, _, stderr := compqa("run", "--config", "none.yaml", "--log-format", "json")
	var r struct{ Level, Msg string }
	if err := json.Unmarshal([]byte(stderr), &r); err != nil || code != exitUsage || r.Level != "ERROR" || !strings.Contains(r.Msg, "none.yaml") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
