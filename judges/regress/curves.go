package regress

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"compqa/stats"
)

// Options of FitCurves.
type Options struct {
	Rounds int     // steps fitted, one after the other
	Rate   float64 // share of each step that is taken, in (0, 1]
	Rows   float64 // share of the rows that a step is fitted to, in (0, 1]
	Inputs float64 // share of the inputs that it may choose from, in (0, 1]
	Shrink float64 // rows of value 0 that are added to each side of a step
	Least  int     // rows on either side of a step
	Bins   int     // maximum number of ranges of an input, up to 256
	Seed   uint64
}

// Usual options suit about 300 rows of 100 inputs with much noise.
func Usual(seed uint64) Options {
	return Options{Rounds: 120, Rate: 0.05, Rows: 0.7, Inputs: 0.3, Shrink: 2, Least: 4, Bins: 32, Seed: seed}
}

// Curves predict one output as a sum of step functions, one of each input:
//
//	prediction(x) = Base + Σ_j curve_j(x_j)
//	curve_j(v)    = Start + Σ Change over the cuts that v lies above
//
// Every curve has mean 0 over the rows it was fitted to, and Base is the mean
// prediction, so that a curve's value is what its input adds or takes away.
type Curves struct {
	Base   float64 `json:"base"`
	Curves []Curve `json:"of"` // of the inputs that play a part, ascending
}

// A Curve is the step function of one input.
type Curve struct {
	Input   int
	Start   float64
	Cuts    []float64 // ascending
	Changes []float64 // at each cut
}

