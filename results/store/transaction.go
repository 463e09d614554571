package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// A writer is the only connection that writes a record. Its statements stay prepared,
// because preparing one takes longer than writing a row.
type writer struct {
	mu         sync.Mutex // held during a transaction
	conn       *sql.Conn
	failed     error // the first one of the transaction: nothing is written after it, so that rows are checked once
	statements map[string]*sql.Stmt
	prompts    map[string]bool // hashes of those that are recorded
	asked      *askedKeys
	stale      bool                                     // no report is noted that would have to be taken back
	unsealed   bool                                     // the record has no checksums
	sums       map[string]tableSum                      // those that it had when it was opened
	unchecked  []string                                 // tables that were not compared with them yet
	path       string                                   // of the record
	compare    func(columns string, values []any) error // called for each row instead of writing; nil: write
}

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
		return w.conn.QueryRowContext(context.Background(), text, args...) // which returns the error too
	}
	return stmt.QueryRow(args...)
}

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

// transact runs do in a transaction: everything is on disk if it returns nil, and nothing otherwise. BEGIN IMMEDIATE takes
// the write lock first, so that no transaction fails later because of it.
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

func (w *writer) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var errs []error
	for _, stmt := range w.statements {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

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

// Run executes a statement that attaches or changes no data, like a checkpoint, in such a database.
func (s *Store) Run(text string) error {
	return vacuum(context.Background(), s, text)
}

// Begin begins a transaction of a database that has a schema of its own, like that of annotation.
func (s *Store) Begin() (*sql.Tx, error) { return s.db.Begin() }
