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

// Limits of a template, because a template may come from another person's archive. Its work is
// bounded by the length of its text times the size of the arguments: loops run over the arguments
// alone, not within each other, and a block cannot call another one.
const (
	mostTemplate = 64 << 10 // bytes of its text
	mostText     = 1 << 20  // bytes of a prompt
	mostWork     = 1 << 30  // bytes of its text times the size of the arguments
	argumentSize = 64       // of an argument, besides its text
)

var errWork = errors.New("the template is too long for so many arguments")

// work returns what a template of so many bytes does with arguments, at most.
func work(template int, arguments []data.Argument) int {
	size := 0
	for _, a := range arguments {
		size += argumentSize + len(a.Text)
	}
	return template * size
}

// limited is the text of a prompt. An error ends its template.
type limited struct{ strings.Builder }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > mostText {
		return 0, fmt.Errorf("the prompt is longer than %d bytes", mostText)
	}
	return l.Builder.Write(p)
}

// functions returns those of templates. Functions of text/template that make long texts are refused.
func functions() template.FuncMap {
	m := template.FuncMap{"numbered": numbered}
	for _, name := range []string{"print", "println", "printf", "html", "js", "urlquery"} {
		m[name] = func(...any) (string, error) { return "", fmt.Errorf("%s is not available", name) }
	}
	return m
}

// bounded reports what makes the steps of a template unbounded.
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
