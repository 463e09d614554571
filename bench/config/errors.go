package config

import "fmt"

// A UsageError is a mistake in a command line, a configuration or an input file:
// the user can put it right, and nothing was done.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

func (e UsageError) Unwrap() error { return e.Err }

// Usagef is a UsageError in words.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }
