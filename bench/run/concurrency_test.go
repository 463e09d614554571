package run

import (
	"testing"

	"compqa/bench/config"
	"compqa/llm"
)

// TestConcurrencyOfProgram: a program without a set concurrency gets one request at a time, because it may answer without the id of a
// request.
func TestConcurrencyOfProgram(t *testing.T) {
	c := &config.Config{Run: config.DefaultRun, Providers: map[string]llm.Provider{"own": {Type: llm.TypeCommand},
		"lab": {Type: llm.TypeOpenAI}, "wide": {Type: llm.TypeCommand, Concurrency: 4}}}
	got := ConcurrencyOf(c)
	if got["own"] != 1 || got["lab"] != 8 || got["wide"] != 4 {
		t.Errorf("%v", got)
	}
}
