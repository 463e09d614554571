package store

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const damaged = "the file is damaged: cut short, or overwritten by another program; put back a copy of its folder, or begin anew with another --out"

// fault says what an error of the database means to whoever runs compqa: which
// file, what has happened to it, and what to do. Other errors are wrapped as
// they are.
func WrapDBError(doing, path string, err error) error {
	var e *sqlite.Error
	if err == nil || !errors.As(err, &e) {
		return wrap(doing, path, err)
	}
	advice, code := "", e.Code()&0xff // the rest of a code says where it was found
	if e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE {
		code = sqlite3.SQLITE_FULL // there is no room for the log's index
	}
	switch code {
	case sqlite3.SQLITE_FULL:
		advice = "the disk is full: free some space, then give the same command again; nothing that was recorded is lost"
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		advice = damaged
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		advice = "it cannot be written here: look at the permissions of the file and of its folder"
	case sqlite3.SQLITE_IOERR:
		advice = "the disk does not do what it is told: look at its health and its free space, then give the same command again"
	case sqlite3.SQLITE_BUSY:
		advice = "another program holds it: close what has it open, then give the same command again"
	default:
		return wrap(doing, path, err)
	}
	return fmt.Errorf("%s %s: %s (%w)", doing, path, advice, err)
}

func wrap(doing, path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", doing, path, err)
}
