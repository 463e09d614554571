package shell

import (
	"context"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestOwnerSessions: the owner's cookie has a session id, not the link's token. A session ends with /leave, or when many later browsers
// have opened the link.
func TestOwnerSessions(t *testing.T) {
	server := httptest.NewServer(&Owner{Token: "token", Home: "/",
		Pages: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("pages")) })})
	defer server.Close()
	browser := func() *http.Client { jar, _ := cookiejar.New(nil); return &http.Client{Jar: jar} }
	code := func(c *http.Client, method, path string) int {
		t.Helper()
		r, _ := http.NewRequest(method, server.URL+path, nil)
		reply, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		return reply.StatusCode
	}
	first := browser()
	if got := code(first, "GET", "/"); got != http.StatusUnauthorized {
		t.Errorf("before: %d", got)
	}
	code(first, "GET", "/o/token")
	if got := code(first, "GET", "/"); got != http.StatusUnauthorized {
		t.Errorf("the link alone: %d", got)
	}
	code(first, "POST", "/o/token")
	if got := code(first, "GET", "/"); got != http.StatusOK {
		t.Errorf("with a session: %d", got)
	}
	r, _ := http.NewRequest("GET", server.URL+"/", nil)
	r.AddCookie(&http.Cookie{Name: ownerCookie, Value: "token"})
	if reply, err := http.DefaultClient.Do(r); err != nil || reply.StatusCode != http.StatusUnauthorized {
		t.Errorf("the token of the link is a session: %v, %v", reply.StatusCode, err)
	}
	second := browser()
	code(second, "POST", "/o/token")
	code(second, "POST", "/leave")
	if got := code(second, "GET", "/"); got != http.StatusUnauthorized {
		t.Errorf("after leaving: %d", got)
	}
	for range mostSessions {
		code(browser(), "POST", "/o/token")
	}
	if got := code(first, "GET", "/"); got != http.StatusUnauthorized {
		t.Errorf("the oldest of many sessions: %d", got)
	}
}

// TestListen: every printed address answers, also if the port is open on all interfaces. Only in that case there is a warning.
func TestListen(t *testing.T) {
	for listen, open := range map[string]bool{"127.0.0.1:0": false, "0.0.0.0:0": true, ":0": true} {
		l, err := Listen(listen)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		go Serve(ctx, l, Secure(nil, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("pages")) })))
		for _, address := range l.Addresses {
			reply, err := http.Get(address + "/")
			if err != nil || reply.StatusCode != http.StatusOK || strings.Contains(address, "0.0.0.0") || strings.Contains(address, "[::]") {
				t.Errorf("%s: %s: %v, %v", listen, address, reply, err)
			}
		}
		if open != (l.Warning != "") || len(l.Addresses) == 0 {
			t.Errorf("%s: %v, warning %q", listen, l.Addresses, l.Warning)
		}
		stop()
	}
	if _, err := Listen("nonsense"); err == nil || !strings.Contains(err.Error(), "127.0.0.1:0") {
		t.Errorf("%v", err)
	}
}
