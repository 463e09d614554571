package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the database driver "sqlite"
)

//go:embed schema.sql
var schema string

// formatVersion is the record's format; applicationID marks a file as ours.
const (
	formatVersion = 5
	applicationID = 0x63717061 // "cqpa"
)

// RecordName is the record's file name inside a run's folder.
const RecordName = "run.db"

// A Store is the record of a run.
type Store struct {
	Db     *sql.DB // by which it is read
	writer *writer // nil: open for reading
	Path   string
	lock   *lock

	findCall func() (*sql.Stmt, error) // run for every call, so compiled once
}

// Create opens the record in dir for writing; it creates one if necessary.
// A second process gets an error while the first one is running.
func Create(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("creating the run's folder: %w", err)
	}
	l, err := acquire(dir)
	if err != nil {
		return nil, err
	}
	s, err := Connect(filepath.Join(dir, RecordName), url.Values{
		"_pragma": {"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(5000)", "cache_size(-500)"},
	})
	if err != nil {
		l.release()
		return nil, err
	}
	s.lock = l
	if err := s.prepare(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// Open opens the record in dir for reading; another process may be writing it.
func Open(dir string) (*Store, error) {
	path := filepath.Join(dir, RecordName)
	if _, err := os.Stat(path); err != nil {
		return nil, noRunError{dir}
	}
	s, err := Connect(path, url.Values{"_pragma": {"busy_timeout(5000)", "query_only(1)"}})
	if err != nil {
		return nil, err
	}
	version, err := s.version()
	if err == nil && version == 0 {
		err = fmt.Errorf("%s is not a record of compqa", path)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// A noRunError reports a folder without a record.
type noRunError struct{ dir string }

func (e noRunError) Error() string {
	return fmt.Sprintf("%s holds no run: it has no %s; `compqa run --out %s` creates it", e.dir, RecordName, e.dir)
}

// Is makes it an fs.ErrNotExist.
func (noRunError) Is(target error) bool { return target == fs.ErrNotExist }

// connections is the number of connections to a record: the writer's and those that
// readers share. They stay open, because opening one takes longer than a hundred
// queries. Each has its own page cache, so there are few.
const connections = 4

func Connect(path string, options url.Values) (*Store, error) {
	if err := checkNotTruncated(path); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+options.Encode())
	if err != nil {
		return nil, WrapDBError("opening", path, err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	if err := db.Ping(); err != nil {
		db.Close()
		return nil, WrapDBError("opening", path, err)
	}
	s := &Store{Db: db, Path: path}
	s.findCall = sync.OnceValues(func() (*sql.Stmt, error) { return db.Prepare(findCall) })
	return s, nil
}

// version is the record's format version, 0 for an empty database. An unknown version
// and a file of another program are errors.
func (s *Store) version() (int, error) {
	var version, application, tables int
	for pragma, into := range map[string]*int{"PRAGMA user_version": &version, "PRAGMA application_id": &application, "SELECT count(*) FROM sqlite_schema": &tables} {
		if err := s.Db.QueryRow(pragma).Scan(into); err != nil {
			return 0, WrapDBError("reading", s.Path, err)
		}
	}
	switch {
	case tables == 0 && version == 0:
		return 0, nil
	case application != applicationID:
		return 0, fmt.Errorf("%s is a database of another program", s.Path)
	case version != formatVersion:
		return 0, fmt.Errorf("%s has format %d; this compqa reads format %d: run again into a new folder (--out DIR)", s.Path, version, formatVersion)
	}
	return version, nil
}

// prepare opens the writer's connection and creates the tables of an empty record.
func (s *Store) prepare() error {
	version, err := s.version()
	if err != nil {
		return err
	}
	if s.writer, err = newWriter(s.Db); err != nil {
		return WrapDBError("opening", s.Path, err)
	}
	if version != 0 {
		return nil
	}
	err = s.writer.transact(func(tx *writer) error {
		return tx.do(schema + fmt.Sprintf("; PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, formatVersion))
	})
	return WrapDBError("writing", s.Path, err)
}

// CheckSchema is an error if the tables of a record differ from those that this program
// creates. They are strict, so the database's own check finds values of a wrong type.
func (s *Store) CheckSchema() error {
	fresh, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return err
	}
	defer fresh.Close()
	fresh.SetMaxOpenConns(1) // each connection would have a database of its own
	if _, err := fresh.Exec(schema); err != nil {
		return err
	}
	var want, found string
	const definitions = `SELECT group_concat(sql, ';' ORDER BY type, name) FROM sqlite_schema WHERE sql IS NOT NULL`
	if err := fresh.QueryRow(definitions).Scan(&want); err != nil {
		return err
	}
	if err := s.Db.QueryRow(definitions).Scan(&found); err != nil {
		return WrapDBError("reading", s.Path, err)
	}
	if found != want {
		return fmt.Errorf("%s does not have the tables of a record", RecordName)
	}
	return nil
}

// Close records checksums of what was written, closes the record and releases its lock.
func (s *Store) Close() error {
	var err error
	if s.writer != nil {
		if s.writer.unsealed {
			err = s.seal() // on a full disk the record stays without
		}
		err = errors.Join(err, s.writer.close())
	}
	err = errors.Join(err, s.Db.Close())
	if s.lock != nil {
		s.lock.release()
	}
	return err
}

func timestamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Each runs a query and calls scan for each row.
func (s *Store) Each(query string, args []any, scan func(*sql.Rows) error) error {
	return eachRow(s.Db, query, args, scan)
}

// eachRow is Each in a database or on one connection to it.
func eachRow(db interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}, query string, args []any, scan func(*sql.Rows) error) error {
	rows, err := db.QueryContext(context.Background(), query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Query reads the rows of a query; fields are the places for the columns of one.
func Query[T any](s *Store, text string, args []any, fields func(*T) []any) (list []T, err error) {
	err = s.Each(text, args, func(rows *sql.Rows) error {
		var row T
		err := rows.Scan(fields(&row)...)
		list = append(list, row)
		return err
	})
	return list, WrapDBError("reading", s.Path, err)
}

// lookup reads the rows of a query into a map.
func lookup[K comparable, V any](s *Store, text string, args []any, fields func(*K, *V) []any) (map[K]V, error) {
	rows := map[K]V{}
	err := s.Each(text, args, func(r *sql.Rows) error {
		var k K
		var v V
		err := r.Scan(fields(&k, &v)...)
		rows[k] = v
		return err
	})
	return rows, WrapDBError("reading", s.Path, err)
}
