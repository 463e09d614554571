// Compqa is a benchmark for comparative question answering and for the judges
// who score it. Its manual is the documentation of package bench.
package main

import (
	"os"

	"compqa/bench"
)

func main() {
	os.Exit(bench.Main(os.Args[1:], bench.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
