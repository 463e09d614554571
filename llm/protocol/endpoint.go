package protocol

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http/httpproxy"

	"compqa/llm"
)

// Endpoint sends HTTP requests to one server. All protocols use it.
type Endpoint struct {
	Base      string      // address without query and final slash
	query     string      // query of each request
	Header    http.Header // headers of each request
	Transport http.RoundTripper
	timeout   time.Duration
	atOnce    int   // the provider's concurrency
	maxReply  int64 // most bytes of a reply
}

// NewEndpoint returns the endpoint of a provider. It uses a transport instead of an http.Client, which would turn a redirected POST into a
// GET. It keeps as many connections as requests may be in flight. next is the transport; nil means a new one. An address that contains a
// key or a password is an error.
func NewEndpoint(p llm.Provider, key string, headers map[string]string, next http.RoundTripper) (*Endpoint, error) {
	u, err := url.Parse(p.BaseURL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, llm.Errorf(llm.Misconfigured, "base_url must be an http or https address")
	case u.User != nil:
		return nil, llm.Errorf(llm.Misconfigured, "base_url contains a password: use api_key_env, or headers with ${NAME}")
	}
	for name := range u.Query() {
		if credential(name) {
			return nil, llm.Errorf(llm.Misconfigured, "base_url contains a key (%s): use api_key_env", name)
		}
	}
	maxReply, err := parseSize(cmp.Or(p.MaxReply, "1MiB"))
	if err != nil {
		return nil, err
	}
	if next == nil {
		next = NewTransport(p.Concurrency)
	}
	w := &Endpoint{query: u.RawQuery, Header: http.Header{"Content-Type": {"application/json"}}, timeout: p.Timeout,
		atOnce: p.Concurrency, Transport: next, maxReply: maxReply}
	u.RawQuery = ""
	u.Fragment = ""
	w.Base = strings.TrimRight(u.String(), "/")
	for name, value := range headers {
		w.Header.Set(name, value)
	}
	if p.Organisation != "" {
		w.Header.Set("OpenAI-Organization", p.Organisation)
	}
	switch {
	case key == "":
	case p.APIKeyHeader != "":
		w.Header.Set(p.APIKeyHeader, key)
	default:
		w.Header.Set("Authorization", "Bearer "+key)
	}
	return w, nil
}

// NewTransport returns a transport that keeps as many connections as requests may be in flight. It obeys the environment's proxy variables.
func NewTransport(concurrency int) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	// http.ProxyFromEnvironment uses the variables as they were at its first call, which another package may have made.
	proxyOf := httpproxy.FromEnvironment().ProxyFunc()
	t.Proxy = func(r *http.Request) (*url.URL, error) { return proxyOf(r.URL) }
	t.MaxIdleConns = 0
	t.MaxResponseHeaderBytes = MaxRaw
	t.MaxIdleConnsPerHost = concurrency
	t.OnProxyConnectResponse = func(_ context.Context, proxy *url.URL, _ *http.Request, resp *http.Response) error {
		if resp.StatusCode == http.StatusOK {
			return nil
		}
		e := llm.Errorf(llm.Misconfigured, "the proxy %s refuses the connection: %s (HTTPS_PROXY, NO_PROXY)", proxy.Host, resp.Status)
		e.Concerns = llm.AllModels
		e.Unbilled = true
		return e
	}
	return t
}

// credential reports whether a query field with this name contains a key.
func credential(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	return name == "key" || strings.HasSuffix(name, "api-key") || strings.HasSuffix(name, "apikey") ||
		strings.HasSuffix(name, "token") || strings.Contains(name, "authorization") || strings.Contains(name, "secret")
}

// harmless lists headers whose values may be in the configuration, which is recorded. All other values come from the environment.
var harmless = []string{"accept", "accept-language", "anthropic-beta", "anthropic-version", "http-referer", "openai-beta",
	"referer", "user-agent", "x-title"}

// scheme matches what may precede the variable in the value of an authorization.
var scheme = regexp.MustCompile(`^(?i:basic|bearer|token)?$`)

// ExpandHeaders replaces ${NAME} in the values of headers. It also returns the values of the variables, which are secrets. A header with a
// literal value is an error, unless it is one of harmless.
func ExpandHeaders(headers map[string]string, getenv func(string) string) (map[string]string, []string, error) {
	expanded := map[string]string{}
	var values []string
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		missing := ""
		expanded[name] = os.Expand(headers[name], func(variable string) string {
			v := getenv(variable)
			if v == "" {
				missing = variable
			}
			values = append(values, v)
			return v
		})
		if missing != "" {
			return nil, nil, llm.Errorf(llm.Misconfigured, "environment variable %s of header %s is not set", missing, name)
		}
		written := os.Expand(headers[name], func(string) string { return "" })
		if !slices.Contains(harmless, strings.ToLower(name)) && (!scheme.MatchString(strings.TrimSpace(written)) || expanded[name] == written) {
			return nil, nil, llm.Errorf(llm.Misconfigured,
				"the value of header %s may be a secret, but the configuration is recorded: use ${NAME}, an environment variable", name)
		}
	}
	return expanded, values, nil
}