// MarshalJSON writes a curve as a list: its input, its start, and cuts and changes in turn.
func (c Curve) MarshalJSON() ([]byte, error) {
	flat := []float64{float64(c.Input), c.Start}
	for s, cut := range c.Cuts {
		flat = append(flat, cut, c.Changes[s])
	}
	return json.Marshal(flat)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (c *Curve) UnmarshalJSON(text []byte) error {
	var flat []float64
	if err := json.Unmarshal(text, &flat); err != nil {
		return err
	}
	if len(flat) < 2 || len(flat)%2 != 0 || math.Trunc(flat[0]) != flat[0] {
		return fmt.Errorf("a curve is its input, its start, and cuts and changes in turn: %v", flat)
	}
	*c = Curve{Input: int(flat[0]), Start: flat[1]}
	for s := 2; s < len(flat); s += 2 {
		c.Cuts, c.Changes = append(c.Cuts, flat[s]), append(c.Changes, flat[s+1])
	}
	return nil
}

// At is the value of the curve.
func (c *Curve) At(v float64) float64 {
	sum := c.Start
	for i, cut := range c.Cuts {
		if v <= cut {
			break
		}
		sum += c.Changes[i]
	}
	return sum
}

// Predict is the prediction for a row of inputs.
func (c Curves) Predict(x []float64) float64 {
	sum := c.Base
	for _, curve := range c.Curves {
		sum += curve.At(x[curve.Input])
	}
	return sum
}

// FitCurves fits curves to each output (column of y) by least-squares boosting with stumps (Friedman 2001, algorithm 2; 2002
// for the random share of rows): each round finds, among a random share of the inputs, the cut that takes most off the
// squared residuals of a random share of the rows, and adds Rate times the mean residual of each side. Since every round
// looks at one input, the sum is additive (Lou, Caruana and Gehrke 2012).
//
// x has a row of inputs and y a row of outputs for each observation. An input that is constant plays no part; where nothing
// can be gained from any, the curves are Base alone.
func FitCurves(x, y [][]float64, o Options) ([]Curves, error) {
	inputs, outputs, err := check(x, y)
	if err != nil {
		return nil, err
	}
	b := newBins(x, inputs, o.Bins)
	fitted := make([]Curves, outputs)
	for k := range fitted {
		f := newFitter(b, y, k, o)
		for range o.Rounds {
			f.round()
		}
		fitted[k] = f.curves()
	}
	return fitted, nil
}

// A fitter holds what one output's rounds work on.
type fitter struct {
	bins
	Options
	rng       *stats.RNG
	base      float64
	residuals []float64
	chosen    []int       // the rows of a round
	values    [][]float64 // of each input's curve, by range
	sums      []float64   // of a round's residuals, by range
	counts    []int
}

func newFitter(b bins, y [][]float64, output int, o Options) *fitter {
	f := &fitter{bins: b, Options: o, rng: stats.NewRNG(o.Seed, "curves", uint64(output)),
		residuals: make([]float64, len(y)), sums: make([]float64, o.Bins), counts: make([]int, o.Bins)}
	for i := range y {
		f.base += y[i][output]
	}
	f.base /= float64(len(y))
	for i := range y {
		f.residuals[i] = y[i][output] - f.base
	}
	for _, cuts := range b.cuts {
		f.values = append(f.values, make([]float64, len(cuts)+1))
	}
	return f
}

// A split is a cut of one input and what it gains: the drop of the squared residuals.
type split struct {
	input, last int // the last range below the cut
	gain        float64
	low, high   float64 // residuals of either side, shrunk
}

func (f *fitter) round() {
	f.chosen = f.chosen[:0]
	total := 0.0
	for i, r := range f.residuals {
		if f.rng.Float64() < f.Rows {
			f.chosen = append(f.chosen, i)
			total += r
		}
	}
	best := split{input: -1}
	for j, cuts := range f.cuts {
		if f.rng.Float64() < f.Inputs && len(cuts) > 0 {
			best = f.better(best, j, total)
		}
	}
	if best.input >= 0 {
		f.take(best)
	}
}

// better is the best split of an input where it gains more than the best so far.
func (f *fitter) better(best split, input int, total float64) split {
	ranges := len(f.cuts[input]) + 1
	sums, counts := f.sums[:ranges], f.counts[:ranges]
	clear(sums)
	clear(counts)
	code := f.code[input]
	for _, i := range f.chosen {
		sums[code[i]] += f.residuals[i]
		counts[code[i]]++
	}
	low, below := 0.0, 0
	for r := range ranges - 1 {
		low += sums[r]
		below += counts[r]
		beyond := len(f.chosen) - below
		if below < f.Least || beyond < f.Least {
			continue
		}
		high := total - low
		means := [2]float64{low / (float64(below) + f.Shrink), high / (float64(beyond) + f.Shrink)}
		gain := float64(means[0]*low) + float64(means[1]*high)
		if gain > best.gain {
			best = split{input, r, gain, means[0], means[1]}
		}
	}
	return best
}

// take adds a split's step to the input's curve.
func (f *fitter) take(s split) {
	low, high := f.Rate*s.low, f.Rate*s.high
	steps := slices.Concat(slices.Repeat([]float64{low}, s.last+1), slices.Repeat([]float64{high}, len(f.cuts[s.input])-s.last))
	for r, step := range steps {
		f.values[s.input][r] += step
	}
	for i, code := range f.code[s.input] {
		f.residuals[i] -= steps[code]
	}
}

// curves are the steps taken, each curve with its mean taken into the base.
func (f *fitter) curves() Curves {
	c := Curves{Base: f.base}
	for j, values := range f.values {
		if !slices.ContainsFunc(values, func(v float64) bool { return v != 0 }) {
			continue
		}
		mean := 0.0
		for _, code := range f.code[j] {
			mean += values[code]
		}
		mean /= float64(len(f.code[j]))
		c.Base += mean
		curve := Curve{Input: j, Start: values[0] - mean}
		for r, cut := range f.cuts[j] {
			if change := values[r+1] - values[r]; change != 0 {
				curve.Cuts, curve.Changes = append(curve.Cuts, cut), append(curve.Changes, change)
			}
		}
		c.Curves = append(c.Curves, curve)
	}
	return c
}

// Mean is the model that predicts the mean of several models' predictions.
func Mean(models []Curves) Curves {
	weight := 1 / float64(len(models))
	var mean Curves
	merged := map[int]map[float64]float64{} // input to cut to change
	starts := map[int]float64{}
	for _, m := range models {
		mean.Base += float64(weight * m.Base)
		for _, c := range m.Curves {
			if merged[c.Input] == nil {
				merged[c.Input] = map[float64]float64{}
			}
			starts[c.Input] += float64(weight * c.Start)
			for i, cut := range c.Cuts {
				merged[c.Input][cut] += float64(weight * c.Changes[i])
			}
		}
	}
	for _, input := range slices.Sorted(maps.Keys(merged)) {
		c := Curve{Input: input, Start: starts[input], Cuts: slices.Sorted(maps.Keys(merged[input]))}
		for _, cut := range c.Cuts {
			c.Changes = append(c.Changes, merged[input][cut])
		}
		mean.Curves = append(mean.Curves, c)
	}
	return mean
}
