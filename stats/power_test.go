package stats

import (
	"errors"
	"math"
	"testing"

	"compqa/stats/statstest"
)

// Exact detectable differences in units of the standard error, for 5 % and 80 %,
// from the non-central t by quadrature (mpmath 1.3.0).
func TestMinimumDetectableAgainstNonCentralT(t *testing.T) {
	for df, exact := range map[float64]float64{5: 3.5139, 9: 3.14964, 19: 2.95359} {
		got, err := Design{}.MinimumDetectable(1, df)
		if err != nil {
			t.Fatal(err)
		}
		statstest.WantRel(t, "detectable difference", got, exact, 0.012)
	}
}

// With the number of labels that a first sample asks for, the interval has the width asked for.
func TestLabelsNeeded(t *testing.T) {
	draw := func(run, labels int) (s PPISample) {
		rng := NewRNG(3, "labels", uint64(run))
		for i := range 3000 {
			z := statstest.Gauss(rng)
			human, judge := 1+z, 3+0.8*z+0.6*statstest.Gauss(rng)
			if i < labels {
				s.Human, s.Judge = append(s.Human, human), append(s.Judge, judge)
			} else {
				s.Unlabelled = append(s.Unlabelled, judge)
			}
		}
		return s
	}
	const half = 0.1
	needed, width := 0, 0.0
	for run := range 50 {
		n, err := LabelsNeeded(draw(run, 60), half, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		needed += n
	}
	needed /= 50
	for run := range 50 {
		p, err := PPIMean(draw(1000+run, needed), 0.95)
		if err != nil {
			t.Fatal(err)
		}
		width += (p.High - p.Low) / 2 / 50
	}
	if math.Abs(width-half) > 0.03*half {
		t.Errorf("%d labels give ± %.4f, want ± %v", needed, width, half)
	}
	// Without labels the judge's variance counts, which is 1 here: 1.96²/0.01.
	if n, err := LabelsNeeded(draw(1, 0), half, 0.95); err != nil || n < 350 || n > 430 {
		t.Errorf("without labels: %d, %v", n, err)
	}
	if n, err := LabelsNeeded(draw(1, 60), 1e-3, 0.95); err != nil || n != 3000 {
		t.Errorf("an interval that no number of labels gives: %d, %v", n, err)
	}
	for _, half := range []float64{0, -1, math.NaN()} {
		if _, err := LabelsNeeded(draw(1, 60), half, 0.95); !errors.Is(err, ErrInvalidValue) {
			t.Errorf("half width %v: %v", half, err)
		}
	}
	if _, err := LabelsNeeded(PPISample{Unlabelled: []float64{1}}, 1, 0.95); !errors.Is(err, ErrTooShort) {
		t.Errorf("one item: %v", err)
	}
}
