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
	"compqa/web/shell"
)

// A Site is the pages as files, which work from a folder and from any static host. Raw replies, requests, reasons of
// failures, the addresses of providers and the names of people are left out; so are texts if Texts is false. Beyond Limit
// pages, in the order in which they are linked from the first one, numbers have no links.
type Site struct {
	Texts bool
	Limit int // of pages; 0: none

	queue   []string // addresses that are linked and not written yet
	known   map[string]bool
	pages   int             // among the known
	refused map[string]bool // addresses beyond the limit
	styles  columnStyles
	Files   int
	Bytes   int64
}

const styleAddress = "/board.css"

// texts reports whether pages show texts; nil: a browser asks.
func (s *Site) texts() bool { return s == nil || s.Texts }

// Write writes the pages of a loaded board to a folder.
func (s *Site) Write(b *Board, dir string, progress func(files int)) error {
	s.known, s.pages, s.refused, s.styles = map[string]bool{}, 0, map[string]bool{}, columnStyles{}
	snapshot := b.shown.Load()
	s.link("/", "/")
	for len(s.queue) > 0 {
		address := s.queue[0]
		s.queue = s.queue[1:]
		if address == styleAddress && len(s.queue) > 0 {
			s.queue = append(s.queue, address) // it has the styles of all pages
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
			content = withoutNeedlessHTML(s.styles.move(content))
		}
		if address == styleAddress {
			content += s.styles.css.String()
		}
		name := filepath.Join(dir, filepath.FromSlash(shell.FileOf(address)))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			return err
		}
		s.Files, s.Bytes = s.Files+1, s.Bytes+int64(len(content))
		if progress != nil {
			progress(s.Files)
		}
	}
	return nil
}

// withoutNeedlessHTML leaves out what HTML does not need: end tags that the next tag implies, and quotes around single words. (HTML Living
// Standard, 13.1.2.3 and 13.1.2.4.) Texts of others have no tags of their own on a page.
func withoutNeedlessHTML(page string) string {
	page = strings.NewReplacer("</td>", "", "</th>", "", "</tr>", "", "</li>", "").Replace(page)
	return quoted.ReplaceAllString(page, "$1=$2")
}

var quoted = regexp.MustCompile(`\b(class|scope|colspan|dir|role|tabindex|rel|name|id)="([\w-]+)"`)

// link returns the address of a page from another page. The page is written too.
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
	relative, _ := filepath.Rel(path.Dir("/"+shell.FileOf(from)), "/"+shell.FileOf(to)) // both begin at the root
	return filepath.ToSlash(relative)
}

// LeftOut returns what a site does not hold, as a sentence for its publisher.
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
