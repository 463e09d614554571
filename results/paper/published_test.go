package paper

import (
	"math"
	"slices"
	"testing"
)

// The tables of Nikishina et al. are complete: Table 2 has 6 judges at 2 levels, Table 3 has 9 systems × 7 judges, Table 4 has 2 ×
// 2, and Table 5 has 27 rows × 7 judges.
func TestPublishedTablesAreWhole(t *testing.T) {
	if n := len(published[publishedAgreement](2)); n != 12 {
		t.Errorf("Table 2 has %d rows, want 12", n)
	}
	for _, view := range []struct {
		number int
		cells  []publishedCell
		want   int
	}{{3, published[publishedCell](3), 9 * 7}, {4, published[publishedCell](4), 2 * 2}, {5, published[publishedCell](5), 27 * 7}} {
		if len(view.cells) != view.want {
			t.Errorf("Table %d has %d cells, want %d", view.number, len(view.cells), view.want)
		}
		seen := map[[4]string]bool{}
		for _, c := range view.cells {
			key := [4]string{c.System, c.Scenario, c.Aspect, c.Judge}
			if seen[key] {
				t.Errorf("Table %d has %v twice", view.number, key)
			}
			seen[key] = true
			if !(c.Mean.Value > 0 && c.Mean.Value <= 19 && c.SD.Value >= 0 && c.SD.Value < 19) {
				t.Errorf("Table %d, %v: %s ± %s cannot be points of 19", view.number, key, c.Mean.Text, c.SD.Text)
			}
		}
	}
}

// A cell of Table 3 is the mean of its cells in Table 5, up to rounding errors of 0.005 each. An error in copying one of the 252 cells
// would show here. One error is the paper's own: for GPT-3.5 by Mixtral, it prints 18.05 in Table 3, but 18.76, 16.77, 18.71 and 18.02 in
// Table 5.
func TestPublishedTable3IsTheMeanOfTable5(t *testing.T) {
	for _, c := range published[publishedCell](3) {
		mean := 0.0
		sd := 0.0
		n := 0.0
		for _, of := range published[publishedCell](5) {
			if of.System == c.System && of.Judge == c.Judge {
				mean += of.Mean.Value
				sd += of.SD.Value
				n++
			}
		}
		for what, pair := range map[string][2]float64{"mean": {mean / n, c.Mean.Value}, "sd": {sd / n, c.SD.Value}} {
			if difference := math.Abs(pair[0] - pair[1]); difference > 0.0101 && !(c.System == "gpt3-5" && c.Judge == "mixtral" && what == "mean") {
				t.Errorf("%s by %s: the %s of Table 3 is %v, Table 5 gives %.4f", c.System, c.Judge, what, pair[1], pair[0])
			}
		}
	}
}

func TestPrintedUnit(t *testing.T) {
	for _, c := range []struct {
		text      string
		unit      float64
		near, far float64
	}{
		{"17.088", 0.001, 17.0875, 17.0865},    // Table 5, human answers by GPT-4o
		{"9.52", 0.01, 9.51, 9.509},            // exactly one unit away counts as near, in spite of binary fractions
		{"0.000", 0.001, 0, 0.0011},            // Table 5, a constant cell
		{"4.07", 0.01, 4.065, 4.0463533448648}, // Table 5, the figure that does not reproduce
		{"19", 1, 18, 17.9},
	} {
		var p Printed
		if err := p.UnmarshalCSV(c.text); err != nil || math.Abs(p.Unit()-c.unit) > 1e-15 || !p.Near(c.near) || p.Near(c.far) {
			t.Errorf("%s: unit %v, near %v: %v, near %v: %v", c.text, p.Unit(), c.near, p.Near(c.near), c.far, p.Near(c.far))
		}
	}
}

// Callers may change the rows that they get.
func TestPublishedTablesAreCopies(t *testing.T) {
	first := published[publishedCell](3)
	want := slices.Clone(first)
	first[0].Mean.Value = 0
	if !slices.Equal(published[publishedCell](3), want) {
		t.Error("a changed copy changed the table")
	}
}
