package bench

import (
	"bytes"
	"compqa/data/sharedtest"
	"compqa/results/archive"
	"encoding/csv"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// expectDifference verifies a file in which something was changed, and checks the message.
func expectDifference(t *testing.T, file, want string) {
	t.Helper()
	code, stdout, stderr := compqa("verify", file)
	if code != exitFailed || !strings.Contains(stderr, "first difference: ") || !strings.Contains(stderr, want) {
		t.Errorf("exit %d, %s%s; want %q", code, stdout, stderr, want)
	}
}

// TestVerifyFindsInRecord: any change of a record is found and named in the record, before tables are compared, because tables and hashes
// could have been made to fit. `make soak` tries all changes.
func TestVerifyFindsInRecord(t *testing.T) {
	t.Parallel()
	file := exportedFile(t, "")
	first := func(of string) string {
		return `rowid = (SELECT min(rowid) FROM results WHERE kind = 'verdict' AND ` + of + `)`
	}
	const volleyball = `kind = 'verdict' AND party = 'judge' AND subject LIKE 'contestant/1/%volleyball%'`
	const plain = `kind = 'verdict' AND party = 'judge' AND subject = 'contestant/1/asp | php/1'`
	for name, test := range map[string]struct{ query, want string }{
		"points": {`UPDATE results SET content = replace(content, '"9":1', '"9":2'), total = 19 WHERE ` + volleyball,
			"recorded as 19.0 points, by its reply 18.0 points, other points for criterion 9"},
		"a total":             {`UPDATE results SET total = 18.5 WHERE ` + plain, "verdict of judge on answer contestant/1/asp | php/1 (repeat 1): recorded as 18.5 points, by its reply 19.0 points"},
		"a total of people":   {`UPDATE results SET total = 18.5 WHERE ` + first(`party = 'human' AND total = 19`), "recorded as 18.5 points, by its scores 19.0 points"},
		"people out of range": {`UPDATE results SET content = replace(content, '"9":2', '"9":7'), total = 24 WHERE ` + first(`party = 'human' AND total = 19`), "recorded as 24.0 points, by its scores out_of_range"},
		"points and reply": {`UPDATE results SET content = replace(content, '"9":1', '"9":2'), raw = replace(raw, '"9":1', '"9":2'), total = 19 WHERE ` + volleyball,
			"verdict of judge on answer contestant/1/"},
		"a reply":              {`UPDATE results SET raw = 'no reply at all' WHERE ` + plain, "recorded as 19.0 points, by its reply unparsed"},
		"the reply to a call":  {`UPDATE calls SET reply = 'other' WHERE id = (SELECT json_extract(calls, '$[0]') FROM results WHERE ` + plain + `)`, "it needs the call"},
		"no reply anywhere":    {`UPDATE calls SET reply = '' WHERE id IN (SELECT json_extract(calls, '$[#-1]') FROM results WHERE ` + volleyball + `); UPDATE results SET raw = '' WHERE ` + volleyball, "it needs the call"},
		"the reply before":     {`UPDATE calls SET reply = '{"1": 0}' WHERE reply = '{"1": 1}'`, "it needs the call"},
		"valid to failed":      {`UPDATE results SET status = 'failed', total = NULL WHERE ` + plain, "recorded as failed, but the reply of its call has all scores"},
		"valid to skipped":     {`UPDATE results SET status = 'skipped', content = 'null', total = NULL, raw = '', calls = '[]' WHERE ` + plain, "it needs the call "},
		"valid to unparsed":    {`UPDATE results SET status = 'unparsed', total = NULL WHERE ` + plain, "recorded as unparsed, by its reply 19.0 points"},
		"refused to valid":     {`UPDATE results SET status = 'valid', content = (SELECT content FROM results WHERE ` + plain + `), raw = (SELECT raw FROM results WHERE ` + plain + `), total = 19 WHERE ` + first(`party = 'judge' AND status = 'refused'`), "recorded as valid, but its calls give refused"},
		"another's verdict":    {`UPDATE results SET (content, total, raw, calls) = (SELECT content, total, raw, calls FROM results WHERE ` + plain + `) WHERE ` + volleyball, "it needs the call"},
		"one verdict more":     {`INSERT INTO results (kind, party, subject, repeat, status, content, total, reason, raw, calls, origin) SELECT 'verdict', party, subject, 7, status, content, total, reason, raw, calls, origin FROM results WHERE ` + plain, "verdict of judge on answer contestant/1/asp | php/1 (repeat 7): the configuration does not plan it"},
		"a call":               {`DELETE FROM calls WHERE id = (SELECT json_extract(calls, '$[0]') FROM results WHERE ` + plain + `)`, " is not recorded"},
		"an embedded judge":    {`UPDATE results SET content = replace(content, '"2":1', '"2":0'), total = 18 WHERE ` + first(`party = 'constant'`), "verdict of constant on answer "},
		"a sampled judge":      {`UPDATE results SET status = 'refused', total = NULL WHERE ` + first(`party = 'strict'`), "verdict of strict on answer "},
		"an answer":            {`UPDATE answers SET text = text || ' Indeed.' WHERE id = 'contestant/1/asp | php/1'`, "answer contestant/1/asp | php/1: its text is recorded as "},
		"a baseline's answer":  {`UPDATE answers SET text = 'Worse. ' || text, words = words + 1, sentences = sentences + 1 WHERE id = 'template/1/asp | php/1'`, "answer template/1/asp | php/1: its text is recorded as "},
		"a length":             {`UPDATE answers SET words = 7 WHERE id = 'template/1/asp | php/1'`, "answer template/1/asp | php/1: its words is recorded as"},
		"citations":            {`UPDATE answers SET citations = 7 WHERE id = 'template/1/asp | php/1'`, "answer template/1/asp | php/1: its citations is recorded as"},
		"an answer taken off":  {`UPDATE answers SET status = 'refused', text = '' WHERE id = 'contestant/1/asp | php/1'`, "answer contestant/1/asp | php/1: recorded as refused, but its calls give valid"},
		"a preference":         {`UPDATE results SET choice = CASE choice WHEN 'a' THEN 'b' ELSE 'a' END WHERE kind = 'preference' AND rowid = (SELECT min(rowid) FROM results WHERE kind = 'preference' AND party = 'votes')`, "preference of votes (cot-selfcon) on pair "},
		"a floor's preference": {`INSERT INTO results (kind, subject, party, variant, "order", fingerprint, status, reason, choice, calls, raw, content) SELECT 'preference', id, 'longer', 'longer', "order", fingerprint, status, reason, choice, '[]', '', '{}' FROM preferences WHERE judge = 'votes' LIMIT 1`, "preference of longer (longer) on pair "},
		"a rationale":          {`UPDATE results SET raw = 'because' WHERE kind = 'preference' AND rowid = (SELECT min(rowid) FROM results WHERE kind = 'preference' AND party = 'votes')`, "preference of votes (cot-selfcon) on pair "},
		"how it came about":    {`UPDATE results SET content = '{"votes":["a","a","a","a"]}' WHERE kind = 'preference' AND rowid = (SELECT min(rowid) FROM results WHERE kind = 'preference' AND party = 'votes')`, "preference of votes (cot-selfcon) on pair "},
		"people's preference":  {`UPDATE pairs SET label = CASE label WHEN 'a' THEN 'b' ELSE 'a' END WHERE label <> 'none'`, "the human preference is recorded as "},
		"a preference's reply": {`UPDATE calls SET reply = 'Preferred: tie' WHERE id = (SELECT json_extract(calls, '$[0]') FROM preferences WHERE judge = 'votes' ORDER BY rowid LIMIT 1)`, "preference of votes (cot-selfcon) on pair "},
		"the rubric":           {`UPDATE run SET rubric = replace(rubric, 'short introduction', 'long introduction')`, "the record's rubric has the hash "},
		"the seed":             {`UPDATE run SET config = replace(config, '"seed":1', '"seed":2')`, "configuration"},
		"a question":           {`UPDATE questions SET aspect = 'beauty' WHERE id = 'asp | php'`, "the recorded questions do not match the recorded hash ("},
	} {
		if !sharedtest.Soaking(t) && !slices.Contains([]string{"points", "an embedded judge", "a preference"}, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			files := unpacked(t, file)
			changeRecord(t, files, test.query)
			expectDifference(t, packed(t, files, true), test.want)
		})
	}
}

