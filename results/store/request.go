package store

import (
	"bytes"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A judge's requests differ in the answer alone: task, criteria and schema are
// nine tenths of each. So a request is kept whole where it is like none before
// it, and else as "KEY:HEAD:TAIL:TEXT": HEAD bytes of the request of call KEY,
// the text, and the last TAIL bytes of that request.

// A likeness is what a model's requests are compared with.
type likeness struct {
	key   string // of a call whose request is kept whole in this run
	whole []byte // that request
	last  []byte // the latest request
	spare []byte // to join the next one in
}

// worthSharing is how many bytes two requests must have in common to be kept as
// one and a difference.
const worthSharing = 1 << 10

// shorten is a request as it is kept, in bytes that are good until the next one. One
// that has little in common with the whole one, and much more with the request before
// it, becomes the whole one: the first of a model may have been unlike the rest.
func (w *writer) shorten(model, key string, parts []string) []byte {
	a := w.likeness[model]
	if a == nil {
		a = &likeness{last: []byte{}, spare: []byte{}} // not nil, which would be NULL
		w.likeness[model] = a
	}
	request := a.spare[:0]
	for _, part := range parts {
		request = append(request, part...)
	}
	head, tail := shared(a.whole, request)
	apart := key == a.key || head+tail < worthSharing
	if !apart && head+tail < len(request)/2 {
		lastHead, lastTail := shared(a.last, request)
		apart = lastHead+lastTail > head+tail+worthSharing
	}
	a.last, a.spare = request, a.last
	if apart {
		a.key, a.whole = key, append(a.whole[:0], request...)
		return request
	}
	w.short = append(append(w.short[:0], a.key...), ':')
	w.short = append(strconv.AppendInt(w.short, int64(head), 10), ':')
	w.short = append(strconv.AppendInt(w.short, int64(tail), 10), ':')
	w.short = append(w.short, request[head:len(request)-tail]...)
	return w.short
}

// shared is how many bytes two texts have in common at the beginning and, of the
// rest, at the end. No character is cut.
func shared(a, b []byte) (head, tail int) {
	const step = 256 // compared at once
	for n := min(len(a), len(b)); head < n; {
		if head+step <= n && bytes.Equal(a[head:head+step], b[head:head+step]) {
			head += step
		} else if a[head] == b[head] {
			head++
		} else {
			break
		}
	}
	for head > 0 && head < len(b) && !utf8.RuneStart(b[head]) {
		head--
	}
	for n := min(len(a), len(b)) - head; tail < n; {
		x, y := len(a)-tail, len(b)-tail
		if tail+step <= n && bytes.Equal(a[x-step:x], b[y-step:y]) {
			tail += step
		} else if a[x-1] == b[y-1] {
			tail++
		} else {
			break
		}
	}
	for tail > 0 && !utf8.RuneStart(b[len(b)-tail]) {
		tail--
	}
	return head, tail
}

// CallRequest is what was asked in the call under a key: its llm.Canonical form.
func (s *Store) CallRequest(key string) (string, error) {
	var kept string
	err := s.Db.QueryRow(`SELECT request FROM calls WHERE key = ?`, key).Scan(&kept)
	if err == sql.ErrNoRows {
		return "", err
	}
	if err != nil || kept == "" || kept[0] == '{' {
		return kept, WrapDBError("reading", s.Path, err)
	}
	parts := strings.SplitN(kept, ":", 4)
	var head, tail int
	if len(parts) == 4 {
		fmt.Sscan(parts[1]+" "+parts[2], &head, &tail) // what cannot be read shares nothing
	}
	if len(parts) != 4 || parts[0] == key {
		return "", fmt.Errorf("reading %s: the request of call %s is no request", s.Path, key)
	}
	whole, err := s.CallRequest(parts[0])
	if err != nil {
		return "", err
	}
	if head < 0 || tail < 0 || head+tail > len(whole) {
		return "", fmt.Errorf("reading %s: the request of call %s is not what call %s is like", s.Path, parts[0], key)
	}
	return whole[:head] + parts[3] + whole[len(whole)-tail:], nil
}
