package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// A writer is the only connection that writes to a record. It keeps its statements prepared, because preparing one takes longer than
// writing a row.
type writer struct {
	mu         sync.Mutex // held during a transaction
	conn       *sql.Conn
	failed     error // the first error of the transaction; later writes do nothing, so that callers check for errors once
	statements map[string]*sql.Stmt
	prompts    map[string]bool // hashes of the recorded prompts
	asked      *askedKeys
	stale      bool                                       // the mark of the last report was deleted
	unsealed   bool                                       // the record has no checksums
	sums       map[string]tableSum                        // the checksums when the record was opened
	unchecked  []string                                   // tables not yet compared with sums
	path       string                                     // path of the record
	compare    func(columns []string, values []any) error // if not nil, called with each row instead of writing it
}

// newWriter returns the writer of a record, which keeps one of its connections.
func newWriter(s *Store) (*writer, error) {
	conn, err := s.db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	for _, pragma := range []string{
		"PRAGMA cache_size = -2000",        // KiB: the writer changes many pages
		"PRAGMA wal_autocheckpoint = 2000", // pages, 8 MB: pages that are written repeatedly are checkpointed once
	} {
		if _, err := conn.ExecContext(context.Background(), pragma); err != nil {
			return nil, err
		}
	}
	return &writer{conn: conn, path: s.Path, asked: s.asked, statements: map[string]*sql.Stmt{}, prompts: map[string]bool{},
		unchecked: slices.Clone(CallTables)}, nil
}

// Exec runs a statement within the transaction.
func (w *writer) Exec(text string, args ...any) (sql.Result, error) {
	stmt, err := w.prepared(text)
	if err != nil {
		return nil, err
	}
	return stmt.Exec(args...)
}

// do runs a statement whose result does not matter. It returns the first error of the transaction.
func (w *writer) do(text string, args ...any) error {
	if w.failed == nil && w.compare == nil {
		_, w.failed = w.Exec(text, args...)
	}
	return w.failed
}

// QueryRow runs a query for one row within the transaction.
func (w *writer) QueryRow(text string, args ...any) *sql.Row {
	stmt, err := w.prepared(text)
	if err != nil {
		return w.conn.QueryRowContext(context.Background(), text, args...) // the row returns the same error
	}
	return stmt.QueryRow(args...)
}

// prepared returns the prepared statement for a text. Before it prepares a new one, it checks the tables that the statement may change
// (checkBefore).
func (w *writer) prepared(text string) (*sql.Stmt, error) {
	if stmt := w.statements[text]; stmt != nil {
		return stmt, nil
	}
	if err := w.checkBefore(text); err != nil {
		return nil, err
	}
	stmt, err := w.conn.PrepareContext(context.Background(), text)
	if err == nil {
		w.statements[text] = stmt
	}
	return stmt, err
}

// transact runs do in a transaction: all its changes are on disk if transact returns nil, and none otherwise. BEGIN IMMEDIATE takes the
// write lock first, so that the transaction cannot fail later for lack of it. After a rollback, transact resets what the writer remembers.
func (w *writer) transact(do func(*writer) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.Exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	before := w.unsealed
	w.failed = nil
	err := do(w)
	if err == nil {
		err = w.failed
	}
	if err == nil {
		if _, err = w.Exec("COMMIT"); err == nil {
			return nil
		}
	}
	// On a full disk the transaction may be rolled back already; this error is ignored.
	w.Exec("ROLLBACK")
	clear(w.prompts)
	w.asked.forget()
	w.stale = false
	w.unsealed = before
	return err
}

// close closes the prepared statements and returns the connection to the pool.
func (w *writer) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var errs []error
	for _, stmt := range w.statements {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

// inTransaction runs do in a transaction of the writer, and deletes the checksums before the first change. It returns an error for a
// record opened for reading.
func (s *Store) inTransaction(do func(*writer) error) error {
	if s.writer == nil {
		return fmt.Errorf("writing %s: it was opened for reading only", s.Path)
	}
	return WrapDBError("writing", s.Path, s.writer.transact(func(tx *writer) error {
		if !tx.unsealed {
			if err := tx.unseal(); err != nil {
				return err
			}
		}
		return do(tx)
	}))
}

// A Batch writes rows in one transaction.
type Batch struct {
	tx     *writer
	origin string // the import that answers and verdicts come with
}

// Write runs do in one transaction, so either all its rows are recorded or none. It marks the last report as outdated.
func (s *Store) Write(do func(Batch) error) error {
	return s.inTransaction(func(tx *writer) error {
		if !tx.stale {
			tx.do(`DELETE FROM sums WHERE name = ?`, lastReport)
			tx.stale = true
		}
		return do(Batch{tx: tx})
	})
}

// Run executes a statement that attaches a database or changes no data, such as a checkpoint, in a database opened by Connect.
func (s *Store) Run(text string) error {
	return vacuum(context.Background(), s, text)
}

// Begin begins a transaction of a database with a schema of its own, such as annotation.db.
func (s *Store) Begin() (*sql.Tx, error) { return s.db.Begin() }
