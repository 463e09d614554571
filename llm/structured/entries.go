package structured

import (
	"fmt"
	"slices"
	"strings"
)

// A Fault is a status with its reason. The zero value means that nothing is wrong.
type Fault struct{ Status, Reason string }

// The statuses of faults.
const (
	Unparsed   = "unparsed"
	Incomplete = "incomplete"
	OutOfRange = "out_of_range"
)

// Faultf returns a fault with a formatted reason.
func Faultf(status, format string, args ...any) Fault {
	return Fault{status, fmt.Sprintf(format, args...)}
}

// Entries decodes the object in a reply whose keys are 1 to n. If names is not nil, an entry may have its name instead of its number as the
// key. The object may be the only value in another object. For messages of faults, what is the word for an entry, and form says what an
// entry contains. The faults are:
//   - Unparsed: such an object is missing, or an entry has another form;
//   - Incomplete: an entry is missing;
//   - OutOfRange: there is another key.
func Entries[T any](reply string, n int, names []string, what, form string, m Material) ([]T, Fault) {
	keys := slices.Concat(Numbers(n), names)
	has := func(v Value) bool {
		return slices.ContainsFunc(v.Members, func(member Member) bool { return slices.Contains(keys, strings.TrimSpace(member.Key)) })
	}
	within := func(v Value) Value {
		if len(v.Members) == 1 && !has(v) {
			return v.Members[0].Value
		}
		return v
	}
	complete := func(v Value) bool {
		for i, key := range keys[:n] {
			if !HasKey(key)(v) && (names == nil || !HasKey(names[i])(v)) {
				return false
			}
		}
		return has(v)
	}
	v, err := Object(reply, func(v Value) bool { return complete(within(v)) }, m)
	if err == ErrNone {
		v, err = Object(reply, func(v Value) bool { return has(within(v)) }, m)
	}
	if err == ErrNone {
		return nil, Faultf(Unparsed, "there is no JSON object in the reply with an entry of the kind %s", what)
	} else if err != nil {
		return nil, Faultf(Unparsed, "of JSON objects with entries of the kind %s: %v", what, err)
	}
	v = within(v)
	list := make([]T, n)
	for i := range n {
		entry, is := v.Get(keys[i])
		if !is && names != nil {
			entry, is = v.Get(names[i])
		}
		if !is {
			return nil, Faultf(Incomplete, "%s %s is missing", what, keys[i])
		}
		if entry.Members == nil || entry.Decode(&list[i]) != nil {
			return nil, Faultf(Unparsed, "%s %s is no object with %s", what, keys[i], form)
		}
	}
	for _, member := range v.Members {
		if key := strings.TrimSpace(member.Key); !slices.Contains(keys, key) {
			return nil, Faultf(OutOfRange, "there is no %s %q; there are 1 to %d", what, key[:min(len(key), mostKey)], n)
		}
	}
	return list, Fault{}
}

const mostKey = 40 // most bytes of a key in a fault
