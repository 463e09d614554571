package archive

import (
	"slices"
	"strings"
	"testing"
)

// TestConclusions: a conclusion of another version that differs from that of this one is listed, also in the folder of a validation's tables
// and where this version has no such column; that of the same version is a difference, and so is any other column.
func TestConclusions(t *testing.T) {
	t.Parallel()
	const table, forged = "judge,n,replaces\na,4,no\nb,9,yes\n", "judge,n,replaces\na,4,yes\nb,9,yes\n"
	for _, c := range []struct {
		name, there, here string
		same              bool
		want              []string // columns that are listed; nil: none
		difference        bool
	}{
		{"validation/validation.csv", table, table, false, nil, false},
		{"validation/validation.csv", forged, table, false, []string{"replaces"}, false},
		{"validation/validation.csv", forged, "judge,n\na,4\nb,9\n", false, []string{"replaces"}, false},
		{"validation/validation.csv", forged, table, true, nil, true},
		{"validation/pairs.csv", forged, table, false, nil, true},
		{"validation/validation.csv", strings.Replace(forged, "9", "8", 1), table, false, nil, true},
	} {
		got, err := compareCSV(c.name, strings.NewReader(c.there), strings.NewReader(c.here), c.same)
		if (err != nil) != c.difference || !slices.Equal(got.concluded, c.want) {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
}
