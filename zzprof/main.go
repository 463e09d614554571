package main

import (
	"os"
	"runtime/pprof"

	"compqa/bench"
	"compqa/bench/run"
)

func main() {
	f, _ := os.Create(os.Getenv("PROF"))
	pprof.StartCPUProfile(f)
	code := bench.Main(os.Args[1:], run.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	pprof.StopCPUProfile()
	f.Close()
	os.Exit(code)
}
