package stats

import (
	"errors"
	"math"
	"testing"
)

// A paired t-test of half a standard deviation at 5 % and 80 % power takes 34
// pairs, one of 0.2 takes 199 (Cohen 1988; exact by the non-central t).
func TestQuestionsNeeded(t *testing.T) {
	for _, c := range []struct {
		delta float64
		want  int
	}{{0.5, 34}, {0.2, 199}} {
		n, err := Design{}.QuestionsNeeded(c.delta, Spread{Between: 1})
		if err != nil {
			t.Fatal(err)
		}
		if n != c.want {
			t.Errorf("questions for %v standard deviations: %d, want %d", c.delta, n, c.want)
		}
	}
}

// For many questions the formula is Miller's, (z_{α/2}+z_β)²·Var/δ².
func TestQuestionsNeededForMany(t *testing.T) {
	spread := Spread{Between: 2, WithinA: 3, WithinB: 4, RepeatsA: 3, RepeatsB: 2}
	n, err := Design{Alpha: 0.01, Power: 0.9}.QuestionsNeeded(0.01, spread)
	if err != nil {
		t.Fatal(err)
	}
	za, _ := normalQuantile(0.995)
	zb, _ := normalQuantile(0.9)
	wantRel(t, "questions", float64(n), (za+zb)*(za+zb)*5/1e-4, 1e-4)
}

func TestQuestionsNeededIsTheLeast(t *testing.T) {
	design, spread := Design{Power: 0.9}, Spread{Between: 4, WithinA: 1}
	for _, delta := range []float64{0.05, 0.3, 1, 3, 100} {
		n, err := design.QuestionsNeeded(delta, spread)
		if err != nil {
			t.Fatal(err)
		}
		detectable := func(n int) float64 {
			v, err := design.MinimumDetectable(math.Sqrt(5/float64(n)), float64(n-1))
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		if detectable(n) > delta || n > 2 && detectable(n-1) <= delta {
			t.Errorf("%d questions for %v, which find %v; one less finds %v", n, delta, detectable(n), detectable(n-1))
		}
	}
}

// Exact detectable differences in units of the standard error, for 5 % and 80 %,
// from the non-central t by quadrature (mpmath 1.3.0).
func TestMinimumDetectableAgainstNonCentralT(t *testing.T) {
	for df, exact := range map[float64]float64{5: 3.5139, 9: 3.14964, 19: 2.95359} {
		got, err := Design{}.MinimumDetectable(1, df)
		if err != nil {
			t.Fatal(err)
		}
		wantRel(t, "detectable difference", got, exact, 0.012)
	}
}

func TestPowerRefuses(t *testing.T) {
	if _, err := (Design{}).MinimumDetectable(0, 9); !errors.Is(err, ErrZeroWidth) {
		t.Errorf("standard error 0: %v", err)
	}
	nan := math.NaN()
	for name, f := range map[string]func() error{
		"NaN error":         func() error { _, err := Design{}.MinimumDetectable(nan, 9); return err },
		"no freedom":        func() error { _, err := Design{}.MinimumDetectable(1, 0); return err },
		"power 1":           func() error { _, err := Design{Power: 1}.MinimumDetectable(1, 9); return err },
		"alpha 2":           func() error { _, err := Design{Alpha: 2}.QuestionsNeeded(1, Spread{Between: 1}); return err },
		"no difference":     func() error { _, err := Design{}.QuestionsNeeded(0, Spread{Between: 1}); return err },
		"no variance":       func() error { _, err := Design{}.QuestionsNeeded(1, Spread{}); return err },
		"negative variance": func() error { _, err := Design{}.QuestionsNeeded(1, Spread{Between: -1}); return err },
		"NaN variance":      func() error { _, err := Design{}.QuestionsNeeded(1, Spread{WithinA: nan}); return err },
		"infinite variance": func() error { _, err := Design{}.QuestionsNeeded(1, Spread{Between: math.Inf(1)}); return err },
		"negative repeats":  func() error { _, err := Design{}.QuestionsNeeded(1, Spread{Between: 1, RepeatsA: -1}); return err },
		"a speck":           func() error { _, err := Design{}.QuestionsNeeded(1e-9, Spread{Between: 1}); return err },
	} {
		if err := f(); !errors.Is(err, ErrInvalidValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
