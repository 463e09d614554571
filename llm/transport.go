package llm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
)

// headerBuffer is what net/http collects of a request before it writes: headers
// are to fit in.
const headerBuffer = 1 << 10

// lightTransport is net/http's, but that connections share what they write
// bodies from.
func lightTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.WriteBufferSize = headerBuffer
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &lightConn{Conn: conn}, nil
	}
	return t
}

// lightConn writes what it reads from a buffer that is borrowed, where net makes
// one each time, and a request's headers together with the beginning of its body,
// where net/http writes them by themselves.
type lightConn struct {
	net.Conn
	headers []byte // of a request whose body comes next
}

func (c *lightConn) Write(text []byte) (int, error) {
	complete := bytes.HasPrefix(text, []byte("POST ")) && bytes.HasSuffix(text, []byte("\r\n\r\n"))
	if complete && !bytes.Contains(text, []byte("\r\nContent-Length: 0\r\n")) && !bytes.Contains(text, []byte("\r\nExpect: ")) {
		c.headers = append(c.headers, text...)
		return len(text), nil
	}
	return c.Conn.Write(text)
}

func (c *lightConn) ReadFrom(r io.Reader) (n int64, err error) {
	buffer := bodyBuffers.Get().(*[]byte)
	defer bodyBuffers.Put(buffer)
	kept := copy(*buffer, c.headers)
	c.headers = c.headers[:0]
	for err == nil {
		var read int
		read, err = r.Read((*buffer)[kept:])
		if kept+read > 0 {
			if sent, failed := c.Conn.Write((*buffer)[:kept+read]); failed != nil {
				if sent == 0 && kept > 0 {
					failed = &unsentError{failed}
				}
				return n, failed
			}
			n, kept = n+int64(read), 0
		}
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// An unsentError says that nothing of a request has left, as when the server has
// closed a connection that was kept: net/http, which believes the headers written,
// does not take such a request to another connection.
type unsentError struct{ error }

func (u *unsentError) Unwrap() error { return u.error }

// mostUnsent is how many connections a request is taken to.
const mostUnsent = 10

func unsent(err error) bool {
	_, is := errors.AsType[*unsentError](err)
	return is
}

var bodyBuffers = sync.Pool{New: func() any { return new(make([]byte, 32<<10)) }}
