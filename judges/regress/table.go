package regress

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"compqa/stats"
)

// check makes sure that x and y are tables of finite numbers with as many rows, at least one each, and returns their widths.
func check(x, y [][]float64) (inputs, outputs int, err error) {
	if len(x) == 0 || len(x) != len(y) {
		return 0, 0, fmt.Errorf("%d rows of inputs, %d of outputs", len(x), len(y))
	}
	inputs, outputs = len(x[0]), len(y[0])
	if inputs == 0 || outputs == 0 {
		return 0, 0, fmt.Errorf("%d inputs and %d outputs", inputs, outputs)
	}
	for i := range x {
		if len(x[i]) != inputs || len(y[i]) != outputs {
			return 0, 0, fmt.Errorf("row %d has %d inputs and %d outputs, the first one %d and %d", i, len(x[i]), len(y[i]), inputs, outputs)
		}
		if err := cmp.Or(stats.CheckFinite(x[i]), stats.CheckFinite(y[i])); err != nil {
			return 0, 0, fmt.Errorf("row %d is not finite: %w", i, err)
		}
	}
	return inputs, outputs, nil
}

// bins are the inputs of a table in coarse steps: each row's value of an input by the number of cuts below it.
type bins struct {
	cuts [][]float64 // of each input, ascending
	code [][]uint8   // of each input, by row
}

// newBins cuts every input between neighbouring values; where it has more than most different ones, as evenly by rows as
// ties allow. A cut lies half way between two values that occur.
func newBins(x [][]float64, inputs, most int) bins {
	b := bins{make([][]float64, inputs), make([][]uint8, inputs)}
	sorted := make([]float64, len(x))
	for j := range inputs {
		for i := range x {
			sorted[i] = x[i][j]
		}
		slices.Sort(sorted)
		b.cuts[j] = cutsOf(sorted, most)
		b.code[j] = make([]uint8, len(x))
		for i := range x {
			b.code[j][i] = uint8(sort.SearchFloat64s(b.cuts[j], x[i][j])) // the cuts below it
		}
	}
	return b
}

// cutsOf returns at most most-1 cuts of ascending values.
func cutsOf(sorted []float64, most int) []float64 {
	n, different := len(sorted), len(slices.Compact(slices.Clone(sorted)))
	var cuts []float64
	given := 0 // rows below the last cut
	for i := 1; i < n; i++ {
		if sorted[i] == sorted[i-1] {
			continue
		}
		if different <= most || i*most >= given*most+n && len(cuts) < most-1 {
			low, high := sorted[i-1], sorted[i]
			if cut := low + (high-low)/2; cut < high { // neighbours among floats have none between
				cuts = append(cuts, cut)
				given = i
			}
		}
	}
	return cuts
}
