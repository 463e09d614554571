package bench

import (
	"database/sql"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"compqa/data/sharedtest"
	"compqa/results/store"
)

// notChecked matches the names of columns that verify says it does not check.
var notChecked = regexp.MustCompile(`\b[a-z_]+\.[a-z_0-9]+\b`)

// inTables matches a difference that was found only in a table. A forger could change the table to fit.
var inTables = regexp.MustCompile(`first difference: \S+\.(csv|md|svg)\b`)

// TestSoakForgedRecords changes every column of every table of a record, and deletes and adds rows of every table, one change at a time.
// Tables, hashes and checksums are made to fit. Each change must be a difference, unless verify lists its column as not checked, and verify
// must list only columns in which changes are not noticed.
func TestSoakForgedRecords(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	file := exportedFile(t, withTables)
	listed := columnsNotChecked(t, file)
	var lock sync.Mutex
	passed := map[string]bool{}
	tried := map[string]bool{}
	t.Run("each", func(t *testing.T) {
		for _, f := range forgeries(t, unpackedTo(t, file)) {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				noticed := f.tried(t, file, listed)
				lock.Lock()
				defer lock.Unlock()
				tried[f.column], passed[f.column] = true, passed[f.column] || !noticed
			})
		}
	})
	for column := range listed {
		// Some columns cannot be changed unnoticed in this record. Its labels have no failed call, the manifest also has the release's
		// hash, and its set of pairs is the run's own and has no limit. No model reasoned, and nothing is imported.
		partly := slices.Contains([]string{"calls.reply", "run.release_hash", "labels.reason", "sets.source", "sets.margin", "sets.first",
			"answers.reasoning", "answers.reason", "answers.origin", "verdicts.origin",
			// Each attempt of this record has a recorded price, from which its cost follows.
			"attempts.cost", "attempts.batch", "attempts.prompt_tokens", "attempts.completion_tokens"}, column)
		if tried[column] && !passed[column] && !partly {
			t.Errorf("%s is listed as not checked, but every change of it is noticed", column)
		}
	}
}

// columnsNotChecked returns the columns of an honest export that verify says it does not check.
func columnsNotChecked(t *testing.T, file string) map[string]bool {
	t.Helper()
	code, stdout, stderr := compqa("verify", "--verbose", file)
	if code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(stdout) {
		if columns, found := strings.CutPrefix(line, "  not checked  "); found {
			for _, column := range notChecked.FindAllString(columns, -1) {
				listed[column] = true
			}
		}
	}
	return listed
}

// tried verifies an export with a forgery. The forgery must be noticed unless its column is listed.
func (f forgery) tried(t *testing.T, file string, listed map[string]bool) (noticed bool) {
	t.Helper()
	files := unpacked(t, file)
	changeRecord(t, files, f.query)
	changed := packed(t, files, true)
	var code int
	var said string
	if f.bounded {
		code, said = limitedRun(t, "verify", changed)
	} else {
		var stderr string
		code, said, stderr = compqa("verify", changed)
		said += stderr
	}
	noticed = code != exitDone && (!inTables.MatchString(said) || strings.Contains(said, "  missing "))
	switch {
	case !noticed && !listed[f.column]:
		t.Errorf("%s is not noticed: %s", f.query, said)
	case code != exitDone && code != exitFailed && code != exitUsage || strings.Contains(said, "panic"):
		t.Errorf("exit %d, %s", code, said)
	}
	return noticed
}

// hostileValues are values in SQL that no program writes into a record: too large, negative, not a number, or of another type.
var hostileValues = []string{"9223372036854775807", "-1", "9e999", "'NaN'", "NULL", "x'00ff'"}

// TestHostileCells changes one cell of a record at a time to a hostile value. verify must find a difference, or list the column as not
// checked, and no number may make it take much time or memory. `make soak` tries all numbers.
func TestHostileCells(t *testing.T) {
	t.Parallel()
	file := exportedFile(t, withTables)
	listed := columnsNotChecked(t, file)
	for i, f := range hostileCells(t, unpackedTo(t, file)) {
		if i%60 == 0 || f.bounded && sharedtest.Soaking(t) {
			t.Run(f.name, func(t *testing.T) {
				t.Parallel()
				f.tried(t, file, listed)
			})
		}
	}
}

// TestSoakHostileCells runs TestHostileCells with all cases.
func TestSoakHostileCells(t *testing.T) {
	sharedtest.Soak(t)
	TestHostileCells(t)
}

