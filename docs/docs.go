// Package docs holds the manual: one page a topic, in Markdown. `compqa docs TOPIC` prints a page, and
// the board shows it under /docs.
package docs

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.md
var pages embed.FS

// Topics are the names of the pages, in alphabetical order.
func Topics() (names []string) {
	entries, err := pages.ReadDir(".")
	if err != nil {
		panic(err) // the pages are a part of the program
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".md"))
	}
	slices.Sort(names)
	return names
}

// Page is the text of a topic; found is false if there is none.
func Page(topic string) (text string, found bool) {
	content, err := pages.ReadFile(topic + ".md")
	return string(content), err == nil
}

// Title is the first heading of a topic.
func Title(topic string) string {
	text, _ := Page(topic)
	first, _, _ := strings.Cut(text, "\n")
	return strings.TrimPrefix(first, "# ")
}
