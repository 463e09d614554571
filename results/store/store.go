// Package store is the record of a run: one SQLite file, run.db.
//
// Everything is recorded before anything is computed from it. An answer or a verdict names the calls that it rests on, and a
// call has its attempts; a raw reply is stored before it is parsed. One process writes; others may read at the same time.
//
// A missing answer or verdict is a row with a status and a reason, never a number.
package store

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"modernc.org/sqlite" // also the database driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed schema.sql
var commonTables string

//go:embed results.sql
var resultsTable string

var schema = commonTables + resultsTable

// formatVersion is the record's format; applicationID marks a file as ours.
const (
	formatVersion = 17
	applicationID = 0x63717061 // "cqpa"
)

// RecordName is the record's file name inside a run's folder.
const RecordName = "run.db"

// LockName is the file in a run's folder that a process locks while it writes into the folder.
const LockName = "run.lock"

// A Store is the record of a run.
type Store struct {
	db     *sql.DB // connections for reading
	writer *writer // nil if the record was opened for reading
	Path   string
	lock   *FileLock

	asked    *askedKeys
	compiled compiled // prepared queries that run once per call or result
}

// A compiled caches prepared statements by their text: preparing a query takes longer than finding a row by its key. The statements are
// closed with the database.
type compiled struct {
	mu         sync.Mutex
	statements map[string]*sql.Stmt
}

// each does as eachRow, and prepares the query only the first time. It is for the few queries that run once per call or result.
func (s *Store) each(query string, args []any, scan func(*sql.Rows) error) error {
	s.compiled.mu.Lock()
	statement := s.compiled.statements[query]
	err := error(nil)
	if statement == nil {
		statement, err = s.db.Prepare(query)
		if err == nil {
			s.compiled.statements[query] = statement
		}
	}
	s.compiled.mu.Unlock()
	if err != nil {
		return err
	}
	rows, err := statement.Query(args...)
	if err != nil {
		return err
	}
	return scanned(rows, scan)
}

