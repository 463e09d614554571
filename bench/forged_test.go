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

// notChecked matches the columns that verify says it does not check.
var notChecked = regexp.MustCompile(`\b[a-z_]+\.[a-z_0-9]+\b`)

// inTables matches a difference that is found in a table alone, which the forger could make
// to fit.
var inTables = regexp.MustCompile(`first difference: \S+\.(csv|md|svg)\b`)

// TestSoakForgedRecords changes every column of every table of a record, and deletes and adds rows
// of every table, one at a time; tables, hashes and checksums are made to fit. Each change is a
// difference, or its column is listed as not checked, and only such columns are listed.
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
		// Labels of this record have no failed call, the release's hash is in the manifest too, and
		// its set of pairs is the run's own, without a limit. No model has reasoned, and nothing is imported.
		partly := slices.Contains([]string{"calls.reply", "run.release_hash", "labels.reason", "sets.source", "sets.margin", "sets.first",
			"answers.reasoning", "answers.reason", "answers.origin", "verdicts.origin",
			// Each attempt of this record has a recorded price, from which its cost follows.
			"attempts.cost", "attempts.batch", "attempts.prompt_tokens", "attempts.completion_tokens"}, column)
		if tried[column] && !passed[column] && !partly {
			t.Errorf("%s is listed as not checked, but every change of it is noticed", column)
		}
	}
}

// columnsNotChecked are the columns that verify says it does not check, of an honest export.
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

// tried verifies an export with a forgery, which is noticed unless its column is listed.
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

// hostileValues are values that no program writes into a record, as SQL: beyond any count, below 0, no number, of another type.
var hostileValues = []string{"9223372036854775807", "-1", "9e999", "'NaN'", "NULL", "x'00ff'"}

// TestHostileCells (each number beyond any count in `make soak`): whatever one cell of a record has, verify ends with a difference, or its
// column is listed as not checked; no count has it take much time or memory.
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

// TestSoakHostileCells is TestHostileCells with all cases.
func TestSoakHostileCells(t *testing.T) {
	sharedtest.Soak(t)
	TestHostileCells(t)
}

// hostileCells are changes of one cell of each column to each hostile value that the database takes.
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
				if _, err := try.Exec(query); err == nil { // else no record can have it
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

// TestSoakChangedRecords: a record that another program changed is refused by report and export, and
// a changed export by verify, whatever the change.
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

// A forgery is a change of a record.
type forgery struct {
	name, column, table, query string
	bounded                    bool // a process of its own verifies it, within the limits of time and memory
}

// A recordColumn is a column of a table of a record. Its name is quoted.
type recordColumn struct {
	table, name, kind string
	key               int
	shown             string // its name, of results that in the view of their kind
	rows              string // the condition of the rows: those of one kind of results
}

// recordTables opens a record and lists the columns of its tables, and of the table results those of each kind by its view. The caller
// closes it.
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

// middleRow is the condition of a table's middle row by its key, whose columns it names; "": the table has no row.
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

// forgeries are changes of one value in each column, and of rows of each table that has any.
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
		last := 0 // of the key
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
			if rows != "true" && c.name == `"kind"` { // no record can have any other
				value = `iif(kind = 'label', 'verdict', 'label')`
			}
			if c.key > 0 && c.kind == "INTEGER" {
				value += " + 1000000" // no other row has it
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
