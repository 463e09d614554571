package dataset

import (
	"testing"

	"compqa/data"
)

// TestUnreadText checks that a judge is named above 2 %, with the number and the share of what it was asked for.
func TestUnreadText(t *testing.T) {
	counts := func(judge string, valid, unparsed, outOfRange, refused, skipped, pending int) Replies {
		return Replies{judge, map[data.Status]int{data.Valid: valid, data.Unparsed: unparsed, data.OutOfRange: outOfRange,
			data.Refused: refused, data.Skipped: skipped, data.Pending: pending}}
	}
	for _, test := range []struct {
		name string
		all  []Replies
		want string
	}{
		{"none", nil, ""},
		{"exactly 2 %", []Replies{counts("j", 98, 2, 0, 0, 0, 0)}, ""},
		{"nothing asked", []Replies{counts("j", 0, 0, 0, 0, 9, 9)}, ""},
		{"above", []Replies{counts("j", 96, 2, 1, 1, 0, 0)}, "Verdicts that could not be read: 3 of 100 by j (3.0 %)."},
		{"not asked", []Replies{counts("j", 9, 1, 0, 0, 500, 500)}, "Verdicts that could not be read: 1 of 10 by j (10.0 %)."},
		{"two of three", []Replies{counts("j", 9, 1, 0, 0, 0, 0), counts("k", 5, 0, 0, 5, 0, 0), counts("l", 0, 0, 4, 0, 0, 0)},
			"Verdicts that could not be read: 1 of 10 by j (10.0 %), 4 of 4 by l (100.0 %)."},
	} {
		if got := UnreadText(test.all); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
