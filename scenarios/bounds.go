package scenarios

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"text/template"
	syntax "text/template/parse"

	"compqa/data"
)

// Limits of a template, because a template may come from another person's archive.
const (
	mostTemplate = 256 << 10 // bytes of its text
	mostText     = 1 << 20   // bytes of a prompt, together with the texts that functions return for it
	mostSteps    = 1 << 20   // bytes of its text that are executed for a prompt
	callSteps    = 1 << 10   // steps of a call of a template, so that recursion ends early
	mostOperands = 20        // of print, printf and the like
)

var (
	errText  = fmt.Errorf("the prompt is longer than %d bytes", mostText)
	errSteps = errors.New("the template runs too long: it repeats or calls itself too often")
	errLoop  = errors.New("range needs a list: a template cannot loop over numbers")
	widths   = regexp.MustCompile(`[*\[]|[0-9]{3}`)
)

// A meter counts what rendering a prompt takes. It is the writer of the prompt.
type meter struct {
	steps, bytes int
	prompt       []byte
}

// A metered template counts with its own meter.
type metered struct {
	*meter
	*template.Template
}

func newMetered(t *template.Template) *metered {
	m := new(meter)
	return &metered{m, template.Must(t.Clone()).Funcs(m.functions())} // text/template always clones
}

func (m *meter) Write(p []byte) (int, error) {
	m.prompt = append(m.prompt, p...)
	_, err := m.text(string(p))
	return len(p), err
}

func (m *meter) text(s string) (string, error) {
	if m.bytes += len(s); m.bytes > mostText {
		return "", errText
	}
	return s, nil
}

func (m *meter) step(n int) (string, error) {
	if m.steps += n; m.steps > mostSteps {
		return "", errSteps
	}
	return "", nil
}

// functions are those of templates. Functions of text/template that return long texts are
// replaced by bounded ones; step and list are called by what bounded inserts.
func (m *meter) functions() template.FuncMap {
	within := func(f func(...any) string) func(...any) (string, error) {
		return func(args ...any) (string, error) {
			if len(args) > mostOperands {
				return "", fmt.Errorf("%d operands; at most %d are allowed", len(args), mostOperands)
			}
			return m.text(f(args...))
		}
	}
	return template.FuncMap{
		"numbered": func(list []data.Argument) (string, error) { return m.text(numbered(list)) },
		"print":    within(fmt.Sprint), "println": within(fmt.Sprintln),
		"html": within(template.HTMLEscaper), "js": within(template.JSEscaper), "urlquery": within(template.URLQueryEscaper),
		"printf": func(format string, args ...any) (string, error) {
			if widths.MatchString(format) {
				return "", errors.New("printf accepts widths of one or two digits")
			}
			return within(func(args ...any) string { return fmt.Sprintf(format, args...) })(args...)
		},
		"step": m.step,
		"list": func(v reflect.Value) (reflect.Value, error) {
			if k := v.Kind(); k != reflect.Slice && k != reflect.Array && k != reflect.Map {
				return v, errLoop
			}
			return v, nil
		},
	}
}

// bounded makes a list of nodes, and the lists in it, count their steps, and its loops
// check what they loop over. It returns the steps, which are the length of its text.
func bounded(list *syntax.ListNode, steps int) int {
	if list == nil {
		return 0
	}
	for _, node := range list.Nodes {
		branch := func(b *syntax.BranchNode) {
			steps += len(b.Pipe.String()) + bounded(b.List, 1) + bounded(b.ElseList, 1)
		}
		switch n := node.(type) {
		case *syntax.IfNode:
			branch(&n.BranchNode)
		case *syntax.WithNode:
			branch(&n.BranchNode)
		case *syntax.RangeNode:
			branch(&n.BranchNode)
			n.Pipe.Cmds = append(n.Pipe.Cmds, &syntax.CommandNode{NodeType: syntax.NodeCommand, Args: []syntax.Node{syntax.NewIdentifier("list")}})
		default:
			steps += len(n.String())
		}
	}
	trees, err := syntax.Parse("steps", fmt.Sprintf("{{step %d}}", steps), "", "", map[string]any{"step": true})
	if err != nil {
		panic(err) // the text is our own
	}
	list.Nodes = append(trees["steps"].Root.Nodes, list.Nodes...)
	return steps
}
