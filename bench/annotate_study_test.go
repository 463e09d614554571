package bench

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"compqa/bench/cli"
	"compqa/data"
	"compqa/web/annotate/project"
)

// noChecks has the lines of a study file that turn off the checks whether people look.
const noChecks = "repeats: 0\nattention: 0"

// studyOf writes a study file and returns its path.
func studyOf(t testing.TB, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), studyName)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPreviewLeavesNothing: a preview shows the study as a newly invited person sees it, and changes nothing in the study.
func TestPreviewLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	items := filepath.Join(dir, "items.csv")
	if err := os.WriteFile(items, []byte("id,text\na1,Trams are quiet.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ending(t)(0, "annotate", "init", dir, "--items", items, "--study", studyOf(t, "rubric: cqa", "title: Trams", "check: off"))
	p, err := project.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	before, err := p.Changes()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	out, written := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- servePreview(ctx, cli.Streams{Out: written, Err: io.Discard}, p, "127.0.0.1:0")
		written.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, out)
	_, link, _ := strings.Cut(strings.TrimSpace(line), ": ")
	reply, err := http.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(reply.Body)
	reply.Body.Close()
	if err != nil || !strings.Contains(string(page), "Trams") {
		t.Errorf("%v: %s", err, page)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	people, err := p.Annotators()
	if err != nil || len(people) != 0 {
		t.Errorf("%v %v", people, err)
	}
	if after, err := p.Changes(); err != nil || after != before {
		t.Errorf("the study changed %d times: %v", after-before, err)
	}
}

// TestExampleStudy: the example study has every key with its default value. It can also be read with the commented keys.
func TestExampleStudy(t *testing.T) {
	t.Parallel()
	f := usualStudy(project.Answer)
	if err := f.load(studyOf(t, exampleStudy)); err != nil {
		t.Fatal(err)
	}
	now, usual := f, usualStudy(project.Answer)
	now.path = ""
	now.lines = nil
	if !reflect.DeepEqual(now, usual) {
		t.Errorf("%+v, without a file %+v", now, usual)
	}
	for _, kind := range project.Kinds {
		if !strings.Contains(exampleStudy, kind+": ") {
			t.Errorf("the example does not say what kind: %s is", kind)
		}
	}
	keys := strings.Replace(strings.ReplaceAll(exampleStudy, "\n# ", "\n"), "mask: false", "mask: true", 1)
	all := map[string]int{}
	for _, kind := range []string{project.Answer, project.Table, project.Pair} {
		var lines []string
		for line := range strings.Lines(strings.Replace(keys, "kind: answer", "kind: "+kind, 1)) {
			key, _, _ := strings.Cut(line, ":")
			_, known := data.First(studySettings, func(s studySetting) bool { return s.key == key })
			if known {
				all[key]++
			}
			kinds := project.KindsWith(key)
			if known && (kinds == nil || slices.Contains(kinds, kind)) || strings.HasPrefix(line, "  ") {
				lines = append(lines, strings.TrimSuffix(line, "\n"))
			}
		}
		f := usualStudy(project.Answer)
		if err := f.load(studyOf(t, lines...)); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for _, s := range studySettings {
		if all[s.key] == 0 {
			t.Errorf("the example has no %s", s.key)
		}
	}
}

// TestLanguageOfStudy: the language of the pages is one that the program has, or a file with every text. Missing texts are printed for
// translation.
func TestLanguageOfStudy(t *testing.T) {
	t.Parallel()
	load := func(lines ...string) (project.Settings, error) {
		f := usualStudy(project.Answer)
		set := project.Settings{}
		err := f.load(studyOf(t, lines...))
		if err == nil {
			err = f.settle(&set)
		}
		return set, err
	}
	set, err := load("language: de")
	if err != nil || set.Say("submit") != "Absenden" {
		t.Errorf("%s, %v", set.Say("submit"), err)
	}
	name := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(name, []byte("language: pl\ndirection: ltr\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, language := range map[string]string{"it must be one of en, de": "xx", "start: \"Start\"": name, "no such file": "none.yaml"} {
		if _, err := load("language: " + language); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("language: %s: %v", language, err)
		}
	}
}

// TestTypesOfStudy: a value of the wrong type is an error that names the file, the line and the key.
func TestTypesOfStudy(t *testing.T) {
	t.Parallel()
	f := usualStudy(project.Answer)
	err := f.load(studyOf(t, "repeats: many", "mask: perhaps", "codes: [a]"))
	for _, want := range []string{":1: repeats: many (text) where a whole number is needed",
		":2: mask: perhaps (text) where true or false is needed", ":3: codes: a list where a mapping is needed"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

// TestGoldHasOneSheet: an item of gold must have one sheet. With two sheets it would be unclear which one people should give.
func TestGoldHasOneSheet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "gold.csv")
	if err := os.WriteFile(path, []byte("id,judge,choice\np,owner,a\np,owner2,b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f := studySetup{file: usualStudy(project.Pair)}
	f.Kind = project.Pair
	if _, err := f.knownSheets(path); err == nil || !strings.Contains(err.Error(), `gold.csv: item "p" has two sheets`) {
		t.Error(err)
	}
}
