package bench

import (
	"errors"
	"io/fs"
	"syscall"

	"compqa/data"
)

// Exit codes, as the manual lists them.
const (
	exitDone       = 0
	exitFailed     = 1
	exitUsage      = 2
	exitIncomplete = 3
)

// A usageError is a mistake in a command line, a configuration or an input file:
// the user can put it right, and nothing was done.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// errIncomplete ends a run that is done, but in which live items have no valid
// result.
var errIncomplete = errors.New("some items have no valid result")

// exitCode is the exit code for what a command returned.
func exitCode(err error) int {
	var usage usageError
	var line *data.LineError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errIncomplete):
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
		return ": free some space, then give the same command again; nothing that was recorded is lost"
	}
	return ""
}
