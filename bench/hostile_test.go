package bench

import (
	"compqa/data/sharedtest"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// executed matches the characters that a terminal interprets instead of showing them.
var executed = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")

// escapes is an example of hostile text: colours and a title for the terminal, a bell, a line that hides another, and C1 and bidirectional
// control characters.
const escapes = "\x1b[31mred\x1b]0;title\x07\r\u009b2J\u202eevil"

// TestHostileText: text from servers, files and configurations is never executed by a terminal or, in CSV files, by a spreadsheet. All
// output is UTF-8.
func TestHostileText(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		switch {
		case strings.Contains(prompt, "softball"), strings.Contains(prompt, "ready"):
			return 400, "not UTF-8: \xe9\xff " + escapes
		case !isJudging(prompt):
			return 200, completion("=1+1 "+escapes, "stop")
		case strings.Contains(prompt, "Toyota"):
			return 200, completion(fullMarks()+escapes+`{"1": 0}`, escapes)
		}
		return 200, completion(strings.Replace(fullMarks(), `"1":`, `"`+strings.Trim(fmt.Sprintf("%q", "\u202e=x"), `"`)+`":1,"1":`, 1), "stop")
	})
	dir := t.TempDir()
	in := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cfg := in("hostile.yaml", fmt.Sprintf(`
scenarios: [1]
providers:
  "p\e[1m": {type: openai, base_url: %s/v1, retries: -1}
models:
  - {name: "=cmd\e[31m\u202e", provider: "p\e[1m", model: "m\a"}
  - {name: template, provider: baseline}
judges:
  - {name: "+judge", provider: "p\e[1m", model: "m\a", examples: 0}
  - {name: rules, provider: embedded}
`, server.URL))
	answers := in("answers.jsonl", `{"id": "a\u001b[2J\u202e", "object1": "=1+1", "object2": "b\u0007\u009b", "text": "\u001b]0;x\u0007 is better.", "system": "@s\u001b"}`+"\n")
	bad := in("bad.jsonl", `{"id": "\u001b[2J", "object1": "a", "object2": "b", "tex\u001bt": 1}`+"\n")
	out, file := filepath.Join(dir, "out"), filepath.Join(dir, "run.gz")
	for _, c := range []struct {
		code int
		args string
	}{
		{exitIncomplete, "run --config CFG --out OUT --limit 20"},
		{exitIncomplete, "run --verbose --config CFG --out OUT --limit 20 --retry-failed"},
		{exitDone, "report OUT"},
		{exitDone, "report --reparse --out OUT/reparsed OUT"},
		{exitFailed, "doctor --config CFG --out OUT"},
		{exitDone, "models --config CFG"},
		{exitDone, "estimate --config CFG"},
		{exitDone, "export OUT --out FILE"},
		{exitDone, "verify FILE"},
		{exitDone, "judge --judge rules --explain --in ANSWERS --out OUT/rules.csv"},
		{exitDone, "judge --judge rules --explain --in ANSWERS --out -"},
		{exitUsage, "judge --judge rules --in BAD --out OUT/x.jsonl"},
		{exitUsage, "judge --judge \x1b[31m --in ANSWERS --out -"},
		{exitDone, "judge --judge rules --in ANSWERS --out OUT/rules.jsonl"},
		{exitDone, "datasheet rules --in ANSWERS --out OUT/sheet"},
		{exitDone, "show OUT --raw --system SYSTEM --question s"},
		{exitDone, "show OUT --raw --system template --question s"},
	} {
		args := strings.Fields(c.args)
		for i := range args {
			args[i] = strings.NewReplacer("CFG", cfg, "OUT", out, "FILE", file, "ANSWERS", answers, "BAD", bad, "SYSTEM", "=cmd\x1b[31m\u202e").Replace(args[i])
		}
		code, stdout, stderr := compqa(args...)
		if code != c.code {
			t.Errorf("%s: exit %d, want %d: %s", c.args, code, c.code, stderr)
		}
		harmless(t, c.args, stdout+stderr)
	}
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(".csv.md.html.jsonl.json.svg.txt", filepath.Ext(path)) {
			return err
		}
		content, err := os.ReadFile(path)
		harmless(t, filepath.Base(path), string(content))
		if filepath.Ext(path) == ".csv" {
			if cell := regexp.MustCompile(`(?m)(^|,)"?[=+@][^,\n]*`).FindString(string(content)); cell != "" && !regexp.MustCompile(`^,?[+][0-9.]+$`).MatchString(cell) {
				t.Errorf("%s has the formula %q", filepath.Base(path), cell)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if record, err := os.ReadFile(filepath.Join(out, "run.db")); err != nil || strings.Contains(string(record), "\xe9\xff") {
		t.Errorf("run.db has bytes that are not UTF-8, %v", err)
	}
	failures, err := os.ReadFile(filepath.Join(out, "tables", "failures.csv"))
	if err != nil || !strings.Contains(string(failures), `\u001b[31mred`) || !strings.Contains(string(failures), "'=cmd") {
		t.Errorf("failures.csv: %v\n%s", err, failures)
	}
}

func harmless(t *testing.T, what, text string) {
	t.Helper()
	if span := executed.FindStringIndex(text); span != nil {
		t.Errorf("%s prints %q", what, text[max(0, span[0]-60):min(len(text), span[1]+20)])
	}
	if !utf8.ValidString(text) {
		t.Errorf("%s prints bytes that are not UTF-8: %q", what, text)
	}
}

// TestSoakHostileArchive: a template in an archive that loops does not block verify. Ctrl-C ends verify at any time and leaves no temporary
// files.
func TestSoakHostileArchive(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	file := exportedFile(t, "")
	files := unpacked(t, file)
	changeRecord(t, files, `UPDATE run SET templates = json_set(templates, '$."1"', '{{define "user"}}x{{range 100000000000}}{{end}}{{end}}') WHERE part = 'answers'`)
	began := time.Now()
	if code, stdout, stderr := compqa("verify", packed(t, files, true)); time.Since(began) > 2*time.Minute {
		t.Errorf("exit %d after %s, %s%s", code, time.Since(began), stdout, stderr)
	}
	for _, delay := range []time.Duration{-1, 0, 20 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond} {
		work := t.TempDir()
		cmd := program(t, "verify", file)
		if delay < 0 { // reads standard input that never ends
			cmd = program(t, "verify", "-")
			if _, err := cmd.StdinPipe(); err != nil {
				t.Fatal(err)
			}
		}
		cmd.Env = append(cmd.Env, "TMPDIR="+work)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for began := time.Now(); time.Since(began) < 5*time.Second; time.Sleep(time.Millisecond) {
			if made, _ := filepath.Glob(filepath.Join(work, "compqa-verify-*")); made != nil {
				break
			}
		}
		time.Sleep(delay)
		cmd.Process.Signal(os.Interrupt)
		began := time.Now()
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted && code != exitDone || time.Since(began) > time.Minute {
			t.Errorf("after %s: exit %d, %s later", delay, code, time.Since(began))
		}
		if left, _ := filepath.Glob(filepath.Join(work, "*")); left != nil {
			t.Errorf("after %s: left %v", delay, left)
		}
	}
}
