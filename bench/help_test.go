package bench

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelp: every command has a help file, and every help file has a command.
func TestHelp(t *testing.T) {
	t.Parallel()
	files, err := helpTexts.ReadDir("help")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Long != "" {
			commands++
		}
		for _, word := range []string{"{methods}", "{offline}", "{attacks}", "{embedded}", "{scorings}", "{probes}"} {
			if strings.Contains(c.Long, word) {
				t.Errorf("%s: %s is left in its help", c.CommandPath(), word)
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}))
	if commands != len(files) {
		t.Errorf("%d commands have help, and there are %d files", commands, len(files))
	}
}