// TestSoakVerifyFindsInRecord runs TestVerifyFindsInRecord with all cases.
func TestSoakVerifyFindsInRecord(t *testing.T) {
	sharedtest.Soak(t)
	TestVerifyFindsInRecord(t)
}

// TestSoakVerifyFindsInFiles: a change of a table, the configuration or the manifest is named by row and column, whether or not the list of
// hashes is made to fit.
func TestSoakVerifyFindsInFiles(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	const same = "as with a manifest that fits"
	file := exportedFile(t, "")
	replace := func(name, old, new string) func(map[string][]byte) {
		return func(files map[string][]byte) {
			before := files["compqa-run/"+name]
			files["compqa-run/"+name] = bytes.Replace(before, []byte(old), []byte(new), 1)
			if bytes.Equal(before, files["compqa-run/"+name]) {
				t.Fatalf("%s does not hold %q:\n%s", name, old, before[:min(len(before), 600)])
			}
		}
	}
	line := func(files map[string][]byte, name string, n int) []byte {
		return bytes.SplitAfter(files["compqa-run/tables/"+name], []byte("\n"))[n-1]
	}
	for name, test := range map[string]struct {
		change       func(map[string][]byte)
		want, honest string // honest is the message if the manifest is not made to fit; "" is not tried
	}{
		"leaderboard": {replace("tables/leaderboard.csv", "judge,contestant,1,20,", "judge,contestant,1,21,"), `leaderboard.csv, line 2 (judge, contestant, 1), column planned: the export has "21", the record gives "20"`, same},
		"agreement":   {replace("tables/agreement.csv", "judge,human,judge,separate,-,20,", "judge,human,judge,separate,-,21,"), `agreement.csv, line 2 (judge, human, judge), column planned: the export has "21", the record gives "20"`, ""},
		"costs":       {replace("tables/costs.csv", "answer,", "verdict,"), `costs.csv, line 2 `, ""},
		"pairwise":    {replace("tables/pairwise.csv", "votes,cot-selfcon,run,ab,12", "votes,cot-selfcon,run,ab,13"), `pairwise.csv, line 2 (votes, cot-selfcon, run), column planned: the export has "13", the record gives "12"`, ""},
		"prose":       {replace("tables/report.md", "contestant", "winner"), "report.md, line ", ""},
		"a row less": {func(files map[string][]byte) {
			files["compqa-run/tables/leaderboard.csv"] = bytes.Replace(files["compqa-run/tables/leaderboard.csv"], line(files, "leaderboard.csv", 3), nil, 1)
		}, "leaderboard.csv, line 3 (judge, contestant, 2), column scenario: ", ""},
		"the last row": {func(files map[string][]byte) {
			rows := files["compqa-run/tables/verdicts.csv"]
			files["compqa-run/tables/verdicts.csv"] = rows[:bytes.LastIndexByte(rows[:len(rows)-1], '\n')+1]
		}, "verdicts.csv ends before line 293; recomputed: ", ""},
		"a row more": {func(files map[string][]byte) {
			files["compqa-run/tables/verdicts.csv"] = append(files["compqa-run/tables/verdicts.csv"], line(files, "verdicts.csv", 2)...)
		}, "verdicts.csv, line 294: the export has ", ""},
		"a table less": {func(files map[string][]byte) { delete(files, "compqa-run/tables/agreement.csv") }, "agreement.csv was recomputed, but is not in the export", "the manifest lists agreement.csv, but the export does not contain it"},
		"a table more": {func(files map[string][]byte) { files["compqa-run/tables/extra.csv"] = []byte("a,b\n") }, "extra.csv is in the export, but not among the recomputed files", "the export contains tables/extra.csv, but the manifest does not list it"},
		"the settings": {replace("config.json", `"seed":1`, `"seed":2`), `the configuration differs from the record: it has `, same},
		"a last digit": {func(files map[string][]byte) { // a rounding difference, as another processor could compute it
			files["compqa-run/tables/leaderboard.csv"] = append(files["compqa-run/tables/leaderboard.csv"], '\n')
		}, "", "tables/leaderboard.csv was changed: it has "},
	} {
		t.Run(name, func(t *testing.T) {
			files := unpacked(t, file)
			test.change(files)
			if test.honest == same {
				test.honest = test.want
			}
			if test.honest != "" {
				expectDifference(t, packed(t, maps.Clone(files), false), test.honest)
			}
			if test.want != "" {
				expectDifference(t, packed(t, files, true), test.want)
			}
		})
	}
}

