package bench

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A receiver is an OpenTelemetry collector that keeps what it receives.
type receiver struct {
	sync.Mutex
	requests int
	spans    []*trace.Span
	text     strings.Builder // everything received, as text
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var body io.Reader = req.Body
	if req.Header.Get("Content-Encoding") == "gzip" {
		body, _ = gzip.NewReader(req.Body)
	}
	sent, err := io.ReadAll(body)
	var export collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(sent, &export)
	}
	if err != nil || req.URL.Path != "/v1/traces" {
		http.Error(w, fmt.Sprint(req.URL.Path, err), http.StatusBadRequest)
		return
	}
	r.Lock()
	defer r.Unlock()
	r.requests++
	fmt.Fprintln(&r.text, &export)
	for _, of := range export.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
}

// TestTelemetry: with a collector, a run sends one span for each model call, with names from the conventions for generative AI. Spans
// contain no keys, prompts or replies. Without the environment variable the run sends none. A collector that is down does not fail the run.
func TestTelemetry(t *testing.T) {
	if !alone(t) {
		return
	}
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		if n == 1 {
			return 429, `{"error": {"message": "slow down ` + plantedKey + `"}}`
		}
		if strings.Contains(prompt, "softball") {
			return 400, `{"error": {"message": "no ` + plantedKey + `"}}`
		}
		return 200, completion("A confidential answer.", "stop")
	})
	cfg := filepath.Join(t.TempDir(), "compqa.yaml")
	text := fmt.Sprintf("scenarios: [1]\nproviders: {p: {type: openai, base_url: %q, api_key_env: COMPQA_TEST_KEY, backoff: 1ms}}\n"+
		"models: [{name: mine, provider: p, model: m, options: {temperature: 0.5}}]\njudges: [{name: constant, provider: embedded}]\n", server.URL)
	if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r := &receiver{}
	to := httptest.NewServer(r)
	defer to.Close()
	runs := func() (stderr string) {
		t.Helper()
		code, stdout, stderr := compqa("run", "--config", cfg, "--out", filepath.Join(t.TempDir(), "run"), "--limit", "3", "--trust")
		if code != exitIncomplete {
			t.Fatalf("exit %d, %s%s", code, stdout, stderr)
		}
		return stderr
	}
	runs()
	if r.requests > 0 {
		t.Error("spans are sent although no collector is named")
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", to.URL)
	runs()
	if len(r.spans) != 3 {
		t.Fatalf("%d spans, want one for each of 3 calls: %s", len(r.spans), r.text.String())
	}
	failed := 0
	attempts := 0
	for _, s := range r.spans {
		attributes := map[string]string{}
		for _, a := range s.Attributes {
			attributes[a.Key] = fmt.Sprint(a.Value.GetStringValue(), a.Value.GetDoubleValue(), a.Value.GetIntValue())
		}
		for key, want := range map[string]string{"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "m",
			"compqa.provider": "p", "server.address": "127.0.0.1"} {
			if !strings.HasPrefix(attributes[key], want) {
				t.Errorf("%s is %q, want %q", key, attributes[key], want)
			}
		}
		if s.Name != "chat m" || s.Kind != trace.Span_SPAN_KIND_CLIENT || attributes["gen_ai.request.temperature"] != "0.5 0" && attributes["gen_ai.request.temperature"] != "0.50" {
			t.Errorf("span %q of kind %v, temperature %q", s.Name, s.Kind, attributes["gen_ai.request.temperature"])
		}
		attempts += len(s.Events)
		if s.Status.GetCode() == trace.Status_STATUS_CODE_ERROR {
			failed++
			continue
		}
		if attributes["gen_ai.usage.input_tokens"] == "" || attributes["gen_ai.response.model"] == "" && attributes["gen_ai.response.finish_reasons"] == "" {
			t.Errorf("a valid reply has the attributes %v", attributes)
		}
	}
	if failed != 1 || attempts < 3 {
		t.Errorf("%d failed calls, want 1; %d attempts", failed, attempts)
	}
	for _, secret := range []string{plantedKey, "confidential", "softball", "slow down"} {
		if strings.Contains(r.text.String(), secret) {
			t.Errorf("%q is in a span", secret)
		}
	}
	to.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "200")
	if stderr := runs(); strings.Count(stderr, "OpenTelemetry: some spans are lost") != 1 {
		t.Errorf("nothing, or too much, is said of lost spans: %s", stderr)
	}
}
