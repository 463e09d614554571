// Package shell has the common parts of all pages: security headers, limits, the renderer of Markdown, and the style sheet.
package shell

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/netutil"
)

//go:embed style.css
var Style []byte

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

const (
	MaxBody      = 64 << 10            // bytes of the body of a request, at most
	SessionAge   = 30 * 24 * time.Hour // how long a browser keeps a session
	ownerCookie  = "compqa_pages"      // keeps the owner's session in a browser
	mostSessions = 10                  // browsers that an owner's link opens at a time; the oldest session ends when there are more
)

// Secure wraps a handler: security headers, no caching, bodies of at most MaxBody, no requests from other sites, and no
// unknown Host. The last one stops DNS rebinding, where a foreign name is made to point at this machine.
func Secure(hosts []string, next http.Handler) http.Handler {
	sameSite := http.NewCrossOriginProtection().Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !knownHost(hosts, r.Host) {
			http.Error(w, "unknown host", http.StatusMisdirectedRequest)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
		sameSite.ServeHTTP(w, r)
	})
}

// SetSession sets the cookie of a session, and with an empty session removes it.
func SetSession(w http.ResponseWriter, r *http.Request, name, session string) {
	age := int(SessionAge.Seconds())
	if session == "" {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{Name: name, Value: session, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, MaxAge: age,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"})
}

// An Owner admits browsers that opened the owner's link, /o/TOKEN, to pages. A preview of the link gets
// no access, because the page of the link has a button; POST to …/leave ends the session. The cookie
// holds a session of this browser, never the token of the link. Sessions end with the server.
type Owner struct {
	Token  string // "": every browser has access
	Home   string // the first page
	Pages  http.Handler
	Refuse http.HandlerFunc // answers browsers without a session; nil: by saying what to do

	mu       sync.Mutex
	sessions []ownerSession
}

type ownerSession struct {
	id    string
	until time.Time
}

// ServeHTTP lets the owner in by a link with the token, which sets a cookie, and refuses others.
func (g *Owner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	given, link := strings.CutPrefix(r.URL.Path, "/o/")
	cookie, err := r.Cookie(ownerCookie)
	known := err == nil && g.known(cookie.Value)
	switch {
	case g.Token == "":
		g.Pages.ServeHTTP(w, r)
	case link && same(given, g.Token) && r.Method == http.MethodPost:
		SetSession(w, r, ownerCookie, g.begin())
		http.Redirect(w, r, g.Home, http.StatusSeeOther)
	case link && same(given, g.Token):
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>compqa</title></head>` +
			`<body><main><h1>compqa</h1><form method="post"><button>Show the pages</button></form></main></body></html>`))
	case !known && g.Refuse != nil:
		g.Refuse(w, r)
	case !known:
		http.Error(w, "Open the link that the server printed.", http.StatusUnauthorized)
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/leave"):
		g.end(cookie.Value)
		SetSession(w, r, ownerCookie, "")
		http.Error(w, "You are logged out.", http.StatusOK)
	default:
		g.Pages.ServeHTTP(w, r)
	}
}

// same compares secrets in constant time.
func same(a, b string) bool {
	x := sha256.Sum256([]byte(a))
	y := sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

func (g *Owner) begin() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := ownerSession{rand.Text(), time.Now().Add(SessionAge)}
	g.sessions = append(g.sessions[max(0, len(g.sessions)-mostSessions+1):], s)
	return s.id
}

func (g *Owner) known(id string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.ContainsFunc(g.sessions, func(s ownerSession) bool { return same(s.id, id) && time.Now().Before(s.until) })
}

func (g *Owner) end(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sessions = slices.DeleteFunc(g.sessions, func(s ownerSession) bool { return same(s.id, id) })
}

// Local reports whether an address to listen on is reached from this machine alone.
func Local(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// A Listener is an open port with the addresses at which browsers reach it.
type Listener struct {
	net.Listener
	Addresses []string // http://HOST:PORT; the first works on this machine
	Warning   string   // others can listen in; "" on this machine alone
}

// Listen opens a port. An address for all interfaces (0.0.0.0, [::] or none) is reached at each address of this machine.
func Listen(listen string) (*Listener, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; another address: --listen 127.0.0.1:0", listen, err)
	}
	address := l.Addr().(*net.TCPAddr) // that of any listener of TCP
	hosts := []string{address.IP.String()}
	if address.IP.IsUnspecified() {
		hosts = []string{"127.0.0.1"}
		addresses, _ := net.InterfaceAddrs()
		for _, a := range addresses {
			if n, is := a.(*net.IPNet); is && n.IP.IsGlobalUnicast() {
				hosts = append(hosts, n.IP.String())
			}
		}
	}
	opened := &Listener{Listener: l}
	for _, host := range hosts {
		opened.Addresses = append(opened.Addresses, "http://"+net.JoinHostPort(host, strconv.Itoa(address.Port)))
	}
	if !Local(l.Addr().String()) {
		opened.Warning = "Other machines can reach these pages, and the connection is not encrypted (no TLS): everyone on the network can " +
			"read along. Use a proxy with TLS, or ssh -L."
	}
	return opened, nil
}

// knownHost accepts this machine's names, the names that the owner listed, and addresses: a foreign
// name that is made to point at this machine is none of them.
func knownHost(hosts []string, host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	return host == "localhost" || net.ParseIP(host) != nil || slices.ContainsFunc(hosts,
		func(known string) bool { return strings.EqualFold(known, host) })
}

// mostConnections is the most connections at once: enough for a thousand watchers, and too few to
// take the file descriptors of a run next to it.
const mostConnections = 1500

// connections returns the most connections that leave a process with so many file descriptors half of them
// for its own work; 0 descriptors: unknown.
func connections(descriptors int64) int {
	if descriptors <= 0 {
		return mostConnections
	}
	return int(max(16, min(mostConnections, descriptors/2)))
}

// Serve serves until ctx ends, with limits that stop slow clients and too many of them, and then
// gives open requests a second.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
	l = netutil.LimitListener(l, connections(descriptors()))
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10}
	stop := context.AfterFunc(ctx, func() {
		soon, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(soon) != nil {
			server.Close()
		}
	})
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
