package store

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

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
