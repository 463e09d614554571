package results

import (
	"slices"
	"strings"
	"testing"
)

// Texts that are read as one come apart as they were; what a server has said may hold
// any byte, and a name that could not be told from two is a fault.
func TestTextsReadAsOne(t *testing.T) {
	s, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, c := range []struct {
		names  []any
		reason any
		fault  string
	}{
		{[]any{"an id", "", "x\x1fy\x00\n", "Zürich"}, "HTTP 500: \xff\xfe\x00", ""},
		{[]any{"", "", "", ""}, "", ""},
		{[]any{"Dupont \xff", "\xff", "\x00", "\xfe"}, "", ""},
		{[]any{"a", "b\xff\x00\xfeb", "c", "d"}, "", "cannot be told from others"},
		{[]any{"a", nil, "c", "d"}, "", "a text of a row is not there"},
	} {
		if _, err := s.db.Exec(`CREATE TABLE IF NOT EXISTS t (a TEXT, b TEXT, c TEXT, d TEXT, reason TEXT); DELETE FROM t`); err != nil {
			t.Fatal(err)
		}
		if _, err := s.db.Exec(`INSERT INTO t VALUES (?, ?, ?, ?, ?)`, append(c.names, c.reason)...); err != nil {
			t.Fatal(err)
		}
		got := make([]string, 4)
		err := s.walk(`SELECT `+asOne("a", "b", "c", "d")+`, `+free("reason")+` FROM t`, func(found *foundRow) error {
			found.texts(0, got)
			if reason := found.freeText(1); reason != c.reason {
				t.Errorf("%q: the reason is %q", c.names, reason)
			}
			return nil
		})
		switch {
		case c.fault != "":
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%q: %v, want %q", c.names, err, c.fault)
			}
		case err != nil || !slices.EqualFunc(got, c.names, func(a string, b any) bool { return a == b }):
			t.Errorf("%q: %v, %q", c.names, err, got)
		}
	}
}
