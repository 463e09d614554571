package docs

import (
	"slices"
	"strings"
	"testing"
)

// Every page is in one group, and every link leads to a page.
func TestGroups(t *testing.T) {
	entries, err := pages.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(Topics()) {
		t.Errorf("%d pages, and %d topics", len(entries), len(Topics()))
	}
	for _, e := range entries {
		topic := strings.TrimSuffix(e.Name(), ".md")
		if !slices.Contains(Topics(), topic) {
			t.Errorf("%s is in no group", topic)
		}
		text, _ := Source(topic)
		for _, link := range strings.Split(text, "](")[1:] {
			to, _, _ := strings.Cut(link, ")")
			if name, isPage := strings.CutSuffix(to, ".md"); isPage && !strings.HasPrefix(to, "..") && !slices.Contains(Topics(), name) {
				t.Errorf("%s links to %s", topic, to)
			}
		}
	}
}

// A search finds headings first, whatever the case of letters.
func TestSearch(t *testing.T) {
	hits := Search("a", "# Of A\nnothing\n## One\nThe word Alpha.\n## alpha itself\nx\n", "ALPHA")
	if len(hits) != 2 || hits[0].Heading != "alpha itself" || hits[1].Heading != "One" || hits[1].Lines[0] != "The word Alpha." {
		t.Errorf("%+v", hits)
	}
	if hits := Search("a", "# Of A\nnothing\n", "beta"); hits != nil {
		t.Errorf("%+v", hits)
	}
}
