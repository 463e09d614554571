package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"
)

// The limits of files, in bytes: of one record (a line of JSON Lines, a row of a table) and of a
// file that is read as a whole.
const (
	MostRecord = 64 << 20
	MostText   = 64 << 20
)

// OpenInput opens a regular file, or standard input for "-". It also returns the name for
// messages. A device or a pipe is refused: it may have no end.
func OpenInput(path string) (io.ReadCloser, string, error) {
	if path == "-" {
		return io.NopCloser(os.Stdin), "standard input", nil
	}
	info, err := os.Stat(path) // before it is opened: opening a pipe waits for its writer
	switch {
	case err != nil:
		return nil, path, fmt.Errorf("cannot read %s: %w", path, errors.Unwrap(err))
	case info.IsDir():
		return nil, path, fmt.Errorf("cannot read %s: it is a folder", path)
	case !info.Mode().IsRegular():
		return nil, path, fmt.Errorf("cannot read %s: it is not a regular file; - reads standard input", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, path, fmt.Errorf("cannot read %s: %w", path, errors.Unwrap(err))
	}
	return f, path, nil
}

// ReadText reads a file, or standard input for "-", which must be UTF-8 and has at most MostText
// bytes. It also returns the name for messages.
func ReadText(path string) ([]byte, string, error) {
	f, path, err := OpenInput(path)
	if err != nil {
		return nil, path, err
	}
	defer f.Close()
	s := &scan{path: path}
	content, err := io.ReadAll(&utf8Reader{in: f, scan: s, line: 1})
	if err != nil && err != errEnough {
		return nil, path, fmt.Errorf("reading %s: %w", path, err)
	}
	return content, path, s.result()
}

// A utf8Reader finds bytes that are not UTF-8, at most one fault a line, and records that are
// too large.
type utf8Reader struct {
	in     io.Reader
	scan   *scan
	line   int
	at     int    // bytes of the line before rest
	record int    // bytes since the latest record
	rest   []byte // the beginning of a character
	faulty int    // the latest line with a fault
	ended  bool   // no more is read
}

func (r *utf8Reader) Read(p []byte) (int, error) {
	if r.ended {
		return 0, errEnough
	}
	n, err := r.in.Read(p)
	if r.record += n; r.record > MostRecord {
		return r.end("this is longer than %d MiB, the most that is read at once", MostRecord>>20)
	}
	text := append(r.rest, p[:n]...)
	for len(text) > 0 && (err != nil || utf8.FullRune(text)) {
		c, size := utf8.DecodeRune(text)
		switch first := r.line == 1 && r.at == 0; {
		case c == 0, first && (bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff"))):
			return r.end("this is UTF-16, or not a text file; UTF-8 is needed: iconv -f UTF-16 -t UTF-8 %s > NEW_FILE", r.scan.path)
		case c == utf8.RuneError && size == 1 && r.faulty < r.line:
			r.faulty = r.line
			fault := r.scan.fault(r.line, fmt.Errorf("byte %d (0x%02x) is not UTF-8; if the text is in Windows-1252: iconv -f WINDOWS-1252 -t UTF-8 %s > NEW_FILE",
				r.at+1, text[0], r.scan.path))
			if r.ended = fault != nil; r.ended {
				return 0, errEnough
			}
		}
		if r.at += size; c == '\n' {
			r.line, r.at = r.line+1, 0
		}
		text = text[size:]
	}
	r.rest = bytes.Clone(text)
	return n, err
}

// end notes an error after which nothing more is read.
func (r *utf8Reader) end(format string, args ...any) (int, error) {
	r.scan.fault(r.line, fmt.Errorf(format, args...))
	r.ended = true
	return 0, errEnough
}
