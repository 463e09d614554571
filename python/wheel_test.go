package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// TestWheel: a wheel lists all its files with their hashes, its program is executable, and the same input gives the same bytes.
func TestWheel(t *testing.T) {
	for platform, tag := range platforms {
		files, err := contents("1.2.3", tag, []byte("a program"))
		if err != nil {
			t.Fatal(err)
		}
		var first, second bytes.Buffer
		if write(&first, "1.2.3", files) != nil || write(&second, "1.2.3", files) != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("%s: two wheels differ", platform)
		}
		checkWheel(t, first.Bytes(), tag)
	}
	for _, bad := range [][]string{nil, {"1-2", "linux/amd64", "x", "."}, {"1.2", "plan9/386", "x", "."}, {"1.2", "linux/amd64", "/no/such/file", "."}} {
		if run(bad) == nil {
			t.Errorf("%q is no error", bad)
		}
	}
}

// checkWheel checks the files of a wheel against the hashes in RECORD, and returns them by name.
func checkWheel(t *testing.T, wheel []byte, tag string) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(wheel), int64(len(wheel)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if is := f.Mode().Perm() == 0o755; is != strings.Contains(f.Name, "/scripts/") {
			t.Errorf("%s has mode %v", f.Name, f.Mode())
		}
	}
	content, err := unzipped(wheel)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(content["compqa-1.2.3.dist-info/RECORD"])).ReadAll()
	if err != nil || len(rows) != len(content) || len(rows) != 7 {
		t.Fatalf("%s: %d files, %d listed, %v", tag, len(content), len(rows), err)
	}
	for _, row := range rows {
		sum := sha256.Sum256(content[row[0]])
		if want := "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]); row[1] != want && !strings.HasSuffix(row[0], "/RECORD") {
			t.Errorf("%s: the hash of %s is %s, want %s", tag, row[0], row[1], want)
		}
	}
	if !strings.Contains(string(content["compqa-1.2.3.dist-info/WHEEL"]), "Tag: py3-none-"+tag+"\n") {
		t.Errorf("%s: %s", tag, content["compqa-1.2.3.dist-info/WHEEL"])
	}
	return content
}

// use is a Python program as a user of the package would write it.
const use = `
import importlib.util, pathlib, sys, types, compqa
people = [{"id": f"i{i}", "annotator": who, "correct": int(i % 3 > 0)} for i in range(30) for who in ("anna", "ben")]
judge = [{"id": f"i{i}", "correct": int(i % 3 > 0 or i == 0)} for i in range(30)]
result = compqa.validate(judge, people, out="validated")
assert result["read"] and "validation" in compqa.read("validated"), result
assert isinstance(result, compqa.Validation) and "judge" in result.headline, result.headline
if importlib.util.find_spec("pandas") is None and importlib.util.find_spec("polars") is None:
    try:
        result.decision
        sys.exit("no error without pandas")
    except ImportError as e:
        assert "pip install pandas" in str(e), e
sys.modules["pandas"] = types.SimpleNamespace(DataFrame=lambda rows: rows) # frames themselves are looked at in the notebook
(decision,) = result.decision
assert decision["judge"] == "judge" and decision["criterion"] == "correct" and decision["answer"] in ("yes", "no", "not known"), decision
assert decision["single"] is not None and decision["margin"] == 0.1, decision
assert len(result.figures) > 1 and result.disagreements[0]["id"] == "i0", result.disagreements
try:
    compqa.validate(judge, people, fail_below="alpha=0.99")
    sys.exit("the gate passed")
except compqa.GateFailed as e:
    assert e.code == 4 and "alpha (interval) of judge / correct" in str(e), e
try:
    compqa.validate("no.csv", people)
    sys.exit("no error")
except compqa.InputError as e:
    assert e.code == 2 and "no.csv" in str(e), e
try:
    compqa.validate(judge, people, require="yes=style")
    sys.exit("no error for a criterion that does not exist")
except compqa.CompqaError as e:
    assert e.code in (2, 4) and "style" in str(e), e
compqa.call("init", "mine")
folder = compqa.run(config="mine/compqa.yaml", out="run", limit=2)
tables = compqa.read(folder)
rows = tables["leaderboard"]
assert rows and isinstance(rows[0]["n_planned" if "n_planned" in rows[0] else "planned"], int), rows[0]
assert pathlib.Path(folder, "report.html").exists()
print("done", len(tables))
`

