package regress

import "slices"

// A CompiledLinear is a Linear in a form that is quick to evaluate, equal to it up
// to rounding: inputs are clipped where they stand, and weights are per unit of
// the input.
type CompiledLinear struct {
	base    []float64
	inputs  []clippedInput
	weights []float64 // a row of outputs for each of inputs
}

type clippedInput struct {
	input     int
	low, high float64
}

// CompileLinear prepares the mean of models of the same inputs and outputs: of
// their bases, of their weights per unit of an input, and of the bounds at which
// the input is clipped. Within all bounds its predictions are the means of
// theirs. A model in which an input has scale 0 has weight 0 for it, and no say in
// its bounds.
func CompileLinear(models []*Linear) *CompiledLinear {
	share := 1 / float64(len(models))
	outputs := len(models[0].Base)
	c := &CompiledLinear{base: make([]float64, outputs)}
	for _, l := range models {
		for k, b := range l.Base {
			c.base[k] += float64(share * b)
		}
	}
	for j := range models[0].Weights {
		in, scaled := clippedInput{input: j}, 0.0
		weights := make([]float64, outputs)
		for _, l := range models {
			if l.Scales[j] == 0 {
				continue
			}
			scaled++
			in.low += l.Means[j] - float64(Widest*l.Scales[j])
			in.high += l.Means[j] + float64(Widest*l.Scales[j])
			for k, w := range l.Weights[j] {
				perUnit := share * w / l.Scales[j]
				weights[k] += perUnit
				c.base[k] -= float64(perUnit * l.Means[j])
			}
		}
		if scaled > 0 {
			in.low, in.high = in.low/scaled, in.high/scaled
			c.inputs, c.weights = append(c.inputs, in), append(c.weights, weights...)
		}
	}
	return c
}

// Predict appends the predictions for a row of inputs to dst.
func (c *CompiledLinear) Predict(dst, x []float64) []float64 {
	from := len(dst)
	dst = append(dst, c.base...)
	out := dst[from:]
	weights := c.weights
	for _, in := range c.inputs {
		v := max(in.low, min(in.high, x[in.input]))
		row := weights[:len(out)]
		weights = weights[len(out):]
		if v == 0 {
			continue
		}
		for k, w := range row {
			out[k] += float64(w * v)
		}
	}
	return dst
}

// Compiled is several curves in one form that is quick to evaluate: one search
// an input, and one row of a table to be added.
type Compiled struct {
	base   []float64
	inputs []compiledInput
}

type compiledInput struct {
	input int
	cuts  []float64
	table []float64 // a row of outputs for each range
}

// Compile prepares the weighted sum of models, each of which has curves for the
// same outputs.
func Compile(models [][]Curves, weight float64) *Compiled {
	c := &Compiled{base: make([]float64, len(models[0]))}
	cuts := map[int][]float64{}
	for _, model := range models {
		for k, curves := range model {
			c.base[k] += float64(weight * curves.Base)
			for _, curve := range curves.Curves {
				cuts[curve.Input] = append(cuts[curve.Input], curve.Cuts...)
			}
		}
	}
	at := map[int]int{}
	for input, all := range cuts {
		slices.Sort(all)
		all = slices.Compact(all)
		c.inputs = append(c.inputs, compiledInput{input, all, make([]float64, (len(all)+1)*len(c.base))})
	}
	slices.SortFunc(c.inputs, func(a, b compiledInput) int { return a.input - b.input })
	for i, in := range c.inputs {
		at[in.input] = i
	}
	for _, model := range models {
		for k, curves := range model {
			for _, curve := range curves.Curves {
				c.inputs[at[curve.Input]].add(curve, k, len(c.base), weight)
			}
		}
	}
	return c
}

// add adds a curve to an output's column.
func (in compiledInput) add(curve Curve, output, outputs int, weight float64) {
	value, next := curve.Start, 0
	for r := 0; r <= len(in.cuts); r++ {
		for r > 0 && next < len(curve.Cuts) && curve.Cuts[next] <= in.cuts[r-1] {
			value += curve.Changes[next]
			next++
		}
		in.table[r*outputs+output] += float64(weight * value)
	}
}

// Predict puts the predictions for a row of inputs into out.
func (c *Compiled) Predict(out, x []float64) {
	copy(out, c.base)
	for _, in := range c.inputs {
		r := above(in.cuts, x[in.input])
		for k, v := range in.table[r*len(out):][:len(out)] {
			out[k] += v
		}
	}
}
