package store

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// whole is the error of a record whose file has been cut short and which SQLite
// would open all the same: it takes an empty file for a new database, throws its
// log away, and all would be asked, and paid for, again; and it reads what is
// missing of the last page as zeros.
//
// With a log nothing can be said of the size, for a process may have been killed
// as it folded the log in; and an empty file by itself is one that a process was
// about to make a record of as it was killed.
func checkNotTruncated(path string) error {
	log, err := os.Stat(path + "-wal")
	logged := err == nil && log.Size() > 0
	size := declared(path)
	info, err := os.Stat(path) // last, for whoever writes it may be folding its log in
	switch {
	case err != nil:
		return nil // there is none
	case info.Size() == 0 && (logged || hasReport(filepath.Dir(path))):
		return fmt.Errorf("opening %s: the file is empty, though a run has been recorded in its folder: put back a copy of the folder, or begin anew with another --out", path)
	case info.Size() < size && !logged:
		return fmt.Errorf("opening %s: %s", path, damaged)
	}
	return nil
}

// declared is the size that a database's head gives, 0 where it has none (the
// page size at 16, the number of pages at 28: sqlite.org/fileformat2.html, 1.3).
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

// hasReport reports whether a report was ever written beside the record.
func hasReport(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "report.md"))
	return err == nil
}
