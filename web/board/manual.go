package board

import (
	"fmt"
	"regexp"
	"strings"

	"compqa/docs"
	"compqa/results/table"
)

// manualList returns the page that lists the pages of the manual.
func (v *view) manualList(string) (page, error) {
	list := table.New(3, "page", "about", "kind")
	for _, group := range docs.Groups {
		for _, topic := range group.Topics {
			list.Add(table.Cell{Text: topic, To: &table.Target{Page: "docs", Name: topic}}, docs.Title(topic), group.Title)
		}
	}
	return page{Title: "Manual", Sections: []part{v.sectionPart(table.Section{ID: "manual", Table: list})}}, nil
}

// pictures matches images in the manual, which are not embedded in the program.
var pictures = regexp.MustCompile(`(?m)^!\[.*\]\(.*\)\n+`)

// manualPage returns the page of a topic of the manual.
func (v *view) manualPage(topic string) (page, error) {
	text, found := docs.Page(topic)
	if !found {
		return page{}, notFound(fmt.Sprintf("The manual has no page %q.", topic))
	}
	_, text, _ = strings.Cut(text, "\n")
	text = pictures.ReplaceAllString(text, "")
	whole := textPart("", "")
	whole.Prose, whole.Links = text, []table.Link{{Text: "All pages of the manual", Address: v.to("/docs")}}
	return page{Title: docs.Title(topic), Sections: []part{whole}}, nil
}
