package bench

import (
	"os"
	"strings"
	"testing"
)

// Every command that the help shows is in the manual's list.
func TestCommandsAreListed(t *testing.T) {
	text, err := os.ReadFile("../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	root := newRoot(Streams{})
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if !c.Hidden && !strings.Contains(string(text), "`"+c.Name()+"`") {
			t.Errorf("docs/commands.md does not list %s", c.Name())
		}
	}
}
