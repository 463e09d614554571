package stats

import (
	"compqa/data/sharedtest"
	"errors"
	"math"
	"testing"

	"compqa/stats/statstest"
)

// bcg has the 13 trials of the BCG vaccine (Colditz et al. 1994), as in metafor's dat.bcg: cases and others with the vaccine, cases and
// others without.
var bcg = [][4]float64{{4, 119, 11, 128}, {6, 300, 29, 274}, {3, 228, 11, 209}, {62, 13536, 248, 12619}, {33, 5036, 47, 5761}, {180, 1361, 372, 1079}, {8, 2537, 10, 619},
	{505, 87886, 499, 87892}, {29, 7470, 45, 7232}, {17, 1699, 65, 1600}, {186, 50448, 141, 27197}, {5, 2493, 3, 2338}, {27, 16886, 29, 17825}}

// bcgEffects returns the log risk ratios of the trials with their standard errors.
func bcgEffects() (effects, errors []float64) {
	for _, d := range bcg {
		effects = append(effects, math.Log(d[0]/(d[0]+d[1])/(d[2]/(d[2]+d[3]))))
		errors = append(errors, math.Sqrt(1/d[0]-1/(d[0]+d[1])+1/d[2]-1/(d[2]+d[3])))
	}
	return effects, errors
}

// Expected values are from metafor's documentation: the log risk ratio with method DL is -0.7141 with a standard error of 0.1787, τ² =
// 0.3088; with REML τ² = 0.3132. The Q-profile interval of τ² is 0.1197 to 1.1115. The bounds of DL come from statsmodels 0.15.0
// (combine_effects, hksj).
func TestRandomEffectsOfBCG(t *testing.T) {
	effects, errors := bcgEffects()
	r, err := RandomEffectsModel(effects, errors, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "μ", r.Mean, -0.7141, 0.5e-4)
	statstest.Near(t, "SE", r.SE, 0.1787, 0.5e-4)
	statstest.Near(t, "τ²", r.Tau2, 0.3088, 0.5e-4)
	statstest.Near(t, "τ² by REML", r.Tau2REML, 0.3132, 0.5e-4)
	statstest.Near(t, "low", r.Low, -1.1078, 0.5e-4)
	statstest.Near(t, "high", r.High, -0.3204, 0.5e-4)
	statstest.Near(t, "τ² from", r.Tau2Low, 0.1197, 0.5e-4)
	statstest.Near(t, "τ² to", r.Tau2High, 1.1115, 0.5e-4)
}

// Two effects without heterogeneity, by hand: 1 ± 1 and 2 ± 1 have Q = 0.5, so τ² = 0, the mean is 1.5 and its standard error is √½.
func TestRandomEffectsByHand(t *testing.T) {
	r, err := RandomEffectsModel([]float64{1, 2}, []float64{1, 1}, 0.95)
	if err != nil || r.Tau2 != 0 || r.Tau2Low != 0 || math.Abs(r.Mean-1.5) > 1e-15 || math.Abs(r.SE-math.Sqrt(0.5)) > 1e-15 {
		t.Errorf("%+v, %v", r, err)
	}
	low, high := r.Predict(0.1)
	if math.Abs(low+high-3) > 1e-9 || low > 1.5-2*math.Sqrt(0.5) {
		t.Errorf("predicted: %v to %v", low, high)
	}
	value, low, high := r.Shrink(0, 0)
	if value != r.Mean || low > value || high < value {
		t.Errorf("the first effect is shrunk to %v [%v, %v], want the mean where τ² is 0", value, low, high)
	}
	// With a far third effect τ² is large, and each effect is hardly shrunk.
	if r, err = RandomEffectsModel([]float64{1, 2, 1000}, []float64{0.1, 0.1, 0.1}, 0.95); err != nil {
		t.Fatal(err)
	}
	if value, low, high = r.Shrink(2, 0); math.Abs(value-1000) > 0.01 || math.Abs(high-low-4*0.1) > 0.02 {
		t.Errorf("the third effect is shrunk to %v [%v, %v]", value, low, high)
	}
}

func TestRandomEffectsFaults(t *testing.T) {
	for _, c := range []struct {
		effects, errors []float64
		want            error
	}{
		{nil, nil, ErrTooShort}, {[]float64{1}, []float64{1}, ErrTooShort}, {[]float64{1, 2}, []float64{1}, ErrLength},
		{[]float64{1, 2}, []float64{1, 0}, ErrInvalidValue}, {[]float64{1, math.NaN()}, []float64{1, 1}, ErrInvalidValue},
		{[]float64{1, 2}, []float64{1, math.Inf(1)}, ErrInvalidValue},
	} {
		if _, err := RandomEffectsModel(c.effects, c.errors, 0.95); !errors.Is(err, c.want) {
			t.Errorf("%v ± %v: %v, want %v", c.effects, c.errors, err, c.want)
		}
	}
	// Equal effects do not vary, but there is still an interval.
	r, err := RandomEffectsModel([]float64{1, 1, 1}, []float64{1, 2, 3}, 0.95)
	if low, high := r.Predict(0); err != nil || r.Tau2 != 0 || !(low < 1 && high > 1) {
		t.Errorf("equal effects: %+v [%v, %v] %v", r, low, high, err)
	}
}

// Coverage of the effect of a new group, and of an observed group, for standard errors of 2.5/√n with n from 5 to 69 answers, as in the
// CompQA release.
func TestSoakPredictCoverage(t *testing.T) {
	sharedtest.Soak(t)
	for _, k := range []int{3, 5, 9, 20} {
		for _, tau := range []float64{0, 0.5, 1} {
			rng := NewRNG(1, "random effects", uint64(k), uint64(10*tau))
			const trials = 2000
			predicted := 0
			shrunk := 0
			mean := 0
			for range trials {
				truth := make([]float64, k)
				effects := make([]float64, k)
				errors := make([]float64, k)
				for i := range effects {
					errors[i] = 2.5 / math.Sqrt(float64(5+rng.Intn(65)))
					truth[i] = 1 + tau*statstest.Gauss(rng)
					effects[i] = truth[i] + errors[i]*statstest.Gauss(rng)
				}
				r, err := RandomEffectsModel(effects, errors, 0.95)
				if err != nil {
					t.Fatal(err)
				}
				if r.Low <= 1 && 1 <= r.High {
					mean++
				}
				const se = 0.1
				next := 1 + tau*statstest.Gauss(rng) + se*statstest.Gauss(rng)
				if low, high := r.Predict(se); low <= next && next <= high {
					predicted++
				}
				if _, low, high := r.Shrink(0, 0); low <= truth[0] && truth[0] <= high {
					shrunk++
				}
			}
			t.Logf("k %d, τ %v: %d of %d predicted, %d shrunk, %d means", k, tau, predicted, trials, shrunk, mean)
			if mean < 930*trials/1000 || mean > 980*trials/1000 {
				t.Errorf("k %d, τ %v: the interval of the mean covers %d of %d", k, tau, mean, trials)
			}
			if predicted < 930*trials/1000 || shrunk < 930*trials/1000 {
				t.Errorf("k %d, τ %v: %d of %d predicted, %d shrunk, want 0.93", k, tau, predicted, trials, shrunk)
			}
		}
	}
}
