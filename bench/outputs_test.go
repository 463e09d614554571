package bench

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"compqa/bench/cli"
	"compqa/results/store"
)

// filesIn returns the files of a folder with the hashes of their contents. Lock files are left out.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == store.LockName {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[name] = "folder"
		if err == nil && !entry.IsDir() {
			files[name] = fmt.Sprintf("%x", sha256.Sum256(fileContent(t, path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// difference describes the first file that differs between two states of a folder, or "" if none does.
func difference(before, after map[string]string) string {
	for name := range before {
		if after[name] != before[name] {
			return name + " was changed or removed"
		}
	}
	for name := range after {
		if before[name] == "" {
			return name + " was added"
		}
	}
	return ""
}

// rowsIn returns the number of rows of each table of a record.
func rowsIn(t *testing.T, dir string) map[string]int {
	t.Helper()
	db, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	// The table attacks is recomputed for each configuration, and sums for each record.
	tables, err := store.Select[string](db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('attacks', 'sums')`)
	rows := map[string]int{}
	for _, name := range tables {
		if err == nil {
			rows[name], err = store.Value[int](db, `SELECT count(*) FROM "`+name+`"`)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// inputFlags are the flags that name a file or folder to read.
var inputFlags = []string{"answers", "cam", "card", "cocotrip", "config", "from", "gold", "grades", "id", "in", "inclusion", "items", "llmbar",
	"map", "pairs", "people", "reading", "release", "reuse", "rubric", "study", "testset", "units", "verdicts"}

// continuing lists the commands that continue the record in their own folder and keep every row of it.
var continuing = []string{"run", "report", "pairwise report", "pairwise sample", "pairwise import", "import", "annotate init",
	"estimate", "doctor"}

// argumentsOf returns the arguments that a command needs besides its output.
func argumentsOf(path, files, paid string) []string {
	in := func(name string) string { return filepath.Join(files, name) }
	return map[string][]string{
		"agree":                       {"--units", in("people.csv")},
		"annotate export":             {paid},
		"annotate import-labelstudio": {"--in", in("people.csv")},
		"annotate init":               {"--items", in("log.csv"), "--study", in("study.yaml")},
		"annotate report":             {paid},
		"datasheet":                   {"rules", "--limit", "1"},
		"estimate":                    {"--config", in("compqa.yaml")},
		"doctor":                      {"--config", in("compqa.yaml")},
		"export":                      {paid},
		"import":                      {"--answers", in("answers.jsonl")},
		"judge":                       {"--judge", "rules", "--in", in("answers.jsonl")},
		"judge score":                 {"--judge", "rules", "--in", in("answers.jsonl")},
		"pairwise import":             {"--in", in("people.csv")},
		"pairwise report":             {paid},
		"report":                      {paid},
		"reproduce":                   {"--release", files},
		"run":                         {"--config", in("compqa.yaml"), "--limit", "1"},
		"serve":                       {paid},
		"strum":                       {"--in", in("answers.jsonl")},
		"train export":                {paid, "--kind", "sft", "--by", "surface"},
		"validate":                    {in("log.csv"), "--people", in("people.csv"), "--judge", "j=score"},
	}[path]
}

// outputFiles writes small input files for all commands and returns their folder.
func outputFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	log := "id,question,answer,score\n"
	people := "id,annotator,score\n"
	for i := range 24 {
		log += fmt.Sprintf("i%d,q%d,Answer %d,%d\n", i, i, i, 1+i%5)
		people += fmt.Sprintf("i%d,anna,%d\ni%d,ben,%d\n", i, 1+i%5, i, 1+(i+i%3)%5)
	}
	for name, text := range map[string]string{"log.csv": log, "people.csv": people,
		"answers.jsonl": `{"id": "x1", "object1": "php", "object2": "asp", "aspect": "", "text": "PHP is better."}` + "\n",
		"compqa.yaml":   "models:\n  - {name: template, provider: baseline}\njudges:\n  - {name: constant, provider: embedded}\n",
		"study.yaml":    "rubric: rubric.yaml\n",
		"rubric.yaml": "name: small\ncriteria:\n  - {id: a, group: g, name: a, text: Is it good?, levels: [{points: 0, text: 'no'}, " +
			"{points: 1, text: 'yes'}]}\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// paidRun copies a run with calls that cost something. Tests may change the copy.
func paidRun(t *testing.T) string {
	t.Helper()
	paid := filepath.Join(t.TempDir(), "paid")
	if err := os.CopyFS(paid, os.DirFS(recordedRun(t, "").dir)); err != nil {
		t.Fatal(err)
	}
	return paid
}

// outputsOf returns the commands with their flags and arguments that name an output. A flag that this test does not know is an error.
func outputsOf(t *testing.T) (found [][2]string) {
	root := newRoot(cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
	argument := regexp.MustCompile(`^(man DIR|init \[DIR\]|backup FILE \[DIR\])$`)
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := strings.TrimPrefix(cmd.CommandPath(), "compqa ")
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			value, _ := pflag.UnquoteUsage(f)
			switch {
			case !slices.Contains([]string{"DIR", "FILE", "FILES", "PATH"}, value), slices.Contains(inputFlags, f.Name):
			case slices.Contains([]string{"out", "write", "record", "systems"}, f.Name):
				found = append(found, [2]string{path, "--" + f.Name})
			default:
				t.Errorf("compqa %s --%s %s: this test does not know whether it is read or written", path, f.Name, value)
			}
		})
		if argument.MatchString(cmd.Use) {
			found = append(found, [2]string{path, ""})
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return found
}

// TestNoCommandReplacesARun runs every command that writes, with a paid run, its record, its page and its tables as the output. The command
// must refuse with exit code 2 and change nothing, or continue the record and keep every row.
func TestNoCommandReplacesARun(t *testing.T) {
	files := outputFiles(t)
	paid := paidRun(t)
	before := filesIn(t, paid)
	rows := rowsIn(t, paid)
	found := outputsOf(t)
	if len(found) < 30 {
		t.Fatalf("%d outputs: %v", len(found), found)
	}
	for _, of := range found {
		for _, target := range []string{"", store.RecordName, "report.html", "tables"} {
			to := filepath.Join(paid, target)
			args := append(strings.Fields(of[0]), argumentsOf(of[0], files, paid)...)
			if of[1] == "--record" {
				args = append(args, "--out", filepath.Join(t.TempDir(), "out"))
			}
			if of[1] == "" {
				args = append(strings.Fields(of[0]), append([]string{to}, argumentsOf(of[0], files, paid)...)...)
			} else {
				args = append(args, of[1], to)
			}
			code, stdout, stderr := compqa(args...)
			changed := difference(before, filesIn(t, paid))
			if target == "" && slices.Contains(continuing, of[0]) {
				for name, n := range rowsIn(t, paid) {
					if n < rows[name] {
						t.Errorf("%v: %d rows of %s are %d", args, rows[name], name, n)
					}
				}
				if changed != "" { // restore the run for the other commands
					paid = paidRun(t)
				}
				continue
			}
			if code != exitUsage || changed != "" || !strings.Contains(stderr, to) {
				t.Errorf("%v: exit %d, %s\n%s%s", args, code, changed, stdout, stderr)
				paid = paidRun(t)
			}
		}
	}
}

// ownFiles are names of files that commands write. In these tests they are files of the user.
var ownFiles = []string{"questions.jsonl", "rubric.yaml", "reading.yaml", "validation.json", "tables/leaderboard.csv", "tables/validation.csv",
	"index.html", "answers.jsonl", "README.md", "answers.csv", "scores.csv", "verdicts.jsonl", "train.jsonl", "strum.json", "reproduced.csv",
	"compqa.1", "looks.jsonl"}

// TestNoCommandReplacesOwnFiles runs every command that writes into a folder, with a folder that has no record and the user's own files
// under such names. The command must refuse with exit code 2, or write none of these files.
func TestNoCommandReplacesOwnFiles(t *testing.T) {
	files := outputFiles(t)
	paid := paidRun(t)
	for _, of := range outputsOf(t) {
		folder, known := outputs[of[0]][strings.TrimPrefix(of[1], "--")]
		if of[1] == "" {
			folder, known = outputs[of[0]]["1"]
		}
		if known && folder == nil {
			continue // the output is a file
		}
		own := func(names []string) (failed bool) {
			dir := filepath.Join(t.TempDir(), "own")
			for _, name := range names {
				path := filepath.Join(dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("mine\n"), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			before := filesIn(t, dir)
			args := append(strings.Fields(of[0]), argumentsOf(of[0], files, paid)...)
			if of[1] == "" {
				args = append(strings.Fields(of[0]), append([]string{dir}, argumentsOf(of[0], files, paid)...)...)
			} else {
				args = append(args, of[1], dir)
			}
			code, _, stderr := compqa(args...)
			after := filesIn(t, dir)
			for _, name := range names {
				if after[name] != before[name] {
					t.Errorf("%v: exit %d, %s was changed or removed, %s", args, code, name, stderr)
				}
			}
			if changed := difference(before, after); code == exitUsage && changed != "" {
				t.Errorf("%v: exit %d, but %s", args, code, changed)
			}
			return code == exitUsage
		}
		own(ownFiles)
		if of[0] == "validate" && of[1] == "--out" {
			for _, name := range []string{"questions.jsonl", "rubric.yaml", "validation.json", "tables/validation.csv"} {
				if !own([]string{name}) {
					t.Errorf("validate writes into a folder with somebody's own %s", name)
				}
			}
		}
	}
}

// TestExportReplacesExportsOnly: an export replaces an earlier export, and no other file.
func TestExportReplacesExportsOnly(t *testing.T) {
	paid := paidRun(t)
	file := filepath.Join(t.TempDir(), "compqa.yaml")
	if err := os.WriteFile(file, []byte("models: []\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := compqa("export", paid, "--out", file)
	if code != exitUsage || string(fileContent(t, file)) != "models: []\n" || !strings.Contains(stderr, "is not an export") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	for range 2 {
		if code, _, stderr := compqa("export", paid, "--out", file+".gz"); code != exitDone {
			t.Errorf("exit %d, %s", code, stderr)
		}
	}
}

// validateInto validates the files of outputFiles and writes into the folder out.
func validateInto(t *testing.T, files, out string, more ...string) (code int, stderr string) {
	t.Helper()
	code, _, stderr = compqa(append([]string{"validate", filepath.Join(files, "log.csv"), "--people", filepath.Join(files, "people.csv"),
		"--judge", "j=score", "--out", out}, more...)...)
	return code, stderr
}

// TestValidationKeepsWhatPeopleAdded: a second validation replaces the first. It must not replace what people or imports added to its
// record, nor run while another command writes, nor change anything if it fails.
func TestValidationKeepsWhatPeopleAdded(t *testing.T) {
	files := outputFiles(t)
	out := filepath.Join(t.TempDir(), "a", "validation")
	for range 2 {
		if code, stderr := validateInto(t, files, out); code != exitDone {
			t.Fatalf("exit %d, %s", code, stderr)
		}
	}
	refused := func(why, want string, more ...string) {
		t.Helper()
		before := filesIn(t, out)
		code, stderr := validateInto(t, files, out, more...)
		if changed := difference(before, filesIn(t, out)); code != exitUsage || changed != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s, %s", why, code, changed, stderr)
		}
	}
	refused("a fault of the input", "missing.csv", "--people", filepath.Join(files, "missing.csv"))
	lock, holder, err := store.LockFile(filepath.Join(out, store.LockName))
	if err != nil || lock == nil {
		t.Fatal(err, holder)
	}
	refused("another command writes", "in use by another compqa")
	lock.Release()
	sheets := filepath.Join(t.TempDir(), "more.jsonl")
	line := `{"id": "i3", "judge": "human:chloe", "status": "valid", "scores": {"1": 2}}` + "\n"
	if err := os.WriteFile(sheets, []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("import", "--out", out, "--verdicts", sheets); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	refused("people added something", "1 result that people, imports or a run added")
	if code, stderr := validateInto(t, files, out, "--replace"); code != exitDone {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// TestTwoLooksAtOnce: two looks at the same time are both kept, because the second waits for the first.
func TestTwoLooksAtOnce(t *testing.T) {
	files := outputFiles(t)
	looks := filepath.Join(t.TempDir(), "looks")
	log := string(fileContent(t, filepath.Join(files, "log.csv")))
	people := string(fileContent(t, filepath.Join(files, "people.csv")))
	var running sync.WaitGroup
	for k := range 4 { // each look has other items
		in := t.TempDir()
		prefix := regexp.MustCompile(`(?m)^i`)
		for name, text := range map[string]string{"log.csv": log, "people.csv": people} {
			head, rows, _ := strings.Cut(text, "\n")
			text = head + "\n" + prefix.ReplaceAllString(rows, fmt.Sprintf("l%d-", k))
			if err := os.WriteFile(filepath.Join(in, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		running.Go(func() {
			if code, stderr := validateInto(t, in, filepath.Join(in, "out"), "--record", looks); code != exitDone {
				t.Errorf("exit %d, %s", code, stderr)
			}
		})
	}
	running.Wait()
	kept := strings.Split(strings.TrimSpace(string(fileContent(t, filepath.Join(looks, "looks.jsonl")))), "\n")
	if len(kept) != 4*24 || !strings.Contains(kept[len(kept)-1], `"look":4`) {
		t.Errorf("%d lines, the last %s", len(kept), kept[len(kept)-1])
	}
}
