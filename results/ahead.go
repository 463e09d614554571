package results

import (
	"io"
	"path/filepath"
)

// An ahead is a record of which all has been read that belongs to its answers.
type ahead struct {
	reader *reader
	state  int // of the answers, before they were read
}

// ReadAhead reads a record's answers while its last verdicts are awaited: Report
// takes them from here if none has changed since. Where they cannot be read, Report
// tries again, and says so.
func (s *Store) ReadAhead() {
	a := &ahead{s.newReader(filepath.Dir(s.path), nil), s.answersState()}
	if err := oneByOne(a.reader.asked, a.reader.readings); err == nil {
		a.reader.ahead = true
		s.ahead = a
	}
}

// answersState is a number that grows with each change of the answers, or of what
// was asked: with each method of Batch that writes what ReadAhead reads.
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
	if a := s.ahead; a != nil && a.state == s.answersState() {
		s.ahead = nil
		return a.reader.run, fault("reading", s.path, a.reader.rows())
	}
	run, _, err := s.loadRescored(dir, nil)
	return run, err
}
