// Package run is the engine that works through a benchmark. Answers, verdicts,
// preferences, sampled judgments, grades and rewritten answers are all tasks: a Source
// yields them, the Engine does those that are due, and an Asker puts their requests to
// models. There are three askers. The live one takes replies from the record where it
// can, and otherwise asks within budget and limits; the dry one counts what would be
// asked, for estimates and batches; the replayed one takes replies from the record only,
// for verification.
//
// Every provider has a queue with its own workers, so a slow provider delays no other.
// Every reply is recorded before it is used, so nothing is paid for twice. The first
// Ctrl-C waits for calls in flight, a second one stops immediately.
package run
