package bench

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/bench/verify"
	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/archive"
	"compqa/rubric"
)

// ofOtherVersion changes the manifest of an export so that another revision of the program seems to have made it.
func ofOtherVersion(t *testing.T, files map[string][]byte) {
	t.Helper()
	const name = "compqa-run/manifest.json"
	var m archive.Manifest
	err := json.Unmarshal(files[name], &m)
	if err == nil {
		m.Revision = "another"
		files[name], err = json.Marshal(m)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// restOf returns the first Rest of a kind in a list, or a zero Rest.
func restOf(list []verify.Rest, kind string) verify.Rest {
	for _, r := range list {
		if r.Kind == kind {
			return r
		}
	}
	return verify.Rest{}
}

// importedPeople returns the folder of a record with imported answers that a model and people scored. The people are two single people and
// their mean. The model's second verdict failed.
func importedPeople(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var answers, verdicts strings.Builder
	write := func(to *strings.Builder, row map[string]any) {
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(to, "%s\n", text)
	}
	for i, q := range data.CQA50()[:6] {
		id := fmt.Sprintf("a%d", i)
		write(&answers, map[string]any{"id": id, "object1": q.Object1, "object2": q.Object2, "aspect": q.Aspect, "text": "The first. " + id, "system": "mine"})
		for judge, points := range map[string]float64{"human:1": 1, "human:2": 0, "human": .5, "gpt": 1} {
			if i == 5 && judge == "human:2" {
				continue // the last answer has the sheet of only one person
			}
			row := map[string]any{"id": id, "judge": judge, "status": "valid"}
			if scores := rubric.CQA().Full(); judge == "gpt" && i == 1 {
				row["status"] = "refused"
				row["reason"] = "no"
			} else {
				scores["1"] = points
				row["scores"] = scores
			}
			write(&verdicts, row)
		}
	}
	for name, text := range map[string]string{"answers.jsonl": answers.String(), "verdicts.jsonl": verdicts.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := compqa("import", "--out", filepath.Join(dir, "run"), "--answers", filepath.Join(dir, "answers.jsonl"),
		"--verdicts", filepath.Join(dir, "verdicts.jsonl"))
	if code != exitDone {
		t.Fatalf("exit %d, %s%s", code, stdout, stderr)
	}
	return filepath.Join(dir, "run")
}

// edited returns a CSV table with changed rows.
func edited(t *testing.T, table []byte, change func(rows [][]string)) []byte {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	change(rows)
	var text bytes.Buffer
	err = csv.NewWriter(&text).WriteAll(rows)
	if err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// TestVerifyComparesOrSaysSo: verify never calls something equal that it did not compare, and lists what the file lacks.
func TestVerifyComparesOrSaysSo(t *testing.T) {
	t.Parallel()
	file := exportOf(t, importedPeople(t))
	const report, board, worth = "compqa-run/tables/report.md", "compqa-run/tables/leaderboard.csv", "compqa-run/tables/worth.csv"
	other := func(change func(files map[string][]byte)) (verify.Summary, string) {
		files := unpacked(t, file)
		ofOtherVersion(t, files)
		change(files)
		return verdictOf(t, packed(t, files, true))
	}
	s, _ := other(func(map[string][]byte) {})
	if s.Verdict != verify.Consistent || len(s.Texts) > 0 || len(s.Missing) > 0 {
		t.Errorf("an honest export of another version: %+v", s)
	}
	s, _ = other(func(files map[string][]byte) { files[report] = []byte("mine is the best\n") })
	if r := restOf(s.Texts, "text"); r.Party != "report.md" || !strings.HasPrefix(r.Why, "it differs") || s.Verdict != verify.Consistent ||
		!strings.Contains(s.Sentence, "1 text was not compared") {
		t.Errorf("a forged text: %+v", s)
	}
	changed := func(rename string) verify.Summary { // forges the conclusions about the first judge
		s, _ := other(func(files map[string][]byte) {
			files[worth] = edited(t, files[worth], func(rows [][]string) {
				for i, column := range rows[0] {
					if column == "stand_in" || column == "verdict" {
						rows[1][i] = "surely as good as people"
					}
					if column == rename {
						rows[1][i] = "42"
					}
				}
			})
		})
		return s
	}
	s = changed("")
	if r := restOf(s.Texts, "column"); r.Party != "worth.csv" || r.Count != 2 || s.Verdict != verify.Consistent ||
		r.Why != "computed by another version's rule: stand_in, verdict" || !strings.Contains(s.Sentence, "2 columns were not compared") {
		t.Errorf("forged conclusions: %+v", s)
	}
	if s = changed("n"); s.Verdict != verify.NotVerified || !strings.Contains(s.Difference, "column n: the export has") {
		t.Errorf("a forged figure beside forged conclusions: %+v", s)
	}
	for _, name := range []string{"audit.html", "audit.md", "leaderboard.svg", "REPORT.md"} {
		s, _ = other(func(files map[string][]byte) { files["compqa-run/tables/"+name] = []byte("verified by experts\n") })
		if s.Verdict != verify.NotVerified || !strings.Contains(s.Difference, name+" is in the export, but no version of compqa writes") {
			t.Errorf("%s: %+v", name, s)
		}
	}
	s, _ = other(func(files map[string][]byte) {
		for name := range files {
			if strings.HasPrefix(name, "compqa-run/tables/") {
				delete(files, name)
			}
		}
	})
	if r := restOf(s.Missing, "table"); s.Verdict != verify.Consistent || r.Why != "recomputed, but not in the file" || len(s.Missing) < 5 {
		t.Errorf("without tables: %+v", s)
	}
	s, _ = other(func(files map[string][]byte) {
		files[board] = edited(t, files[board], func(rows [][]string) {
			for i := range rows {
				rows[i] = rows[i][:len(rows[i])-2]
			}
		})
	})
	if r := restOf(s.Missing, "column"); r.Count != 2 || r.Party != "leaderboard.csv" || s.Verdict != verify.Consistent {
		t.Errorf("without two columns: %+v", s)
	}
	files := unpacked(t, file)
	files["compqa-run/manifest.json"] = []byte(`{"format": 1, "program": "compqa 0.3", "revision": "abc", "data_hash": "x"}`)
	older := filepath.Join(t.TempDir(), "older.gz")
	if err := os.WriteFile(older, archived(t, files), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := compqa("verify", older)
	if code != exitUsage || !strings.Contains(stderr, "An export of an older format is verified with the version that made it: it is said to be made by compqa compqa 0.3, commit abc") {
		t.Errorf("an older format: exit %d, %s", code, stderr)
	}
}

// TestVerifyPeoplesMean: a mean whose single sheets are on record is recomputed, and other recorded means are listed. Failed verdicts of an
// imported judge are listed with the bounds of the mean.
func TestVerifyPeoplesMean(t *testing.T) {
	t.Parallel()
	dir := importedPeople(t)
	file := exportOf(t, dir)
	s, _ := verdictOf(t, file)
	if s.Verdict != verify.Consistent || s.Questions.Asked != 6 || s.Questions.Number != 50 {
		t.Errorf("%+v", s)
	}
	var means, failed string
	for _, r := range s.Rests {
		if r.Party == "human" {
			means += r.String()
		}
		if r.Party == "gpt on mine" {
			failed += r.String()
		}
	}
	if means != "1 verdict of human: recorded mean, not recomputed" {
		t.Errorf("the means: %s", means)
	}
	if failed != "1 verdict of gpt on mine: not valid (refused 1): the mean is 19.0 points, and between 15.8 and 19.0 if these were the worst or the best" {
		t.Errorf("the failed verdict: %s", failed)
	}
	code, stdout, _ := compqa("verify", file)
	if code != exitDone || !strings.Contains(stdout, "measured     6 of the 50 questions of cqa50") || !strings.Contains(stdout, "made by      said to be compqa ") {
		t.Errorf("%s", stdout)
	}
	forged := exportedAgain(t, file, `UPDATE results SET content = replace(content, '"1":0.5', '"1":1'), total = 19 WHERE kind = 'verdict' AND party = 'human' AND subject IN
		(SELECT answer FROM verdicts WHERE judge = 'human:2' LIMIT 1)`)
	expectDifference(t, forged, "criterion 1 is recorded as 1, but the mean of the 2 single sheets is 0.5")
}

// TestVerifyRecordedKeys: nobody can add keys to a recorded configuration that then pass as checked.
func TestVerifyRecordedKeys(t *testing.T) {
	t.Parallel()
	file := exportOf(t, importedPeople(t))
	with := func(old, now string) (verify.Summary, string) {
		return verdictOf(t, exportedAgain(t, file, `UPDATE run SET config = replace(config, '`+old+`', '`+now+`')`))
	}
	s, _ := with(`"run":{`, `"audited_by":"somebody","run":{"checked":true,`)
	var named []string
	for _, r := range s.Rests {
		if r.Kind == "key" {
			named = append(named, r.Why)
		}
	}
	if s.Verdict != verify.Consistent || len(named) != 2 || !strings.HasPrefix(named[0], "audited_by: ") || !strings.HasPrefix(named[1], "run.checked: ") {
		t.Errorf("unknown keys: %v, %+v", named, s)
	}
	s, _ = with(`"dataset":`, `"dataset":"people","dataset":`)
	if s.Verdict != verify.NotVerified || !strings.Contains(s.Difference, "the recorded configuration cannot be used: it has the key dataset twice") {
		t.Errorf("a key twice: %+v", s)
	}
	s, _ = with(`"run":{`, `"RUN":{"seed":7},"run":{`)
	if s.Verdict != verify.NotVerified || !strings.Contains(s.Difference, "it has the key RUN, which is read as run") {
		t.Errorf("a key in capitals: %+v", s)
	}
}

// TestVerifyCosts: a cost must follow from the recorded tokens and the recorded price.
func TestVerifyCosts(t *testing.T) {
	t.Parallel()
	file := exportedFile(t, "")
	s, _ := verdictOf(t, file)
	if r := restOf(s.Rests, "cost"); s.Verdict != verify.Consistent || r.Count > 0 && !strings.Contains(r.Why, "estimated") {
		t.Errorf("honest costs: %s, %v", s.Difference, r)
	}
	for i, c := range []struct{ query, want string }{
		{`cost = cost * 2 WHERE id = (SELECT max(id) FROM attempts WHERE cost > 0)`, "but its tokens and the recorded price give "},
		{`cost = -cost WHERE id = (SELECT max(id) FROM attempts WHERE cost > 0)`, "its cost is recorded as -"},
		{`cost = NULL, latency_ms = -1 WHERE id = (SELECT max(id) FROM attempts)`, "below 0 or beyond measure"},
		{`cost = NULL, prompt_tokens = -1 WHERE id = (SELECT max(id) FROM attempts)`, "below 0 or beyond measure"},
	} {
		if i == 0 || sharedtest.Soaking(t) {
			expectDifference(t, exportedAgain(t, file, `UPDATE attempts SET `+c.query), c.want)
		}
	}
}

// TestSoakVerifyCosts runs TestVerifyCosts with all cases.
func TestSoakVerifyCosts(t *testing.T) {
	sharedtest.Soak(t)
	TestVerifyCosts(t)
}

// TestForgedByOtherRules: in an export of this version, a rank where this version gives none, or a lower cost, is a difference. In an
// export of another version, a higher cost or another rank of a baseline is a difference.
func TestForgedByOtherRules(t *testing.T) {
	t.Parallel()
	const board, costs = "compqa-run/tables/leaderboard.csv", "compqa-run/tables/costs.csv"
	now := exportedFile(t, "")
	few := exportOf(t, importedPeople(t))
	stored := filepath.Join(goldenFolder, "exports", "live.compqa.gz")
	for name, c := range map[string]struct{ file, table, party, column, cell, want string }{
		"a withheld rank":        {few, board, "mine", "rank", "1", `column rank: the export has "1", the record gives ""`},
		"the range of one":       {few, board, "mine", "rank_high", "1", `column rank_high: the export has "1", the record gives ""`},
		"a lower cost":           {now, costs, "judge", "cost_per_1000", "0.1", `column cost_per_1000: the export has "0.1"`},
		"another's higher cost":  {stored, costs, "judge", "cost_per_1000", "0.9", `column cost_per_1000: the export has "0.9"`},
		"another's for a system": {stored, costs, "contestant", "cost_per_1000", "0.1", `column cost_per_1000: the export has "0.1"`},
		"another's baseline":     {stored, board, "template", "rank", "1", `column rank: the export has "1", the record gives ""`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := unpacked(t, c.file)
			files[c.table] = edited(t, files[c.table], func(rows [][]string) {
				row := slices.IndexFunc(rows, func(row []string) bool { return row[1] == c.party })
				rows[row][slices.Index(rows[0], c.column)] = c.cell
			})
			expectDifference(t, packed(t, files, true), c.want)
		})
	}
}
