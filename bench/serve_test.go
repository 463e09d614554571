package bench

import (
	"bufio"
	"bytes"
	"compqa/data/sharedtest"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// offlineRun makes a run of two questions without a model and returns its folder.
func offlineRun(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	cfg := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(cfg, []byte("models:\n  - {name: template, provider: baseline}\n  - {name: extractive, provider: baseline}\njudges:\n  - {name: rules, provider: embedded}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, text := compqa("run", "--config", cfg, "--limit", "2", "--out", dir); code != 0 {
		t.Fatalf("exit code %d\n%s", code, text)
	}
	return dir
}

// TestServe: the pages of a finished run are served until a signal, and can be written as files.
func TestServe(t *testing.T) {
	t.Parallel()
	dir := offlineRun(t)
	s := startPages(t, dir)
	s.until(t, "/", func(body string) bool { return strings.Contains(body, "17.") || strings.Contains(body, "template") })
	s.until(t, "/answers?sort=lowest", func(body string) bool { return strings.Contains(body, "16 answers") })
	s.cmd.Process.Signal(os.Interrupt)
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
	out := filepath.Join(t.TempDir(), "pages")
	if code, text, _ := compqa("serve", dir, "--write", out); code != 0 || !strings.Contains(text, "Left out: raw replies") {
		t.Errorf("exit code %d\n%s", code, text)
	}
	if page, err := os.ReadFile(filepath.Join(out, "index.html")); err != nil || !bytes.Contains(page, []byte("template")) {
		t.Errorf("%v\n%s", err, page)
	}
	for _, args := range [][]string{{"serve", "nowhere"}, {"serve", dir, "--listen", "nonsense"}, {"serve", "nowhere", "--write", out}, {"serve", "--nonsense"}} {
		if code, _, text := compqa(args...); code != 2 || text == "" {
			t.Errorf("%v: exit code %d\n%s", args, code, text)
		}
	}
}

// TestSoakRunServe: a run serves its own pages, with its progress and at the end its results, until Ctrl-C.
func TestSoakRunServe(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	url := startSlowServer(t, 150*time.Millisecond)
	cfg := filepath.Join(t.TempDir(), "c.yaml")
	dir := filepath.Join(t.TempDir(), "run")
	text := fmt.Sprintf("providers:\n  local: {type: openai, base_url: %s/v1, concurrency: 2}\nmodels:\n  - {name: slow, provider: local, model: m}\njudges:\n  - {name: rules, provider: embedded}\n", url)
	if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := program(t, "run", "--config", cfg, "--limit", "10", "--out", dir, "--serve=127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(stderr)
	s := &pageServer{cmd: cmd, ready: time.Now()}
	for lines.Scan() {
		if s.address = strings.TrimSuffix(regexp.MustCompile(`http://[^/]+/`).FindString(lines.Text()), "/"); s.address != "" {
			break
		}
	}
	s.until(t, "/live", func(body string) bool {
		m := regexp.MustCompile(`data-value="done">(\d+) of 80<`).FindStringSubmatch(body)
		return m != nil && m[1] != "0" && m[1] != "80"
	})
	s.until(t, "/live", func(body string) bool {
		return strings.Contains(body, `data-value="done">80 of 80<`) && strings.Contains(body, "The last run ended")
	})
	s.until(t, "/", func(body string) bool { return strings.Contains(body, `/answers?system=slow`) })
	for lines.Scan() {
		if strings.Contains(lines.Text(), "until Ctrl-C") {
			break
		}
	}
	if reply, err := http.Get(s.address + "/answers"); err != nil || reply.StatusCode != http.StatusOK {
		t.Errorf("%v, %v", reply, err)
	}
	cmd.Process.Signal(syscall.SIGINT)
	for lines.Scan() { // read to the end
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
	if code, _, text := compqa("run", "--config", cfg, "--limit", "10", "--out", dir, "--serve=nonsense"); code != 2 || !strings.Contains(text, "cannot listen") {
		t.Errorf("exit code %d\n%s", code, text)
	}
}

// TestSiteOfPairs: the pages of a record that has only pairs begin with the pairs, and people are numbered.
func TestSiteOfPairs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pairs := filepath.Join(dir, "pairs.jsonl")
	out := filepath.Join(dir, "out")
	pages := filepath.Join(dir, "pages")
	if err := os.WriteFile(pairs, []byte(`{"id":"p1","question":"Q?","a":"Yes, it is.","b":"No.","label":"a"}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	choices := filepath.Join(dir, "choices.jsonl")
	if err := os.WriteFile(choices, []byte(`{"id":"p1","judge":"human:anna","order":"ab","status":"valid","choice":"a"}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"run", "--only", "pairs", "--pairs", pairs, "--out", out}, {"pairwise", "import", "--in", choices, "--pairs", pairs, "--out", out}, {"serve", out, "--write", pages}} {
		if code, _, stderr := compqa(args...); code != exitDone {
			t.Fatalf("%v: exit %d, %s", args, code, stderr)
		}
	}
	page, err := os.ReadFile(filepath.Join(pages, "index.html"))
	if err != nil || !strings.Contains(string(page), "human:1") || strings.Contains(string(page), "anna") {
		t.Errorf("%v\n%s", err, page)
	}
}
