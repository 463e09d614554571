// Package telemetry exports an OpenTelemetry span for each call of a model, by the semantic conventions for generative AI
// (opentelemetry.io/docs/specs/semconv/gen-ai), if OTEL_EXPORTER_OTLP_ENDPOINT is set. Otherwise a span does nothing. A span has no
// text of a prompt or a reply, no message of an error, which may quote them, and no key.
package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	traces "go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"compqa/llm"
)

// The environment variables that turn spans on or off, and the name of the service.
const (
	endpoint       = "OTEL_EXPORTER_OTLP_ENDPOINT"
	tracesEndpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	disabled       = "OTEL_SDK_DISABLED"
	instrument     = "compqa"
)

// stopping is how long the end of the program waits for the last spans.
const stopping = 5 * time.Second

// mostOfError is the most characters of an error in a notice.
const mostOfError = 300

// Start turns spans on if the environment names a collector. Spans go to the collector by OTLP over HTTP (protobuf). The exporter reads the
// headers, the timeout and the name of the service from the environment, too. stop sends the last spans. If spans cannot be sent, notice is
// called once.
func Start(version string, notice func(string)) (stop func()) {
	if cmp.Or(os.Getenv(endpoint), os.Getenv(tracesEndpoint)) == "" || os.Getenv(disabled) == "true" {
		return func() {}
	}
	var once sync.Once
	lost := func(err error) {
		text := []rune(strings.Join(strings.Fields(err.Error()), " ")) // it may have the collector's whole reply
		if len(text) > mostOfError {
			text = append(text[:mostOfError], '…')
		}
		once.Do(func() { notice("OpenTelemetry: some spans are lost: " + string(text)) })
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(lost))
	ctx := context.Background()
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		lost(err)
		return func() {}
	}
	described, err := resource.New(ctx, resource.WithAttributes(semconv.ServiceName(instrument), semconv.ServiceVersion(version)),
		resource.WithTelemetrySDK(), resource.WithFromEnv())
	if err != nil {
		lost(err)
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter, trace.WithMaxQueueSize(1<<15)), trace.WithResource(described))
	otel.SetTracerProvider(provider)
	return func() {
		ctx, cancel := context.WithTimeout(ctx, stopping)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			lost(err)
		}
		otel.SetTracerProvider(noop.NewTracerProvider())
	}
}

// Call begins the span of a call. end ends the span, and adds the reply's data or the kind of its error.
func Call(ctx context.Context, p llm.Provider, req llm.Request) (end func(reply llm.Reply, err error)) {
	_, span := otel.Tracer(instrument).Start(ctx, "chat "+req.Model, traces.WithSpanKind(traces.SpanKindClient))
	if !span.IsRecording() {
		return func(llm.Reply, error) {}
	}
	span.SetAttributes(requestAttributes(p, req)...)
	return func(reply llm.Reply, err error) {
		span.SetAttributes(replied(reply)...)
		for _, a := range reply.Attempts {
			attributes := []attribute.KeyValue{attribute.String("compqa.outcome", string(a.Outcome)),
				attribute.Int64("compqa.latency_ms", a.Latency.Milliseconds())}
			if a.HTTPStatus > 0 { // else there was no response
				attributes = append(attributes, semconv.HTTPResponseStatusCode(a.HTTPStatus))
			}
			span.AddEvent("attempt", traces.WithTimestamp(a.Started), traces.WithAttributes(attributes...))
		}
		if err != nil {
			kind := string(llm.AsError(err).Kind)
			span.SetAttributes(semconv.ErrorTypeKey.String(kind))
			span.SetStatus(codes.Error, kind)
		}
		span.End()
	}
}

// requestAttributes returns the attributes that describe a request.
func requestAttributes(p llm.Provider, req llm.Request) []attribute.KeyValue {
	list := []attribute.KeyValue{semconv.GenAIOperationNameChat, semconv.GenAIRequestModel(req.Model),
		semconv.GenAIProviderNameKey.String(p.Type), attribute.String("compqa.provider", p.Label())}
	if u, err := url.Parse(p.BaseURL); err == nil && u.Hostname() != "" {
		list = append(list, semconv.ServerAddress(u.Hostname()))
		if port, err := strconv.Atoi(u.Port()); err == nil {
			list = append(list, semconv.ServerPort(port))
		}
	}
	output := semconv.GenAIOutputTypeText
	if req.Schema != nil {
		output = semconv.GenAIOutputTypeJSON
	}
	list = append(list, output)
	sent := func(option string) string {
		if x, over := req.Extra[option]; over {
			return fmt.Sprint(x)
		}
		return fmt.Sprint(req.Options[option])
	}
	for option, key := range map[string]attribute.Key{"temperature": semconv.GenAIRequestTemperatureKey,
		"top_p": semconv.GenAIRequestTopPKey} {
		if x, err := strconv.ParseFloat(sent(option), 64); err == nil {
			list = append(list, key.Float64(x))
		}
	}
	for _, option := range []string{"max_tokens", "max_completion_tokens"} {
		if n, err := strconv.Atoi(sent(option)); err == nil {
			list = append(list, semconv.GenAIRequestMaxTokens(n))
			break
		}
	}
	if req.Seed != nil {
		list = append(list, semconv.GenAIRequestSeedKey.Int64(*req.Seed))
	}
	return list
}

// replied returns the attributes that describe a reply. The cost is the sum over all attempts; it is left out if the cost of one is
// unknown.
func replied(reply llm.Reply) []attribute.KeyValue {
	list := []attribute.KeyValue{attribute.Int("compqa.attempts", len(reply.Attempts))}
	if reply.Model != "" {
		list = append(list, semconv.GenAIResponseModel(reply.Model))
	}
	if reply.Finish != "" {
		list = append(list, semconv.GenAIResponseFinishReasons(reply.Finish))
	}
	for _, tokens := range []struct {
		key attribute.Key
		n   *int
	}{{semconv.GenAIUsageInputTokensKey, reply.Usage.Prompt}, {semconv.GenAIUsageOutputTokensKey, reply.Usage.Completion},
		{"gen_ai.usage.cache_read.input_tokens", reply.Usage.Cached}, {"gen_ai.usage.cache_creation.input_tokens", reply.Usage.Written}} {
		if tokens.n != nil {
			list = append(list, tokens.key.Int(*tokens.n))
		}
	}
	cost := 0.0
	for _, a := range reply.Attempts {
		if a.Cost == nil {
			return list
		}
		cost += *a.Cost
	}
	return append(list, attribute.Float64("compqa.cost_usd", cost))
}
