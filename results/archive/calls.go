package archive

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
)

// FromReply are the statuses of verdicts that were parsed from a complete reply.
var FromReply = []data.Status{data.Valid, data.Unparsed, data.Abstained, data.Incomplete, data.OutOfRange, data.UnknownCriterion}

// A RecordedCall is a call that a result was read from.
type RecordedCall struct {
	ID     int64
	Key    string // "": it is not recorded
	Status data.Status
	Reply  string
	Raw    string
}

// A callReader reads the calls of results.
type callReader struct{ find *sql.Stmt }

func newCallReader(s *store.Store) (callReader, error) {
	find, err := s.Db.Prepare(`SELECT key, status, reply, raw FROM calls WHERE id = ?`)
	return callReader{find}, store.WrapDBError("reading", s.Path, err)
}

func (c callReader) close() { c.find.Close() }

// of are the calls in a result's column calls, in the order in which they were made.
func (c callReader) of(column []byte) ([]RecordedCall, error) {
	var ids []int64
	if err := json.Unmarshal(column, &ids); err != nil {
		return nil, err
	}
	list := make([]RecordedCall, len(ids))
	for i, id := range ids {
		list[i].ID = id
		if err := c.find.QueryRow(id).Scan(&list[i].Key, &list[i].Status, &list[i].Reply, &list[i].Raw); err != nil && err != sql.ErrNoRows {
			return nil, err
		}
	}
	return list, nil
}

// wrong describes the contradiction between an output and its calls, "" if there is none.
// replies: they are in the record. A rendered text is no reply: the replies are compared with its
// table as its system is replayed.
func (o RecordedOutput) wrong(replies, rendered bool) string {
	whole := slices.Contains(FromReply, o.Status) || o.Status == data.Empty && len(o.Calls) > 0
	switch {
	case o.Status == data.Skipped || len(o.Calls) == 0 && !whole:
		return ""
	case len(o.Calls) == 0:
		return fmt.Sprintf("it is recorded as %s, but has no call", o.Status)
	}
	for _, c := range o.Calls {
		if c.Key == "" {
			return fmt.Sprintf("its call %d is not recorded", c.ID)
		}
	}
	last := o.Calls[len(o.Calls)-1]
	switch {
	case whole && last.Status != data.Valid, !whole && last.Status != o.Status:
		return fmt.Sprintf("it is recorded as %s, but its call ended as %s", o.Status, last.Status)
	case rendered:
	case whole && replies && o.Text == "":
		return fmt.Sprintf("it is recorded as %s, but its text is missing", o.Status)
	case strings.HasPrefix(o.Text, data.PartMark): // of several replies: they are compared as the judge is replayed
	case !whole && len(o.Calls) > 1 && o.Calls[len(o.Calls)-2].Reply == o.Text: // it was to be repaired
	case replies && last.Reply != o.Text:
		return "its text is not the reply to its call " + last.Key
	}
	return ""
}
