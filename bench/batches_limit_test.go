package bench

import (
	"strings"
	"sync/atomic"
	"testing"
)

// TestBatchOverTheTokenLimit: if a batch fails because of the server's limit on enqueued tokens, it is split in two until it fits, and
// everything is answered. If not even one call fits, the run ends and says why.
func TestBatchOverTheTokenLimit(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]int{30: exitDone, 0: exitIncomplete} {
		server := newBatchServer(t, wellReply)
		server.batches.TokenLimit = func(requests int) bool { return requests > most }
		cfg := batchConfig(t, server.URL, "")
		dir := t.TempDir()
		code, stdout, stderr := compqa("run", "--config", cfg, "--out", dir, "--only", "answers")
		if code != want || server.single.Load() != 0 || !strings.Contains(stdout+stderr, "are submitted in batches of at most 25") {
			t.Errorf("at most %d: exit %d, %d batches:\n%s%s", most, code, server.batches.Batches(), stdout, stderr)
		}
		if most > 0 && (server.batches.Asked() != 100 || server.batches.Batches() != 6 || rowsOf(t, dir, validAnswers) != "contestant 100\n") {
			t.Errorf("%d batches of %d requests: %s", server.batches.Batches(), server.batches.Asked(), rowsOf(t, dir, validAnswers))
		}
		if most == 0 && server.batches.Batches() > 10 {
			t.Errorf("%d batches are in vain", server.batches.Batches())
		}
	}
}

// TestBatchAnswersTwice: if a call has two different replies in a batch, neither is used, and the run says so. Both are paid for, and
// --retry-failed asks again.
func TestBatchAnswersTwice(t *testing.T) {
	t.Parallel()
	server := newBatchServer(t, wellReply)
	server.batches.Twice = func() string { return completion("Another answer.", "stop") }
	cfg := batchConfig(t, server.URL, "")
	dir := t.TempDir()
	code, stdout, stderr := compqa("run", "--config", cfg, "--out", dir, "--only", "answers")
	if code != exitIncomplete || !strings.Contains(stdout+stderr, "1 call has two replies that differ, and neither is used") ||
		rowsOf(t, dir, validAnswers) != "contestant 99\n" {
		t.Errorf("exit %d, %s:\n%s%s", code, rowsOf(t, dir, validAnswers), stdout, stderr)
	}
	if n := rowsOf(t, dir, `SELECT count(*) FROM attempts`); n != "101\n" {
		t.Errorf("%s attempts", n)
	}
	server.batches.Twice = nil
	code, stdout, stderr = compqa("run", "--config", cfg, "--out", dir, "--only", "answers", "--retry-failed")
	if code != exitDone || rowsOf(t, dir, validAnswers) != "contestant 100\n" {
		t.Errorf("exit %d, %s:\n%s%s", code, rowsOf(t, dir, validAnswers), stdout, stderr)
	}
}

// TestBatchHasAnErrorAndAReply: if a call has an error and a reply in a batch, the reply is used. The call is not paid for in another
// batch.
func TestBatchHasAnErrorAndAReply(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := newBatchServer(t, func(prompt string, judging bool) (int, string) {
		if asked.Add(1) == 1 {
			return 500, `{"error": {"message": "overloaded"}}`
		}
		return wellReply(prompt, judging)
	})
	server.batches.Twice = func() string { return completion("An answer.", "stop") }
	cfg := batchConfig(t, server.URL, "")
	dir := t.TempDir()
	code, stdout, stderr := compqa("run", "--config", cfg, "--out", dir, "--only", "answers")
	if code != exitDone || rowsOf(t, dir, validAnswers) != "contestant 100\n" {
		t.Errorf("exit %d, %s:\n%s%s", code, rowsOf(t, dir, validAnswers), stdout, stderr)
	}
	if n := rowsOf(t, dir, `SELECT count(*) FROM batches`); n != "1\n" {
		t.Errorf("%s batches, want 1", n)
	}
}