// TestSoakVerifyOlder: this version has more tables and columns than an older export, and other texts. These are not differences. What the
// export has is compared.
func TestSoakVerifyOlder(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	const manifest, board, report = "compqa-run/manifest.json", "compqa-run/tables/leaderboard.csv", "compqa-run/tables/report.md"
	older := func(revision, digits string) string {
		files := unpacked(t, exportedFile(t, ""))
		rows, err := csv.NewReader(bytes.NewReader(files[board])).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for i := range rows {
			rows[i] = rows[i][1:] // the older version does not have the first column
		}
		rows[1][2] += digits
		var text bytes.Buffer
		if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		var m archive.Manifest
		if err := json.Unmarshal(files[manifest], &m); err != nil {
			t.Fatal(err)
		}
		m.Revision += revision
		delete(files, "compqa-run/tables/agreement.csv") // the older version does not have this table
		files[board] = text.Bytes()
		files[report] = []byte("Other words.\n")
		if files[manifest], err = json.Marshal(m); err != nil {
			t.Fatal(err)
		}
		return packed(t, files, true)
	}
	code, stdout, stderr := compqa("verify", "--verbose", older("0", ""))
	if code != exitDone || !strings.Contains(stdout, "1 text of report.md: it differs") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	expectDifference(t, older("0", "1"), "leaderboard.csv, line 2 (")
	expectDifference(t, older("", ""), "leaderboard.csv has the columns ")
}

