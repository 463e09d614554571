package regress

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
)

// One input of ±1 with k of n outcomes on its side: the weight w solves k - n·σ(w) = penalty·w.
func TestFitLogistic(t *testing.T) {
	const n, k, penalty = 20, 15, 2.
	var x [][]float64
	var y []bool
	for i := range n {
		x, y = append(x, []float64{3, 0}), append(y, i < k)
	}
	l, err := FitLogistic(x, y, penalty)
	if err != nil {
		t.Fatal(err)
	}
	w := l.Weights[0]
	if math.Abs(k-n/(1+math.Exp(-w))-penalty*w) > 1e-9 || l.Scales[0] != 3 || l.Weights[1] != 0 {
		t.Errorf("%+v", l)
	}
	if a, b := l.LogOdds([]float64{3, 5}), l.LogOdds([]float64{-3, 5}); a != w || b != -w {
		t.Errorf("log-odds %v and %v, weight %v", a, b, w)
	}
	if l.LogOdds([]float64{300, 0}) != Widest*w {
		t.Error("a wild input is not clipped")
	}
	for _, c := range []struct {
		x       [][]float64
		y       []bool
		penalty float64
		want    error
	}{{nil, nil, 1, stats.ErrTooShort}, {[][]float64{{1}}, nil, 1, stats.ErrLength}, {[][]float64{{math.NaN()}}, []bool{true}, 1, stats.ErrInvalidValue}} {
		if l, err := FitLogistic(c.x, c.y, c.penalty); !errors.Is(err, c.want) || l.Scales != nil {
			t.Errorf("%v: %v", c.x, err)
		}
	}
	for _, penalty := range []float64{0, -1, math.NaN()} {
		if _, err := FitLogistic([][]float64{{1}}, []bool{true}, penalty); err == nil {
			t.Errorf("penalty %v is accepted", penalty)
		}
	}
}
