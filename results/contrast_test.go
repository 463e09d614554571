package results

import (
	"math"
	"testing"
)

// By hand: means 2 (of 1, 3) and 5 (of 4, 5, 6), weights 1 and -1, so that the
// contrast is -3; with n = 5 the linearised residuals by question are -5/2 on a,
// 5/2 on b, and 5/3, 0, -5/3 on c, d, e. Each question has one, and CR1's
// variance of their mean is Σ r²/(n(n-1)) = (25/2 + 50/9)/20.
func TestContrast(t *testing.T) {
	var c computer
	e := c.contrast([]sample{{[]float64{1, 3}, []int{0, 1}}, {[]float64{4, 5, 6}, []int{2, 3, 4}}}, []float64{1, -1})
	nearTo(t, "the contrast", e.value, -3)
	// Student's 97.5 % quantile with four degrees of freedom is 2.7764451051977987
	nearTo(t, "its lower bound", e.low, -3-2.7764451051977987*math.Sqrt((25./2+50./9)/20))
	if e.n != 5 || c.err != nil {
		t.Errorf("n is %d, the error %v", e.n, c.err)
	}
}

func TestContrastOfLittle(t *testing.T) {
	var c computer
	if e := c.contrast([]sample{{[]float64{1}, []int{0}}, {}}, []float64{1, -1}); e.value.known() {
		t.Errorf("against nothing: %+v", e)
	}
	e := c.contrast([]sample{{[]float64{1}, []int{0}}, {[]float64{3, 4}, []int{1, 2}}}, []float64{1, -1})
	nearTo(t, "against one value", e.value, -2.5)
	if e.low.known() || e.high.known() {
		t.Errorf("one value has an interval: %+v", e)
	}
	e = c.contrast([]sample{{[]float64{2, 2}, []int{0, 1}}, {[]float64{1, 1}, []int{0, 1}}}, []float64{1, -1})
	nearTo(t, "of constants", e.value, 1)
	if e.low.known() || c.err != nil {
		t.Errorf("constants have an interval: %+v, %v", e, c.err)
	}
	if e := c.mean(sample{}); e.value.known() || e.n != 0 {
		t.Errorf("the mean of nothing: %+v", e)
	}
}

// Wilson's interval of 0 of 10 reaches to z²/(10+z²), z = 1.959963984540054.
func TestShare(t *testing.T) {
	var c computer
	never := sample{}
	for q := range 10 {
		never.add(0, q)
		never.add(0, q)
	}
	e := c.share(never)
	nearTo(t, "the share", e.value, 0)
	nearTo(t, "its lower bound", e.low, 0)
	nearTo(t, "its upper bound", e.high, 3.8414588206941236/13.841458820694124)
	for i := range never.values {
		never.values[i] = 1
	}
	e = c.share(never)
	nearTo(t, "the share of all", e.value, 1)
	nearTo(t, "its lower bound", e.low, 10/13.841458820694124)
	rare := sample{}
	for q := range 10 {
		rare.add(indicator(q == 0), q)
	}
	if e = c.share(rare); *e.low.number != 0 || *e.high.number <= 0.1 {
		t.Errorf("one in ten: %s", interval(e.value, e.low, e.high, 3))
	}
	if e = c.share(sample{[]float64{1}, []int{0}}); *e.value.number != 1 || e.low.known() {
		t.Errorf("one of one: %+v", e)
	}
	if e = c.share(sample{}); e.value.known() {
		t.Errorf("none of nothing: %+v", e)
	}
	if c.err != nil {
		t.Error(c.err)
	}
}

func nearTo(t *testing.T, what string, got Figure, want float64) {
	t.Helper()
	if !got.known() || math.Abs(*got.number-want) > 1e-9 {
		t.Errorf("%s is %s, want %v", what, got.text(12), want)
	}
}
