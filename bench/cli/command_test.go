package cli

import (
	"math"
	"testing"
)

// TestArguments checks how many arguments the use text of a command allows.
func TestArguments(t *testing.T) {
	for use, want := range map[string][2]int{
		"run": {0, 0}, "models [MODEL]": {0, 1}, "invite NAME [DIR]": {1, 2}, "verify FILE": {1, 1}, "report [DIR…]": {0, math.MaxInt},
		"validate LOG… --people FILE": {1, math.MaxInt}, "calibrate [DIR | --release DIR] --out FILE": {0, 1},
		"import --out DIR [--release DIR] [--answers FILE]": {0, 0},
	} {
		if least, most := arguments(use); least != want[0] || most != want[1] {
			t.Errorf("%s: %d to %d arguments, want %v", use, least, most, want)
		}
	}
}
