package regress

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Linear predicts outputs as weighted sums of standardised inputs:
//
//	prediction_k(x) = Base_k + Σ_j Weights_jk · clip((x_j - Means_j)/Scales_j, ±Widest)
//
// Scales are standard deviations; an input that was constant has scale 0 and no
// part. The clip keeps one wild input from deciding alone.
type Linear struct {
	Means   []float64   `json:"means"`
	Scales  []float64   `json:"scales"`
	Base    []float64   `json:"base"`
	Weights [][]float64 `json:"weights"` // by input and output
}

// Fits reports whether a model is one of so many inputs and outputs.
func (l Linear) Fits(inputs, outputs int) bool {
	return len(l.Means) == inputs && len(l.Scales) == inputs && len(l.Weights) == inputs && len(l.Base) == outputs &&
		!slices.ContainsFunc(l.Weights, func(w []float64) bool { return len(w) != outputs })
}

// Widest is how many standard deviations from its mean an input counts as at most.
const Widest = 3

// standard is an input as the weights see it.
func (l Linear) standard(j int, v float64) float64 {
	if l.Scales[j] == 0 {
		return 0
	}
	return max(-Widest, min(Widest, (v-l.Means[j])/l.Scales[j]))
}

// Predict appends the predictions for a row of inputs to dst.
func (l Linear) Predict(dst, x []float64) []float64 {
	from := len(dst)
	dst = append(dst, l.Base...)
	out := dst[from:]
	for j, weights := range l.Weights {
		z := l.standard(j, x[j])
		if z == 0 {
			continue
		}
		for k, w := range weights {
			out[k] += float64(w * z)
		}
	}
	return dst
}

// MeanLinear is one model for the mean of several of the same inputs and outputs. An input is clipped at the mean of their
// bounds, so between all bounds a prediction is the mean of theirs. A model in which an input has scale 0 gives it weight 0,
// and does not count for its bounds.
func MeanLinear(models []*Linear) *Linear {
	share, inputs, outputs := 1/float64(len(models)), len(models[0].Weights), len(models[0].Base)
	mean := &Linear{Means: make([]float64, inputs), Scales: make([]float64, inputs), Base: make([]float64, outputs),
		Weights: make([][]float64, inputs)}
	for _, m := range models {
		for k, b := range m.Base {
			mean.Base[k] += float64(share * b)
		}
	}
	for j := range mean.Weights {
		mean.Weights[j] = make([]float64, outputs)
		scaled := 0.0
		for _, m := range models {
			if m.Scales[j] != 0 {
				scaled++
				mean.Means[j] += m.Means[j]
				mean.Scales[j] += m.Scales[j]
			}
		}
		if scaled == 0 {
			continue
		}
		mean.Means[j] /= scaled
		mean.Scales[j] /= scaled
		for _, m := range models {
			if m.Scales[j] == 0 {
				continue
			}
			for k, w := range m.Weights[j] {
				slope := share * w / m.Scales[j]
				mean.Weights[j][k] += float64(slope * mean.Scales[j])
				mean.Base[k] += float64(slope * (mean.Means[j] - m.Means[j]))
			}
		}
	}
	return mean
}

// FitLinear is ridge regression (Hoerl and Kennard 1970) of each output on the standardised inputs:
//
//	weights = (Z'Z + penalty·I)⁻¹ Z'(y - mean y)
//
// penalty is in rows, and must be positive: then there is one solution, whatever the inputs. The base is the outputs' mean,
// and means are taken of the clipped inputs, too.
func FitLinear(x, y [][]float64, penalty float64) (Linear, error) {
	inputs, outputs, err := check(x, y)
	if err != nil {
		return Linear{}, err
	}
	if !(penalty > 0) || math.IsInf(penalty, 0) {
		return Linear{}, fmt.Errorf("a penalty of %v; it must be positive", penalty)
	}
	l := Linear{Means: columnMeans(x, inputs), Scales: make([]float64, inputs), Base: columnMeans(y, outputs)}
	for j := range l.Scales {
		sum := 0.0
		for i := range x {
			d := x[i][j] - l.Means[j]
			sum += float64(d * d)
		}
		l.Scales[j] = math.Sqrt(sum / float64(len(x)))
		if l.Scales[j] < 1e-12*math.Abs(l.Means[j]) { // a constant's rounding errors
			l.Scales[j] = 0
		}
	}
	z := make([][]float64, len(x))
	for i := range x {
		z[i] = make([]float64, inputs)
		for j, v := range x[i] {
			z[i][j] = l.standard(j, v)
		}
	}
	clipped := columnMeans(z, inputs)
	left, right := make([]float64, inputs*inputs), make([][]float64, outputs) // right by output
	for j := range inputs {
		left[j*inputs+j] = penalty
	}
	for k := range right {
		right[k] = make([]float64, inputs)
	}
	for i := range z {
		for j := range z[i] {
			d := z[i][j] - clipped[j]
			for k := 0; k <= j; k++ {
				left[k*inputs+j] += float64(d * (z[i][k] - clipped[k]))
			}
			for k := range right {
				right[k][j] += float64(d * (y[i][k] - l.Base[k]))
			}
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(mat.NewSymDense(inputs, left)) {
		return Linear{}, errors.New("the sums of squares overflow")
	}
	l.Weights = make([][]float64, inputs)
	for j := range l.Weights {
		l.Weights[j] = make([]float64, outputs)
	}
	for k, weights := range right {
		solution := mat.NewVecDense(inputs, weights)
		if err := factor.SolveVecTo(solution, solution); err != nil {
			return Linear{}, err
		}
		for j, w := range weights {
			l.Weights[j][k] = w
			l.Base[k] -= float64(w * clipped[j])
		}
	}
	return l, nil
}

func columnMeans(rows [][]float64, columns int) []float64 {
	means := make([]float64, columns)
	for _, row := range rows {
		for j, v := range row {
			means[j] += v
		}
	}
	for j := range means {
		means[j] /= float64(len(rows))
	}
	return means
}
