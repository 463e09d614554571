package llm

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Requests of any length arrive whole over the same connections, whatever headers
// they have.
func TestLightTransport(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %d %s %d", r.Method, r.ContentLength, r.Header.Get("Long"), len(body))
		w.Write(body)
	}))
	defer server.Close()
	transport := lightTransport()
	defer transport.CloseIdleConnections()
	send := func(method string, header int, parts Parts) (string, error) {
		w := &wire{base: server.URL, header: http.Header{"Content-Type": {jsonType}, "Long": {strings.Repeat("h", header)}}, next: transport}
		resp, err := w.open(t.Context(), method, "/x", jsonType, parts)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		return readBody(resp)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for _, header := range []int{0, 700, 800, 900, 5000} {
				for _, size := range []int{0, 1, 500, 1024, 32 << 10, 32<<10 + 1, 200 << 10} {
					parts := Parts{strings.Repeat("a", size/2), "", strings.Repeat("b", size-size/2)}
					for _, method := range []string{http.MethodGet, http.MethodPost} {
						got, err := send(method, header, parts)
						want := fmt.Sprintf("%s %d %s %d%s", method, size, strings.Repeat("h", header), size, parts)
						if got != want || err != nil {
							t.Errorf("%s with %d bytes and a header of %d: %.60q (error %v), not %.60q", method, size, header, got, err, want)
						}
					}
				}
			}
		})
	}
	all.Wait()
}

// A reply that a server or proxy has compressed is unpacked.
func TestCompressedReply(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		io.WriteString(zip, `{"plain":true}`)
		zip.Close()
	}))
	defer server.Close()
	transport := lightTransport()
	defer transport.CloseIdleConnections()
	w := &wire{base: server.URL, header: http.Header{}, next: transport}
	resp, err := w.open(t.Context(), http.MethodPost, "/x", jsonType, Parts{"{}"})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := readBody(resp); text != `{"plain":true}` || err != nil {
		t.Errorf("%q, error %v", text, err)
	}
}

// A request of usual length is one write.
func TestOneWrite(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	c := &lightConn{Conn: ours}
	go func() {
		defer ours.Close()
		io.WriteString(c, "POST /x HTTP/1.1\r\nContent-Length: 4\r\n\r\n")
		c.ReadFrom(strings.NewReader("body"))
	}()
	buffer := make([]byte, 100)
	n, err := theirs.Read(buffer) // of a pipe: what one write holds
	if got, want := string(buffer[:n]), "POST /x HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody"; got != want || err != nil {
		t.Errorf("first write: %q (error %v), not %q", got, err, want)
	}
}

// resetConn is a connection that the server resets: one of its writes fails.
type resetConn struct {
	net.Conn
	writes *atomic.Int32
	fails  int32
}

func (c resetConn) Write(text []byte) (int, error) {
	if c.writes.Add(1) == c.fails {
		return 0, errors.New("connection reset by peer")
	}
	return c.Conn.Write(text)
}

// A request that has not left when its connection turns out to be closed goes to
// another one, and is no failed attempt.
func TestUnsentGoesElsewhere(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, openAIAnswer(goAnswer, "stop"))
	}))
	defer server.Close()
	var writes atomic.Int32
	transport := lightTransport()
	defer transport.CloseIdleConnections()
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return &lightConn{Conn: resetConn{conn, &writes, 2}}, err
	}
	c, err := New(Provider{Type: TypeOpenAI, BaseURL: server.URL, Retries: -1}, testEnv, Hooks{Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if reply, err := c.Chat(t.Context(), ask("Go?")); err != nil || len(reply.Attempts) != 1 {
			t.Errorf("call %d: %d attempts, error %v", i+1, len(reply.Attempts), err)
		}
	}
	if writes.Load() != 4 {
		t.Errorf("%d writes for 3 requests, one of which did not leave at first", writes.Load())
	}
}

// A server that is asked for leave to send the body is asked at once.
func TestExpectContinue(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	const headers = "POST /x HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"
	go func() {
		defer ours.Close()
		io.WriteString(&lightConn{Conn: ours}, headers)
	}()
	if got, err := io.ReadAll(theirs); string(got) != headers || err != nil {
		t.Errorf("sent: %q (error %v)", got, err)
	}
}

// A server that speaks http where base_url says https is told as that, and not
// asked again.
func TestWrongScheme(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	c, err := New(Provider{Type: TypeOpenAI, BaseURL: "https" + strings.TrimPrefix(server.URL, "http")}, testEnv, Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := c.Chat(t.Context(), ask("Go?"))
	if kindOf(err) != Misconfigured || !strings.Contains(err.Error(), "answers by http, and base_url says https") || len(reply.Attempts) != 1 {
		t.Errorf("%d attempts, error %v", len(reply.Attempts), err)
	}
}
