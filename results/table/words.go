package table

import (
	"fmt"
	"io"
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

func Bold(name string) string { return "**" + EscapeMarkdown(name) + "**" }
