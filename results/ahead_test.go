package results

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
	"compqa/llm"
)

// What is read ahead is used where nothing has changed since that belongs to the
// answers, and the report is in each case that of the record as it is; in records of
// the first programs too.
func TestReadAhead(t *testing.T) {
	f := smallFixture()
	last, verdict, later := f.answers[len(f.answers)-1], f.verdicts[0], f.verdicts[len(f.verdicts)-1]
	f.verdicts = f.verdicts[:len(f.verdicts)-1]
	paid := func(key string, cost float64) Call {
		return Call{Key: strings.Repeat(key, 64), Provider: "p", Model: "m", Status: data.Valid, Payer: Payer{KindVerdict, verdict.Judge}, Attempts: []llm.Attempt{attempt(cost)}}
	}
	for name, test := range map[string]struct {
		change func(Batch) error
		used   bool
	}{
		"nothing": {func(Batch) error { return nil }, true},
		"a verdict": {func(b Batch) error {
			verdict.Status, verdict.Reason, verdict.Scores = data.Refused, "it would not say", nil
			return b.Verdict(verdict, []string{"k"})
		}, true},
		"one more verdict, and what it cost": {func(b Batch) error {
			call := paid("b", 0.5)
			if err := b.Call(call); err != nil {
				return err
			}
			return b.Verdict(later, []string{call.Key})
		}, true},
		"a verdict twice": {func(b Batch) error {
			if err := b.Verdict(later, nil); err != nil {
				return err
			}
			return b.Verdict(later, nil)
		}, true},
		"a call": {func(b Batch) error { return b.Call(Call{Key: "k", Status: data.Valid}) }, true},
		"the last answer, replaced": {func(b Batch) error {
			last.Status, last.Text, last.Reason = data.Failed, "", "gone"
			return b.Answer(last, Size{}, nil)
		}, false},
		"the plan": {func(b Batch) error { return b.SetPlan(FromConfig, f.systems[:2], f.judges, f.plan()) }, false},
		"a question": {func(b Batch) error {
			q := f.questions[0]
			q.Aspect = "price"
			return b.Question(q, 0)
		}, false},
	} {
		for table, old := range map[string]string{"numbered": "", "keyed": keyedAttempts} {
			t.Run(name+", attempts "+table, func(t *testing.T) {
				dir := f.record(t, t.TempDir())
				s := createWith(t, dir, old)
				defer s.Close()
				if err := s.Write(func(b Batch) error {
					call := paid("a", 0.25)
					return errors.Join(b.Call(call), b.Verdict(f.verdicts[1], []string{call.Key}))
				}); err != nil {
					t.Fatal(err)
				}
				s.ReadAhead()
				a := s.ahead
				if err := s.Write(test.change); err != nil {
					t.Fatal(err)
				}
				run, err := s.load(dir)
				if err != nil || (run == a.reader.run) != test.used {
					t.Fatalf("what was read ahead is used: %v, not %v (error %v)", run == a.reader.run, test.used, err)
				}
				other := t.TempDir()
				if err := publish(run, dir, io.Discard); err != nil {
					t.Fatal(err)
				}
				if err := Report([]string{dir}, other, io.Discard); err != nil {
					t.Fatal(err)
				}
				for _, file := range reportFiles {
					got, err := os.ReadFile(filepath.Join(dir, file.name))
					if err != nil {
						t.Fatal(err)
					}
					if want, err := os.ReadFile(filepath.Join(other, file.name)); string(got) != string(want) || err != nil {
						t.Errorf("%s: %s\nnot (error %v)\n%s", file.name, got, err, want)
					}
				}
			})
		}
	}
}
