// Package run is the engine that works through a benchmark. Answers, verdicts,
// preferences, sampled judgments, grades and rewritten answers are all tasks: a Source
// yields them, the Engine does those that are due, and an Asker puts their requests to
// models. There are three askers. The live asker uses recorded replies if it can, and
// otherwise makes calls within budget and limits. The dry asker counts calls, for
// estimates and batches. The replay asker uses recorded replies only, for verification.
//
// Every provider has a queue with its own workers, so a slow provider does not delay the
// others. Every reply is recorded before it is used, so no call is paid for twice. After
// the first Ctrl-C, a run waits for calls in flight; after the second, it stops.
package run
