package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// normalFromDF is the degree of freedom above which Student's t is taken for
// the normal distribution. At that point the 97.5 % quantiles differ by 2e-6;
// far above it the continued fraction of the incomplete beta no longer
// converges (gonum 0.17.0 gives -816 in place of -6.36 at 1e7 and p = 1e-10).
const normalFromDF = 1e6

// student is Student's distribution with df degrees of freedom, not necessarily whole, as
// Satterthwaite's are not. For a small upper tail ask for the lower one of the mirror image: one
// minus a tail has lost its digits.
func student(df float64) (of interface {
	CDF(x float64) float64
	Quantile(p float64) float64
}, err error) {
	switch {
	case !(df > 0):
		return nil, fmt.Errorf("student's t with %v degrees of freedom: %w: want them above 0", df, ErrInvalidValue)
	case df > normalFromDF:
		return distuv.UnitNormal, nil
	}
	return distuv.StudentsT{Sigma: 1, Nu: df}, nil
}

// StudentTCDF returns P(T <= t) of Student's distribution with df degrees of freedom.
func StudentTCDF(t, df float64) (float64, error) {
	of, err := student(df)
	if err == nil && math.IsNaN(t) {
		err = fmt.Errorf("student's t: %w: %v", ErrInvalidValue, t)
	}
	if err != nil {
		return 0, err
	}
	return of.CDF(t), nil
}
