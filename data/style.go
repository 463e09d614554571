package data

import (
	"regexp"
	"strings"
)

// A Style counts the elements of Markdown in a text, as Arena-Hard does (github.com/lmarena/arena-hard-auto, utils/add_markdown_info.py).
// Code blocks between ``` are ignored.
type Style struct {
	Headers int // lines that begin with one to six # and a space
	Lists   int // lines that begin, after spaces, with -, *, + or a number and a full stop, and then a space
	Bold    int // **text** or __text__ on one line
}

var (
	codeBlock = regexp.MustCompile("```[^`]*```")
	boldText  = regexp.MustCompile(`\*\*[^*]+\*\*|__[^_]+__`)
)

// StyleOf counts the elements of Markdown in a text.
func StyleOf(text string) (s Style) {
	if strings.Contains(text, "```") {
		text = codeBlock.ReplaceAllString(text, "")
	}
	for line := range strings.Lines(text) {
		if head := strings.TrimLeft(line, "#"); len(line)-len(head) >= 1 && len(line)-len(head) <= 6 && spaceFirst(head) {
			s.Headers++
		}
		item := strings.TrimLeft(line, " \t\r\n\v\f")
		if number := strings.TrimLeft(item, "0123456789"); number != item && strings.HasPrefix(number, ".") && spaceFirst(number[1:]) {
			s.Lists++
		} else if item != "" && strings.ContainsRune("-*+", rune(item[0])) && spaceFirst(item[1:]) {
			s.Lists++
		}
		if strings.Contains(line, "**") || strings.Contains(line, "__") {
			s.Bold += len(boldText.FindAllStringIndex(line, -1))
		}
	}
	return s
}

// spaceFirst reports whether a text begins with white space.
func spaceFirst(text string) bool {
	return text != "" && strings.ContainsRune(" \t\r\n\v\f", rune(text[0]))
}