// hostileCells returns the changes of one cell in each column to each hostile value that the database accepts.
func hostileCells(t *testing.T, dir string) (list []forgery) {
	db, tables := recordTables(t, dir)
	defer db.Close()
	for _, view := range slices.Sorted(maps.Keys(tables)) {
		_, row := middleRow(t, db, tables[view])
		if row == "" {
			continue
		}
		for _, c := range tables[view] {
			for _, value := range hostileValues {
				name := view + "." + c.shown
				query := fmt.Sprintf(`UPDATE %s SET %s = %s %s`, c.table, c.name, value, row)
				try, err := db.Begin()
				if err != nil {
					t.Fatal(err)
				}
				if _, err := try.Exec(query); err == nil { // otherwise no record can have the value
					bounded := c.kind != "TEXT" && value == hostileValues[0]
					list = append(list, forgery{name + " = " + value, name, c.table, query, bounded})
				}
				if err := try.Rollback(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return list
}

// TestSoakChangedRecords: report and export refuse a record that another program has changed, and verify refuses a changed export, whatever
// the change is.
func TestSoakChangedRecords(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	file := exportedFile(t, withTables)
	dir := unpackedTo(t, file)
	if code, _, stderr := compqa("report", dir); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	for _, f := range forgeries(t, dir) {
		dir := unpackedTo(t, file)
		tampered(t, dir, f.query)
		commands := [][]string{{"report", dir}, {"export", dir, "--out", filepath.Join(t.TempDir(), "x.gz")}}
		if slices.Contains(store.CallTables, f.table) {
			commands = commands[1:]
		}
		for _, args := range commands {
			if code, _, stderr := compqa(args...); code != exitFailed || !strings.Contains(stderr, " after it was recorded: ") || !strings.Contains(stderr, "table "+f.table) {
				t.Errorf("%s after %s: exit %d, %s", args[0], f.query, code, stderr)
			}
		}
	}
}

// A forgery is a change of a record by an SQL query.
type forgery struct {
	name, column, table, query string
	bounded                    bool // verify it in a process with limits on time and memory
}

// A recordColumn is a column of a table of a record. Its name is quoted for SQL.
type recordColumn struct {
	table, name, kind string
	key               int
	shown             string // the name shown to users; for the table results, the name in the view of the kind
	rows              string // condition of the rows; for the table results, those of one kind
}

// recordTables opens a record and lists the columns of its tables. For the table results, it lists them for each kind under the name of the
// kind's view. The caller must close the database.
func recordTables(t *testing.T, dir string) (*sql.DB, map[string][]recordColumn) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, store.RecordName))
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string][]recordColumn{}
	rows, err := db.Query(`SELECT m.name, '"' || c.name || '"', c.type, c.pk FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name <> 'sums' ORDER BY c.cid`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var c recordColumn
		if err := rows.Scan(&c.table, &c.name, &c.kind, &c.key); err != nil {
			t.Fatal(err)
		}
		if c.table != "results" {
			c.shown = strings.Trim(c.name, `"`)
			c.rows = "true"
			tables[c.table] = append(tables[c.table], c)
			continue
		}
		for _, k := range store.Kinds {
			if k.Name != store.KindAnswer {
				c.shown, c.rows = store.At{Kind: k.Name}.Called(strings.Trim(c.name, `"`)), fmt.Sprintf("kind = '%s'", k.Name)
				tables[k.View] = append(tables[k.View], c)
			}
		}
	}
	return db, tables
}

// middleRow returns the names of the key columns, and a condition that selects the middle row of a table by its key. The condition is "" if
// the table has no row.
func middleRow(t *testing.T, db *sql.DB, columns []recordColumn) (key []string, row string) {
	t.Helper()
	var n int
	from := columns[0].table + ` WHERE ` + columns[0].rows
	if err := db.QueryRow(`SELECT count(*) FROM ` + from).Scan(&n); err != nil {
		t.Fatal(err)
	}
	for _, c := range columns {
		if c.key > 0 {
			key = append(key, c.name)
		}
	}
	if key == nil {
		key = []string{"rowid"}
	}
	if n == 0 {
		t.Logf("%s has no row", from)
		return key, ""
	}
	return key, fmt.Sprintf(`WHERE (%[1]s) IN (SELECT %[1]s FROM %[2]s ORDER BY %[1]s LIMIT 1 OFFSET %[3]d)`, strings.Join(key, ", "), from, n/2)
}

// forgeries returns changes of one value in each column, and deletions and additions of rows in each table that has any.
func forgeries(t *testing.T, dir string) (list []forgery) {
	db, tables := recordTables(t, dir)
	defer db.Close()
	for _, view := range slices.Sorted(maps.Keys(tables)) {
		key, row := middleRow(t, db, tables[view])
		if row == "" {
			continue
		}
		table := tables[view][0].table
		rows := tables[view][0].rows
		var all []string
		last := 0 // index of the last column of the key
		for i, c := range tables[view] {
			all = append(all, c.name)
			if c.key > 0 {
				last = i
			}
		}
		keys := strings.Join(key, ", ")
		add := func(what string, c recordColumn, query string, args ...any) {
			name := view + "." + c.shown
			list = append(list, forgery{name + what, name, table, fmt.Sprintf(query, args...), false})
		}
		other := map[string]string{"TEXT": `coalesce(%s, '') || 'x'`, "INTEGER": `coalesce(%s, 0) + 1`, "REAL": `coalesce(%s, 0) + 0.5`}
		for _, c := range tables[view] {
			value := fmt.Sprintf(other[c.kind], c.name)
			if rows != "true" && c.name == `"kind"` { // no record can have another kind here
				value = `iif(kind = 'label', 'verdict', 'label')`
			}
			if c.key > 0 && c.kind == "INTEGER" {
				value += " + 1000000" // a number that no other row has
			}
			add("", c, `UPDATE %s SET %s = %s %s`, table, c.name, value, row)
			if c.kind == "TEXT" && c.key == 0 {
				var filled int
				if err := db.QueryRow(fmt.Sprintf(`SELECT count(*) FROM %s WHERE %s AND %s <> ''`, table, rows, c.name)).Scan(&filled); err != nil {
					t.Fatal(err)
				}
				if filled > 0 {
					add(" emptied", c, `UPDATE %[1]s SET %[2]s = '' WHERE (%[3]s) IN (SELECT %[3]s FROM %[1]s WHERE %[4]s AND %[2]s <> '' LIMIT 1)`, table, c.name, keys, rows)
				}
			}
		}
		first := tables[view][0]
		add(" row deleted", first, `DELETE FROM %s %s`, table, row)
		copied := slices.Clone(all)
		if key[0] != "rowid" {
			copied[last] = fmt.Sprintf(other[tables[view][last].kind], all[last]) + map[bool]string{true: " + 1000000"}[tables[view][last].kind == "INTEGER"]
		}
		add(" row added", first, `INSERT INTO %s (%s) SELECT %s FROM %s %s`, table, strings.Join(all, ", "), strings.Join(copied, ", "), table, row)
	}
	return list
}
