package bench

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"compqa/bench/cli"
	"compqa/data/sharedtest"
	"compqa/data/sheets"
)

// exported makes a run of an example with people's scores and exports it in each format. It returns the folder of the exports.
func exported(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	compqa := func(args ...string) {
		var out bytes.Buffer
		if code := Main(context.Background(), args, cli.Streams{Out: &out, Err: &out}); code != 0 {
			t.Fatalf("compqa %v: %d\n%s", args, code, out.String())
		}
	}
	compqa("run", "--config", "../examples/questions/compqa.yaml", "--out", dir+"/run")
	for _, format := range []string{"csv", "hf", "inspect", "parquet"} {
		compqa("export", dir+"/run", "--format", format, "--out", filepath.Join(dir, format))
	}
	return dir
}

// TestExportFormats: a verdict that is not valid has no points in any format. A partial sheet has the points that were given.
func TestExportFormats(t *testing.T) {
	t.Parallel()
	dir := exported(t)
	for file, want := range map[string]string{
		"csv/answers.csv":      "a1,bus | tram,Which is more comfortable: a tram or a bus?,tram,bus,comfort,mine,-,1,valid,",
		"csv/scores.csv":       "a2,mine,human:ben,1,partial,1,correct,1\na2,mine,human:ben,1,partial,2,reasons,\n",
		"hf/scores.jsonl":      `"judge":"human:ben","repeat":1,"status":"partial","criterion":"2","name":"reasons","points":null}`,
		"hf/README.md":         "config_name: scores",
		"inspect/01_mine.json": `"not_valid":{"human:ben":"partial"}`,
	} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s, %v: no %s in\n%s", file, err, want, text)
		}
	}
	var out bytes.Buffer
	streams := cli.Streams{Out: &out, Err: &out}
	if code := Main(context.Background(), []string{"export", dir + "/run", "--format", "csv", "--out", dir + "/csv"}, streams); code != 2 {
		t.Errorf("into a folder that is not empty: %d, %s", code, out.String())
	}
	if code := Main(context.Background(), []string{"export", dir + "/run", "--format", "xls", "--out", dir + "/xls"}, streams); code != 2 {
		t.Errorf("an unknown format: %d, %s", code, out.String())
	}
}

// TestSoakExportOpens: pandas, datasets and inspect_ai open the exports and read the same points. The packages are installed once, into the
// user's cache.
func TestSoakExportOpens(t *testing.T) {
	sharedtest.Soak(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("NOT TESTED: no cache folder")
	}
	venv := filepath.Join(cache, "compqa", "formats-venv")
	python := filepath.Join(venv, "bin", "python")
	complete := filepath.Join(venv, "complete") // missing if a test was stopped while it installed
	if _, err := os.Stat(complete); err != nil {
		os.RemoveAll(venv)
		if out, err := exec.Command("python3", "-m", "venv", venv).CombinedOutput(); err != nil {
			t.Skipf("NOT TESTED: no Python environment: %v\n%s", err, out)
		}
		install := exec.Command(python, "-m", "pip", "install", "-q", "inspect_ai==0.3.285", "pandas", "datasets")
		if out, err := install.CombinedOutput(); err != nil {
			t.Skipf("NOT TESTED: the packages cannot be installed: %v\n%s", err, out)
		}
		if err := os.WriteFile(complete, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "testdata/python/open.py", exported(t))
	cmd.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "HF_HOME="+t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, err.(*exec.ExitError).Stderr)
	}
	const want = "pandas 4 16 19.0 1\ndatasets 4 16 19 1\ninspect 4 14 18\n"
	if string(out) != want {
		t.Errorf("they read\n%s\nwant\n%s", out, want)
	}
}

// TestExportParquet: the Parquet tables have the same rows as the JSON Lines files. The same run gives the same bytes. import reads the
// answers and scores from them.
func TestExportParquet(t *testing.T) {
	t.Parallel()
	dir := exported(t)
	for _, name := range []string{"answers", "scores"} {
		var rows bytes.Buffer
		f, err := os.Open(filepath.Join(dir, "parquet", name+".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, _ := f.Stat()
		for row, err := range sheets.Parquet(f, info.Size(), 1<<30) {
			if err != nil {
				t.Fatal(err)
			}
			rows.Write(append(row, '\n'))
		}
		want, err := os.ReadFile(filepath.Join(dir, "hf", name+".jsonl"))
		if err != nil || rows.String() != string(want) {
			t.Errorf("%s, %v:\n%s\nand not\n%s", name, err, rows.String(), want)
		}
	}
	again := filepath.Join(dir, "again")
	if code, _, stderr := compqa("export", dir+"/run", "--format", "parquet", "--out", again); code != 0 {
		t.Fatal(stderr)
	}
	a, _ := os.ReadFile(filepath.Join(again, "scores.parquet"))
	if b, err := os.ReadFile(filepath.Join(dir, "parquet", "scores.parquet")); err != nil || !bytes.Equal(a, b) {
		t.Errorf("two exports of one run differ: %v", err)
	}
	code, _, stderr := compqa("import", "--config", "../examples/questions/compqa.yaml", "--out", dir+"/back", "--answers", again+"/answers.parquet",
		"--map", "item=id,text=text,question=question,system=system", "--people", again+"/scores.parquet")
	if code != 0 {
		t.Errorf("import: %d %s", code, stderr)
	}
}
