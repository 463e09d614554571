package shell

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"compqa/results/table"
)

// newMarkdown returns a renderer for text written by models. It shows HTML as text. It also turns links and most images into text, so that
// a page never leads to another site or loads something from there.
func newMarkdown(image func(destination string) string) goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), // pages allow no inline styles
		extension.Strikethrough),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(inert{image}, 1))))
}

var markdown = newMarkdown(func(string) string { return "" })

// An inert renders HTML, links and images as text. image returns the address on this site of an image, or "" to show the image as text.
type inert struct {
	image func(destination string) string
}

// RegisterFuncs registers the renderers of HTML, links and images.
func (x inert) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
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
	asText := address(func(n ast.Node) []byte { return n.(*ast.Image).Destination })
	r.Register(ast.KindImage, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		src := x.image(string(n.(*ast.Image).Destination))
		if src == "" {
			return asText(w, source, n, entering)
		}
		if entering {
			fmt.Fprintf(w, `<img src="%s" alt="%s">`, html.EscapeString(src), html.EscapeString(cmp.Or(plain(n, source), "image")))
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindAutoLink, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			w.WriteString(html.EscapeString(string(n.(*ast.AutoLink).Label(source))))
		}
		return ast.WalkContinue, nil
	})
}

// plain returns the text of a node and its children.
func plain(n ast.Node, source []byte) (text string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, is := c.(*ast.Text); is {
			text += string(t.Value(source))
		}
		text += plain(c, source)
	}
	return text
}

// Images returns the destinations of the images in a Markdown text.
func Images(text string) (destinations []string) {
	if !strings.Contains(text, "![") {
		return nil
	}
	root := markdown.Parser().Parse(gmtext.NewReader([]byte(table.Visible(text))))
	ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // no error, because the function returns none
		if image, is := n.(*ast.Image); is && entering {
			destinations = append(destinations, string(image.Destination))
		}
		return ast.WalkContinue, nil
	})
	return destinations
}

// Markdown renders a Markdown text as HTML that is safe on a page.
func Markdown(text string) (template.HTML, error) { return render(markdown, text) }

// MarkdownWith returns a function like Markdown that shows those images for which image returns an address on this site.
func MarkdownWith(image func(destination string) string) func(text string) (template.HTML, error) {
	m := newMarkdown(image)
	return func(text string) (template.HTML, error) { return render(m, text) }
}

func render(m goldmark.Markdown, text string) (template.HTML, error) {
	var b bytes.Buffer
	if err := m.Convert([]byte(table.Visible(text)), &b); err != nil {
		return "", err
	}
	return template.HTML(strings.ReplaceAll(b.String(), "<th></th>", "<td></td>")), nil // an empty header cell is not a header
}
