package bench

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
)

// Exit codes, as the manual lists them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitIncomplete  = 3
	exitInterrupted = 130 // as a shell reports a program that Ctrl-C ended
)

// exitCode is the exit code for what a command returned.
func exitCode(err error) int {
	var usage config.UsageError
	var line *data.LineError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, run.ErrInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, run.ErrIncomplete):
		return exitIncomplete
	case errors.As(err, &usage), errors.As(err, &line), errors.Is(err, fs.ErrNotExist):
		return exitUsage
	}
	return exitFailed
}

// advice is what to do about an error that the system has put into words which
// do not say it.
func advice(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return ": free some space, then run the same command again; no recorded data is lost"
	}
	return ""
}