var errTimeout = errors.New("time-out")

// WithTimeout limits the time for one request and its reply.
func (w *Endpoint) WithTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, w.timeout, errTimeout)
}

// TransportError returns the *llm.Error for an error of a request. ctx is the caller's context, and inner the context with the time limit.
// A failed connection is retriable; a wrong certificate is not.
func (w *Endpoint) TransportError(ctx, inner context.Context, err error) *llm.Error {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e
	}
	if ctx.Err() != nil {
		return llm.ContextError(ctx)
	}
	if context.Cause(inner) == errTimeout {
		e := llm.Errorf(llm.Failed, "no complete reply within %s (timeout of the provider)", w.timeout)
		if w.atOnce > 1 {
			e.Message = fmt.Sprintf("lower the concurrency if the server answers fewer than %d requests at once: %s", w.atOnce, e.Message)
		}
		e.Retriable = true
		e.TimedOut = true
		return e
	}
	if record, ok := errors.AsType[tls.RecordHeaderError](err); ok && string(record.RecordHeader[:]) == "HTTP/" {
		return llm.Errorf(llm.Misconfigured, "the server answers with http, but base_url says https")
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return llm.Errorf(llm.Misconfigured, "%s", err)
	}
	e := llm.Errorf(llm.Failed, "no complete reply from %s: %s", w.Base, err)
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		e.Message = "this machine has too few file descriptors for so many connections: raise the limit (ulimit -n), or lower concurrency"
	}
	e.Retriable = true
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "dial" || op.Op == "proxyconnect") {
		e.Unbilled = true
		if op.Op == "proxyconnect" {
			e.Message = fmt.Sprintf("the proxy of HTTPS_PROXY does not answer: %s", op.Err)
		}
	}
	return e
}

// Send sends a request with a JSON body; see Do.
func (w *Endpoint) Send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, w.Base+path, bytes.NewReader(body))
	if err != nil {
		return nil, llm.Errorf(llm.Misconfigured, "%s", err)
	}
	return w.Do(r)
}

// Do sends a request with the provider's headers and query. It passes the headers of the response to the function of WithHeaderFunc. It
// returns a 2xx response, whose body the caller closes; any other response becomes an *llm.Error. The client of go-openai uses an Endpoint
// through this method.
func (w *Endpoint) Do(r *http.Request) (*http.Response, error) {
	if w.query != "" {
		r.URL.RawQuery = strings.Trim(r.URL.RawQuery+"&"+w.query, "&")
	}
	contentType := r.Header.Get("Content-Type")
	r.Header = w.Header.Clone()
	r.Header.Set("Content-Type", cmp.Or(contentType, "application/json"))
	resp, err := w.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if read, ok := r.Context().Value(headerFunc{}).(func(http.Header)); ok {
		read(resp.Header)
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	text, _ := readBody(resp, MaxRaw+RawSlack) // the beginning of an error's body is enough
	return nil, statusError(resp, text)
}

// objects is an HTTP client for go-openai whose replies must be JSON objects. Any other reply becomes an *llm.Error.
type objects struct{ *Endpoint }

// Do sends a request and returns a response whose body is one JSON object.
func (o objects) Do(r *http.Request) (*http.Response, error) {
	resp, err := o.Endpoint.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := readBody(resp, MaxBody)
	if e := bodyError(text); err == nil && e != nil {
		err = e
	}
	resp.Body = io.NopCloser(strings.NewReader(text))
	return resp, err
}

// headerFunc is the context key of the function that reads headers.
type headerFunc struct{}

// WithHeaderFunc returns a context. Requests with it pass the headers of their responses to read.
func WithHeaderFunc(ctx context.Context, read func(http.Header)) context.Context {
	return context.WithValue(ctx, headerFunc{}, read)
}

// withTimeout calls do within the time limit of one request. The error is an *llm.Error.
func withTimeout[T any](ctx context.Context, w *Endpoint, do func(context.Context) (T, error)) (T, error) {
	inner, cancel := w.WithTimeout(ctx)
	defer cancel()
	value, err := do(inner)
	var wrongType *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrongType):
		return value, ReplyError(llm.Failed, "the reply is unreadable: %s", err)
	case err != nil:
		return value, w.TransportError(ctx, inner, err)
	}
	return value, nil
}

// Fetch sends one request for a JSON object, within the time limit.
func (w *Endpoint) Fetch(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	text, err := w.receive(ctx, method, path, body, MaxBody)
	if e := bodyError(text); err == nil && e != nil {
		err = e
	}
	return []byte(text), err
}

// receive sends one request within the time limit. It returns the body of its 2xx response, of at most most bytes. With an error it returns
// what was received.
func (w *Endpoint) receive(ctx context.Context, method, path string, body []byte, most int64) (string, error) {
	return withTimeout(ctx, w, func(ctx context.Context) (string, error) {
		resp, err := w.Send(ctx, method, path, body)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		return readBody(resp, most)
	})
}
