// Compqa runs a benchmark of comparative question answering: models answer, judges score, and people's annotations say how far the judges
// can be believed. README.md begins its manual; the pages are in docs.
package main

import (
	"context"
	"os"

	"compqa/bench"
)

func main() {
	os.Exit(bench.Main(context.Background(), os.Args[1:], bench.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
