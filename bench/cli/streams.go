package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// ErrInterrupted ends a command after Ctrl-C. ErrStopped does so in a command that keeps a record, from which it can continue.
var (
	ErrInterrupted = errors.New("stopped")
	ErrStopped     = fmt.Errorf("%w; all results so far are recorded, and the same command continues from there", ErrInterrupted)
)

// Streams are the input and outputs of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// ErrIncomplete ends a run that has finished although some items, for which models were called, have no valid result.
var ErrIncomplete = errors.New("some items have no valid result")

// StopSignals returns the signals that stop a command: Ctrl-C, SIGTERM and, except under nohup, SIGHUP.
func StopSignals() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return []os.Signal{os.Interrupt, syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

// Interruptible lets the user stop work in two steps. The first signal of StopSignals, such as Ctrl-C, calls drain. The second cancels the
// context running. The caller must call done at the end.
func Interruptible(ctx context.Context, drain func()) (running context.Context, done func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, StopSignals()...)
	go func() {
		for _, do := range []func(){drain, cancel} {
			select {
			case <-signals:
				do()
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel()
	}
}
