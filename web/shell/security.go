// Package shell is what all pages of the program share: security headers, limits, the
// renderer of Markdown, and the style sheet.
package shell

import (
	"context"
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
