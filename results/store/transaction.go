package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
)

// A writer is the one connection by which a record is written. Statements stay
// compiled on it, because compiling one takes longer than writing its row; those
// that write are the driver's own, because database/sql takes a fifth as long again
// for each of them.
type writer struct {
	mu       sync.Mutex // held during a transaction
	conn     *sql.Conn
	writes   map[string]driver.StmtExecContext
	queries  map[string]*sql.Stmt
	values   []driver.NamedValue  // of the statement that is run
	likeness map[string]*likeness // by model
	short    []byte               // the latest request as it is kept
	stale    bool                 // no report is noted that would have to be taken back
}

func newWriter(db *sql.DB) (*writer, error) {
	conn, err := db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	for _, pragma := range []string{
		"PRAGMA cache_size = -2000",        // KiB: the writer goes to and fro among many pages
		"PRAGMA wal_autocheckpoint = 2000", // pages, 8 MB: what is written twice is then folded in once
	} {
		if _, err := conn.ExecContext(context.Background(), pragma); err != nil {
			return nil, err
		}
	}
	return &writer{conn: conn, writes: map[string]driver.StmtExecContext{}, queries: map[string]*sql.Stmt{}, likeness: map[string]*likeness{}}, nil
}

// Exec runs a statement within the transaction.
func (w *writer) Exec(text string, args ...any) (done sql.Result, err error) {
	w.values = w.values[:0]
	for i, arg := range args {
		value, err := driver.DefaultParameterConverter.ConvertValue(arg)
		if err != nil {
			return nil, fmt.Errorf("value %d: %w", i+1, err)
		}
		w.values = append(w.values, driver.NamedValue{Ordinal: i + 1, Value: value})
	}
	err = w.conn.Raw(func(conn any) error {
		stmt, err := w.compiled(conn, text)
		if err == nil {
			done, err = stmt.ExecContext(context.Background(), w.values)
		}
		return err
	})
	return done, err
}

func (w *writer) compiled(conn any, text string) (driver.StmtExecContext, error) {
	if stmt := w.writes[text]; stmt != nil {
		return stmt, nil
	}
	prepared, err := conn.(driver.Conn).Prepare(text)
	if err != nil {
		return nil, err
	}
	stmt := prepared.(driver.StmtExecContext) // as the statements of modernc.org/sqlite are
	w.writes[text] = stmt
	return stmt, nil
}

// QueryRow runs a query for one row within the transaction.
func (w *writer) QueryRow(text string, args ...any) *sql.Row {
	stmt := w.queries[text]
	if stmt == nil {
		var err error
		if stmt, err = w.conn.PrepareContext(context.Background(), text); err != nil {
			return w.conn.QueryRowContext(context.Background(), text, args...) // which has the error too
		}
		w.queries[text] = stmt
	}
	return stmt.QueryRow(args...)
}

// transact runs do in a transaction: all of it is on disk when transact returns
// nil, and nothing of it otherwise. BEGIN takes the lock for writing at once, so
// that no transaction fails half way for want of it.
func (w *writer) transact(do func(*writer) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := do(w)
	if err == nil {
		if _, err = w.Exec("COMMIT"); err == nil {
			return nil
		}
	}
	// A full disk may have rolled back already; the connection is then as free as
	// after this.
	w.Exec("ROLLBACK")
	clear(w.likeness)
	w.stale = false
	return err
}

func (w *writer) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var errs []error
	for _, stmt := range w.queries {
		errs = append(errs, stmt.Close())
	}
	for _, stmt := range w.writes {
		errs = append(errs, stmt.(driver.Stmt).Close())
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

func (s *Store) inTransaction(do func(*writer) error) error {
	if s.writer == nil {
		return fmt.Errorf("writing %s: it is open for reading", s.Path)
	}
	if err := s.writer.transact(do); err != nil {
		return WrapDBError("writing", s.Path, err)
	}
	return nil
}
