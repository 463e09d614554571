package run

import (
	"context"
	"log/slog"
	"time"

	"compqa/llm"
	"compqa/llm/client"
	"compqa/results/store"
)

// callOf is the key under which a request's context carries its call.
type callOf struct{}

// attempted logs a request to a provider's model: whose call it was, which attempt, how long it waited and what came of it.
// Reasons are free of secrets (llm), and headers are no part of an attempt.
func attempted(log *slog.Logger, provider string) func(context.Context, client.Try) {
	return func(ctx context.Context, t client.Try) {
		level, what := slog.LevelDebug, "request"
		var call store.Call
		if made, ok := ctx.Value(callOf{}).(*store.Call); ok {
			call = *made
		}
		args := []any{"call", call.Key, "for", call.Payer.Name, "provider", provider, "model", t.Model, "attempt", t.N, "status",
			string(t.Outcome), "http", t.HTTPStatus, "waited", rounded(t.Wait), "took", rounded(t.Latency)}
		if t.Outcome != llm.Valid {
			level, what = slog.LevelWarn, "request failed"
			args = append(args, "reason", t.Reason)
		}
		if t.Pause > 0 {
			args = append(args, "again_in", rounded(t.Pause))
		}
		log.Log(ctx, level, what, args...)
	}
}

// rounded returns a duration as a log shows it, in JSON too.
func rounded(d time.Duration) string { return d.Round(time.Millisecond).String() }
