package bench

import (
	"strings"
	"testing"

	"compqa/judges/replies"
)

// TestVerifyEarlierReader: a record made with an earlier version of the rules of reading replies is still verified. What this version reads
// differently is counted by judge. In a record of this version, the same is a difference.
func TestVerifyEarlierReader(t *testing.T) {
	if !alone(t) {
		return
	}
	server := newScriptedServer(t, func(string, int) (int, string) { return 200, completion("Preferred: A", "stop") })
	record := func(versions replies.Versions) string {
		current := replies.Current
		defer func() { replies.Current = current }()
		replies.Current = versions
		dir := pairwiseFiles(t, server.URL, twoPairs, "pairwise:\n  - {name: d, method: direct, provider: scripted, model: m}\n")
		if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitDone {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		changed(t, dir+"/run", `UPDATE results SET choice = 'tie' WHERE kind = 'preference' AND rowid = (SELECT min(rowid) FROM results WHERE kind = 'preference' AND party = 'd')`)
		reseal(t, dir+"/run")
		if code, _, stderr := compqa("export", dir+"/run", "--out", dir+"/run.tgz"); code != exitDone {
			t.Fatalf("exit %d: %s", code, stderr)
		}
		return dir + "/run.tgz"
	}
	code, stdout, stderr := compqa("verify", record(replies.Earlier[0]))
	if code != exitDone || !strings.Contains(stdout, "1 preference of d: read by an earlier version of compqa") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	expectDifference(t, record(replies.Current), "preference of d (direct) on pair ")
}
