package shell

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"compqa/results/table"
)

// markdown renders what models write. HTML in it is shown as text. Links and images become
// text too: nothing on a page leads to another site or loads something from there.
var markdown = goldmark.New(goldmark.WithExtensions(
	extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), // pages forbid inline styles
	extension.Strikethrough),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(inert{}, 1))))

type inert struct{}

func (inert) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			w.WriteString(html.EscapeString(string(n.(*ast.RawHTML).Segments.Value(source))))
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if b := n.(*ast.HTMLBlock); entering {
			text := n.Lines().Value(source)
			if b.HasClosure() {
				text = append(text, b.ClosureLine.Value(source)...)
			}
			fmt.Fprintf(w, "<pre>%s</pre>\n", html.EscapeString(string(text)))
		}
		return ast.WalkSkipChildren, nil
	})
	address := func(destination func(ast.Node) []byte) renderer.NodeRendererFunc {
		return func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				w.WriteString("<span>")
			} else {
				fmt.Fprintf(w, "</span> (%s)", html.EscapeString(string(destination(n))))
			}
			return ast.WalkContinue, nil
		}
	}
	r.Register(ast.KindLink, address(func(n ast.Node) []byte { return n.(*ast.Link).Destination }))
	r.Register(ast.KindImage, address(func(n ast.Node) []byte { return n.(*ast.Image).Destination }))
	r.Register(ast.KindAutoLink, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			w.WriteString(html.EscapeString(string(n.(*ast.AutoLink).Label(source))))
		}
		return ast.WalkContinue, nil
	})
}

// Markdown is a text as HTML that is safe on a page.
func Markdown(text string) (template.HTML, error) {
	var b bytes.Buffer
	if err := markdown.Convert([]byte(table.Visible(text)), &b); err != nil {
		return "", err
	}
	return template.HTML(strings.ReplaceAll(b.String(), "<th></th>", "<td></td>")), nil // a header without a text is none
}
