package protocol

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"compqa/llm"
)

// wire is the HTTP connection to one server: what both protocols share.
type Endpoint struct {
	Base      string      // without the query and a slash at the end
	query     string      // of each request
	Header    http.Header // of each request, which may share it
	Transport http.RoundTripper
	timeout   time.Duration
}

// newWire makes what a provider's requests go through. That is no http.Client: it
// would turn a redirected POST into a GET, and copies each request's headers in
// case it is redirected. Connections are kept for as many requests as may be under
// way.
func NewEndpoint(p llm.Provider, key string, headers map[string]string, next http.RoundTripper) (*Endpoint, error) {
	u, err := url.Parse(p.BaseURL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, llm.Errorf(llm.Misconfigured, "base_url isn't an http or https address")
	case u.User != nil:
		return nil, llm.Errorf(llm.Misconfigured, "base_url holds a password: use api_key_env, or headers with ${NAME}")
	}
	for name := range u.Query() {
		if credential(name) {
			return nil, llm.Errorf(llm.Misconfigured, "base_url holds a key (%s): use api_key_env", name)
		}
	}
	if next == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.MaxIdleConns = 0
		t.MaxIdleConnsPerHost = p.Concurrency
		next = t
	}
	w := &Endpoint{query: u.RawQuery, Header: http.Header{"Content-Type": {ContentTypeJSON}}, timeout: p.Timeout, Transport: next}
	u.RawQuery, u.Fragment = "", ""
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

// credential says whether a header or a query field of this name carries a key.
func credential(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	return name == "key" || strings.HasSuffix(name, "api-key") || strings.HasSuffix(name, "apikey") ||
		strings.HasSuffix(name, "token") || strings.Contains(name, "authorization") || strings.Contains(name, "secret")
}

// expandHeaders replaces ${NAME} in the values of headers, and returns the
// values of those variables, which are secrets. A key that stands in the
// configuration itself is refused.
func ExpandHeaders(headers map[string]string, getenv func(string) string) (map[string]string, []string, error) {
	expanded := map[string]string{}
	var values []string
	for name, text := range headers {
		var missing string
		value := os.Expand(text, func(variable string) string {
			v := getenv(variable)
			if v == "" {
				missing = variable
			}
			values = append(values, v)
			return v
		})
		if missing != "" {
			return nil, nil, llm.Errorf(llm.Misconfigured, "environment variable %s of header %s isn't set", missing, name)
		}
		if value == text && credential(name) {
			return nil, nil, llm.Errorf(llm.Misconfigured, "header %s holds a key: write ${NAME} of an environment variable", name)
		}
		expanded[name] = value
	}
	return expanded, values, nil
}

var errTimeout = errors.New("time-out")

// timed bounds one request with its reply.
func (w *Endpoint) WithTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, w.timeout, errTimeout)
}

// failure turns an error of a request into an *Error. ctx is the caller's
// context, inner the timed one. A connection that can't be made or breaks is
// worth another try; a certificate that doesn't fit isn't.
func (w *Endpoint) TransportError(ctx, inner context.Context, err error) *llm.Error {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e
	}
	if ctx.Err() != nil {
		return llm.ContextError(ctx)
	}
	if context.Cause(inner) == errTimeout {
		e := llm.Errorf(llm.Failed, "no complete reply within %s", w.timeout)
		e.Retriable = true
		return e
	}
	if record, ok := errors.AsType[tls.RecordHeaderError](err); ok && string(record.RecordHeader[:]) == "HTTP/" {
		return llm.Errorf(llm.Misconfigured, "the server answers by http, and base_url says https")
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return llm.Errorf(llm.Misconfigured, "%s", err)
	}
	e := llm.Errorf(llm.Failed, "no complete reply from %s: %s", w.Base, err)
	e.Retriable = true
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		e.Unbilled = true
	}
	return e
}

const ContentTypeJSON = "application/json"

// open sends a request, with the provider's headers and query, and listens to
// what the reply says of rate limits. It returns a 2xx response, whose body the caller closes;
// any other response is an *Error made of its body.
func (w *Endpoint) Open(ctx context.Context, method, path, contentType string, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, w.Base+path, strings.NewReader(body))
	if err != nil {
		return nil, llm.Errorf(llm.Misconfigured, "%s", err)
	}
	if w.query != "" {
		r.URL.RawQuery = w.query
	}
	r.Header = w.Header.Clone()
	r.Header.Set("Content-Type", contentType)
	resp, err := w.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if heard, ok := ctx.Value(headersKey{}).(func(http.Header)); ok {
		heard(resp.Header)
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	text, _ := ReadBody(resp) // what came of an error's body will do
	return nil, statusError(resp, text)
}

// fetch does one request for a JSON object, within the time-out.
func (w *Endpoint) Fetch(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	return w.Send(ctx, method, path, ContentTypeJSON, string(body))
}

func (w *Endpoint) Send(ctx context.Context, method, path, contentType string, body string) ([]byte, error) {
	text, err := w.receive(ctx, method, path, contentType, body)
	if err != nil {
		return nil, err
	}
	if e := bodyError(text); e != nil {
		e.HTTPStatus = http.StatusOK
		return nil, e
	}
	return []byte(text), nil
}

// receive does one request within the time-out, and returns the body of its 2xx
// response; with an error, what of it came.
func (w *Endpoint) receive(ctx context.Context, method, path, contentType string, body string) (string, error) {
	inner, cancel := w.WithTimeout(ctx)
	defer cancel()
	resp, err := w.Open(inner, method, path, contentType, body)
	if err != nil {
		return "", w.TransportError(ctx, inner, err)
	}
	defer resp.Body.Close()
	text, err := ReadBody(resp)
	if err != nil {
		return text, w.TransportError(ctx, inner, err)
	}
	return text, nil
}

// headersKey is the key of a context's function that receives the headers of replies.
type headersKey struct{}

// withHeaders has the headers of each reply passed to a function.
func WithHeaderFunc(ctx context.Context, heard func(http.Header)) context.Context {
	return context.WithValue(ctx, headersKey{}, heard)
}
