package archive

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"slices"

	"compqa/data"
	"compqa/results/store"
)

// FromReply are the statuses of verdicts that were read from a whole reply.
var FromReply = []data.Status{data.Valid, data.Unparsed, data.Incomplete, data.OutOfRange, data.UnknownCriterion}

// A callEnd is how a call ended. Replies are kept as hashes: a record may hold a
// million of them.
type callEnd struct {
	status data.Status
	reply  [sha256.Size / 2]byte
}

func replyHash[T ~string | ~[]byte](text T) (h [sha256.Size / 2]byte) {
	sum := sha256.Sum256([]byte(text))
	copy(h[:], sum[:])
	return h
}

// A callCheck compares answers and verdicts with the calls that they rest on.
//
// A status that says why there is no reply is right when the last call, or an
// attempt at it, ended so: somebody else may have had the same call made later,
// and got a reply.
type callCheck struct {
	ends     map[string]callEnd       // by the call's key
	attempts map[string][]data.Status // that brought no reply
	replies  bool                     // the replies are on record
}

func newCallCheck(s *store.Store, replies bool) (*callCheck, error) {
	c := &callCheck{ends: map[string]callEnd{}, attempts: map[string][]data.Status{}, replies: replies}
	err := s.Each(`SELECT key, status, reply FROM calls`, nil, func(rows *sql.Rows) error {
		var key, status, reply sql.RawBytes
		err := rows.Scan(&key, &status, &reply)
		c.ends[string(key)] = callEnd{data.Status(string(status)), replyHash(reply)}
		return err
	})
	if err != nil {
		return nil, err
	}
	err = s.Each(`SELECT call, status FROM attempts WHERE status <> 'valid'`, nil, func(rows *sql.Rows) error {
		var call string
		var status data.Status
		err := rows.Scan(&call, &status)
		c.attempts[call] = append(c.attempts[call], status)
		return err
	})
	return c, err
}

// wrong says what is wrong with a text and a status as the outcome of calls, ""
// where nothing is. A text that is a part of a reply cannot be told from the
// reply alone, and is left out.
func (c *callCheck) wrong(keys []string, status data.Status, text string) string {
	whole := slices.Contains(FromReply, status)
	if status == data.Skipped || len(keys) == 0 && !whole {
		return ""
	}
	if len(keys) == 0 {
		return fmt.Sprintf("it is on record as %s, and rests on no call", status)
	}
	for _, key := range keys {
		if _, ok := c.ends[key]; !ok {
			return fmt.Sprintf("it rests on the call %s, which is not on record", key)
		}
	}
	last := keys[len(keys)-1]
	end := c.ends[last]
	switch {
	case whole && end.status != data.Valid, !whole && end.status != status && !slices.Contains(c.attempts[last], status):
		return fmt.Sprintf("it is on record as %s, and its call ended as %s", status, end.status)
	case whole && c.replies && text == "":
		return fmt.Sprintf("it is on record as %s, and its text is not", status)
	case whole && c.replies && end.reply != replyHash(text):
		return "its text is not the reply to its call " + keys[len(keys)-1]
	}
	return ""
}
