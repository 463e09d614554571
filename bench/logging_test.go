package bench

import (
	"regexp"
	"strings"
	"testing"
)

// troubledServer answers after one refusal for each prompt: a 429 that echoes
// the key, as servers do.
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

var (
	requestLine = regexp.MustCompile(`level=DEBUG msg=request call=[0-9a-f]{64} for=\S+ provider=scripted model=m attempt=2 .*waited=\S+ took=\S+\n$`)
	failedLine  = regexp.MustCompile(`level=WARN msg="request failed" call=[0-9a-f]{64} for=\S+ provider=scripted model=m attempt=1 ` +
		`status=failed http=429 .*reason=.*slow down.* again_in=\S+\n$`)
)

// TestLogText: -v logs each request on a line of its own, with its call, what it waited for and why it
// failed; the key is in none. Without it, nothing is logged.
func TestLogText(t *testing.T) {
	for _, test := range []struct {
		args          []string
		asked, failed int // lines
	}{
		{[]string{"-v"}, 12, 12},
		{nil, 0, 0},
	} {
		server := troubledServer(t)
		cfg := liveConfig(t, server.URL, "dataset: "+twoQuestions(t)+"\n")
		dir := t.TempDir()
		code, stdout, stderr := compqa(append([]string{"run", "--config", cfg, "--out", dir}, test.args...)...)
		asked, failed := strings.Count(stderr, "msg=request call="), strings.Count(stderr, `msg="request failed" call=`)
		if code != exitDone || asked != test.asked || failed != test.failed {
			t.Errorf("%v: exit %d, %d lines of requests and %d of failures, want %d and %d\n%s", test.args, code, asked, failed, test.asked, test.failed, stderr)
		}
		for line := range strings.Lines(stderr) {
			if strings.Contains(line, "msg=request") && !requestLine.MatchString(line) || strings.Contains(line, "request failed") &&
				!failedLine.MatchString(line) {
				t.Errorf("a request without what belongs to it: %s", line)
			}
		}
		searchForKey(t, dir, stdout+stderr)
		if strings.Contains(stderr, "Bearer "+plantedKey[:6]) || strings.Contains(strings.ToLower(stderr), "authorization=") {
			t.Error("an authorisation header is in the log")
		}
	}
}
