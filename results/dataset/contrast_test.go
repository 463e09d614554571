package dataset

import (
	"math"
	"testing"

	"compqa/results/table"
	"compqa/stats"
)

// By hand: means 2 (of 1, 3) and 5 (of 4, 5, 6), weights 1 and -1, so that the
// contrast is -3; with n = 5 the linearised residuals by question are -5/2 on a,
// 5/2 on b, and 5/3, 0, -5/3 on c, d, e. Each question has one, and CR1's
// variance of their mean is Σ r²/(n(n-1)) = (25/2 + 50/9)/20.
func TestContrast(t *testing.T) {
	var c Calculator
	e := c.Contrast([]Sample{{[]float64{1, 3}, []int{0, 1}}, {[]float64{4, 5, 6}, []int{2, 3, 4}}}, []float64{1, -1})
	nearTo(t, "the contrast", e.Value, -3)
	// Student's 97.5 % quantile with four degrees of freedom is 2.7764451051977987
	nearTo(t, "its lower bound", e.Low, -3-2.7764451051977987*math.Sqrt((25./2+50./9)/20))
	if e.N != 5 || c.Err != nil {
		t.Errorf("n is %d, the error %v", e.N, c.Err)
	}
}

func TestContrastOfLittle(t *testing.T) {
	var c Calculator
	if e := c.Contrast([]Sample{{[]float64{1}, []int{0}}, {}}, []float64{1, -1}); e.Value.Known() {
		t.Errorf("against nothing: %+v", e)
	}
	e := c.Contrast([]Sample{{[]float64{1}, []int{0}}, {[]float64{3, 4}, []int{1, 2}}}, []float64{1, -1})
	nearTo(t, "against one value", e.Value, -2.5)
	if e.Low.Known() || e.High.Known() {
		t.Errorf("one value has an interval: %+v", e)
	}
	e = c.Contrast([]Sample{{[]float64{2, 2}, []int{0, 1}}, {[]float64{1, 1}, []int{0, 1}}}, []float64{1, -1})
	nearTo(t, "of constants", e.Value, 1)
	if e.Low.Known() || c.Err != nil {
		t.Errorf("constants have an interval: %+v, %v", e, c.Err)
	}
	if e := c.Mean(Sample{}); e.Value.Known() || e.N != 0 {
		t.Errorf("the mean of nothing: %+v", e)
	}
}

// Wilson's interval of 0 of 10 reaches to z²/(10+z²), z = 1.959963984540054.
func TestShare(t *testing.T) {
	var c Calculator
	never := Sample{}
	for q := range 10 {
		never.Add(0, q)
		never.Add(0, q)
	}
	e := c.Share(never, stats.ErrZeroWidth)
	nearTo(t, "the share", e.Value, 0)
	nearTo(t, "its lower bound", e.Low, 0)
	nearTo(t, "its upper bound", e.High, 3.8414588206941236/13.841458820694124)
	for i := range never.Values {
		never.Values[i] = 1
	}
	e = c.Share(never, stats.ErrZeroWidth)
	nearTo(t, "the share of all", e.Value, 1)
	nearTo(t, "its lower bound", e.Low, 10/13.841458820694124)
	rare := Sample{}
	for q := range 10 {
		rare.Add(Indicator(q == 0), q)
	}
	if e = c.Share(rare, stats.ErrZeroWidth); *e.Low.Number != 0 || *e.High.Number <= 0.1 {
		t.Errorf("one in ten: %s", table.Bounded{Value: e.Value, Low: e.Low, High: e.High}.Text(3))
	}
	if e = c.Share(Sample{[]float64{1}, []int{0}}, stats.ErrZeroWidth); *e.Value.Number != 1 || e.Low.Known() {
		t.Errorf("one of one: %+v", e)
	}
	if e = c.Share(Sample{}, stats.ErrZeroWidth); e.Value.Known() {
		t.Errorf("none of nothing: %+v", e)
	}
	if c.Err != nil {
		t.Error(c.Err)
	}
}

func nearTo(t *testing.T, what string, got table.Figure, want float64) {
	t.Helper()
	if !got.Known() || math.Abs(*got.Number-want) > 1e-9 {
		t.Errorf("%s is %s, want %v", what, got.Text(12), want)
	}
}
