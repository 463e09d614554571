package board

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"compqa/results/store"
)

// TestPagesShowControlCharacters: no page has a control character for terminals or for text direction, however the text got there.
func TestPagesShowControlCharacters(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "r")
	s, err := store.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v := opened(t, dir).view(nil, &url.URL{Path: "/answers"}, nil)
	got, err := v.render(page{Title: "a\x1b[31m\u202eb", Lead: "lead \u202e**x**\x1b", Notes: []string{"note \x07"}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(got.text, "\x1b\u202e\x07") || !strings.Contains(got.text, "[U+001B]") || !strings.Contains(got.text, "[U+202E]") {
		t.Errorf("%q", got.text)
	}
}
