package store

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

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
