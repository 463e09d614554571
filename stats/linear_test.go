package stats

import (
	"math"
	"testing"
)

// One input: the weight of the standardised input is Szy/(Szz + penalty), with Szz = n. Here x = 1 2 3 4 and y = 2x + 1, so sd = √1.25
// and Szy = 4·√1.25·2. A penalty of 4 leaves half of the slope: 1 per unit of x, around the means 2.5 and 6.
func TestLinearByHand(t *testing.T) {
	l, err := FitLinear([][]float64{{1}, {2}, {3}, {4}}, [][]float64{{3}, {5}, {7}, {9}}, 4)
	if err != nil {
		t.Fatal(err)
	}
	for v, want := range map[float64]float64{2.5: 6, 3.5: 7, 1: 4.5} {
		if got := l.Predict([]float64{v})[0]; math.Abs(got-want) > 1e-6 {
			t.Errorf("at %v: %v, want %v", v, got, want)
		}
	}
	// An input beyond three standard deviations counts as three.
	edge := 2.5 + 3*math.Sqrt(1.25)
	if got, want := l.Predict([]float64{1000})[0], l.Predict([]float64{edge})[0]; math.Abs(got-want) > 1e-6 {
		t.Errorf("far out: %v, want %v", got, want)
	}
}

// With a very small penalty the fit is exact if outputs are linear in inputs, for every output, also with a constant and a copy of an
// input.
func TestLinearRecovers(t *testing.T) {
	rng := NewRNG(5, "linear")
	var x, y [][]float64
	for range 60 {
		a := rng.Float64()
		b := rng.Float64()
		x = append(x, []float64{a, b, 3, a})
		y = append(y, []float64{1 + 2*a - b, 5*b - 4})
	}
	l, err := FitLinear(x, y, 1e-9)
	if err != nil {
		t.Fatal(err)
	}
	for i := range x {
		got := l.Predict(x[i])
		if len(got) != 2 || math.Abs(got[0]-y[i][0]) > 1e-5 || math.Abs(got[1]-y[i][1]) > 1e-5 {
			t.Fatalf("row %d: %v, want %v", i, got, y[i])
		}
	}
	if l.Scales[2] != 0 {
		t.Errorf("a constant has the scale %v", l.Scales[2])
	}
	if math.Abs(l.Weights[0][0]-l.Weights[3][0]) > 1e-4 {
		t.Errorf("two copies of an input have weights %v and %v", l.Weights[0][0], l.Weights[3][0])
	}
}

// The gradient of the penalised sum of squares is 0 at the solution, for any penalty.
func TestLinearIsTheMinimum(t *testing.T) {
	rng := NewRNG(6, "minimum")
	var x, y [][]float64
	for range 30 {
		x = append(x, []float64{rng.Float64(), float64(rng.Intn(3)), rng.Float64() * 100})
		y = append(y, []float64{rng.Float64()})
	}
	const penalty = 3
	l, err := FitLinear(x, y, penalty)
	if err != nil {
		t.Fatal(err)
	}
	for j := range l.Weights {
		gradient := penalty * l.Weights[j][0]
		for i := range x {
			gradient -= (y[i][0] - l.Predict(x[i])[0]) * l.Standard(j, x[i][j])
		}
		if math.Abs(gradient) > 1e-4 {
			t.Errorf("input %d: gradient %v, want 0", j, gradient)
		}
	}
}

func TestLinearOfOneRow(t *testing.T) {
	l, err := FitLinear([][]float64{{3, 4}}, [][]float64{{5}}, 1)
	if err != nil || l.Predict([]float64{9, 9})[0] != 5 {
		t.Errorf("%+v, %v: one row can only give its output", l, err)
	}
}

func TestLinearRefuses(t *testing.T) {
	one := [][]float64{{1}}
	for name, of := range map[string]struct {
		x, y    [][]float64
		penalty float64
	}{
		"nothing": {nil, nil, 1}, "rows": {one, nil, 1}, "no inputs": {[][]float64{{}}, one, 1}, "no outputs": {one, [][]float64{{}}, 1},
		"widths": {[][]float64{{1}, {1, 2}}, [][]float64{{1}, {1}}, 1}, "not finite": {[][]float64{{math.NaN()}}, one, 1},
		"no penalty": {one, one, 0}, "infinite penalty": {one, one, math.Inf(1)}, "overflow": {[][]float64{{1}}, [][]float64{{math.Inf(1)}}, 1},
	} {
		if _, err := FitLinear(of.x, of.y, of.penalty); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
