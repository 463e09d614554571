package results

import (
	"fmt"
	"io"
	"path/filepath"
)

// An ahead is a record of which all has been read that belongs to its answers, with
// the attempts and verdicts there were.
type ahead struct {
	reader *reader
	state  int // of the answers, before they were read
}

// ReadAhead reads a record's answers, and what there is of attempts and verdicts,
// while its last verdicts are awaited: Report takes them from here if no answer has
// changed since. Where they cannot be read, Report tries again, and says so.
func (s *Store) ReadAhead() {
	defer letGather(besidePercent)()
	a := &ahead{s.newReader(filepath.Dir(s.path), nil), s.answersState()}
	r := a.reader
	r.mark()
	err := both(func() error {
		if _, marked := r.marks["attempts"]; marked {
			return r.paidFor()
		}
		return nil
	}, func() error { return oneByOne(r.asked, r.readings, r.sheets) })
	if err == nil {
		r.ahead = true
		s.ahead = a
	}
}

// mark notes up to where the growing tables are read at first. Attempts in a record
// of the first programs have no numbers.
func (r *reader) mark() {
	for _, table := range []string{"attempts", "verdicts"} {
		var last int64
		if r.db.QueryRow(`SELECT coalesce(max(rowid), 0) FROM `+table).Scan(&last) == nil {
			r.marks[table] = last
		}
	}
}

// part is what is to be read of a table, in a query.
func (r *reader) part(table string) string {
	last, marked := r.marks[table]
	switch {
	case !marked:
		return table
	case r.ahead:
		return fmt.Sprintf("%s WHERE rowid > %d", table, last)
	}
	return fmt.Sprintf("%s WHERE rowid <= %d", table, last)
}

// laterSheets reads the verdicts that came after those read ahead: all of them, where
// one of those has been replaced, which leaves a number free.
func (r *reader) laterSheets() error {
	left, part := 0, r.part("verdicts")
	last, marked := r.marks["verdicts"]
	if marked {
		if err := r.db.QueryRow(`SELECT count(*) FROM verdicts WHERE +rowid <= ?`, last).Scan(&left); err != nil { // by the index, which is smaller
			return err
		}
	}
	if !marked || left != r.sheetRows {
		part, r.run.Sheets, r.sheetCalls = "verdicts", r.run.Sheets[:0], rowCalls{}
	}
	return r.sheetsIn(part)
}

// answersState is a number that grows with each change of the answers, or of what
// was asked.
func (s *Store) answersState() int {
	s.writer.mu.Lock() // what is being written is to be seen, or counted later
	defer s.writer.mu.Unlock()
	return s.writer.answered
}

// Report is the function of that name for the one record of a run that is being
// written: into its own folder.
func (s *Store) Report(out io.Writer) error {
	dir := filepath.Dir(s.path)
	defer boundMemory([]string{dir})()
	run, err := s.load(dir)
	if err != nil {
		return err
	}
	return publish(run, dir, out)
}

func (s *Store) load(dir string) (*Run, error) {
	a := s.ahead
	s.ahead = nil
	if a != nil && a.state == s.answersState() {
		return a.reader.run, fault("reading", s.path, a.reader.rows())
	}
	run, _, err := s.loadRescored(dir, nil)
	return run, err
}
