package data

import "testing"

// TestSlip checks which words differ by one letter.
func TestSlip(t *testing.T) {
	for pair, want := range map[[2]string]bool{{"yess", "yes"}: true, {"Ys", "yes"}: true, {"eys", "yes"}: true, {"nno", "no"}: true, {"Yes", "yes"}: false,
		{"no", "na"}: false, {"A", "B"}: false, {"level 1", "level 2"}: false, {"incorrect", "correct"}: false, {"agree", "disagree"}: false} {
		if Slip(pair[0], pair[1]) != want || Slip(pair[1], pair[0]) != want {
			t.Errorf("%q and %q: not %v", pair[0], pair[1], want)
		}
	}
}
