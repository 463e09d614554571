package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// StopSignals are the signals that stop a command: Ctrl-C, SIGTERM and, except under
// nohup, SIGHUP.
func StopSignals() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return []os.Signal{os.Interrupt, syscall.SIGTERM}
	}
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
}

// interruptible lets a run be stopped in two ways: the first Ctrl-C (or another of
// StopSignals) closes drain, the second one ends the context.
func interruptible(ctx context.Context, w io.Writer) (context.Context, <-chan struct{}, func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals, drain, over := make(chan os.Signal, 2), make(chan struct{}), make(chan struct{})
	signal.Notify(signals, StopSignals()...)
	go func() {
		select {
		case <-signals:
		case <-over:
			return
		}
		fmt.Fprintln(w, "waiting for calls in flight; press Ctrl-C again to stop immediately")
		close(drain)
		select {
		case <-signals:
			cancel()
		case <-over:
		}
	}()
	return ctx, drain, func() {
		signal.Stop(signals)
		close(over)
		cancel()
	}
}
