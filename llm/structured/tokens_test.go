package structured

import (
	"fmt"
	"math"
	"testing"
)

// TestPointsProbabilities: the probabilities equal those computed by hand, for points of one token and of three, from OpenAI-compatible
// servers and from Ollama. The last points of a criterion count, and keys that are not criteria do not.
func TestPointsProbabilities(t *testing.T) {
	const tokens = `[{"token":"{\"1\":","logprob":-9},{"token":" 1","logprob":-0.5},{"token":", \"x\": 3","logprob":-7},
		{"token":", \"2\": 0","logprob":-0.25},{"token":".","logprob":-0.125},{"token":"5","logprob":-0.125},{"token":"} {\"1\": ","logprob":-9},
		{"token":"0","logprob":-1},{"token":"}","logprob":-3}]`
	for _, body := range []string{`{"choices":[{"logprobs":{"content":%s}}]}`, `{"logprobs":%s}`} {
		got := PointsProbabilities(fmt.Sprintf(body, tokens), []string{"1", "2"})
		if len(got) != 2 || math.Abs(got["1"]-math.Exp(-1)) > 1e-12 || math.Abs(got["2"]-math.Exp(-.5)) > 1e-12 {
			t.Errorf("%s: %v", body, got)
		}
	}
	for _, raw := range []string{"", "{}", `{"logprobs":[{"token":"\"1\": 1","logprob":2}]}`, `{"logprobs":{"logprob":1}}`} {
		if got := PointsProbabilities(raw, []string{"1"}); len(got) != 0 {
			t.Errorf("%s: %v", raw, got)
		}
	}
}
