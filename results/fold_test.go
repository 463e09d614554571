package results

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"compqa/data"
)

// A record is folded while it is written, and read by more than it has connections
// for: nothing waits for ever, nothing is lost, and no log is left.
func TestFold(t *testing.T) {
	dir := t.TempDir()
	s, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, RecordName))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	r, _ := NewRecorder(context.Background(), s)
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 * connections {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := s.EachAnswer("s", "1", func(data.Answer) error { return nil }); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	const answers = 500
	text := strings.Repeat("x", 3000)
	for i := range answers {
		r.Put(func(b Batch) error {
			return b.Answer(data.Answer{ID: fmt.Sprint(i), System: "s", Scenario: "1", Text: text, Status: data.Valid}, Size{}, nil)
		})
		if i%100 == 50 {
			if err := r.Sync(); err != nil {
				t.Fatal(err)
			}
			s.Fold()
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	close(stop)
	readers.Wait()
	s.Fold()
	s.folding.Wait()
	if size() < answers*int64(len(text)) {
		t.Errorf("%d answers were folded into %d bytes", answers, size())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, RecordName+"-wal")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the log is left: %v", err)
	}
	if s, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var n int
	if err := s.db.QueryRow(`SELECT count(*) FROM answers`).Scan(&n); err != nil || n != answers {
		t.Errorf("%d answers on record, %v", n, err)
	}
}
