package board

import (
	"fmt"
	"strings"

	"compqa/docs"
)

// manualList lists the pages of the manual.
func (v *view) manualList() (page, error) {
	s := section{Grid: &grid{Caption: "Pages of the manual", Words: 2, Header: []cell{{Text: "page"}, {Text: "about"}}}}
	for _, topic := range docs.Topics() {
		s.Grid.Rows = append(s.Grid.Rows, []cell{{Text: topic, Address: v.to("/docs/" + topic)}, {Text: docs.Title(topic)}})
	}
	return page{Title: "Manual", Sections: []section{s}}, nil
}

// manualPage is a page of the manual.
func (v *view) manualPage(topic string) (page, error) {
	text, found := docs.Page(topic)
	if !found {
		return page{}, notFound(fmt.Sprintf("The manual has no page %q.", topic))
	}
	_, text, _ = strings.Cut(text, "\n")
	return page{Title: docs.Title(topic), Sections: []section{{Text: text}, {Links: []cell{{Text: "All pages of the manual", Address: v.to("/docs")}}}}}, nil
}
