// Package docs holds the manual: one page a topic, in Markdown. `compqa docs TOPIC` prints a page, and
// the board shows it under /docs.
package docs

import (
	"embed"
	"regexp"
	"strings"
)

//go:embed *.md
var pages embed.FS

// A Group is pages of one kind.
type Group struct {
	Title  string
	Topics []string
}

// Groups are all pages in the order in which to read them.
var Groups = []Group{
	{"Start", []string{"tutorial", "board", "trust", "glossary", "limits", "questions"}},
	{"How to", []string{"howto-judge", "howto-costs", "howto-points", "howto-ci", "howto-excel", "howto-prompts",
		"howto-publish", "howto-paper", "howto-train", "howto-promptfoo", "howto-people"}},
	{"Reference", []string{"commands", "configuration", "keys", "files", "providers", "costs", "runs", "tables",
		"validate", "annotation", "pairwise", "strum", "verification", "fleet"}},
	{"Evidence", []string{"statistics", "judges", "speed"}},
}

// Topics are the names of the pages, in the order of Groups.
func Topics() (names []string) {
	for _, group := range Groups {
		names = append(names, group.Topics...)
	}
	return names
}

// notes are comments for tests, which no reader needs.
var notes = regexp.MustCompile(`(?m)^<!-- .* -->\n`)

// Page is the text of a topic; found is false if there is none.
func Page(topic string) (text string, found bool) {
	text, found = Source(topic)
	return notes.ReplaceAllString(text, ""), found
}

// Source is a page with the comments that its test reads.
func Source(topic string) (text string, found bool) {
	content, err := pages.ReadFile(topic + ".md")
	return string(content), err == nil
}

// Title is the first heading of a topic.
func Title(topic string) string {
	text, _ := Page(topic)
	first, _, _ := strings.Cut(text, "\n")
	return strings.TrimPrefix(first, "# ")
}

// A Hit is a part of a page that has a word that was searched for: its heading, and the first lines with the word.
type Hit struct {
	Topic, Heading string
	Lines          []string
}

// hitLines is how many lines of a hit are shown.
const hitLines = 3

// Search are the parts of a text whose heading or lines have a text in any letter case, those with it in the heading first.
func Search(topic, text, query string) (hits []Hit) {
	query = strings.ToLower(query)
	var later []Hit
	for i, section := range strings.Split("\n"+text, "\n## ") {
		heading, body, _ := strings.Cut(strings.TrimPrefix(section, "\n# "), "\n")
		if i == 0 {
			heading = strings.TrimPrefix(strings.TrimSpace(heading), "# ")
		}
		hit := Hit{Topic: topic, Heading: heading}
		for line := range strings.Lines(body) {
			if strings.Contains(strings.ToLower(line), query) && len(hit.Lines) < hitLines {
				hit.Lines = append(hit.Lines, strings.TrimSpace(line))
			}
		}
		switch {
		case strings.Contains(strings.ToLower(heading), query):
			hits = append(hits, hit)
		case hit.Lines != nil:
			later = append(later, hit)
		}
	}
	return append(hits, later...)
}
