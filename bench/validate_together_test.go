package bench

import (
	"strings"
	"testing"
)

// TestTogetherFlags: prices without --together, and values that are not prices, are usage errors.
func TestTogetherFlags(t *testing.T) {
	for flags, want := range map[string]string{
		"--label-price 2":                      "not given",
		"--call-price .1":                      "not given",
		"--together --label-price 0":           "above 0",
		"--together --call-price big=-1":       "dollars are needed",
		"--together --call-price big=free":     "dollars are needed",
		"--together --call-price nope=1":       "no judge nope; judges are big, old, small",
		"--together=nobody --label-price 1.50": "no judge has this name",
	} {
		code, _, stderr := compqa(append([]string{"validate", "--demo", "--out", t.TempDir()}, strings.Fields(flags)...)...)
		if code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q; want %q", flags, code, stderr, want)
		}
	}
}