// Create opens the record in dir for writing, and creates it if necessary. It returns an error while another process writes to the record.
// A file that Open refuses is left unchanged.
func Create(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, unwritable(dir, fmt.Errorf("creating the run's folder: %w", err))
	}
	l, holder, err := LockFile(filepath.Join(dir, LockName))
	if err != nil {
		return nil, unwritable(dir, fmt.Errorf("locking %s: %w", dir, err))
	}
	if l == nil {
		return nil, fmt.Errorf("%s is in use by another compqa (%s); wait for it, stop it, or use another --out", dir, holder)
	}
	if info, err := os.Stat(filepath.Join(dir, RecordName)); err == nil && info.Size() > 0 { // leave a refused file unchanged
		there, err := Open(dir)
		if err != nil && !errors.Is(err, errNoTables) { // a full disk can leave an empty database
			l.Release()
			return nil, err
		}
		if err == nil {
			there.Close()
		}
	}
	s, err := Connect(filepath.Join(dir, RecordName), url.Values{
		"_pragma": {"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(5000)", "cache_size(-500)"},
	})
	if err != nil {
		l.Release()
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
func Open(dir string) (*Store, error) { return openWith(dir, connectToRead) }

// OpenCopy opens a record in a folder of this process for reading. No process may write to the record, because its queries take no locks.
func OpenCopy(dir string) (*Store, error) {
	return openWith(dir, func(path string) (*Store, error) {
		return Connect(path, url.Values{"mode": {"ro"}, "immutable": {"1"}})
	})
}

// openWith opens the record in dir with a given function. It checks that the file exists and has tables, and checks the schema.
func openWith(dir string, connect func(path string) (*Store, error)) (*Store, error) {
	path := filepath.Join(dir, RecordName)
	if _, err := os.Stat(path); err != nil {
		return nil, noRunError{dir}
	}
	s, err := connect(path)
	if err != nil {
		return nil, err
	}
	version, err := s.version()
	if err == nil && version == 0 {
		err = fmt.Errorf("%s %w", path, errNoTables)
	}
	if err == nil {
		err = s.CheckSchema(schema)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// errNoTables is the error for a database without any table.
var errNoTables = errors.New("is not a record of compqa")

// A noRunError reports a folder without a record.
type noRunError struct{ dir string }

func (e noRunError) Error() string {
	return fmt.Sprintf("%s holds no run: it has no %s; `compqa run --out %s` creates it", e.dir, RecordName, e.dir)
}

// Is reports that a noRunError is an fs.ErrNotExist.
func (noRunError) Is(target error) bool { return target == fs.ErrNotExist }

// connections is the number of connections to a record: one for the writer, the rest for readers. They stay open, because opening one
// takes longer than a hundred queries. Each has its own page cache, so there are few.
const connections = 4

// Connect opens a database. A file from a stranger cannot run SQL of its own: its schema cannot call functions that change anything,
// statements cannot edit the schema table, and no other database can be attached. Whoever reads a file with a known format compares its
// schema first (CheckSchema).
func Connect(path string, options url.Values) (*Store, error) {
	if err := checkNotTruncated(path); err != nil {
		return nil, err
	}
	all := url.Values{"_defensive": {"1"}}
	maps.Copy(all, options)
	all["_pragma"] = append([]string{"trusted_schema(0)"}, options["_pragma"]...)
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+all.Encode())
	if err != nil {
		return nil, WrapDBError("opening", path, err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	if err := eachConnection(db, attachNothing); err != nil {
		db.Close()
		return nil, WrapDBError("opening", path, err)
	}
	return &Store{db: db, Path: path, asked: &askedKeys{db: db}, compiled: compiled{statements: map[string]*sql.Stmt{}}}, nil
}

// attachNothing sets the limit of attached databases to 0. The limit belongs to one connection, and no PRAGMA sets it.
func attachNothing(conn *sql.Conn) error {
	_, err := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0)
	return err
}

// eachConnection opens all connections of a database and calls do with each. The connections stay open in the pool. None may be in use.
func eachConnection(db *sql.DB, do func(*sql.Conn) error) error {
	for range connections {
		conn, err := db.Conn(context.Background())
		if err != nil {
			return err
		}
		defer conn.Close() // return it to the pool only when all are open
		if err := do(conn); err != nil {
			return err
		}
	}
	return nil
}

// connectToRead opens a database for reading only. It tries, in order: a normal connection; the same after rollBack, if a killed process
// left a journal; and, where the folder cannot be written, a connection that ignores SQLite's write-ahead log. The last one is an error if
// the log has content.
func connectToRead(path string) (*Store, error) {
	options := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)"}}
	s, err := Connect(path, options)
	if err == nil {
		_, err = s.version()
		if sqliteErr, is := errors.AsType[*sqlite.Error](err); is && sqliteErr.Code() == sqlite3.SQLITE_READONLY_ROLLBACK {
			rollBack(path)
			_, err = s.version()
		}
		if err == nil || writable(filepath.Dir(path)) {
			return s, nil // the caller meets the same error
		}
		s.Close()
	}
	if log, missing := os.Stat(path + "-wal"); missing == nil && log.Size() > 0 {
		return nil, fmt.Errorf("%w; the record has a log of a run that was killed: copy the folder to a place that can be written", err)
	}
	options.Set("immutable", "1")
	return Connect(path, options)
}

// writable reports whether files can be created in a folder.
func writable(dir string) bool {
	f, err := os.CreateTemp(dir, ".compqa-*")
	if err != nil {
		return false
	}
	f.Close()
	os.Remove(f.Name())
	return true
}

// leaveNoLog switches a record from write-ahead logging to a rollback journal when its writer closes it. Later readers then need no log
// and write nothing. While other processes read, SQLite keeps the log.
func leaveNoLog(path string) { writing(path, "PRAGMA journal_mode(DELETE)") }

// rollBack undoes what a process killed in leaveNoLog left half-written; a reader may not do so. SQLite rolls back before the first query
// if no process is writing.
func rollBack(path string) { writing(path, "SELECT count(*) FROM sqlite_schema") }

// writing runs a query for one value over a connection that may write. It ignores errors: the next reader meets them again.
func writing(path, query string) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=rw&_defensive=1&_pragma=trusted_schema(0)")
	if err != nil {
		return
	}
	defer db.Close()
	var value any
	db.QueryRow(query).Scan(&value)
}

// A FormatError reports a record that another version of the program wrote.
type FormatError struct {
	Path    string
	Version int
}

func (e FormatError) Error() string {
	return fmt.Sprintf("%s has format %d; this compqa reads format %d: run again into a new folder (--out DIR)", e.Path, e.Version,
		formatVersion)
}

// Is reports that a FormatError is an ErrRecord.
func (FormatError) Is(target error) bool { return target == ErrRecord }

// version returns the format version of the record, or 0 for an empty database. It returns an error for another version and for a database
// of another program.
func (s *Store) version() (int, error) {
	is, err := Value[struct{ Version, Application, Tables int }](s, `SELECT user_version, application_id,
		(SELECT count(*) FROM sqlite_schema) FROM pragma_user_version, pragma_application_id`)
	switch {
	case err != nil || is.Tables == 0 && is.Version == 0:
		return 0, err
	case is.Application != applicationID:
		return 0, fmt.Errorf("%s is a database of another program", s.Path)
	case is.Version != formatVersion:
		return 0, FormatError{s.Path, is.Version}
	}
	return is.Version, nil
}

// prepare opens the writer's connection and creates the tables of an empty record.
func (s *Store) prepare() error {
	version, err := s.version()
	if err != nil {
		return err
	}
	s.writer, err = newWriter(s)
	if err != nil {
		return WrapDBError("opening", s.Path, err)
	}
	if version != 0 {
		return nil // Create has checked the schema
	}
	err = s.writer.transact(func(tx *writer) error {
		return tx.do(schema + fmt.Sprintf("; PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, formatVersion))
	})
	return WrapDBError("writing", s.Path, err)
}

// A definition is one entry of a database's schema: a table, index, view or trigger.
type definition struct{ Kind, Name, Table, Text string }

// definitions lists the schema of a database, sorted by name.
func definitions(db *sql.DB) ([]definition, error) {
	return selected[definition](db, `SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY name, type`)
}

// defined returns the definitions that SQL text creates in an empty database.
func defined(text string) ([]definition, error) {
	fresh, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer fresh.Close()
	fresh.SetMaxOpenConns(1) // with more connections, each would have its own empty database
	if _, err := fresh.Exec(text); err != nil {
		return nil, err
	}
	return definitions(fresh)
}

// schemaDefinitions returns the definitions that the schema of this program creates. Names that a file holds never become SQL text.
var schemaDefinitions = sync.OnceValues(func() ([]definition, error) { return defined(schema) })

// CheckSchema returns an error unless the database has exactly the tables, indexes, triggers and views that SQL text creates. Tables are
// strict, so SQLite's own check finds values of a wrong type.
func (s *Store) CheckSchema(text string) error {
	want, err := schemaDefinitions()
	if text != schema {
		want, err = defined(text)
	}
	if err != nil {
		return err
	}
	found, err := definitions(s.db)
	if err != nil {
		return WrapDBError("reading", s.Path, err)
	}
	foreign := slices.DeleteFunc(slices.Clone(found), func(d definition) bool { return slices.Contains(want, d) })
	missing := slices.DeleteFunc(slices.Clone(want), func(d definition) bool { return slices.Contains(found, d) })
	const wrong = "%s does not have the tables of a record of this compqa: the %s %.60q "
	switch {
	case len(foreign) > 0:
		return fmt.Errorf(wrong+"is another one, so nothing in it is read", s.Path, foreign[0].Kind, foreign[0].Name)
	case len(missing) > 0:
		return fmt.Errorf(wrong+"is missing", s.Path, missing[0].Kind, missing[0].Name)
	}
	return nil
}

// Copy writes a copy of the record to a new file, in these steps: it copies without free pages, runs the statements that changes returns
// in the copy (nil: none), and removes free pages again. If the record has checksums, the copy has the checksums of its own rows.
func (s *Store) Copy(ctx context.Context, to string, changes func(copied *Store) ([]string, error)) error {
	err := vacuum(ctx, s, `VACUUM INTO ?`, to)
	if err != nil {
		return err
	}
	c, err := Connect(to, nil)
	if err != nil {
		return err
	}
	if changes != nil {
		err = c.change(ctx, changes)
	}
	if err == nil {
		err = vacuum(ctx, c, `VACUUM`)
	}
	err = errors.Join(err, c.Close())
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return WrapDBError("copying", s.Path, err)
}

// change runs the statements that changes returns, and renews the checksums of the tables that they may have changed. It does not compare
// rows with their checksums before.
func (s *Store) change(ctx context.Context, changes func(*Store) ([]string, error)) (err error) {
	s.writer, err = newWriter(s)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, s.writer.close())
		s.writer = nil
	}()
	s.writer.unchecked = nil
	s.writer.sums, err = recordedSums(s.writer.conn)
	if err != nil {
		return err
	}
	statements, err := changes(s)
	if err != nil {
		return err
	}
	for _, text := range statements {
		statement, err := s.writer.prepared(text)
		if err != nil {
			return err
		}
		if _, err := statement.ExecContext(ctx); err != nil {
			return err
		}
	}
	if len(s.writer.sums) == 0 { // a record that is being written
		return nil
	}
	return s.seal()
}

// vacuum runs a VACUUM statement. VACUUM attaches a database, so vacuum raises the limit of attachNothing meanwhile.
func vacuum(ctx context.Context, s *Store, text string, args ...any) error {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 1)
	if err == nil {
		_, err = conn.ExecContext(ctx, text, args...)
		_, limit := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0)
		err = errors.Join(err, limit)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return WrapDBError("copying", s.Path, err)
}

