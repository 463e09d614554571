package store

import (
	"strings"
	"testing"

	"compqa/data"
)

// TestRequestsAreText: requests, with or without shared parts, are stored as text and read back unchanged.
func TestRequestsAreText(t *testing.T) {
	s, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	long := strings.Repeat("ü", 2*longPrompt)
	requests := map[string][]string{
		"a": nil, "b": {"{", long, "1}"}, "c": {"{", long, "22}"}, "d": {"{}"}, "e": {"{", long, "}"},
	}
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		if err := s.Write(func(b Batch) error {
			_, err := b.Call(Call{Key: key, Model: "m", Request: requests[key], Status: data.Valid})
			return err
		}); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
	}
	for key, parts := range requests {
		want := ""
		for _, part := range parts {
			want += part
		}
		if got, err := s.CallRequest(key); got != want || err != nil {
			t.Errorf("%s: %.20q (error %v), not %.20q", key, got, err, want)
		}
		var kind string
		if err := s.db.QueryRow(`SELECT typeof(request) FROM calls WHERE key = ?`, key).Scan(&kind); kind != "text" || err != nil {
			t.Errorf("%s is kept as %s (error %v)", key, kind, err)
		}
	}
}
