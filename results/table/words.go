package table

import (
	"fmt"
	"io"
	"strings"
)

// PrintWrapped prints a text in lines of at most Screen columns.
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
