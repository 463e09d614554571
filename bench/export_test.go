package bench

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/results"
)

// exportedRun is an export of a run in which judges' replies are of all kinds.
func exportedRun(t *testing.T, args ...string) (dir, file string) {
	t.Helper()
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		switch {
		case !isJudging(prompt):
			return 200, completion("An answer "+prompt, "stop")
		case strings.Contains(prompt, "softball"):
			return 200, completion("no dictionary here", "stop")
		case strings.Contains(prompt, "apple"):
			return 200, completion("I would rather not.", "content_filter")
		case strings.Contains(prompt, "volleyball"):
			return 200, completion("Here you are: "+strings.Replace(fullMarks(), `"9":2`, `"9":1`, 1), "stop")
		}
		return 200, completion(fullMarks(), "stop")
	})
	dir = t.TempDir()
	config := liveConfig(t, server.URL, "")
	if code, _, stderr := compqa("run", "--config", config, "--out", dir, "--limit", "20"); code != exitIncomplete {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	file = filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa(append([]string{"export", "--run", dir, "--out", file}, args...)...); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	return dir, file
}

// TestVerify: an export is what it says, whatever the judges replied, and holds
// no key and, unless it is wanted, no request.
func TestVerify(t *testing.T) {
	_, file := exportedRun(t)
	code, stdout, stderr := compqa("verify", file)
	// 80 verdicts of each of the two judges; of the model's, the 4 on a pair that it
	// refused have no reply.
	if code != exitDone || !strings.Contains(stdout, "160 verdicts, 76 of them read anew") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	folder := t.TempDir()
	for name, content := range unpacked(t, file) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	searchForKey(t, folder, stdout)
	for args, bodies := range map[string]string{"": "0", "--bodies": "160", "--no-replies": "0"} {
		_, file := exportedRun(t, strings.Fields(args)...)
		within := t.TempDir()
		if err := os.WriteFile(filepath.Join(within, results.RecordName), unpacked(t, file)["compqa-run/run.db"], 0o644); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(rowsOf(t, within, "SELECT count(*) FROM calls WHERE request <> '' AND raw <> ''")); (got == "0") != (bodies == "0") {
			t.Errorf("export %s: %s calls with request and body", args, got)
		}
		if got := strings.TrimSpace(rowsOf(t, within, "SELECT count(*) FROM verdicts WHERE raw <> ''")); (got == "0") != (args == "--no-replies") {
			t.Errorf("export %s: %s verdicts with a reply", args, got)
		}
	}
}

// TestVerifyFinds: whatever is changed in an export is found and named, though
// the list of hashes be made to fit.
func TestVerifyFinds(t *testing.T) {
	_, file := exportedRun(t)
	change := func(query string) func(*testing.T, map[string][]byte) {
		return func(t *testing.T, files map[string][]byte) { changeRecord(t, files, query) }
	}
	replace := func(name, old, new string) func(*testing.T, map[string][]byte) {
		return func(t *testing.T, files map[string][]byte) {
			before := files["compqa-run/"+name]
			files["compqa-run/"+name] = bytes.Replace(before, []byte(old), []byte(new), 1)
			if bytes.Equal(before, files["compqa-run/"+name]) {
				t.Fatalf("%s does not hold %q", name, old)
			}
		}
	}
	for name, test := range map[string]struct {
		change func(*testing.T, map[string][]byte)
		honest bool // the list of hashes is left as it was
		want   string
	}{
		"a file":       {replace("tables/leaderboard.csv", "judge,contestant,1,", "judge,contestant,1,1"), true, "first difference: tables/leaderboard.csv is not the file that was exported"},
		"a table":      {replace("tables/leaderboard.csv", "judge,contestant,1,20,", "judge,contestant,1,21,"), false, `first difference: leaderboard.csv, line 2 (judge, contestant, 1), planned: the export has "21", the record gives "20"`},
		"prose":        {replace("tables/report.md", "contestant", "winner"), false, "first difference: report.md, line "},
		"points":       {change(`UPDATE verdicts SET scores = replace(scores, '"9":1', '"9":2'), total = 19 WHERE raw LIKE 'Here you are%'`), false, "on record 19.0 points, by its reply 18.0 points, other points for criterion 9"},
		"a total":      {change(`UPDATE verdicts SET total = 18.5 WHERE judge = 'judge' AND total = 19`), false, "on record 18.5 points, by its reply 19.0 points"},
		"a status":     {change(`UPDATE verdicts SET status = 'refused' WHERE judge = 'constant' AND answer LIKE '%volleyball%'`), false, "first difference: "},
		"a lost row":   {change(`DELETE FROM verdicts WHERE judge = 'judge' AND total = 19 AND answer LIKE 'contestant/1/%'`), false, "first difference: "},
		"a reply":      {change(`UPDATE verdicts SET raw = 'no reply at all' WHERE judge = 'judge' AND total = 19`), false, "on record 19.0 points, by its reply unparsed"},
		"the rubric":   {change(`UPDATE run SET rubric = replace(rubric, 'short introduction', 'long introduction')`), false, "the record's rubric is not the one whose hash it has"},
		"the settings": {replace("config.json", `"seed":1`, `"seed":2`), false, "the configuration is not that of the record"},
		"another file": {func(_ *testing.T, files map[string][]byte) { files["compqa-run/tables/extra.csv"] = []byte("a,b\n") }, false, "extra.csv is in the export, and the record does not give it"},
		"a table gone": {func(_ *testing.T, files map[string][]byte) { delete(files, "compqa-run/tables/agreement.csv") }, false, "the record gives agreement.csv, and it is not in the export"},
	} {
		t.Run(name, func(t *testing.T) {
			files := unpacked(t, file)
			test.change(t, files)
			changed := packed(t, files, test.honest)
			code, stdout, stderr := compqa("verify", changed)
			if code != exitFailed || !strings.Contains(stderr, "first difference: ") || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d, %s%s; want %q", code, stdout, stderr, test.want)
			}
		})
	}
}

