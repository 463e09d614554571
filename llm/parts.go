package llm

import (
	"io"
	"strings"
)

// Parts are a text in parts. Prompts are long, there is one for each request under
// way, and most of each is the same in all: they are neither joined nor held in a
// buffer of their connection.
type Parts []string

// String is the text.
func (p Parts) String() string { return strings.Join(p, "") }

func (p Parts) size() (n int64) {
	for _, part := range p {
		n += int64(len(part))
	}
	return n
}

func (p Parts) reader() (io.ReadCloser, error) { return &partsReader{parts: p}, nil }

type partsReader struct {
	parts Parts
	read  int // bytes of the first part
}

func (r *partsReader) Read(into []byte) (n int, err error) {
	for len(r.parts) > 0 && n < len(into) {
		copied := copy(into[n:], r.parts[0][r.read:])
		n, r.read = n+copied, r.read+copied
		if r.read == len(r.parts[0]) {
			r.parts, r.read = r.parts[1:], 0
		}
	}
	if n == 0 && len(into) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (r *partsReader) Close() error { return nil }
