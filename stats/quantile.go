package stats

import "math"

// Quantile returns the p-quantile of a sorted sample by linear interpolation: type 7 of Hyndman and Fan (1996), the default of numpy and R:
//
//	h = p·(n-1),  q = x[⌊h⌋] + (h-⌊h⌋)·(x[⌊h⌋+1] - x[⌊h⌋])
//
// The sample has at least one value, in ascending order; p is in [0, 1].
func Quantile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	i := int(math.Floor(h))
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + float64((h-float64(i))*(sorted[i+1]-sorted[i]))
}
