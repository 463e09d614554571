package stats

import "math"

// Cholesky replaces the lower triangle of the symmetric matrix a, of n rows, by
// its factor L with LLᵀ = a, and returns whether a is positive definite. gonum/mat
// was rejected: its kernels give different last digits on different machines.
func Cholesky(a []float64, n int) bool {
	for j := range n {
		for i := j; i < n; i++ {
			s := a[i*n+j] - Dot(a[i*n:i*n+j], a[j*n:j*n+j])
			if i > j {
				a[i*n+j] = s / a[j*n+j]
				continue
			}
			if !(s > 0) || math.IsInf(s, 1) {
				return false
			}
			a[j*n+j] = math.Sqrt(s)
		}
	}
	return true
}

// SolveCholesky replaces b by the solution x of LLᵀx = b.
func SolveCholesky(l []float64, n int, b []float64) {
	for i := range n {
		b[i] = (b[i] - Dot(l[i*n:i*n+i], b[:i])) / l[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		s := b[i]
		for k := i + 1; k < n; k++ {
			s -= float64(l[k*n+i] * b[k])
		}
		b[i] = s / l[i*n+i]
	}
}
