package bench

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
	pages "compqa/web/annotate"
	"compqa/web/annotate/project"
)

// TestGuidelinesAndConsentInOneFile: guidelines and consent may be the same file.
func TestGuidelinesAndConsentInOneFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	guide := sharedtest.Path(t, "cases5", "study", "guide.md")
	items := filepath.Join(dir, "items.csv")
	if err := os.WriteFile(items, []byte("id,text\na1,Trams are quiet.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ending(t)(0, "annotate", "init", dir, "--items", items, "--study", studyOf(t, "rubric: cqa", "guidelines: "+guide, "consent: "+guide))
	p, err := project.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if p.Guidelines == "" || p.Guidelines != p.Consent {
		t.Errorf("guidelines %q, consent %q", p.Guidelines, p.Consent)
	}
}

// TestItemsOfLogNeedRubric: items of a log without people's scores have no rubric. The study must not silently use the built-in criteria.
// If a record has a rubric, the study uses it.
func TestItemsOfLogNeedRubric(t *testing.T) {
	t.Parallel()
	traces := sharedtest.Path(t, "data", "harness-logs", "mlflow", "traces.json")
	out := filepath.Join(t.TempDir(), "v")
	compqa := ending(t)
	compqa(0, "validate", traces, "--out", out, "--budget", "15")
	if text := compqa(2, "annotate", "init", out, "--items", filepath.Join(out, "tables", "to_label.csv")); !strings.Contains(text, "name a rubric") {
		t.Error(text)
	}
}

// TestServerKnowsItsAddress: the host name in --url is accepted without --host. Other host names are refused, and so is a --host that no
// browser could send.
func TestServerKnowsItsAddress(t *testing.T) {
	t.Parallel()
	hosts, err := hostNames("https://Lab.example.org", []string{"other.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := project.Create(dir, project.Settings{Kind: project.Pair, People: 1}, []project.Item{{Kind: project.Pair, Source: "x",
		Role: project.Main, Content: project.Content{A: "a", B: "b"}}}); err != nil {
		t.Fatal(err)
	}
	p, err := project.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	handler := pages.New(p, log.New(io.Discard, "", 0)).Handler(hosts...)
	for host, want := range map[string]int{"lab.example.org": http.StatusUnauthorized, "other.example.org:443": http.StatusUnauthorized,
		"example.org": http.StatusMisdirectedRequest} {
		r := httptest.NewRequest("GET", "/work", nil)
		r.Host = host
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%s: %d, want %d", host, w.Code, want)
		}
	}
	for _, host := range []string{"https://lab.example.org", "lab.example.org:443", "lab.example.org/study", ""} {
		if _, err := hostNames("", []string{host}); err == nil {
			t.Errorf("--host %q is accepted", host)
		}
	}
}

// TestStudyIsReplacedBeforeInvitations: init replaces a study as long as nobody was invited. It never replaces people's work.
func TestStudyIsReplacedBeforeInvitations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	items := filepath.Join(dir, "items.csv")
	if err := os.WriteFile(items, []byte("id,text\na1,Trams are quiet.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	compqa := ending(t)
	init := []string{"annotate", "init", dir, "--items", items, "--study", studyOf(t, "rubric: cqa")}
	compqa(0, init...)
	if text := compqa(0, init...); !strings.Contains(text, "nobody had been invited") {
		t.Error(text)
	}
	compqa(0, "annotate", "invite", "anna", dir)
	if text := compqa(2, init...); !strings.Contains(text, "people were invited, with 0 sheets begun") {
		t.Error(text)
	}
}

// TestNextAfterExportWorks: the command that an export proposes next works, for pairs from a file and for items that are in no run.
func TestNextAfterExportWorks(t *testing.T) {
	t.Parallel()
	compqa := ending(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("rubric.yaml", "step: 1\ncriteria:\n  - {name: correct, text: 'Is it correct?', levels: [{points: 1, text: bad}, {points: 3, text: good}]}\n")
	pairs := write("pairs.jsonl", `{"id": "p0", "question": "Write.", "a": "One.", "b": "Two.", "system_a": "m1", "system_b": "m2"}`+"\n")
	items := write("items.csv", "id,text,score\na,Trams.,3\nb,Buses.,2\nc,Cars.,1\n")
	for _, test := range []struct{ name, flag, file, study string }{
		{"pairs", "--pairs", pairs, "kind: pair"}, {"items", "--items", items, "rubric: " + filepath.Join(dir, "rubric.yaml")}} {
		out := filepath.Join(dir, test.name)
		compqa(0, "annotate", "init", out, test.flag, test.file, "--people", "1", "--study", studyOf(t, test.study, noChecks))
		p, err := project.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		recordedStudy{t, out}.work(p, compqa(0, "annotate", "invite", "anna", out))
		p.Close()
		_, next, _ := strings.Cut(compqa(0, "annotate", "export", out, "--out", out+"-sheets"), "Next: ")
		next, _, _ = strings.Cut(strings.TrimSpace(next), ", where LOG")
		for command := range strings.SplitSeq(strings.Replace(next, "LOG", items+" --pair score=correct --out "+out+"-v", 1), ", then ") {
			args := strings.Fields(command)[1:]
			if args[1] == "apply" {
				args = append(args, "--include-flagged")
			}
			compqa(0, args...)
		}
		if test.name == "items" { // criteria have the names that the log has, and controls names that Label Studio accepts
			compqa(0, "annotate", "export", out, "--format", "label-studio", "--out", out+"-ls")
			config, err := os.ReadFile(filepath.Join(out+"-ls", "label-studio.xml"))
			if err != nil || !strings.Contains(string(config), `name="correct"`) {
				t.Errorf("%v: %s", err, config)
			}
		}
	}
}