// TestSoakVerifyBroken: files that were cut short, written by a newer compqa, or made to do harm are recognised as such. Nothing in them is
// written to the disk.
func TestSoakVerifyBroken(t *testing.T) {
	sharedtest.Soak(t)
	file := exportedFile(t, "")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	with := func(name, more string) func(files map[string][]byte) []byte {
		return func(files map[string][]byte) []byte {
			files[name] = []byte(more)
			return archived(t, files)
		}
	}
	flipped := bytes.Clone(content)
	flipped[len(flipped)-6] ^= 1 // the checksum of the packed content
	for name, test := range map[string]struct {
		content func(map[string][]byte) []byte
		want    string
	}{
		"cut short":            {func(map[string][]byte) []byte { return content[:len(content)/2] }, "unexpected EOF"},
		"cut at its end":       {func(map[string][]byte) []byte { return content[:len(content)-3] }, "it is damaged after its last file"},
		"a wrong sum":          {func(map[string][]byte) []byte { return flipped }, "invalid checksum"},
		"empty":                {func(map[string][]byte) []byte { return nil }, "it is not an export of compqa"},
		"text":                 {func(map[string][]byte) []byte { return []byte("judge,system\n") }, "it is not an export of compqa"},
		"two at once":          {func(map[string][]byte) []byte { return append(bytes.Clone(content), content...) }, "there are data after its last file"},
		"a little more":        {func(map[string][]byte) []byte { return append(bytes.Clone(content), zipped(t, "x")...) }, "there are data after its last file"},
		"more in the manifest": {with("compqa-run/manifest.json", `{"format": 1, "audited_by": "somebody"}`), "its manifest has other fields than those of today"},
		"a second manifest":    {with("compqa-run/manifest.json", `{"format": 1} {"audited_by": "somebody"}`), "its manifest cannot be read: invalid character"},
		"no manifest": {func(files map[string][]byte) []byte {
			return archived(t, map[string][]byte{"compqa-run/manifest.json": []byte("{")})
		}, "its manifest cannot be read"},
		"newer": {func(files map[string][]byte) []byte {
			files["compqa-run/manifest.json"] = bytes.Replace(files["compqa-run/manifest.json"], []byte(`"format": 3`), []byte(`"format": 9`), 1)
			return archived(t, files)
		}, "it has format 9; this compqa reads formats up to 3: use a newer compqa"},
		"no record":         {func(files map[string][]byte) []byte { delete(files, "compqa-run/run.db"); return archived(t, files) }, "it has no run.db"},
		"elsewhere":         {with("compqa-run/../../escaped", "x"), `it contains "compqa-run/../../escaped", which is not a file of an export`},
		"above":             {with("../escaped", "x"), `it contains "../escaped"`},
		"from the root":     {with(filepath.Join(t.TempDir(), "escaped"), "x"), "which is not a file of an export"},
		"beside the tables": {with("compqa-run/tables/../escaped", "x"), "which is not a file of an export"},
		"deeper":            {with("compqa-run/tables/more/escaped", "x"), "which is not a file of an export"},
		"as on Windows":     {with(`compqa-run/tables/..\escaped`, "x"), "which is not a file of an export"},
		"a link":            {with("compqa-run/tables/escaped.csv", "link to /etc/passwd"), "which is not a file of an export"},
		"a bomb":            {with("compqa-run/tables/zeros.csv", strings.Repeat("\x00", 100<<20)), "its files are too large"},
		"no database": {func(files map[string][]byte) []byte {
			files["compqa-run/run.db"] = []byte("x")
			return fileContent(t, packed(t, files, true))
		}, "its record cannot be read: run.db is not a database"},
		"a view": {func(files map[string][]byte) []byte {
			changeRecord(t, files, `UPDATE results SET repeat = repeat WHERE kind = 'verdict'; ALTER TABLE unplaced RENAME TO other; CREATE VIEW unplaced AS SELECT * FROM other`)
			return fileContent(t, packed(t, files, true))
		}, "its record cannot be read: run.db does not have the tables of a record"},
		"no text": {func(files map[string][]byte) []byte {
			changeRecord(t, files, `UPDATE results SET repeat = repeat WHERE kind = 'verdict'; CREATE TABLE other AS SELECT * FROM unplaced; DROP TABLE unplaced; ALTER TABLE other RENAME TO unplaced`)
			return fileContent(t, packed(t, files, true))
		}, "its record cannot be read: run.db does not have the tables of a record"},
	} {
		t.Run(name, func(t *testing.T) {
			work := t.TempDir()
			t.Setenv("TMPDIR", work)
			broken := filepath.Join(t.TempDir(), "broken.gz")
			if err := os.WriteFile(broken, test.content(unpacked(t, file)), 0o644); err != nil {
				t.Fatal(err)
			}
			if code, _, stderr := compqa("verify", broken); code != exitUsage || !strings.Contains(stderr, test.want) || strings.Contains(stderr, work) {
				t.Errorf("exit %d, %s; want %q", code, stderr, test.want)
			}
			left, err := filepath.Glob(filepath.Join(work, "*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// TestSoakVerifyArguments: if the recorded configuration selects other arguments than the questions have, this is a difference.
func TestSoakVerifyArguments(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "run.gz")
	for _, args := range [][]string{{"run", "--config", "../compqa.yaml", "--limit", "1", "--out", dir}, {"export", dir, "--out", file}, {"verify", file}} {
		if code, _, stderr := compqa(args...); code != exitDone {
			t.Fatalf("%v: exit %d, %s", args, code, stderr)
		}
	}
	verify := func(files map[string][]byte, old, now string) string {
		changeRecord(t, files, `UPDATE run SET config = replace(config, '`+old+`', '`+now+`')`)
		files["compqa-run/config.json"] = bytes.Replace(files["compqa-run/config.json"], []byte(old), []byte(now), 1)
		code, _, stderr := compqa("verify", packed(t, files, true))
		if code != exitFailed {
			t.Errorf("%s: exit %d", now, code)
		}
		return stderr
	}
	for _, selected := range []string{`{"max":2}`, `{"reverse":true}`, `{"min_relevance":1}`} {
		files := unpacked(t, file)
		if stderr := verify(files, `"aspect_in_prompt"`, `"arguments":`+selected+`,"aspect_in_prompt"`); !strings.Contains(stderr, "the recorded questions are not those of cqa50") {
			t.Errorf("%s: %s", selected, stderr)
		}
		if stderr := verify(files, `"cqa50"`, `"mine.jsonl"`); strings.Contains(stderr, "arguments that the configuration leaves out") == strings.Contains(selected, "reverse") {
			t.Errorf("%s of a file: %s", selected, stderr)
		}
	}
}
