package run

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"compqa/bench/config"
	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
)

// A Replay is the Asker of a verification. It answers what is asked with the calls that a recorded
// result names, and notes when something else is asked.
type Replay struct {
	Config  *config.Config
	Left    []store.Call // that have not been asked for
	Strayed string       // what was asked that is not on record
	// Find finds the call of something that is not recorded as a result, such as a rewritten answer; nil: the
	// calls are those of a result, in Left.
	Find func(key string) (store.Call, bool, error)

	mu     sync.Mutex
	round  int  // of its samples: more than 0 where it was asked for again
	chosen bool // the round is known
}

// Ask is an Asker.
func (s *Replay) Ask(_ context.Context, provider string, sample int, req llm.Request) (llm.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	call, found, err := s.call(provider, sample, req)
	if err != nil {
		return llm.Reply{}, err
	}
	if !found {
		return llm.Reply{}, &llm.Error{Kind: llm.Failed, Message: s.Strayed}
	}
	reply := llm.Reply{Text: call.Reply, Reasoning: call.Reasoning, Raw: call.Raw}
	if call.Status != data.Valid {
		return reply, &llm.Error{Kind: llm.Kind(call.Status)}
	}
	return reply, nil
}

// call is the recorded call that is asked for, with the samples of the round that the result was read from.
func (s *Replay) call(provider string, sample int, req llm.Request) (call store.Call, found bool, err error) {
	wanted := ""
	for {
		asked := req
		if call, err = newCall(s.Config, store.Party{}, provider, sample+s.round*apart, &asked); err != nil {
			return call, false, err
		}
		if s.Find != nil {
			return s.Find(call.Key)
		}
		if i := slices.IndexFunc(s.Left, func(c store.Call) bool { return c.Key == call.Key }); i >= 0 && s.Strayed == "" {
			call, s.chosen = s.Left[i], true
			s.Left = slices.Delete(s.Left, i, i+1)
			return call, true, nil
		}
		wanted = cmp.Or(wanted, call.Key)
		if s.round++; s.chosen || len(s.Left) == 0 || s.round > mostRounds {
			s.chosen = true
			if s.Strayed == "" {
				s.Strayed = fmt.Sprintf("it needs the call %s, but different calls are recorded for it", wanted)
			}
			return call, false, nil
		}
	}
}

// places are, by table, the columns of the key of a result, and its name in words.
var places = map[string]struct {
	key  []string
	text string
}{
	"answers":     {[]string{"id"}, "answer %v"},
	"verdicts":    {[]string{"judge", "answer", "repeat"}, "verdict of %v on answer %v (repeat %v)"},
	"labels":      {[]string{"answer", "judge", "kind"}, "labels (%[3]v) of %[2]v on answer %[1]v"},
	"preferences": {[]string{"id", "judge", "method", "order"}, "preference of %[2]v (%[3]v) on pair %[1]v, order %[4]v"},
	"samples":     {[]string{"id", "judge", "order", "source", "sample"}, "judgment %[5]v (%[4]v) of %[2]v on pair %[1]v, order %[3]v"},
	"grades":      {[]string{"id", "judge", "method", "order", "grader"}, "grade by %[5]v of %[2]v (%[3]v) on pair %[1]v, order %[4]v"},
}

// An At is the place of a result in a record: its table and its key.
type At struct {
	Table string
	Key   [5]any // in the order of places
}

// ResultAt is the place of a result with a key.
func ResultAt(table string, key ...any) At {
	a := At{Table: table}
	for i, value := range key {
		a.Key[i], _ = driver.DefaultParameterConverter.ConvertValue(value) // texts and numbers always convert
	}
	return a
}

func (a At) String() string {
	of := places[a.Table]
	return fmt.Sprintf(of.text, a.Key[:len(of.key)]...)
}

// A Recorded is a result on record, by column.
type Recorded store.Row

// Text is a column with a text.
func (r Recorded) Text(column string) string {
	text, _ := r[column].(string)
	return text
}

// Status is how the result ended.
func (r Recorded) Status() data.Status { return data.Status(r.Text("status")) }

// Find finds the result at a place; nil: there is none.
func (a At) Find(db *store.Store) (found Recorded, err error) {
	columns := places[a.Table].key
	err = db.Each(`SELECT rowid, * FROM `+a.Table+` WHERE "`+strings.Join(columns, `" = ? AND "`)+`" = ?`, a.Key[:len(columns)],
		func(rows *sql.Rows) error {
			names, err := rows.Columns()
			if err != nil {
				return err
			}
			values, into := make([]any, len(names)), make([]any, len(names))
			for i := range values {
				into[i] = &values[i]
			}
			if err := rows.Scan(into...); err != nil {
				return err
			}
			found = Recorded{}
			for i, name := range names {
				found[name] = values[i]
			}
			return nil
		})
	return found, err
}

// Comparing is a Batch that writes nothing. It hands over each result that it would write.
func Comparing(compare func(at At, now Recorded) error) store.Batch {
	return store.Comparing(func(table string, row store.Row) error {
		a := At{Table: table}
		for i, column := range places[table].key {
			a.Key[i] = row[column]
		}
		return compare(a, Recorded(row))
	})
}

// Calls are the calls that the result names, in the order in which they were made. One that is not on
// record has an id alone.
func (r Recorded) Calls(db *store.Store) ([]store.Call, error) {
	var ids []int64
	if err := json.Unmarshal([]byte(r.Text("calls")), &ids); err != nil {
		return nil, err
	}
	list := make([]store.Call, len(ids))
	for i, id := range ids {
		var err error
		if list[i], err = store.Value[store.Call](db, `FROM calls WHERE id = ?`, id); err != nil {
			return nil, err
		}
		list[i].ID = id
	}
	return list, nil
}
