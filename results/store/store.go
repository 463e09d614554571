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
	"errors"
	"fmt"
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

// LockName is the file that who writes into a folder locks.
const LockName = "run.lock"

// A Store is the record of a run.
type Store struct {
	db     *sql.DB // by which it is read
	writer *writer // nil: open for reading
	Path   string
	lock   *FileLock

	asked    *askedKeys
	compiled compiled // queries for every call and every result
}

// A compiled compiles each query once: to compile one takes longer than to find a row by its key. The statements end with the database.
type compiled struct {
	mu         sync.Mutex
	statements map[string]*sql.Stmt
}

// each does as eachRow, with a query that has one of a few texts.
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

// Create opens the record in dir for writing; it creates one if necessary.
// A second process gets an error while the first one is running.
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
	if info, err := os.Stat(filepath.Join(dir, RecordName)); err == nil && info.Size() > 0 { // a file that is refused stays as it is
		there, err := Open(dir)
		if err != nil && !errors.Is(err, errNoTables) { // as a disk that was full leaves it
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

// OpenCopy opens a record in a folder of this process, which nobody writes: its queries take no locks.
func OpenCopy(dir string) (*Store, error) {
	return openWith(dir, func(path string) (*Store, error) {
		return Connect(path, url.Values{"mode": {"ro"}, "immutable": {"1"}})
	})
}

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
	if err == nil {
		err = WrapDBError("opening", path, eachConnection(s.db, cacheForReading))
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// errNoTables is about a database without any table.
var errNoTables = errors.New("is not a record of compqa")

// A noRunError reports a folder without a record.
type noRunError struct{ dir string }

func (e noRunError) Error() string {
	return fmt.Sprintf("%s holds no run: it has no %s; `compqa run --out %s` creates it", e.dir, RecordName, e.dir)
}

// Is makes it an fs.ErrNotExist.
func (noRunError) Is(target error) bool { return target == fs.ErrNotExist }

// connections is the number of connections to a record: the writer's and those that readers share. They stay open, because
// opening one takes longer than a hundred queries. Each has its own page cache, so there are few.
const connections = 4

// Connect opens a database. Files of strangers cannot run SQL: their schema may not call
// functions that change anything, nothing changes the schema by hand, and no other database can
// be attached. Who reads a file of an own format compares its schema first (CheckSchema).
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

// attachNothing sets the limit of attached databases to 0: a limit belongs to a connection, and no PRAGMA sets it.
func attachNothing(conn *sql.Conn) error {
	_, err := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_ATTACHED, 0)
	return err
}

// cacheForReading gives a connection a larger page cache than SQLite's 2 MB: verdicts are read by answer, but judge after judge stands
// in the file, so that each of its pages is needed several times. The schema has been read before.
func cacheForReading(conn *sql.Conn) error {
	_, err := conn.ExecContext(context.Background(), "PRAGMA cache_size = -8000") // KiB
	return err
}

// eachConnection opens all connections of a database, none of which is in use, and they stay open.
func eachConnection(db *sql.DB, do func(*sql.Conn) error) error {
	for range connections {
		conn, err := db.Conn(context.Background())
		if err != nil {
			return err
		}
		defer conn.Close() // after the last one is open
		if err := do(conn); err != nil {
			return err
		}
	}
	return nil
}

// connectToRead opens a database that cannot be written through this connection. A folder that cannot be written has no room
// for the index of SQLite's log: a file without a log is read without one then.
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
			return s, nil // the caller finds the error again
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

// leaveNoLog takes a record out of SQLite's mode with a log when its writer closes it, so that who reads it later needs no log and
// writes nothing. While others read, it stays in that mode.
func leaveNoLog(path string) { writing(path, "PRAGMA journal_mode(DELETE)") }

// rollBack takes back what a process began to write that was killed in leaveNoLog, which who only reads may not. SQLite does so before
// the first query, if nobody is writing.
func rollBack(path string) { writing(path, "SELECT count(*) FROM sqlite_schema") }

// writing asks a query of a value over a connection that may write. Who reads finds what goes wrong.
func writing(path, query string) {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=rw&_defensive=1&_pragma=trusted_schema(0)")
	if err != nil {
		return
	}
	defer db.Close()
	var value any
	db.QueryRow(query).Scan(&value)
}

// A FormatError is about a record that another version of the program wrote.
type FormatError struct {
	Path    string
	Version int
}

func (e FormatError) Error() string {
	return fmt.Sprintf("%s has format %d; this compqa reads format %d: run again into a new folder (--out DIR)", e.Path, e.Version,
		formatVersion)
}

// Is says that it is an ErrRecord.
func (FormatError) Is(target error) bool { return target == ErrRecord }

// version returns the record's format version, 0 for an empty database. An unknown version
// and a file of another program are errors.
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
		return nil // Create has checked it
	}
	err = s.writer.transact(func(tx *writer) error {
		return tx.do(schema + fmt.Sprintf("; PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, formatVersion))
	})
	return WrapDBError("writing", s.Path, err)
}

// A definition is one entry of a database's schema.
type definition struct{ Kind, Name, Table, Text string }

// definitions lists the schema of a database in the order of names.
func definitions(db *sql.DB) ([]definition, error) {
	return selected[definition](db, `SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY name, type`)
}

// defined returns the definitions that SQL text makes in an empty database.
func defined(text string) ([]definition, error) {
	fresh, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	defer fresh.Close()
	fresh.SetMaxOpenConns(1) // each connection would have a database of its own
	if _, err := fresh.Exec(text); err != nil {
		return nil, err
	}
	return definitions(fresh)
}

// own are the definitions of a record of this program: names in a file never become SQL text.
var schemaDefinitions = sync.OnceValues(func() ([]definition, error) { return defined(schema) })

// CheckSchema returns an error if the database has another table, index, trigger, view or name than SQL text creates, or one that
// is defined otherwise. Tables are strict, so the database's own check finds values of a wrong type.
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

// Copy writes a copy of a record, without free pages, to a new file, and executes statements of
// this program in the copy. The copy has checksums if the record had them.
func (s *Store) Copy(ctx context.Context, to string, sealed bool, changes func(copied *Store) ([]string, error)) error {
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
	if err == nil && sealed {
		c.writer, err = newWriter(c)
		if err == nil {
			err = c.seal()
			err = errors.Join(err, c.writer.close())
			c.writer = nil
		}
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

// change runs the statements that a function gives.
func (s *Store) change(ctx context.Context, changes func(*Store) ([]string, error)) error {
	statements, err := changes(s)
	if err == nil {
		_, err = s.db.ExecContext(ctx, strings.Join(statements, "; "))
	}
	return err
}

// vacuum runs a form of VACUUM, which attaches its result.
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

// Close records checksums of what was written, closes the record and releases its lock.
func (s *Store) Close() error {
	if s == nil {
		return nil
	}
	var err error
	if s.writer != nil {
		if s.writer.unsealed {
			err = s.seal() // on a full disk the record stays without
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
