package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
	syntax "text/template/parse"

	"compqa/data"
)

// Limits of a template, which can come from another person's archive. The work for a template is at most the length of its text times the
// size of the arguments. That holds because loops run only over the arguments and are not nested, and a block cannot call another one.
const (
	mostTemplate = 64 << 10 // bytes of the template's text
	mostText     = 1 << 20  // bytes of a prompt
	mostWork     = 1 << 30  // bytes of the template's text times the size of the arguments
	argumentSize = 64       // added to the length of an argument's text
)

var errWork = errors.New("the template is too long for so many arguments")

// work returns an upper bound of the work for a template with this number of bytes.
func work(template int, arguments []data.Argument) int {
	size := 0
	for _, a := range arguments {
		size += argumentSize + len(a.Text)
	}
	return template * size
}

// limited is the text of a prompt with a maximum length. Exceeding it is an error, which ends the template.
type limited struct{ strings.Builder }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > mostText {
		return 0, fmt.Errorf("the prompt is longer than %d bytes", mostText)
	}
	return l.Builder.Write(p)
}

// functions returns the functions that a template can call. It replaces those of text/template that can make long texts by errors.
func functions() template.FuncMap {
	m := template.FuncMap{"numbered": numbered}
	for _, name := range []string{"print", "println", "printf", "html", "js", "urlquery"} {
		m[name] = func(...any) (string, error) { return "", fmt.Errorf("%s is not available", name) }
	}
	return m
}

// bounded returns an error if a template could do more work than the limits assume: a block that calls another, a loop over anything but
// the arguments, or nested loops.
func bounded(list *syntax.ListNode) error {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		var branch *syntax.BranchNode
		switch n := node.(type) {
		case *syntax.TemplateNode:
			return errors.New("a block cannot call another one")
		case *syntax.IfNode:
			branch = &n.BranchNode
		case *syntax.WithNode:
			branch = &n.BranchNode
		case *syntax.RangeNode:
			branch = &n.BranchNode
			over := n.Pipe.Cmds[len(n.Pipe.Cmds)-1].String()
			if len(n.Pipe.Cmds) != 1 || !slices.Contains([]string{".Arguments", "$.Arguments"}, over) ||
				strings.Contains(n.List.String(), "{{range") || strings.Contains(n.List.String(), "numbered") {
				return errors.New("range needs .Arguments, and it cannot hold another range or numbered")
			}
		default:
			continue
		}
		if err := errors.Join(bounded(branch.List), bounded(branch.ElseList)); err != nil {
			return err
		}
	}
	return nil
}
