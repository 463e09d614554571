package stats

// Rouge1 returns ROUGE-1 F of two lists of tokens: the harmonic mean of precision and recall of their common tokens,
//
//	F = 2·c / (|a| + |b|),  c = Σ min(count in a, count in b)
//
// in [0, 1]; 0 if one of them is empty. Symmetric, exact, linear time. Tokens are compared as
// they are: stemming and stop words are the caller's choice. Lin 2004.
func Rouge1[T comparable](a, b []T) float64 {
	count := map[T]int{}
	for _, t := range a {
		count[t]++
	}
	common := 0
	for _, t := range b {
		if count[t] > 0 {
			count[t]--
			common++
		}
	}
	if common == 0 {
		return 0
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}
