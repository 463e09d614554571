package board

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"compqa/data"
)

// A Site is the pages as files, which work from a folder and from any static host. Raw replies,
// requests, reasons of failures, the addresses of providers and the names of people are left out; so are texts if
// Texts is false. Beyond Limit pages, in the order in which they are linked from the first one,
// numbers have no links.
type Site struct {
	Texts bool
	Limit int // of pages; 0: none

	board   *Board
	queue   []string // addresses that are linked and not written yet
	known   map[string]bool
	pages   int             // among the known
	refused map[string]bool // addresses beyond the limit
	Files   int
	Bytes   int64
}

// texts reports whether pages show texts; nil: a browser asks.
func (s *Site) texts() bool { return s == nil || s.Texts }

// Write writes the pages of a loaded board to a folder.
func (s *Site) Write(b *Board, dir string, progress func(files int)) error {
	s.board, s.known, s.pages, s.refused = b, map[string]bool{}, 0, map[string]bool{}
	snapshot := b.shown.Load()
	s.link("/", "/")
	for len(s.queue) > 0 {
		address := s.queue[0]
		s.queue = s.queue[1:]
		content, err := s.content(snapshot, address)
		var missing notFound
		if errors.As(err, &missing) {
			content = missing.Error()
		} else if err != nil {
			return fmt.Errorf("page %s: %w", address, err)
		}
		name := filepath.Join(dir, filepath.FromSlash(fileOf(address)))
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

// content is a page or a file.
func (s *Site) content(snapshot *snapshot, address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	r, err := s.board.view(snapshot, u, s).reply()
	return r.text, err
}

// link is the address of a page from another page. The page is written too.
func (s *Site) link(from, to string) string {
	if p, _, _ := strings.Cut(to, "?"); p == "/live" || p == "/docs" {
		return ""
	}
	if !s.known[to] {
		if path.Ext(fileOf(to)) == ".html" {
			if s.Limit > 0 && s.pages >= s.Limit {
				s.refused[to] = true
				return ""
			}
			s.pages++
		}
		s.known[to] = true
		s.queue = append(s.queue, to)
	}
	relative, err := filepath.Rel(path.Dir("/"+fileOf(from)), "/"+fileOf(to))
	if err != nil {
		return ""
	}
	return filepath.ToSlash(relative)
}

// fileOf is the file of an address. Names of systems, judges and questions are foreign, so the
// name of a file has letters, digits and hyphens of them, and a hash where that loses something.
func fileOf(address string) string {
	if address == "/" {
		return "index.html"
	}
	p, query, _ := strings.Cut(strings.TrimPrefix(address, "/"), "?")
	switch ext := path.Ext(p); ext {
	case ".css", ".js", ".svg":
		if query != "" {
			return strings.TrimSuffix(p, ext) + "-" + slug(query) + ext
		}
		return p
	}
	folder, name, below := strings.Cut(p, "/")
	if below {
		folder += "/" + slug(name)
	}
	ext := ".html"
	if strings.Contains("&"+query, "&as=csv&") {
		ext = ".csv"
	}
	if query != "" {
		folder += "-list/" + slug(query)
	}
	return folder + ext
}

// deviceName matches names that Windows reserves for devices, whatever the ending of the file.
var deviceName = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)

func slug(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	short := strings.Trim(b.String(), "-")
	if short == text && len(short) <= 60 && !deviceName.MatchString(short) {
		return short
	}
	sum := sha256.Sum256([]byte(text))
	return strings.Trim(short[:min(len(short), 40)], "-") + "-" + hex.EncodeToString(sum[:8])
}

// LeftOut says what the pages leave out.
func (s *Site) LeftOut() string {
	list := []string{"raw replies", "requests", "reasons of failures", "the configuration", "addresses of providers", "names of people"}
	if !s.Texts {
		list = append(list, "texts of answers, arguments and reasons")
	}
	if n := len(s.refused); n > 0 {
		list = append(list, data.Plural(n, "page", "pages")+" that other pages would link to")
	}
	return data.List(list)
}
