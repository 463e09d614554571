package bench

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"compqa/bench/verify"
	"compqa/data/sharedtest"
)

// verdictOf verifies a file. It returns the summary and what was printed on standard error.
func verdictOf(t *testing.T, file string) (verify.Summary, string) {
	t.Helper()
	code, stdout, stderr := compqa("verify", "--json", file)
	var s verify.Summary
	if err := json.Unmarshal([]byte(stdout), &s); err != nil {
		t.Fatalf("exit %d: %v, %s%s", code, err, stdout, stderr)
	}
	if failed := s.Verdict == verify.NotFinished || s.Verdict == verify.NotVerified; failed != (code == exitFailed) || !failed && code != exitDone {
		t.Errorf("%s with exit %d", s.Verdict, code)
	}
	return s, stderr
}

// recomputable is the export of a run that needs no model. It is made once for all tests of forgeries.
var recomputable = struct {
	sync.Once
	content []byte
}{}

func recomputableFile(t *testing.T) string {
	t.Helper()
	recomputable.Do(func() {
		dir, _ := recomputableRun(t)
		recomputable.content = fileContent(t, exportOf(t, dir))
	})
	file := filepath.Join(t.TempDir(), "honest.gz")
	if err := os.WriteFile(file, recomputable.content, 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestSoakForgeriesRest: forged records are given checksums and exported by this program. Each forgery must be in the account as something
// that nobody can recompute, or lead to a difference or to "not finished".
func TestSoakForgeriesRest(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	honest := recomputableFile(t)
	if s, stderr := verdictOf(t, honest); s.Verdict != verify.Verified || len(s.Rests) > 0 || !s.Questions.BuiltIn || s.Questions.Number != 50 {
		t.Fatalf("the honest run: %+v\n%s", s, stderr)
	}
	const (
		sheet = `(SELECT scores FROM verdicts WHERE judge = 'rules' AND total = (SELECT max(total) FROM verdicts WHERE judge = 'rules') LIMIT 1)`
		total = `(SELECT max(total) FROM verdicts WHERE judge = 'rules')`
		party = `INSERT INTO parties (role, name, method, position, kind, family, about, hinted, trained_on) VALUES `
		// inserts verdicts of a judge x on all answers, each as good as the best verdict of rules
		copied = `INSERT INTO results (kind, party, subject, repeat, status, content, total, reason, raw, calls, origin) SELECT 'verdict', 'x', answer, repeat, 'valid', ` + sheet + `, ` + total + `, '', '', '[]', '' FROM verdicts WHERE judge = 'rules'; `
	)
	const nothingOfPairs = `DELETE FROM results WHERE kind = 'preference'; DELETE FROM pairs; DELETE FROM sets; DELETE FROM plan WHERE kind = 'preference'; DELETE FROM parties WHERE role = 'pairwise'; DELETE FROM run WHERE part = 'pairs'`
	planned := func(origin string) string {
		return `INSERT INTO plan SELECT kind, 'x', system, scenario, method, dataset, "order", planned, fingerprint, '` + origin + `', note, work, active FROM plan WHERE judge = 'rules' AND kind = 'verdict'; `
	}
	for name, test := range map[string]struct {
		query   string
		verdict string
		want    string // text in the account or in the difference
	}{
		"a calibrated judge":            {copied + planned("calibrated") + party + `('judge', 'x', '', 9, 'embedded', '', '', 0, '')`, verify.Consistent, "a calibration in a file"},
		"an imported judge":             {copied + planned("import") + party + `('judge', 'x', '', 9, 'imported', '', '', 0, '')`, verify.Consistent, "imported"},
		"a person":                      {strings.ReplaceAll(copied+planned("import")+party, "'x'", "'human:x'") + `('judge', 'human:x', '', 9, 'human', '', '', 0, '')`, verify.Consistent, "people's scores"},
		"a judge of no known kind":      {copied + planned("import") + party + `('judge', 'x', '', 9, 'verified', '', '', 0, '')`, verify.NotVerified, "the configuration has no such entry"},
		"a judge that is no party":      {copied, verify.NotVerified, "the configuration does not plan it"},
		"an embedded judge made human":  {`UPDATE parties SET kind = 'human' WHERE name = 'rules'`, verify.NotVerified, "is recorded as"},
		"a judge moved to an import":    {`UPDATE plan SET origin = 'import' WHERE judge = 'rules'; UPDATE results SET content = ` + sheet + `, total = ` + total + ` WHERE kind = 'verdict' AND party = 'rules'`, verify.NotVerified, ""},
		"cells no longer planned":       {`UPDATE plan SET active = 0 WHERE judge = 'rules' AND system = 'extractive'`, verify.NotVerified, ""},
		"attempts without a model":      {`INSERT INTO calls (id, key, provider, model, request, status, reply, reasoning, finish, raw) VALUES (1, 'k', 'p', 'm', '', 'failed', '', '', '', ''); INSERT INTO attempts (call, n, started, latency_ms, waited_ms, status, reason, cost, kind, party, provider, model) VALUES (1, 1, '2026-01-01T00:00:00Z', 1, 1, 'failed', '', 0.01, 'answer', 'template', 'p', 'm')`, verify.Consistent, "times, tokens and names of models"},
		"a reply that nothing reads":    {`INSERT INTO calls (id, key, provider, model, request, status, reply, reasoning, finish, raw, origin) VALUES (1, 'k', 'p', 'm', '', 'valid', 'x', '', '', '', 'another run')`, verify.Consistent, "no result is read from them"},
		"what a model learnt":           {`INSERT INTO adaptations VALUES ('p', 'm', 'temperature', '', 'it says so')`, verify.Consistent, "what the server accepts"},
		"rows without an answer":        {`INSERT INTO unplaced VALUES ('config', 'rules', 'f:1', 'template', '1', '', 'no answer')`, verify.Consistent, "without an answer"},
		"a grade":                       {`INSERT INTO results (kind, subject, judge, variant, "order", party, fingerprint, status, content) SELECT 'grade', id, judge, method, "order", 'someone', 'f', 'valid', '{"right":1,"correctness":5,"consistency":3}' FROM preferences LIMIT 1`, verify.Consistent, "grades by people or a model; no task"},
		"a judgment":                    {`INSERT INTO results (kind, subject, party, "order", variant, repeat, fingerprint, status, choice, raw, reason, calls) SELECT 'sample', id, judge, "order", 'repeated', 1, 'f', 'valid', 'a', 'x', '', '[]' FROM preferences LIMIT 1`, verify.Consistent, "replies of a model; no task"},
		"labels of nobody":              {`INSERT INTO results (kind, subject, party, variant, status, content, reason, raw, calls) SELECT 'label', id, 'x', 'claims', 'valid', '{}', '', '', '[]' FROM answers LIMIT 1`, verify.NotVerified, "the configuration does not plan it"},
		"reasoning of a template":       {`UPDATE answers SET reasoning = 'I thought about it.' WHERE system = 'template'`, verify.NotVerified, "its reasoning is recorded as"},
		"a reason beside a verdict":     {`UPDATE results SET reason = 'checked by hand' WHERE kind = 'verdict' AND party = 'rules'`, verify.NotVerified, "its reason is recorded as"},
		"the origin of an answer":       {`UPDATE answers SET origin = 'release' WHERE system = 'template'`, verify.NotVerified, ""},
		"another margin":                {`UPDATE sets SET margin = 9`, verify.NotVerified, "another base, bias, margin or source"},
		"the first pairs":               {`UPDATE sets SET first = 1000000`, verify.Consistent, "only the first 1000000 pairs"},
		"the release":                   {`UPDATE run SET release_hash = 'abc' WHERE part = 'answers'`, verify.Consistent, "hash of the authors' release"},
		"a headline":                    {`UPDATE run SET config = json_set(config, '$.headline', 'rules')`, verify.Consistent, "headline: rules"},
		"a family":                      {`UPDATE run SET config = json_set(config, '$.models[0].family', 'gpt'); UPDATE parties SET family = 'gpt' WHERE name = json_extract((SELECT config FROM run LIMIT 1), '$.models[0].name')`, verify.Consistent, "family: gpt"},
		"no attacks, and unfinished":    {`DELETE FROM attacks; UPDATE run SET finished = NULL`, verify.NotFinished, "attack"},
		"everything unfinished":         {`UPDATE run SET finished = NULL, config = json_set(config, '$.run.concurrency', 10000); DELETE FROM results WHERE kind = 'verdict' AND party = 'rules' AND rowid % 2 = 0`, verify.NotFinished, "the run did not finish"},
		"a question eight times":        {`INSERT INTO questions SELECT id || n, position + 100 + n, object1 || char(0x200B), object2, aspect, question, arguments FROM questions, (SELECT 1 AS n UNION SELECT 2) WHERE position = 0`, verify.NotVerified, "about the same objects"},
		"six questions called cqa50":    {`DELETE FROM questions WHERE position >= 6`, verify.NotVerified, "questions"},
		"choices of -1":                 {`UPDATE run SET config = json_set(config, '$.models[0].choices', -1)`, verify.NotVerified, "is not one that a run accepts: "},
		"a hundred million choices":     {`UPDATE run SET config = json_set(config, '$.models[0].choices', 100000000)`, verify.NotVerified, "is not one that a run accepts: "},
		"a sample of -1":                {`UPDATE run SET config = json_set(config, '$.judges[0].sample', -1)`, verify.NotVerified, "is not one that a run accepts: "},
		"a thousand million repeats":    {`UPDATE run SET config = json_set(config, '$.judges[0].repeats', 1000000000)`, verify.NotVerified, "is not one that a run accepts: "},
		"a template that is a device":   {`UPDATE run SET config = json_set(config, '$.pairs[0].template', '/dev/zero')`, verify.NotVerified, "the text of …/zero is not in the record"},
		"a calibration that is one":     {`UPDATE run SET config = json_set(config, '$.judges[#]', json('{"name": "c", "provider": "calibrated", "path": "/dev/zero"}'))`, verify.Consistent, "declaration of c"},
		"aspects that are a device":     {`UPDATE run SET config = json_set(config, '$.providers', json('{"p": {"Type": "openai", "base_url": "http://127.0.0.1:1/v1"}}'), '$.pairwise', json('[{"name": "s", "method": "sc2", "provider": "p", "model": "m", "aspects": "/dev/zero"}]'))`, verify.Consistent, "aspects: of a file that is not in the record"},
		"a dataset that is a device":    {`UPDATE run SET dataset = '/dev/zero', config = json_set(config, '$.dataset', '/dev/zero') WHERE part = 'answers'`, verify.Consistent, "own ones, not built in"},
		"a plan of pairs deleted":       {`DELETE FROM plan WHERE kind = 'preference' AND judge = 'surface-pair' AND "order" = 'ab'`, verify.NotVerified, "are recorded, but not planned"},
		"and its preferences":           {`DELETE FROM plan WHERE kind = 'preference' AND judge = 'surface-pair' AND "order" = 'ab'; DELETE FROM results WHERE kind = 'preference' AND party = 'surface-pair' AND "order" = 'ab'`, verify.Consistent, "preferences of surface-pair: it was not asked about the set run"},
		"a plan of a baseline deleted":  {`DELETE FROM plan WHERE kind = 'preference' AND judge = 'longer' AND "order" = 'ab'`, verify.Consistent, "preferences of longer: it was not asked about the set run"},
		"everything about pairs":        {nothingOfPairs, verify.NotFinished, "pair set of the configuration: no run has asked about run"},
		"the judges of pairs":           {nothingOfPairs + `; UPDATE run SET config = json_set(config, '$.pairwise', json('[{"name": "d", "method": "longer"}]'))`, verify.NotFinished, "judge of pairs of the configuration: no run has asked d"},
		"a set that no run asked about": {`UPDATE run SET config = json_set(config, '$.pairs[#]', json('{"name": "own", "path": "x.jsonl"}')) WHERE part = 'answers'`, verify.Consistent, "no run has asked about own"},
		"all but the pairs":             {`DELETE FROM attacks; DELETE FROM plan WHERE kind <> 'preference'; DELETE FROM results WHERE kind = 'verdict'; DELETE FROM results WHERE kind = 'label'; DELETE FROM parties WHERE role <> 'pairwise'`, verify.NotVerified, ""},
		"a work of pairs":               {`UPDATE plan SET work = 'x' WHERE kind = 'preference'`, verify.NotVerified, "that no plan of pairs has"},
		"the release of pairs":          {`UPDATE run SET release_hash = 'x' WHERE part = 'pairs'`, verify.NotVerified, "another part, dataset"},
		"the release of an earlier run": {`INSERT INTO run SELECT -1, part, started, finished, program, revision, config, dataset, data_hash, rubric, rubric_hash, templates, 'x', sources, seed FROM run WHERE part = 'answers'`, verify.Consistent, "hash of the authors' release: x"},
		"a run twice":                   {`INSERT INTO run SELECT -1, part, started, finished, program, revision, config, dataset, data_hash, rubric, rubric_hash, templates, release_hash, sources, seed FROM run WHERE part = 'answers'`, verify.NotVerified, "is recorded twice"},
		"the order of judges":           {`UPDATE parties SET position = -1 WHERE name = 'template'; UPDATE parties SET position = -2 WHERE name = 'extractive'`, verify.NotVerified, "at another place than in the configuration"},
		"a source of the run's pairs":   {`UPDATE sets SET source = 'people'`, verify.NotVerified, "another base, bias, margin or source than the configuration gives"},
		"a calibrated judge of a run":   {copied + planned("calibrated rules") + party + `('judge', 'x', '', 9, 'embedded', '', '', 0, '')`, verify.Consistent, "a calibration in a file"},
		"a name with a line in a judge": {`UPDATE parties SET about = 'x' || char(10) || 'honest.gz: verified' WHERE name = 'rules'`, verify.NotVerified, "is recorded as"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := unpackedTo(t, honest)
			changed(t, dir, test.query)
			reseal(t, dir)
			file := filepath.Join(t.TempDir(), "run.gz")
			if code, _, stderr := compqa("export", dir, "--out", file); code != exitDone {
				if test.verdict != verify.NotVerified { // otherwise the record cannot be exported at all
					t.Fatalf("exit %d, %s", code, stderr)
				}
				return
			}
			began := time.Now()
			s, stderr := verdictOf(t, file)
			said := stderr + s.Difference
			for _, r := range slices.Concat(s.Rests, s.Missing, s.NotMade) {
				said += r.String() + "\n"
			}
			if s.Verdict != test.verdict || !strings.Contains(said, test.want) || strings.Contains(said, "panic") {
				t.Errorf("%s, want %s and %q:\n%s", s.Verdict, test.verdict, test.want, said)
			}
			if took := time.Since(began); took > 2*time.Minute {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// TestSoakNothingForgedIsVerified changes every column of every table of a verified record, one at a time, and makes tables, hashes and
// checksums fit. None of the changed records may be verified, except for changes of columns that say when, by which program, or in what
// order something was made.
func TestSoakNothingForgedIsVerified(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	honest := recomputableFile(t)
	// These columns say when, by which version, in which order of questions and pairs (for judges, see TestSoakForgeriesRest), and why
	// planned results were left out.
	unsaid := []string{"run.id", "run.started", "run.finished", "run.program", "run.revision", "run.sources", "plan.note", "parties.position",
		"questions.position", "pairs.position", "sets.position"}
	for _, f := range forgeries(t, unpackedTo(t, honest)) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			dir := unpackedTo(t, honest)
			changed(t, dir, f.query)
			reseal(t, dir)
			file := filepath.Join(t.TempDir(), "run.gz")
			if code, _, _ := compqa("export", dir, "--out", file); code != exitDone {
				return // the changed record cannot be read
			}
			code, stdout, stderr := compqa("verify", file)
			if strings.Contains(stdout, ": "+verify.Verified+"\n") && !slices.Contains(unsaid, f.column) || strings.Contains(stderr, "panic") {
				t.Errorf("exit %d after %s\n%s%s", code, f.query, stdout, stderr)
			}
		})
	}
}

// FuzzVerifyRecord edits the recorded configuration and a column of every second row of a table, and deletes every nth row of another table
// (n > 0). verify must not panic, nor take much time or memory.
func FuzzVerifyRecord(f *testing.F) {
	for _, seed := range []struct {
		path, value, column, deleted string
		n                            uint8
	}{
		{"$.judges[0].repeats", "1e9", "results.repeat", "plan", 1}, {"$.models[0].choices", "100000000", "plan.planned", "", 0},
		{"$.judges[0].sample", "-1", "results.content", "answers", 2}, {"$.pairs", `[{"name":"run","inject":["x"]}]`, "pairs.label", "parties", 2},
		{"$.run.concurrency", "1e12", "attempts.n", "questions", 3}, {"$.scenarios", `["1","1"]`, "answers.system", "pairs", 1}, {"$.models", "null", "parties.kind", "attacks", 1},
		{"$.arguments.max", "-7", "questions.arguments", "questions", 1}, {"$.pairs[0].margin", "1e308", "sets.margin", "results", 1},
		{"$.judges[0].provider", `"file"`, "results.calls", "results", 1}, {"$.run.seed", "18446744073709551615", "results.content", "sets", 1},
		{"$.models[0].provider", `"file"`, "answers.calls", "run", 1}, {"$.models[0].path", `"/dev/zero"`, "results.content", "run", 2},
		{"$.rubric", `"release"`, "run.rubric", "results", 1}, {"$.providers", `{"p":{"type":"command","run":["sleep","99"]}}`, "run.templates", "answers", 1},
		{"$.seed", "1", "plan.origin", "", 0}, {"$.pairs", "[]", "parties.position", "plan", 5},
	} {
		f.Add(seed.path, seed.value, seed.column, seed.deleted, seed.n)
	}
	f.Fuzz(func(t *testing.T, path, value, column, deleted string, n uint8) {
		files := unpacked(t, recomputableFile(t))
		if !alterRecord(t, files, path, value, column, deleted, n) {
			t.Skip("SKIPPED: the record has no such value")
		}
		code, said := limitedRun(t, "verify", packed(t, files, true))
		if code != exitDone && code != exitFailed && code != exitUsage || strings.Contains(said, "panic") {
			t.Errorf("exit %d: %s", code, said)
		}
	})
}

// alterRecord sets a path of the recorded configuration to a value. It also sets the column (table.column) of every second row to the
// value, and deletes every nth row of the table deleted. It reports whether anything was changed.
func alterRecord(t *testing.T, files map[string][]byte, path, value, column, deleted string, n uint8) (altered bool) {
	t.Helper()
	const record = "compqa-run/run.db"
	name := filepath.Join(t.TempDir(), "run.db")
	if err := os.WriteFile(name, files[record], 0o644); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	try := func(query string, args ...any) {
		if done, err := db.Exec(query, args...); err == nil {
			n, _ := done.RowsAffected()
			altered = altered || n > 0
		}
	}
	try(`UPDATE run SET config = json_set(config, ?, json(?))`, path, value)
	word := regexp.MustCompile(`^[a-z_]+$`)
	every := func(table string, n uint8) string { // the condition of every nth row, by its key: not all tables have a rowid
		var key string
		db.QueryRow(`SELECT group_concat('"' || name || '"', ', ') FROM pragma_table_info(?) WHERE pk > 0`, table).Scan(&key)
		key = cmp.Or(key, "rowid")
		return fmt.Sprintf(` WHERE (%[1]s) IN (SELECT %[1]s FROM (SELECT %[1]s, row_number() OVER () AS n FROM %[2]s) WHERE n %% %[3]d = 0)`, key,
			table, n)
	}
	if table, column, _ := strings.Cut(column, "."); word.MatchString(table) && word.MatchString(column) {
		try(`UPDATE `+table+` SET "`+column+`" = ?`+every(table, 2), value)
	}
	if word.MatchString(deleted) && n > 0 {
		try(`DELETE FROM ` + deleted + every(deleted, n))
	}
	try(`DELETE FROM sums`)
	var config string
	if err := db.QueryRow(`SELECT config FROM run WHERE part = 'answers' ORDER BY id DESC`).Scan(&config); err == nil {
		files["compqa-run/config.json"] = []byte(config)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if files[record], err = os.ReadFile(name); err != nil {
		t.Fatal(err)
	}
	return altered
}
