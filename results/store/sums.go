package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strconv"
	"strings"

	"modernc.org/sqlite"

	"compqa/data"
)

// A ChangedError reports a table whose rows differ from those that the program recorded.
type ChangedError struct {
	Path, Table string
	Then, Now   int // numbers of rows
}

func (e ChangedError) Error() string {
	if e.Then != e.Now {
		return fmt.Sprintf("%s was changed after it was recorded: table %s had %d rows and has %d", e.Path, e.Table, e.Then, e.Now)
	}
	return fmt.Sprintf("%s was changed or damaged after it was recorded: a row of table %s differs from its checksum", e.Path, e.Table)
}

// Is reports that a ChangedError is an ErrRecord.
func (ChangedError) Is(target error) bool { return target == ErrRecord }

// CallTables are the tables with requests and replies. They are most of a record, and no table of results is computed from them.
var CallTables = []string{"calls", "prompts", "attempts"}

// unseal checks, remembers and deletes the checksums before the first change of a record. Otherwise a record that another program had
// changed would get new, matching checksums. It does not check CallTables, which takes long: checkBefore does so before they are changed.
func (w *writer) unseal() (err error) {
	w.sums, err = recordedSums(w.conn)
	if err != nil {
		return err
	}
	if err := checkSums(w.conn, w.path, w.sums, func(table string) bool { return !slices.Contains(CallTables, table) }); err != nil {
		return err
	}
	w.unsealed = true
	return w.do(`DELETE FROM sums WHERE name <> ?`, lastReport)
}

// checkBefore compares with their checksums those CallTables that a statement may change, each once.
func (w *writer) checkBefore(statement string) error {
	due := func(table string) bool { return slices.Contains(w.unchecked, table) && changes(statement, table) }
	if !slices.ContainsFunc(w.unchecked, due) {
		return nil
	}
	if err := checkSums(w.conn, w.path, w.sums, due); err != nil {
		return err
	}
	w.unchecked = slices.DeleteFunc(w.unchecked, func(table string) bool { return changes(statement, table) })
	return nil
}

// changes reports whether a statement may change a table: it is not a SELECT and contains the table's name.
func changes(statement, table string) bool {
	return !strings.HasPrefix(statement, "SELECT") && strings.Contains(statement, table)
}

// CheckCalls returns a ChangedError if another program has changed CallTables. A run calls it before its first request: otherwise it would
// pay for a reply before recording fails.
func (s *Store) CheckCalls() error {
	if s == nil {
		return nil
	}
	return s.inTransaction(func(tx *writer) error { return tx.checkBefore(strings.Join(CallTables, " ")) })
}

// seal records the checksums of all tables. It reuses the earlier checksum of a table that no statement of this writer may have changed.
func (s *Store) seal() error {
	err := s.writer.transact(func(tx *writer) error {
		list, err := schemaDefinitions()
		if err != nil {
			return err
		}
		sums, err := tableSums(tx.conn, list, func(table string) (tableSum, bool) {
			sum, known := tx.sums[table]
			for text := range tx.statements {
				known = known && !changes(text, table)
			}
			return sum, known
		})
		for _, sum := range sums {
			put(Batch{tx: tx}, "sums", sum)
		}
		return err
	})
	return WrapDBError("writing the checksums of", s.Path, err)
}

// CheckSums compares all tables, except some, with their checksums, and returns a ChangedError for the first difference. sealed is false
// if the record has no checksums, because it is being written or its last run was killed.
func (s *Store) CheckSums(ctx context.Context, but ...string) (sealed bool, err error) {
	list, err := schemaDefinitions()
	if err != nil {
		return false, err
	}
	return s.checkSumsOf(ctx, slices.DeleteFunc(slices.Clone(list), func(d definition) bool { return slices.Contains(but, d.Name) }))
}

// checkSumsOf does as CheckSums, for the tables among some definitions.
func (s *Store) checkSumsOf(ctx context.Context, list []definition) (sealed bool, err error) {
	defer func() { err = WrapDBError("reading", s.Path, err) }()
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	tx, err := conn.BeginTx(ctx, nil) // so that rows and checksums are read at the same moment
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	known, err := recordedSums(conn)
	if err != nil || len(known) == 0 {
		return false, err
	}
	return true, compareSums(conn, s.Path, known, list)
}

