package board

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/web/shell"
)

// A Site writes the pages as files, which work from a folder or on any static host. It leaves out raw replies, requests, reasons of
// failures, addresses of providers and names of people, and all texts if Texts is false. It writes at most Limit pages, in the order in
// which they are linked from the first one; numbers that would lead to further pages have no links.
type Site struct {
	Texts bool
	Limit int // maximum number of pages; 0: no limit

	queue   []string // addresses that are linked but not written yet
	known   map[string]bool
	pages   int               // number of pages among the known addresses
	refused map[string]bool   // addresses beyond the limit
	styles  map[string]string // CSS classes of tables, by the styles of their columns
	css     strings.Builder   // the CSS of styles
	Files   int
	Bytes   int64
}

const styleAddress = "/board.css"

// texts reports whether pages show texts. If s is nil, a server serves the pages, and they do.
func (s *Site) texts() bool { return s == nil || s.Texts }

// Write writes the pages of a loaded board to a folder. It calls progress with the number of files written so far.
func (s *Site) Write(b *Board, dir string, progress func(files int)) error {
	s.known = map[string]bool{}
	s.pages = 0
	s.refused = map[string]bool{}
	s.styles = map[string]string{}
	s.css.Reset()
	snapshot := b.current.Load()
	s.link("/", "/")
	for len(s.queue) > 0 {
		address := s.queue[0]
		s.queue = s.queue[1:]
		if address == styleAddress && len(s.queue) > 0 {
			s.queue = append(s.queue, address) // last, because it has the styles of all pages
			continue
		}
		u, err := url.Parse(address)
		if err != nil {
			return err
		}
		answer, err := b.view(snapshot, u, s).reply()
		content := answer.text
		if refused, is := errors.AsType[refusal](err); is {
			content = refused.text
		} else if err != nil {
			return fmt.Errorf("page %s: %w", address, err)
		}
		if answer.kind == htmlKind || answer.kind == "" {
			content = withoutNeedlessHTML(content)
		}
		if address == styleAddress {
			content += s.css.String()
		}
		name := filepath.Join(dir, filepath.FromSlash(shell.FileOf(address)))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			return err
		}
		s.Files++
		s.Bytes += int64(len(content))
		if progress != nil {
			progress(s.Files)
		}
	}
	return nil
}

// narrow is the CSS query for screens on which cells show their labels (as in document.css).
const narrow = "@media (max-width: 800px)"

// styled returns the CSS class of tables with these columns, and adds its rules to the style sheet the first time. Without the class, each
// cell would repeat what its column says.
func (s *Site) styled(columns []table.Column) string {
	key := fmt.Sprintf("%q", columns)
	if s.styles[key] != "" {
		return s.styles[key]
	}
	if len(s.styles) == 0 {
		fmt.Fprintf(&s.css, "\n%s { table.labels td::before { color: var(--quiet); font-weight: 400; font-size: 12.5px; } }\n", narrow)
	}
	name := fmt.Sprint("l", len(s.styles)+1)
	s.styles[key] = name
	var labels strings.Builder
	for i, c := range columns {
		cells := fmt.Sprintf("table.%s tbody > :not(.below) > td:nth-child(%d)", name, i+1)
		if c.Label != "" {
			fmt.Fprintf(&labels, " %s::before { content: %s; }", cells, quotedInStyle(c.Label+" "))
		}
		if c.Class == "counting" { // the other spans of sheets colour nothing else
			fmt.Fprintf(&s.css, "%s { color: var(--quiet); }\n", cells)
		}
	}
	fmt.Fprintf(&s.css, "%s {%s }\n", narrow, &labels)
	return name
}

// quotedInStyle returns a text as a CSS string.
func quotedInStyle(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r < ' ' || strings.ContainsRune(`"\<`, r) {
			fmt.Fprintf(&b, `\%x `, r)
		} else {
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// withoutNeedlessHTML removes end tags that the next tag implies, and quotes around attribute values of one word (HTML Living Standard,
// 13.1.2.3 and 13.1.2.4). It is safe because texts from elsewhere contain no tags on a page.
func withoutNeedlessHTML(page string) string {
	page = strings.NewReplacer("</td>", "", "</th>", "", "</tr>", "", "</thead>", "", "</tbody>", "", "</li>", "").Replace(page)
	return quoted.ReplaceAllString(page, "$1=$2")
}

var quoted = regexp.MustCompile(`\b(class|scope|colspan|dir|role|tabindex|rel|name|id)="([\w-]+)"`)

// link returns the relative address of a page from another page, and adds the page to those to write.
func (s *Site) link(from, to string) string {
	if p, _, _ := strings.Cut(to, "?"); p == "/live" || p == "/docs" {
		return ""
	}
	if !s.known[to] {
		if path.Ext(shell.FileOf(to)) == ".html" {
			if s.Limit > 0 && s.pages >= s.Limit {
				s.refused[to] = true
				return ""
			}
			s.pages++
		}
		s.known[to] = true
		s.queue = append(s.queue, to)
	}
	relative, _ := filepath.Rel(path.Dir("/"+shell.FileOf(from)), "/"+shell.FileOf(to)) // no error, because both paths begin at the root
	return filepath.ToSlash(relative)
}

// LeftOut returns a sentence for the publisher on what the site leaves out.
func (s *Site) LeftOut() string {
	list := []string{"raw replies", "requests", "reasons of failures", "the configuration", "addresses of providers", "names of people"}
	if !s.Texts {
		list = append(list, "texts of answers, arguments and reasons")
	}
	list = append(list, "on pages of single answers, baselines that do not read them")
	if n := len(s.refused); n > 0 {
		list = append(list, data.Plural(n, "page", "pages")+" that other pages would link to")
	}
	return data.List(list)
}
