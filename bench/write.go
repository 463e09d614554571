package bench

import (
	"fmt"
	"io"

	"compqa/bench/config"
	"compqa/results/table"
)

// writeOut replaces a file when all of it is written; "-" is standard output.
func writeOut(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path == "-" {
		return write(stdout)
	}
	if err := table.WriteFile(path, write); err != nil {
		return config.UsageError{Err: fmt.Errorf("cannot write %s: %w", path, config.UnwrapPath(err))}
	}
	return nil
}
