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
	MaxBody      = 64 << 10            // maximum bytes of the body of a request
	SessionAge   = 30 * 24 * time.Hour // lifetime of a session
	ownerCookie  = "compqa_pages"      // cookie of the owner's session
	mostSessions = 10                  // maximum number of the owner's sessions; a further one ends the oldest
)

// Secure wraps a handler: it sets security headers, forbids caching, limits bodies to MaxBody, and refuses requests from other sites and
// for unknown hosts. The check of the host stops DNS rebinding, where an attacker's host name resolves to this machine.
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

// SetSession sets the cookie of a session. If session is "", it deletes the cookie.
func SetSession(w http.ResponseWriter, r *http.Request, name, session string) {
	age := int(SessionAge.Seconds())
	if session == "" {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{Name: name, Value: session, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, MaxAge: age,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"})
}

// An Owner gives access to pages to browsers that opened the owner's link, /o/TOKEN. Opening the link shows a button, so link previews,
// which do not press it, get no access. POST to …/leave ends the session. The cookie has a random session id, never the token. Sessions
// end with the server.
type Owner struct {
	Token  string // "": every browser has access
	Home   string // the first page
	Pages  http.Handler
	Refuse http.HandlerFunc // answers browsers without a session; nil: a message says what to do

	mu       sync.Mutex
	sessions []ownerSession
}

type ownerSession struct {
	id    string
	until time.Time
}

// ServeHTTP answers a GET of the owner's link with the button, and a POST to it by starting a session. With a session, it ends the session
// on a POST to …/leave, and passes other requests on to Pages. It refuses all other requests.
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

// same compares two secrets in constant time.
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

// Local reports whether an address to listen on can be reached only from this machine.
func Local(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// A Listener is an open port, with the addresses at which browsers can reach it.
type Listener struct {
	net.Listener
	Addresses []string // http://HOST:PORT; the first works on this machine
	Warning   string   // says that others can read along; "" if only this machine can reach the port
}

// Listen opens a port. If it listens on all interfaces (0.0.0.0, [::] or none), Addresses has each address of this machine.
func Listen(listen string) (*Listener, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w; another address: --listen 127.0.0.1:0", listen, err)
	}
	address := l.Addr().(*net.TCPAddr) // always the case for TCP
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

// knownHost reports whether a Host header names this machine, a host that the owner listed, or an IP address. An attacker's host name that
// resolves to this machine is none of these.
func knownHost(hosts []string, host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	return host == "localhost" || net.ParseIP(host) != nil || slices.ContainsFunc(hosts,
		func(known string) bool { return strings.EqualFold(known, host) })
}

// mostConnections is the maximum number of connections at once. It suffices for a thousand watchers, and leaves file descriptors for a
// run.
const mostConnections = 1500

// connections returns the maximum number of connections, given the number of file descriptors of the process (0: unknown). It leaves half
// of them for other work.
func connections(descriptors int64) int {
	if descriptors <= 0 {
		return mostConnections
	}
	return int(max(16, min(mostConnections, descriptors/2)))
}

// Serve serves until ctx ends, and then gives open requests one second. Limits stop slow clients and too many connections.
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
