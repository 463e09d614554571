package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
)

// TestHashOf: records contain hashes. They must equal those of the list of values encoded by encoding/json, whatever was encoded before.
func TestHashOf(t *testing.T) {
	t.Parallel()
	questions := data.CQA50()[:3]
	for _, values := range [][]any{
		{questions}, {"", nil, []string(nil), map[string]bool{"b": true, "a": false}}, {"<&>\u2028 \xff", 1.0, 1e21, int64(-3), true},
	} {
		list, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(list)
		if want := hex.EncodeToString(sum[:]); config.HashOf(values...) != want {
			t.Errorf("%v: %s, want %s", values, config.HashOf(values...), want)
		}
	}
	if config.HashOf("a", config.Encoded(questions)) != config.HashOf("a", questions) {
		t.Error("what was encoded before has another hash")
	}
}

// TestCallKey: the keys of calls are fixed, so that records stay valid in later versions.
func TestCallKey(t *testing.T) {
	t.Parallel()
	const text = `["http://server/v1","0a1b"]`
	if got := run.CallKey("http://server/v1", "0a1b"); got != fmt.Sprintf("%x", sha256.Sum256([]byte(text))) {
		t.Errorf("key of a call: %s", got)
	}
}
