package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"

	"compqa/data"
)

// Hashes stand in records: they are those of the list of values by encoding/json,
// whatever was encoded before.
func TestHashOf(t *testing.T) {
	questions := data.CQA50()[:3]
	for _, values := range [][]any{
		{questions}, {"", nil, []string(nil), map[string]bool{"b": true, "a": false}}, {"<&>\u2028 \xff", 1.0, 1e21, int64(-3), true},
	} {
		list, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(list)
		if want := hex.EncodeToString(sum[:]); hashOf(values...) != want {
			t.Errorf("%v: %s, want %s", values, hashOf(values...), want)
		}
	}
	if hashOf("a", encoded(questions)) != hashOf("a", questions) {
		t.Error("what was encoded before has another hash")
	}
}
