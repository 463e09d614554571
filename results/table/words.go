package table

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// printWrapped prints a sentence in lines that the screen holds.
func PrintWrapped(w io.Writer, text string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && narrow.StringWidth(line+" "+word) > Screen {
			fmt.Fprintln(w, line)
			line = " "
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(w, line)
}

func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func Bold(name string) string { return "**" + EscapeMarkdown(name) + "**" }

// listed is "a", "a and b", "a, b and c".
func Listed(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}