// Close writes the checksums if the record was changed, closes the record and releases its lock.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	var err error
	if s.writer != nil {
		if s.writer.unsealed {
			err = s.seal() // on a full disk the record stays without checksums
		}
		err = errors.Join(err, s.writer.close())
	}
	err = errors.Join(err, s.db.Close())
	if s.writer != nil {
		leaveNoLog(s.Path)
	}
	if s.lock != nil {
		s.lock.Release()
	}
	return err
}

// Each runs a query and calls scan for each row.
func (s *Store) Each(query string, args []any, scan func(*sql.Rows) error) error {
	return eachRow(s.db, query, args, scan)
}

// checkNotTruncated returns an error for a truncated database that SQLite would open without complaint. SQLite takes an empty file for a
// new database and deletes its log, so all calls would be repeated. It reads the missing part of a last page as zeros.
//
// With a log, the expected size is unknown, because a process may have been killed during a checkpoint. An empty file without a log, in a
// folder without a report, is a record whose creation was interrupted; it is not an error.
func checkNotTruncated(path string) error {
	log, err := os.Stat(path + "-wal")
	logged := err == nil && log.Size() > 0
	size := declared(path)
	_, unreported := os.Stat(filepath.Join(filepath.Dir(path), "report.md"))
	info, err := os.Stat(path) // last, because the writer may be checkpointing its log
	switch {
	case err != nil:
		return nil // the file is missing
	case info.Size() == 0 && (logged || unreported == nil):
		return recordError{fmt.Errorf("opening %s: the file is empty, although its folder has results of a run: restore a copy of the "+
			"folder, or start again with another --out", path)}
	case info.Size() < size && !logged:
		return recordError{fmt.Errorf("opening %s: %s", path, damaged)}
	}
	return nil
}

