package table

import (
	"strings"
	"testing"
)

// A term is explained only if it is a whole word of the text.
func TestExplain(t *testing.T) {
	for text, want := range map[string]string{"": "", "alphabet, tau-b": "tau-b", "tau, then Holm's": "tau Holm", "tau-b and tau": "tau-b tau",
		"3.0": ""} {
		var got []string
		for _, line := range explain(text) {
			word, _, _ := strings.Cut(strings.TrimPrefix(line, "- "), ":")
			got = append(got, word)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, want %s", text, got, want)
		}
	}
}
