package cli

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
)

const (
	logText = "text"
	logJSON = "json"
)

// Logged runs a command with the log of the flags. With a log, no progress lines are redrawn on standard error. With JSON,
// standard error has only JSON records, including the error that ends the command.
func (f *Flags) Logged(ctx context.Context, streams Streams, do func(context.Context, Streams) error) error {
	if !f.verbose && f.format == "" {
		return do(ctx, streams)
	}
	options := &slog.HandlerOptions{Level: slog.LevelInfo}
	if f.verbose {
		options.Level = slog.LevelDebug
	}
	if f.format != logJSON {
		streams.Err = NewScreen(streams.Err) // not a terminal
		f.Log = slog.New(slog.NewTextHandler(streams.Err, options))
		return do(ctx, streams)
	}
	f.Log = slog.New(slog.NewJSONHandler(streams.Err, options))
	streams.Err = &lineLogger{log: f.Log}
	err := do(ctx, streams)
	if err != nil {
		f.Log.Error(err.Error())
		err = errors.Join(ErrSilent, err)
	}
	return err
}

// A lineLogger logs every line that is written to it.
type lineLogger struct {
	log  *slog.Logger
	mu   sync.Mutex
	rest []byte
}

func (w *lineLogger) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		line, rest, whole := bytes.Cut(w.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		if len(bytes.TrimSpace(line)) > 0 {
			w.log.Info(string(line))
		}
		w.rest = rest
	}
}

// ErrSilent marks an error that has been printed already.
var ErrSilent = errors.New("")