// declared returns the size that a database's header states, or 0 without a header. The page size is at byte 16, the number of pages at
// byte 28 (sqlite.org/fileformat2.html, 1.3).
func declared(path string) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	head := make([]byte, 32)
	if _, err := io.ReadFull(f, head); err != nil {
		return 0
	}
	page := int64(binary.BigEndian.Uint16(head[16:]))
	if page == 1 {
		page = 1 << 16
	}
	return page * int64(binary.BigEndian.Uint32(head[28:]))
}

// QuickCheck returns the first problem that SQLite's own check finds in the file, or "ok".
func (s *Store) QuickCheck() (string, error) {
	found, err := Select[string](s, `PRAGMA quick_check(1)`)
	return strings.Join(found, "; "), err
}

const damaged = "the file is damaged (truncated or overwritten by another program); restore a copy of its folder, or start again with " +
	"another --out"

// ErrRecord matches (errors.Is) every error of a record itself: it is damaged, was changed, has another format, or its disk fails.
var ErrRecord = errors.New("the record cannot be read or written")

// A recordError is an ErrRecord with a text of its own.
type recordError struct{ error }

func (e recordError) Unwrap() error      { return e.error }
func (recordError) Is(target error) bool { return target == ErrRecord }

// WrapDBError adds the file's path to an error and, for an error of SQLite that the user can act on, advice. With advice it is an
// ErrRecord.
func WrapDBError(doing, path string, err error) error {
	if err == nil || errors.As(err, new(ChangedError)) { // a ChangedError names the record itself
		return err
	}
	plain := fmt.Errorf("%s %s: %w", doing, path, err)
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return plain
	}
	advice := ""
	code := e.Code() & 0xff // the higher bits give details
	if e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE {
		code = sqlite3.SQLITE_FULL // no space for the log's index
	}
	switch code {
	case sqlite3.SQLITE_FULL:
		advice = "the disk is full: free some space, then run the same command again; no recorded data is lost"
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		advice = damaged
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		advice = "it cannot be opened or written: check the permissions of the file and of its folder"
	case sqlite3.SQLITE_IOERR:
		advice = "the disk reports errors: check its health and free space, then run the same command again"
	case sqlite3.SQLITE_BUSY:
		advice = "it is locked by another program: close that program, then run the same command again"
	default:
		return plain
	}
	return recordError{fmt.Errorf("%s %s: %s (%w)", doing, path, advice, err)}
}
