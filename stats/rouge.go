package stats

// Rouge1 is ROUGE-1 F of two lists of tokens: the harmonic mean of precision and recall of
// their common tokens,
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
	return dice(common, len(a)+len(b))
}

// RougeL is ROUGE-L F of two lists of tokens: as Rouge1, with the length of their longest
// common subsequence for c. Time is |a|·|b|. Lin 2004, section 3.1, of whole texts, β = 1.
func RougeL[T comparable](a, b []T) float64 {
	lengths := make([]int, len(b)+1) // of the subsequences of a's tokens so far and b[:k]
	for _, t := range a {
		diagonal := 0
		for k, u := range b {
			above := lengths[k+1]
			if t == u {
				lengths[k+1] = diagonal + 1
			} else {
				lengths[k+1] = max(above, lengths[k])
			}
			diagonal = above
		}
	}
	return dice(lengths[len(b)], len(a)+len(b))
}

func dice(common, both int) float64 {
	if common == 0 {
		return 0
	}
	return 2 * float64(common) / float64(both)
}
