package labels

import (
	"math"
	"math/rand/v2"
	"testing"

	"compqa/data/sharedtest"
	"compqa/stats"
)

// TestMeanSequence compares the bounds with a direct evaluation of the formulas on a grid of candidate means. Mirrored values have mirrored
// bounds, and more values never give wider bounds.
func TestMeanSequence(t *testing.T) {
	if _, err := MeanSequence(nil, 0, 1, 0.95); err == nil {
		t.Error("no values have bounds")
	}
	if _, err := MeanSequence([]float64{2}, 0, 1, 0.95); err == nil {
		t.Error("a value outside of the range has bounds")
	}
	one, err := MeanSequence([]float64{1}, 0, 1, 0.95)
	if err != nil || one.Low > 0.1 || one.High != 1 {
		t.Errorf("of one value: %+v, %v", one, err)
	}
	values := make([]float64, 200)
	mirrored := make([]float64, 200)
	scaled := make([]float64, 200)
	for i := range values {
		values[i] = float64(i * 7 % 10 / 7) // 3 of 10 are 1
		mirrored[i], scaled[i] = 1-values[i], 1+4*values[i]
	}
	s, err := MeanSequence(values, 0, 1, 0.95)
	if err != nil || math.Abs(s.Value-0.3) > 1e-12 || s.Low > 0.3 || s.High < 0.3 {
		t.Fatalf("%+v, %v", s, err)
	}
	low, high := onGrid(values, 1000)
	if math.Abs(s.Low-low) > 1./1000 || math.Abs(s.High-high) > 1./1000 {
		t.Errorf("[%v, %v], on a grid [%v, %v]", s.Low, s.High, low, high)
	}
	m, _ := MeanSequence(mirrored, 0, 1, 0.95)
	k, _ := MeanSequence(scaled, 1, 5, 0.95)
	if math.Abs(m.Low-(1-s.High)) > 1e-9 || math.Abs(k.High-(1+4*s.High)) > 1e-9 || math.Abs(k.Low-(1+4*s.Low)) > 1e-9 {
		t.Errorf("%+v mirrored %+v, on 1 to 5 %+v", s, m, k)
	}
	part, _ := MeanSequence(values[:100], 0, 1, 0.95)
	if part.Low > s.Low || part.High < s.High {
		t.Errorf("bounds of 100 values %+v are narrower than those of 200 %+v", part, s)
	}
}

// onGrid returns the range of candidate means that the hedged capital process has not rejected, by theorem 3 and equation 26 of
// Waudby-Smith and Ramdas (2024), for values in [0, 1] and α = .05.
func onGrid(values []float64, steps int) (low, high float64) {
	low = 1
	high = 0
	for k := range steps + 1 {
		m := float64(k) / float64(steps)
		up := 1.0
		down := 1.0
		kept := true
		for i, x := range values {
			t := float64(i + 1)
			sum := 0.5
			squares := 0.25
			for j, before := range values[:i] {
				sum += before
				e := before - sum/float64(j+2)
				squares += e * e
			}
			bet := math.Sqrt(2 * math.Log(2/0.05) / (squares * math.Log(t+1)))
			up *= 1 + math.Min(bet, 0.5/m)*(x-m)
			down *= 1 - math.Min(bet, 0.5/(1-m))*(x-m)
			kept = kept && math.Max(up, down)/2 < 1/0.05
		}
		if kept {
			low = math.Min(low, m)
			high = math.Max(high, m)
		}
	}
	return low, high
}

// TestSoakMeanSequence looks 20 times at each of 2,000 streams. The true mean is ever outside in at most 5 % of them; Student's interval
// misses it in more than 20 %.
func TestSoakMeanSequence(t *testing.T) {
	sharedtest.Soak(t)
	const streams, looks, each = 2000, 20, 25
	for _, c := range []struct {
		name string
		draw func(*rand.Rand) float64
		mean float64
	}{
		{"yes or no, .5", func(r *rand.Rand) float64 { return float64(r.IntN(2)) }, 0.5},
		{"yes or no, .9", func(r *rand.Rand) float64 { return float64(count(r.Float64() < 0.9)) }, 0.9},
		{"1 to 5", func(r *rand.Rand) float64 { return float64(r.IntN(5)) / 4 }, 0.5},
		{"uniform, squared", func(r *rand.Rand) float64 { u := r.Float64(); return u * u }, 1. / 3},
	} {
		missed := 0
		repeated := 0
		width := 0.0
		for i := range streams {
			rng := rand.New(rand.NewPCG(11, uint64(i)))
			var values []float64
			sequence := false
			student := false
			for range looks {
				for range each {
					values = append(values, c.draw(rng))
				}
				mean := stats.Mean(values)
				squares := 0.0
				for _, v := range values {
					squares += (v - mean) * (v - mean)
				}
				n := float64(len(values))
				student = student || math.Abs(mean-c.mean) > 1.96*math.Sqrt(squares/(n-1)/n)
			}
			s, err := MeanSequence(values, 0, 1, 0.95) // within the bounds of each earlier look
			if err != nil {
				t.Fatal(err)
			}
			sequence = s.Low > c.mean || s.High < c.mean
			width += (s.High - s.Low) / streams
			missed = missed + count(sequence)
			repeated = repeated + count(student)
		}
		t.Logf("| %s | %.3f | %.3f | %.3f |", c.name, float64(missed)/streams, float64(repeated)/streams, width)
		if missed > streams*5/100 || repeated < streams*20/100 {
			t.Errorf("%s: missed %d, with repeated intervals %d of %d", c.name, missed, repeated, streams)
		}
	}
}

// TestMeanSequenceBesideEmpiricalBernstein compares our bounds by betting (theorem 3) with the predictable empirical Bernstein sequence of
// truescore 0.7.4 (Waudby-Smith and Ramdas 2024, theorem 2), which has a closed form. Both are valid; ours are narrower. The bounds of
// theorem 2 are computed by its formula with truescore's bets: λ_i = min(1/2, √(2 ln(1/α) / (v_{i-1} i ln(1+i)))).
func TestMeanSequenceBesideEmpiricalBernstein(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var values []float64
	sumBets := 0.0
	sumX := 0.0
	budget := math.Log(2 / 0.05)
	mean := 0.5
	squares := 0.25
	low := 0.0
	high := 1.0
	for i := range 200 {
		x := 0.0
		if rng.Float64() < 0.3 {
			x = 1
		}
		n := float64(i + 1)
		bet := math.Min(0.5, math.Sqrt(2*math.Log(1/0.05)/(squares*math.Log1p(n))))
		budget += 4 * (x - mean) * (x - mean) * (-math.Log1p(-bet) - bet) / 4
		sumBets += bet
		sumX += bet * x
		low = math.Max(low, (sumX-budget)/sumBets)
		high = math.Min(high, (sumX+budget)/sumBets)
		values = append(values, x)
		mean = (mean*n + x) / (n + 1)
		squares += (x - mean) * (x - mean)
	}
	s, err := MeanSequence(values, 0, 1, 0.95)
	if err != nil || !(low < s.Low && s.High < high) || s.High-s.Low > 0.95*(high-low) {
		t.Errorf("[%.4f, %.4f], and by empirical Bernstein [%.4f, %.4f], %v", s.Low, s.High, low, high, err)
	}
	t.Logf("betting [%.4f, %.4f], empirical Bernstein [%.4f, %.4f]", s.Low, s.High, low, high)
}
