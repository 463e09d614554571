// Package shell has the common parts of all pages: security headers, limits, the renderer
// of Markdown, and the style sheet.
package shell

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"
)

//go:embed style.css
var Style []byte

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// MaxBody is the largest body of a request, in bytes.
const MaxBody = 64 << 10

// Secure wraps a handler: security headers, no caching, bodies of at most MaxBody, no
// requests from other sites, and no unknown Host. The last one stops DNS rebinding, where a
// foreign name is made to point at this machine.
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

// ownerCookie keeps the owner's token in a browser.
const ownerCookie = "compqa_pages"

// Owner wraps pages for an owner: a browser must send the token once, with a link to /o/TOKEN.
// A preview of the link gets no access, because the page of the link has a button. Without a
// token, every browser has access.
func Owner(token string, next http.Handler) http.Handler {
	if token == "" {
		return next
	}
	same := func(given string) bool {
		a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(token))
		return subtle.ConstantTimeCompare(a[:], b[:]) == 1
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if given, is := strings.CutPrefix(r.URL.Path, "/o/"); is && same(given) {
			if r.Method == http.MethodPost {
				http.SetCookie(w, &http.Cookie{Name: ownerCookie, Value: token, Path: "/", HttpOnly: true, Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https", SameSite: http.SameSiteLaxMode, MaxAge: 60 * 24 * 3600})
				http.Redirect(w, r, "/", http.StatusSeeOther)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Write([]byte(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>compqa</title></head><body><main><h1>compqa</h1><form method="post"><button>Show the pages</button></form></main></body></html>`))
			return
		}
		if c, err := r.Cookie(ownerCookie); err != nil || !same(c.Value) {
			http.Error(w, "Open the link that the server printed.", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Local reports whether an address to listen on is reached from this machine alone.
func Local(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// knownHost accepts the names of this machine and those that the owner listed.
func knownHost(hosts []string, host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	return host == "localhost" || host == "127.0.0.1" || host == "::1" || slices.Contains(hosts, strings.ToLower(host))
}

// Serve serves until ctx ends, with limits that stop slow clients, and then gives open
// requests a second.
func Serve(ctx context.Context, l net.Listener, h http.Handler) error {
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
