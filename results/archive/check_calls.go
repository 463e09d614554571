package archive

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/store"
)

// FromReply are the statuses of verdicts that were parsed from a complete reply.
var FromReply = []data.Status{data.Valid, data.Unparsed, data.Abstained, data.Incomplete, data.OutOfRange, data.UnknownCriterion}

// A callEnd is the result of a call. Replies are hashed to save memory.
type callEnd struct {
	status data.Status
	reply  [sha256.Size / 2]byte
}

func replyHash[T ~string | ~[]byte](text T) (h [sha256.Size / 2]byte) {
	sum := sha256.Sum256([]byte(text))
	copy(h[:], sum[:])
	return h
}

// A callCheck compares answers and verdicts with their calls.
//
// A status without a reply is correct if the last call, or one of its attempts, ended
// with this status: another party may have repeated the same call later and got a
// reply.
type callCheck struct {
	ends     map[string]callEnd       // by the call's key
	attempts map[string][]data.Status // of attempts without a reply
	replies  bool                     // the record contains the replies
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

// wrong describes the contradiction between a text and a status and their calls, "" if
// there is none.
func (c *callCheck) wrong(keys []string, status data.Status, text string, rendered bool) string {
	whole := slices.Contains(FromReply, status)
	if status == data.Skipped || len(keys) == 0 && !whole {
		return ""
	}
	if len(keys) == 0 {
		return fmt.Sprintf("it is recorded as %s, but has no call", status)
	}
	for _, key := range keys {
		if _, ok := c.ends[key]; !ok {
			return fmt.Sprintf("its call %s is not recorded", key)
		}
	}
	last := keys[len(keys)-1]
	end := c.ends[last]
	switch {
	case whole && end.status != data.Valid, !whole && end.status != status && !slices.Contains(c.attempts[last], status):
		return fmt.Sprintf("it is recorded as %s, but its call ended as %s", status, end.status)
	case rendered:
	case whole && c.replies && text == "":
		return fmt.Sprintf("it is recorded as %s, but its text is missing", status)
	case strings.HasPrefix(text, data.PartMark): // of several replies: they are compared as the judge is replayed
	case !whole && len(keys) > 1 && c.ends[keys[len(keys)-2]].reply == replyHash(text): // it was to be repaired
	case c.replies && end.status == status && end.reply != replyHash(text), whole && c.replies && end.reply != replyHash(text):
		return "its text is not the reply to its call " + keys[len(keys)-1]
	}
	return ""
}
