package bench

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"compqa/bench/config"
	"compqa/results/table"
)

// writeOut replaces a file when all of it is written; "-" is standard output.
func writeOut(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "-" {
		return write(stdout)
	}
	err := table.WriteFile(path, write)
	if err != nil && !errors.Is(err, syscall.ENOSPC) {
		return config.UsageError{Err: fmt.Errorf("cannot write %s: %w", path, config.UnwrapPath(err))}
	}
	return err
}