// checkSums compares the tables for which due is true with their checksums, if the record has any.
func checkSums(conn *sql.Conn, path string, known map[string]tableSum, due func(table string) bool) error {
	if len(known) == 0 {
		return nil
	}
	list, err := schemaDefinitions()
	if err != nil {
		return err
	}
	return compareSums(conn, path, known, data.Where(list, func(d definition) bool { return due(d.Name) }))
}

// compareSums compares the tables among some definitions with their checksums, and returns a ChangedError for the first difference.
func compareSums(conn *sql.Conn, path string, known map[string]tableSum, list []definition) error {
	now, err := tableSums(conn, list, func(string) (sum tableSum, known bool) { return sum, false })
	for _, sum := range now {
		if then := known[sum.Name]; then != sum && err == nil {
			err = ChangedError{path, sum.Name, then.Rows, sum.Rows}
		}
	}
	return err
}

// A tableSum is the checksum of a table: the number of rows and the SHA-256 of all values, hexadecimal.
type tableSum struct {
	Name string
	Rows int
	Sum  string
}

func recordedSums(conn *sql.Conn) (map[string]tableSum, error) {
	sums, err := selected[tableSum](conn, `SELECT `+Columns[tableSum]()+` FROM sums WHERE name <> ?`, lastReport)
	return data.By(sums, func(sum tableSum) string { return sum.Name }), err
}

// tableSums returns the checksums of the tables among some definitions, except the table sums. It computes a checksum unless known returns
// the checksum and true.
func tableSums(conn *sql.Conn, list []definition, known func(table string) (tableSum, bool)) (sums []tableSum, err error) {
	for _, d := range list {
		if err != nil || d.Kind != "table" || d.Name == "sums" {
			continue
		}
		sum, is := known(d.Name)
		if !is {
			sum = tableSum{Name: d.Name}
			err = sum.read(conn)
		}
		sums = append(sums, sum)
	}
	return sums, err
}

// read computes the checksum of the rows in the order in which the table stores them.
func (t *tableSum) read(conn *sql.Conn) error {
	columns := ""
	const listed = `SELECT group_concat('"' || name || '"', ', ' ORDER BY cid) FROM pragma_table_info(?)`
	err := conn.QueryRowContext(context.Background(), listed, t.Name).Scan(&columns)
	if err != nil {
		return err
	}
	query := `SELECT count(*), checksum(` + columns + `) FROM "` + t.Name + `"`
	return conn.QueryRowContext(context.Background(), query).Scan(&t.Rows, &t.Sum)
}

// A checksum is the SQL aggregate function checksum(…): the SHA-256, hexadecimal, of its arguments in all rows. It hashes each value
// after its length, so that values cannot run into each other; NULL has length 0, others n+1. Reading the values of a row as columns of a query
// takes three times as long.
type checksum struct {
	sum hash.Hash
	row []byte // the values of the present row
}

func init() {
	sqlite.MustRegisterFunction("checksum", &sqlite.FunctionImpl{NArgs: -1, Deterministic: true,
		VolatileArgs: true, // Step keeps no argument
		MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) {
			return &checksum{sum: sha256.New()}, nil
		}})
}

// Step implements sqlite.AggregateFunction.
func (c *checksum) Step(_ *sqlite.FunctionContext, values []driver.Value) error {
	var number [32]byte
	c.row = c.row[:0]
	add := func(text string) {
		c.row = binary.AppendUvarint(c.row, uint64(len(text))+1)
		c.row = append(c.row, text...)
	}
	for _, value := range values {
		switch value := value.(type) {
		case nil:
			c.row = append(c.row, 0)
		case string:
			add(value)
		case []byte:
			add(string(value))
		case int64:
			add(string(strconv.AppendInt(number[:0], value, 10)))
		case float64:
			add(string(strconv.AppendFloat(number[:0], value, 'g', -1, 64)))
		}
	}
	c.sum.Write(c.row)
	return nil
}

// WindowValue implements sqlite.AggregateFunction.
func (c *checksum) WindowValue(*sqlite.FunctionContext) (driver.Value, error) {
	return hex.EncodeToString(c.sum.Sum(nil)), nil
}

// WindowInverse implements sqlite.AggregateFunction. No query uses the function with a window.
func (c *checksum) WindowInverse(*sqlite.FunctionContext, []driver.Value) error {
	return errors.New("checksum is not a function of windows")
}

// Final implements sqlite.AggregateFunction.
func (c *checksum) Final(*sqlite.FunctionContext) {}