// TestVerifyBroken: files that were cut short, made by a newer compqa or packed to
// do harm are told as what they are.
func TestVerifyBroken(t *testing.T) {
	_, file := exportedRun(t)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken.gz")
	write := func(content []byte) {
		t.Helper()
		if err := os.WriteFile(broken, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(want string) {
		t.Helper()
		if code, _, stderr := compqa("verify", broken); code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("exit %d, %s; want %q", code, stderr, want)
		}
	}
	write(content[:len(content)/2])
	expect("unexpected EOF")
	write(nil)
	expect("it is no export of compqa")
	files := unpacked(t, file)
	files["compqa-run/manifest.json"] = bytes.Replace(files["compqa-run/manifest.json"], []byte(`"format": 1`), []byte(`"format": 9`), 1)
	write(archived(t, files))
	expect("it has format 9; this compqa knows formats up to 1")
	files = unpacked(t, file)
	files["compqa-run/../../escaped"] = []byte("x")
	broken = packed(t, files, false)
	expect(`where its manifest lists`)
}

// TestReparse: a record whose verdicts were read by other rules is read anew, what
// is different is told, and the record stays as it is.
func TestReparse(t *testing.T) {
	dir, _ := exportedRun(t)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, results.RecordName))
	if err != nil {
		t.Fatal(err)
	}
	// As a parser would leave it that takes the first number it meets, and one that
	// does not read prose.
	for _, query := range []string{
		`UPDATE verdicts SET scores = replace(scores, '"9":1', '"9":2'), total = 19 WHERE raw LIKE 'Here you are%' AND answer LIKE 'contestant/2/%'`,
		`UPDATE verdicts SET status = 'unparsed', scores = 'null', total = NULL, reason = 'prose' WHERE raw LIKE 'Here you are%' AND answer LIKE 'contestant/3/%'`,
	} {
		if done, err := db.Exec(query); err != nil {
			t.Fatal(err)
		} else if n, _ := done.RowsAffected(); n == 0 {
			t.Fatalf("nothing changed by %s", query)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, to := contents(t, dir), t.TempDir()
	code, stdout, stderr := compqa("report", dir, "--reparse", "--out", to)
	for _, want := range []string{"2 of 160 verdicts read otherwise", "- judge: 1 have other points", "- judge: 1 were unparsed, are valid", "on record 19.0 points, by its reply 18.0 points, other points for criterion 9"} {
		if code != exitDone || !strings.Contains(stdout, want) {
			t.Errorf("exit %d, %s%s; want %q", code, stdout, stderr, want)
		}
	}
	if contents(t, dir) != before {
		t.Error("the record has changed")
	}
	rows, err := os.ReadFile(filepath.Join(to, "reparse.csv"))
	if err != nil || strings.Count(string(rows), "\n") != 3 || !strings.Contains(string(rows), ",unparsed,valid,,18,,") {
		t.Errorf("%v\n%s", err, rows)
	}
	board := func(dir string) string {
		text, err := os.ReadFile(filepath.Join(dir, "verdicts.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	again := t.TempDir()
	if code, _, stderr := compqa("report", dir, "--out", again); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if board(to) == board(again) {
		t.Error("the tables are of the record as it is")
	}
}

// unpacked are the files of an export.
func unpacked(t *testing.T, file string) map[string][]byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(zip); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}

// packed is an export of files, with a list of them that fits or, honest, as it
// was.
func packed(t *testing.T, files map[string][]byte, honest bool) string {
	t.Helper()
	if !honest {
		var m results.Manifest
		if err := json.Unmarshal(files["compqa-run/manifest.json"], &m); err != nil {
			t.Fatal(err)
		}
		listed := map[string]bool{}
		kept := m.Files[:0]
		for _, f := range m.Files {
			if content, ok := files["compqa-run/"+f.Name]; ok {
				listed[f.Name] = true
				kept = append(kept, manifestFile(f.Name, content))
			}
		}
		m.Files = kept
		for name, content := range files {
			if name = strings.TrimPrefix(name, "compqa-run/"); !listed[name] && name != "manifest.json" {
				m.Files = append(m.Files, manifestFile(name, content))
			}
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		files["compqa-run/manifest.json"] = text
	}
	path := filepath.Join(t.TempDir(), "changed.gz")
	if err := os.WriteFile(path, archived(t, files), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func manifestFile(name string, content []byte) results.ManifestFile {
	sum := sha256.Sum256(content)
	return results.ManifestFile{Name: name, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

// archived are files in the order of their manifest.
func archived(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var m results.Manifest
	if err := json.Unmarshal(files["compqa-run/manifest.json"], &m); err != nil {
		t.Fatal(err)
	}
	names := []string{"manifest.json"}
	for _, f := range m.Files {
		names = append(names, f.Name)
	}
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	archive := tar.NewWriter(zip)
	for _, name := range names {
		content := files["compqa-run/"+name]
		if strings.Contains(name, "..") {
			name = "elsewhere"
		}
		if err := archive.WriteHeader(&tar.Header{Name: "compqa-run/" + name, Size: int64(len(content)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// changeRecord changes the record of an export.
func changeRecord(t *testing.T, files map[string][]byte, query string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), results.RecordName)
	if err := os.WriteFile(path, files["compqa-run/run.db"], 0o644); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	done, err := db.Exec(query)
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := done.RowsAffected(); n == 0 {
		t.Fatalf("nothing changed by %s", query)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if files["compqa-run/run.db"], err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
}
