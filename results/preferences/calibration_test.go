package preferences

import (
	"fmt"
	"testing"

	"compqa/data"
)

// TestCalibration checks four pairs by hand. p(a), the mean of both orders, is (.9 + .9)/2 with a better; (.9 + .2)/2 with a better, where
// the judge chooses the answer shown first; (.3 + .3)/2 with b better; and (.8 + .6)/2 with b better. A fifth pair is left out, because it
// has a confidence in one order only.
func TestCalibration(t *testing.T) {
	f := &pairwiseFixture{detail: map[int]string{}}
	for i, label := range []data.Choice{"a", "a", "b", "b", "a"} {
		f.pair(fmt.Sprint("p", i), fmt.Sprint("c", i), label)
	}
	f.judge("j", "a/a", "a/b", "b/b", "a/a", "a/a")
	for i, confidence := range []string{"0.9", "0.9", "0.9", "0.8", "0.7", "0.7", "0.8", "0.6", "0.9"} { // of the choice
		f.detail[i] = `{"confidence": ` + confidence + `}`
	}
	b, _ := f.board(t)
	rows := each(b.groups, group.calibration)
	brier := (0.1*0.1 + 0.45*0.45 + 0.3*0.3 + 0.7*0.7) / 4
	if len(rows) != 1 || rows[0].N != 4 || !equals(rows[0].Accuracy.Point(), 3.0/4) || !near(rows[0].Confidence.Point(), (0.9+0.55+0.7+0.7)/4) ||
		!near(rows[0].Brier.Point(), brier) {
		t.Errorf("%+v, want Brier %v", rows, brier)
	}
}
