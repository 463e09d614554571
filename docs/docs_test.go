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

// Words of a query are searched separately, in any letter case and with other endings; parts with all of them come first, and among
// these the ones that have them in the heading.
func TestSearch(t *testing.T) {
	parts := append(Parts("a", "# Of A\nnothing\n## One\nThe word Alpha and criteria.\n## Alphas itself, a criterion\nx\n"),
		Parts("b", "# Second\nalpha\nA scale of 1–10 or 1..5.\n")...)
	headings := func(query string) (found []string) {
		for _, hit := range Search(parts, query) {
			found = append(found, hit.Heading)
		}
		return found
	}
	for query, want := range map[string][]string{
		"ALPHA":               {"Alphas itself, a criterion", "One", "Second"},
		"the alpha criterion": {"Alphas itself, a criterion", "One", "Second"},
		"1-10":                {"Second"}, "1 to 5": {"Second"}, "1-5": {"Second"}, "beta": nil, "10": nil,
	} {
		if got := headings(query); !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	if hits := Search(parts, "scale alpha"); hits[0].Heading != "Second" || hits[0].Lines[0] != "alpha" {
		t.Errorf("%+v", hits)
	}
}
