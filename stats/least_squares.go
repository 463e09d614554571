package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// LeastSquares regresses y on the variables x, each with a value for every row, and returns the
// estimates of the intercept and of each variable's slope, in units of y per unit of x:
//
//	b = (XᵀX)⁻¹Xᵀy
//	V = (XᵀX)⁻¹ ( Σ_i x_i x_iᵀ e_i² / (1-h_i)² ) (XᵀX)⁻¹      HC3, MacKinnon and White 1985
//
// with residuals e and leverages h; the errors may differ in variance. Intervals are Student's with n-k
// degrees of freedom for k coefficients.
//
// All values must be finite (ErrInvalidValue). Fewer than k+1 rows are ErrTooShort; a variable that is
// constant or a sum of multiples of others is ErrConstant. A fit without residuals is ErrZeroWidth. Rows
// are independent.
func LeastSquares(x [][]float64, y []float64, level float64) ([]Estimate, error) {
	fail := func(err error) ([]Estimate, error) { return nil, fmt.Errorf("least squares: %w", err) }
	n, k := len(y), len(x)+1
	for _, values := range append([][]float64{y}, x...) {
		if err := CheckLengths(len(values), n); err != nil {
			return fail(err)
		}
		if err := CheckFinite(values); err != nil {
			return fail(err)
		}
	}
	if n <= k {
		return fail(ErrTooShort)
	}
	design, transform, err := standardisedDesign(x, n)
	if err != nil {
		return fail(err)
	}
	var cross, inverse mat.SymDense
	var factor mat.Cholesky
	cross.SymOuterK(1, design.T())
	if !factor.Factorize(&cross) || factor.Cond() > 1e12 || factor.InverseTo(&inverse) != nil {
		return fail(ErrConstant)
	}
	var right, b, residuals, values mat.VecDense
	right.MulVec(design.T(), mat.NewVecDense(n, y))
	b.MulVec(&inverse, &right)
	residuals.MulVec(design, &b)
	residuals.SubVec(mat.NewVecDense(n, y), &residuals)
	moves := mat.NewDense(n, k, nil) // (XᵀX)⁻¹ x_i e_i/(1-h_i)
	for i := range n {
		var move mat.VecDense
		move.MulVec(&inverse, design.RowView(i))
		rest := 1 - mat.Dot(&move, design.RowView(i))
		if rest < 1e-12 {
			return fail(fmt.Errorf("%w: row %d alone decides a coefficient", ErrTooShort, i))
		}
		move.ScaleVec(residuals.AtVec(i)/rest, &move)
		moves.SetRow(i, move.RawVector().Data)
	}
	values.MulVec(transform, &b)
	moves.Mul(moves, transform.T())
	estimates := make([]Estimate, k)
	for j := range estimates {
		e := Estimate{Value: values.AtVec(j), SE: mat.Norm(moves.ColView(j), 2), DF: float64(n - k), N: n, Clusters: n, Level: level, Method: HC3}
		if e.SE <= 1e-13*math.Abs(e.Value) {
			return fail(ErrZeroWidth)
		}
		if err := e.SetBounds(); err != nil {
			return fail(err)
		}
		estimates[j] = e
	}
	return estimates, nil
}

// HC3 is the method of the estimates of LeastSquares.
const HC3 Method = "HC3"

// standardisedDesign has a row [1, (x - mean)/scale …] for each row of the variables, so that its
// condition says whether a variable depends on others. transform turns its coefficients into those of x.
func standardisedDesign(x [][]float64, n int) (design, transform *mat.Dense, err error) {
	k := len(x) + 1
	design, transform = mat.NewDense(n, k, nil), mat.NewDense(k, k, nil)
	transform.Set(0, 0, 1)
	for i := range n {
		design.Set(i, 0, 1)
	}
	for j, values := range x {
		e, mean := Deviations(values), Mean(values)
		scale := math.Sqrt(Dot(e, e) / float64(n))
		if !(scale > 1e-12*math.Abs(mean)) || !IsFinite(scale) {
			return nil, nil, ErrConstant
		}
		transform.Set(0, j+1, -mean/scale)
		transform.Set(j+1, j+1, 1/scale)
		for i, v := range e {
			design.Set(i, j+1, v/scale)
		}
	}
	return design, transform, nil
}
