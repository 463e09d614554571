package project

import "testing"

// TestDecimal: numbers are normalized whatever the keyboard. A number with a possible thousands separator, or other text, stays and is
// refused.
func TestDecimal(t *testing.T) {
	for text, want := range map[string]string{"0,85": "0.85", ",5": "0.5", "0.50": "0.5", "-1,0": "-1", "0,125": "0.125", "34": "34",
		"1,000": "1,000", "-12,345": "-12,345", "1,2,3": "1,2,3", "NaN": "NaN", "a, b": "a, b", "": ""} {
		if got := decimal(text); got != want {
			t.Errorf("%q is stored as %q, want %q", text, got, want)
		}
	}
}