// TestSoakInstalled installs this machine's wheel into a new environment. The program is on the PATH there, and the package and the
// notebook work.
func TestSoakInstalled(t *testing.T) {
	sharedtest.Soak(t)
	python, err := exec.LookPath("python3")
	if err != nil {
		sharedtest.Missing(t, "no python3")
	}
	dir := t.TempDir()
	does := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "program"), "compqa")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := run([]string{"0.0.1", runtime.GOOS + "/" + runtime.GOARCH, filepath.Join(dir, "program"), dir}); err != nil {
		t.Fatal(err)
	}
	wheels, _ := filepath.Glob(filepath.Join(dir, "*.whl"))
	does(python, "-m", "venv", "env")
	does(filepath.Join(dir, "env", "bin", "pip"), "install", "--no-index", "--no-compile", "--disable-pip-version-check", wheels[0])
	if out := does(filepath.Join(dir, "env", "bin", "compqa"), "--version"); !strings.HasPrefix(out, "compqa ") {
		t.Error(out)
	}
	if out := does(filepath.Join(dir, "env", "bin", "python"), "-m", "compqa", "--version"); !strings.HasPrefix(out, "compqa ") {
		t.Error(out)
	}
	if err := os.WriteFile(filepath.Join(dir, "use.py"), []byte(use), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := does(filepath.Join(dir, "env", "bin", "python"), "use.py"); !strings.HasPrefix(out, "done ") {
		t.Error(out)
	}
	gate(t, dir)
	t.Run("notebook", func(t *testing.T) { notebook(t, dir) })
}

// gate runs the commands of action.yml on a validation that fails and on one that passes.
func gate(t *testing.T, dir string) {
	t.Helper()
	for name, first := range map[string]int{"judge.csv": 1, "the people.csv": 0} { // one of twenty values differs
		rows := fmt.Sprintf("id,correct\ni0,%d\n", first)
		for i := 1; i < 20; i++ {
			rows += fmt.Sprintf("i%d,%d\n", i, i%2)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(rows), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs("../.ci/action.sh")
	if err != nil {
		t.Fatal(err)
	}
	for least, code := range map[string]int{"0.5": 0, "0.99": 4} {
		cmd := exec.Command(script)
		cmd.Dir = dir
		summary := filepath.Join(dir, "summary"+least)
		cmd.Env = append(os.Environ(), "RUNNER_TEMP="+dir, "PATH="+filepath.Join(dir, "env", "bin")+":"+os.Getenv("PATH"), "GITHUB_STEP_SUMMARY="+summary,
			"COMPQA_COMMAND=validate", "COMPQA_ARGUMENTS=judge.csv --people 'the people.csv' --fail-below alpha="+least)
		out, _ := cmd.CombinedOutput()
		text, err := os.ReadFile(summary)
		if cmd.ProcessState.ExitCode() != code || err != nil || !strings.Contains(string(text), "| alpha (interval) >= "+least+" |") {
			t.Errorf("exit %d, want %d: %v\n%s\n%s", cmd.ProcessState.ExitCode(), code, err, out, text)
		}
	}
}

// execute is a Python program that runs a notebook and reports whether its last cell made a plot.
const execute = `
import pathlib, sys, nbclient, nbformat
nbclient.NotebookClient(nbformat.read(sys.argv[1], 4), timeout=300, kernel_name="python3").execute()
assert pathlib.Path("board.png").stat().st_size > 5000
print("done")
`

// notebook runs the notebook where the wheel is installed. It installs what the notebook needs from PyPI; if that fails, the test is
// skipped, but not in CI.
func notebook(t *testing.T, dir string) {
	t.Helper()
	python := filepath.Join(dir, "env", "bin", "python")
	install := []string{"-m", "pip", "install", "--disable-pip-version-check", "--no-compile", "-q",
		"nbclient", "ipykernel", "pandas", "matplotlib"}
	if out, err := exec.Command(python, install...).CombinedOutput(); err != nil {
		sharedtest.Missing(t, "the notebook needs Python with nbclient, pandas and matplotlib: %q: %v\n%s", install, err, out)
	}
	path, err := filepath.Abs("../examples/notebook.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", execute, path)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(python)+":"+os.Getenv("PATH"), "MPLBACKEND=Agg", "MPLCONFIGDIR="+cmd.Dir)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "done\n") {
		t.Errorf("%v\n%s", err, out)
	}
}
