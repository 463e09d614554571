package llm

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
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
