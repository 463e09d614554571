package store

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// checkNotTruncated reports a truncated database that SQLite would open silently. It takes an empty file for a new database
// and deletes its log, so all calls would be repeated; and it reads the missing part of the last page as zeros.
//
// With a log the size is unknown, because a process may have been killed during a
// checkpoint. An empty file without a log is a record whose creation was interrupted.
func checkNotTruncated(path string) error {
	log, err := os.Stat(path + "-wal")
	logged := err == nil && log.Size() > 0
	size := declared(path)
	_, unreported := os.Stat(filepath.Join(filepath.Dir(path), "report.md"))
	info, err := os.Stat(path) // last, because the writer may be checkpointing its log
	switch {
	case err != nil:
		return nil // there is none
	case info.Size() == 0 && (logged || unreported == nil):
		return recordError{fmt.Errorf("opening %s: the file is empty, although its folder has results of a run: restore a copy of the "+
			"folder, or start again with another --out", path)}
	case info.Size() < size && !logged:
		return recordError{fmt.Errorf("opening %s: %s", path, damaged)}
	}
	return nil
}

// declared returns the size in a database's header, 0 without one (page size at 16, number
// of pages at 28: sqlite.org/fileformat2.html, 1.3).
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

// QuickCheck returns what SQLite's own check finds first in the file; "ok" if nothing is damaged.
func (s *Store) QuickCheck() (string, error) {
	found, err := Select[string](s, `PRAGMA quick_check(1)`)
	return strings.Join(found, "; "), err
}
