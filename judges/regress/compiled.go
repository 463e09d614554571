package regress

import "slices"

// A CompiledLinear is a Linear in one form that is quick to evaluate, equal to it
// up to rounding: inputs are clipped where they stand, and weights are per unit of
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

// Compile prepares a model.
func (l Linear) Compile() *CompiledLinear {
	c := &CompiledLinear{base: slices.Clone(l.Base)}
	for j, weights := range l.Weights {
		if l.Scales[j] == 0 {
			continue
		}
		wide := Widest * l.Scales[j]
		c.inputs = append(c.inputs, clippedInput{j, l.Means[j] - wide, l.Means[j] + wide})
		for k, w := range weights {
			c.weights = append(c.weights, w/l.Scales[j])
			c.base[k] -= float64(w / l.Scales[j] * l.Means[j])
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
// same outputs, over the inputs for which part is true. The base is the weighted
// sum of theirs.
func Compile(models [][]Curves, weight float64, part func(input int) bool) *Compiled {
	c := &Compiled{base: make([]float64, len(models[0]))}
	cuts := map[int][]float64{}
	for _, model := range models {
		for k, curves := range model {
			c.base[k] += float64(weight * curves.Base)
			for _, curve := range curves.Curves {
				if part(curve.Input) {
					cuts[curve.Input] = append(cuts[curve.Input], curve.Cuts...)
				}
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
				if i, ok := at[curve.Input]; ok {
					c.inputs[i].add(curve, k, len(c.base), weight)
				}
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

// Base adds the base to out.
func (c *Compiled) Base(out []float64) {
	for k, b := range c.base {
		out[k] += b
	}
}

// Add adds the curves' values at x, without the base, to out.
func (c *Compiled) Add(out, x []float64) {
	for _, in := range c.inputs {
		r := above(in.cuts, x[in.input])
		for k, v := range in.table[r*len(out):][:len(out)] {
			out[k] += v
		}
	}
}
