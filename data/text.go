package data

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// ReadText reads a file, or standard input for "-". The text must be UTF-8 with at most MostText bytes. The string is the name of the file
// for messages.
func ReadText(path string) ([]byte, string, error) {
	u, err := openInput(path)
	if err != nil {
		return nil, path, err
	}
	defer u.Close()
	text, err := readAll(decoded(u.Reader, u.Path, nil), u.Path, MostText)
	return []byte(text), u.Path, err
}

// decoded returns a reader of a text as UTF-8, without a byte-order mark, and with lines that end in a line feed. note receives what was
// guessed; if note is nil, a guess is an error.
func decoded(r io.Reader, path string, note func(string)) io.Reader {
	head := bufio.NewReaderSize(r, 1<<16)
	first, _ := head.Peek(1 << 10)
	order := unicode.LittleEndian
	bom := unicode.UseBOM
	switch marked := bytes.HasPrefix(first, []byte("\xff\xfe")) || bytes.HasPrefix(first, []byte("\xfe\xff")); {
	case !marked && !isUTF16(first):
		if bytes.HasPrefix(first, []byte("\ufeff")) {
			head.Discard(len("\ufeff"))
		}
		return &textReader{r: head, path: path, note: note, buffer: make([]byte, 1<<16)}
	case !marked && note == nil:
		return failing{&LineError{path, 1, fmt.Errorf("this is UTF-16; UTF-8 is needed: iconv -f UTF-16 -t UTF-8 %s > NEW_FILE", path)}}
	case !marked:
		bom = unicode.IgnoreBOM
		if first[0] == 0 {
			order = unicode.BigEndian
		}
	}
	if note != nil {
		note(fmt.Sprintf("%s was read as UTF-16", path))
	}
	return &textReader{r: unicode.UTF16(order, bom).NewDecoder().Reader(head), path: path, note: note, buffer: make([]byte, 1<<16)}
}

// isUTF16 reports whether a text without a byte-order mark looks like UTF-16: many bytes are NUL, all of them at even or all at odd
// positions.
func isUTF16(text []byte) bool {
	var zeros [2]int
	for i := range text {
		if text[i] == 0 {
			zeros[i%2]++
		}
	}
	return min(zeros[0], zeros[1]) == 0 && 3*max(zeros[0], zeros[1]) > len(text)
}

// failing is a reader that returns only an error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// A textReader checks that a text is UTF-8. If the first byte beyond ASCII is not UTF-8, the whole text is read as Windows-1252. If the
// text has UTF-8 characters, a byte that is not UTF-8 becomes U+FFFD. Both are reported to note, or are errors if note is nil.
type textReader struct {
	r       io.Reader
	path    string
	note    func(string)
	buffer  []byte
	kept    int    // bytes at the beginning of the buffer that belong to an incomplete character
	decoded []byte // decoded bytes that Read has not yet returned
	err     error

	begun, latin, utf8, replaced bool
	carriage                     bool // lines end in CR alone
	line, column                 int  // of the next byte, from 0
}

func (t *textReader) Read(p []byte) (int, error) {
	for len(t.decoded) == 0 && t.err == nil {
		t.fill()
	}
	n := copy(p, t.decoded)
	t.decoded = t.decoded[n:]
	if n > 0 {
		return n, nil
	}
	return 0, t.err
}

// fill decodes the next part of the text.
func (t *textReader) fill() {
	n, err := io.ReadAtLeast(t.r, t.buffer[t.kept:], len(t.buffer)-t.kept) // a full buffer, so that its bounds do not depend on reads
	chunk := t.buffer[:t.kept+n]
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	if !t.begun {
		t.begun = true
		cr := bytes.IndexByte(chunk, '\r')
		lf := bytes.IndexByte(chunk, '\n')
		t.carriage = cr >= 0 && cr < len(chunk)-1 && lf < 0
		if t.carriage && t.note != nil {
			t.note(fmt.Sprintf("%s has lines that end in CR alone, as of old Macs; they were read as lines", t.path))
		}
	}
	if t.carriage {
		for i, c := range chunk {
			if c == '\r' {
				chunk[i] = '\n'
			}
		}
	}
	text, rest, fault := t.characters(chunk, err == io.EOF)
	t.decoded = text
	t.err = err
	if fault != nil {
		t.err = fault
	}
	t.kept = len(rest)
	if t.err == nil {
		t.decoded = bytes.Clone(text) // a copy, since the buffer is filled again
		copy(t.buffer, rest)
	}
}

// characters returns the complete characters of a chunk as UTF-8, and the remaining bytes. last says that the text ends with the chunk.
func (t *textReader) characters(chunk []byte, last bool) (text, rest []byte, fault error) {
	if index := bytes.IndexByte(chunk, 0); index >= 0 {
		t.pass(chunk[:index])
		return chunk[:index], nil, t.errorf("byte %d is NUL (0x00), so this is not a text file, or it is damaged", t.column+1)
	}
	for !t.latin {
		valid, foreign := validPrefix(chunk[len(text):])
		t.utf8 = t.utf8 || foreign
		t.pass(chunk[len(text) : len(text)+valid])
		text = chunk[:len(text)+valid]
		switch rest = chunk[len(text):]; {
		case len(rest) == 0, !last && len(rest) < utf8.UTFMax && !utf8.FullRune(rest):
			return text, rest, nil
		case t.note == nil:
			return text, nil, t.errorf("byte %d (0x%02x) is not UTF-8; if the text is in Windows-1252: "+
				"iconv -f WINDOWS-1252 -t UTF-8 %s > NEW_FILE", t.column+1, rest[0], t.path)
		case t.utf8:
			if !t.replaced {
				t.replaced = true
				t.note(fmt.Sprintf("%s:%d has a byte that is not UTF-8 (0x%02x); such bytes were read as \ufffd", t.path, t.line+1,
					rest[0]))
			}
			chunk = append(append(bytes.Clone(text), "\ufffd"...), rest[1:]...)
			text = chunk[:len(text)+len("\ufffd")]
		default:
			t.latin = true
			t.note(fmt.Sprintf("%s is not UTF-8; it was read as Windows-1252", t.path))
		}
	}
	rest = chunk[len(text):]
	for i, c := range rest {
		switch c {
		case 0x81, 0x8d, 0x8f, 0x90, 0x9d: // which Windows-1252 does not use
			t.pass(rest[:i])
			return text, nil, t.errorf("byte %d (0x%02x) is neither UTF-8 nor Windows-1252; convert the file to UTF-8 with iconv",
				t.column+1, c)
		}
	}
	t.pass(rest)
	more, err := charmap.Windows1252.NewDecoder().Bytes(rest)
	return append(bytes.Clone(text), more...), nil, err
}

// validPrefix returns the length of the longest prefix that is UTF-8. foreign says that the prefix has characters beyond ASCII.
func validPrefix(text []byte) (n int, foreign bool) {
	for n < len(text) {
		if text[n] < utf8.RuneSelf {
			n++
			continue
		}
		r, size := utf8.DecodeRune(text[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
		foreign = true
	}
	return n, foreign
}

// pass updates the position by the bytes of a text.
func (t *textReader) pass(text []byte) {
	if lines := bytes.Count(text, []byte("\n")); lines > 0 {
		t.line += lines
		t.column = 0
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	t.column += len(text)
}

func (t *textReader) errorf(format string, args ...any) error {
	return &LineError{t.path, t.line + 1, fmt.Errorf(format, args...)}
}
