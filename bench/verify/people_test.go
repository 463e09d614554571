package verify

import (
	"math"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/rubric"
)

// TestUnlikeMean: the mean is compared on each criterion with the mean of the sheets that have points on it. Ann gives 2 and 4, Ben 3 and
// nothing, so the means are 2.5 and 4.
func TestUnlikeMean(t *testing.T) {
	none := math.NaN()
	sheet := func(by string, points ...float64) personSheet {
		return personSheet{person: by, Ending: &data.Ending{Scores: points}}
	}
	ann := sheet("human:ann", 2, 4)
	ben := sheet("human:ben", 3, none)
	c := &Recheck{run: &dataset.Run{Rubric: rubric.Rubric{Criteria: make([]rubric.Criterion, 2)}}}
	for _, test := range []struct {
		what      string
		recorded  []float64
		sheets    []personSheet
		criterion int
		mean      float64
	}{
		{"equal", []float64{2.5, 4}, []personSheet{ann, ben}, -1, 0},
		{"the first differs", []float64{2.6, 4}, []personSheet{ann, ben}, 0, 2.5},
		{"the second is left out", []float64{2.5, none}, []personSheet{ann, ben}, 1, 4},
		{"nobody has the second", []float64{3, none}, []personSheet{ben, ben}, -1, 0},
		{"points without a sheet", []float64{3, 1}, []personSheet{ben, ben}, 1, none},
	} {
		criterion, mean := c.differingMean(&data.Ending{Scores: test.recorded}, test.sheets)
		if criterion != test.criterion || mean != test.mean && !(math.IsNaN(mean) && math.IsNaN(test.mean)) {
			t.Errorf("%s: criterion %d, mean %v", test.what, criterion, mean)
		}
	}
	if eachOnce([]personSheet{ann}) || eachOnce([]personSheet{ann, ann, ben}) || !eachOnce([]personSheet{ann, ben}) {
		t.Error("a mean needs two people or more, with one sheet each")
	}
}
