package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"compqa/bench/config"
	"compqa/data/sharedtest"
)

// TestReference: the manual's page of keys and its list of commands are those of the program. COMPQA_UPDATE=1 writes them.
func TestReference(t *testing.T) {
	t.Parallel()
	keys, err := config.Keys()
	if err != nil {
		t.Fatal(err)
	}
	samePage(t, "keys", keys)
	text := page(t, "commands")
	const begin, end = "<!-- commands: from the help -->\n", "<!-- end -->\n"
	before, rest, found := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatal("docs/commands.md has no list of commands")
	}
	samePage(t, "commands", before+begin+commandList()+end+after)
}

// samePage compares a page of the manual with what the program says now.
func samePage(t *testing.T, topic, now string) {
	t.Helper()
	if os.Getenv(update) != "" {
		if err := os.WriteFile(filepath.Join(sharedtest.ModuleRoot(t), "docs", topic+".md"), []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if page(t, topic) != now {
		t.Errorf("docs/%s.md is not what the program says; COMPQA_UPDATE=1 go test ./bench -run TestReference writes it", topic)
	}
}

// commandList is a list of all commands in Markdown, by group.
func commandList() string {
	root := newRoot(Streams{})
	var b strings.Builder
	for _, group := range root.Groups() {
		fmt.Fprintf(&b, "\n%s\n\n", group.Title)
		var list func(c *cobra.Command)
		list = func(c *cobra.Command) {
			if !c.Hidden {
				use := strings.TrimSuffix(strings.TrimPrefix(c.UseLine(), "compqa "), " [flags]")
				fmt.Fprintf(&b, "- `%s`: %s\n", use, c.Short)
				for _, sub := range c.Commands() {
					list(sub)
				}
			}
		}
		for _, c := range root.Commands() {
			if c.GroupID == group.ID {
				list(c)
			}
		}
	}
	b.WriteString("\n")
	return b.String()
}
