package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// address matches the address of a Markdown link. heading matches a heading, to whose anchor a link may lead.
var (
	address = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)
	heading = regexp.MustCompile("(?m)^#+ (.*)$")
)

// hasHeading reports whether a text has a heading with an anchor. GitHub writes anchors in lower case, with hyphens for spaces and no
// other signs.
func hasHeading(text, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		kept := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -_", r) {
				return unicode.ToLower(r)
			}
			return -1
		}, m[1])
		if strings.ReplaceAll(kept, " ", "-") == anchor {
			return true
		}
	}
	return false
}

// TestLinks: every link in the manual, README and CONTRIBUTING leads to an existing file, and its anchor to a heading.
func TestLinks(t *testing.T) {
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range append(files, "../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md", "../judges/surface/surface.md", "../judges/train/README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range address.FindAllStringSubmatch(string(text), -1) {
			to := filepath.Join(filepath.Dir(file), m[1])
			if strings.Contains(m[1], "://") || m[1] == "img/scale.png" { // another site; an example
				continue
			}
			if m[1] == "" {
				to = file
			}
			checked++
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			if m[2] == "" {
				continue
			}
			if target, err := os.ReadFile(to); err != nil || !hasHeading(string(target), m[2]) {
				t.Errorf("%s: %s has no heading #%s (%v)", file, to, m[2], err)
			}
		}
	}
	if checked < 80 {
		t.Errorf("%d links", checked)
	}
}

// TestFirstLines: every page begins with a heading, followed by the commands that readers look for.
func TestFirstLines(t *testing.T) {
	for _, topic := range Topics() {
		text, _ := Page(topic)
		if !regexp.MustCompile(`^# .*\n\n    \S`).MatchString(text) {
			t.Errorf("%s does not begin with a command:\n%.200s", topic, text)
		}
	}
}

// TestGroups: every page is in exactly one group.
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
	}
}

// TestSearch: the words of a query match separately, in any letter case and with other endings. Parts with all words come first, and among
// these the parts with the words in their heading.
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
