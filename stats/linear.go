package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A Linear predicts outputs as weighted sums of standardised inputs, so that the effect of each input can be shown:
//
//	prediction_k(x) = Base_k + Σ_j Weights_jk · clip((x_j - Means_j)/Scales_j, ±3)
//
// Scales are standard deviations. An input that was constant in the fit has scale 0 and no effect. Clipping limits the effect of extreme
// inputs. Base is the prediction for mean inputs.
type Linear struct {
	Means   []float64   `json:"means"`
	Scales  []float64   `json:"scales"`
	Base    []float64   `json:"base"`
	Weights [][]float64 `json:"weights"` // by input, then output
}

// Standard returns the standardised and clipped value of input j, in [-3, 3].
func (l *Linear) Standard(j int, v float64) float64 {
	const widest = 3
	if l.Scales[j] == 0 {
		return 0
	}
	return max(-widest, min(widest, (v-l.Means[j])/l.Scales[j]))
}

// Predict returns the outputs for one row of inputs.
func (l *Linear) Predict(x []float64) []float64 {
	y := slices.Clone(l.Base)
	for j, weights := range l.Weights {
		z := l.Standard(j, x[j])
		for k, w := range weights {
			y[k] += w * z
		}
	}
	return y
}

// Check returns an error if a model from a file does not have these numbers of inputs and outputs, or has a weight or base above most in
// absolute value.
func (l *Linear) Check(inputs, outputs int, most float64) error {
	if len(l.Means) != inputs || len(l.Scales) != inputs || len(l.Weights) != inputs {
		return fmt.Errorf("a model of %d means, %d scales and %d weights; %d inputs are needed", len(l.Means), len(l.Scales), len(l.Weights),
			inputs)
	}
	for _, row := range append(slices.Clone(l.Weights), l.Base) {
		if len(row) != outputs {
			return fmt.Errorf("a model of %d outputs; %d are needed", len(row), outputs)
		}
		for _, v := range row {
			if !(math.Abs(v) <= most) {
				return fmt.Errorf("a weight or base of %v; at most %v is possible", v, most)
			}
		}
	}
	return nil
}

// FitLinear fits each output by ridge regression (Hoerl and Kennard 1970) on the standardised and clipped inputs:
//
//	weights = (Z'Z + penalty·I)⁻¹ Z'(y - mean y)
//
// x has a row of inputs and y a row of outputs for each observation. penalty is in rows and must be positive, so that there is exactly one
// solution for any inputs. All numbers are rounded to seven digits, so that a file reproduces the model.
func FitLinear(x, y [][]float64, penalty float64) (*Linear, error) {
	inputs, outputs, err := checkTable(x, y)
	if err != nil {
		return nil, err
	}
	if !(penalty > 0) || math.IsInf(penalty, 0) {
		return nil, fmt.Errorf("a penalty of %v; it must be positive", penalty)
	}
	l := &Linear{Means: make([]float64, inputs), Scales: make([]float64, inputs), Base: make([]float64, outputs),
		Weights: make([][]float64, inputs)}
	z := mat.NewDense(len(x), inputs, nil)
	clipped := make([]float64, inputs) // means of the clipped inputs
	for j := range inputs {
		column := make([]float64, len(x))
		for i := range x {
			column[i] = x[i][j]
		}
		mean, variance := stat.PopMeanVariance(column, nil)
		if sd := math.Sqrt(variance); sd >= 1e-12*math.Abs(mean) { // less is rounding error in a constant
			l.Scales[j] = rounded(sd)
		}
		l.Means[j] = rounded(mean)
		for i, v := range column {
			column[i] = l.Standard(j, v)
		}
		clipped[j] = stat.Mean(column, nil)
		for i, v := range column {
			z.Set(i, j, v-clipped[j])
		}
	}
	residuals := mat.NewDense(len(y), outputs, slices.Concat(y...))
	for k := range l.Base {
		l.Base[k] = stat.Mean(mat.Col(nil, k, residuals), nil)
		for i := range y {
			residuals.Set(i, k, y[i][k]-l.Base[k])
		}
	}
	squares := mat.NewSymDense(inputs, nil)
	squares.SymOuterK(1, z.T())
	for j := range inputs {
		squares.SetSym(j, j, squares.At(j, j)+penalty)
	}
	var factor mat.Cholesky
	if !factor.Factorize(squares) {
		return nil, errors.New("the sums of squares overflow")
	}
	var products, weights mat.Dense
	products.Mul(z.T(), residuals)
	if err := factor.SolveTo(&weights, &products); err != nil {
		return nil, err
	}
	for j := range l.Weights {
		l.Weights[j] = mat.Row(nil, j, &weights)
		for k := range l.Base {
			l.Weights[j][k] = rounded(l.Weights[j][k])
			l.Base[k] -= l.Weights[j][k] * clipped[j]
		}
	}
	for k := range l.Base {
		l.Base[k] = rounded(l.Base[k])
	}
	return l, nil
}

// rounded rounds to seven digits.
func rounded(v float64) float64 {
	if math.Abs(v) < 1e-9 { // a rounding error
		return 0
	}
	return scalar.Round(v, 6-int(math.Floor(math.Log10(math.Abs(v)))))
}

// checkTable checks that x and y are tables of finite numbers with equally many rows, and returns their numbers of columns.
func checkTable(x, y [][]float64) (inputs, outputs int, err error) {
	if len(x) == 0 || len(x) != len(y) {
		return 0, 0, fmt.Errorf("%d rows of inputs, %d of outputs", len(x), len(y))
	}
	inputs = len(x[0])
	outputs = len(y[0])
	for i := range x {
		if inputs == 0 || outputs == 0 || len(x[i]) != inputs || len(y[i]) != outputs {
			return 0, 0, fmt.Errorf("row %d has %d inputs and %d outputs, the first one %d and %d", i, len(x[i]), len(y[i]), inputs, outputs)
		}
		for _, values := range [][]float64{x[i], y[i]} {
			if err := CheckFinite(values); err != nil {
				return 0, 0, fmt.Errorf("row %d is not finite: %w", i, err)
			}
		}
	}
	return inputs, outputs, nil
}
