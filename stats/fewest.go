package stats

// Fewest is the smallest n from 1 to most that is enough, by doubling and halving, for what is enough from some n on. ok is false
// if most is not. Where enough is not monotone, n is enough, but a smaller one may be, too.
func Fewest(most int, enough func(n int) bool) (n int, ok bool) {
	step := 1
	for step < most && !enough(step) {
		step *= 2
	}
	low, high := step/2, min(step, most) // not with low, perhaps with high
	if high < 1 || !enough(high) {
		return 0, false
	}
	for high-low > 1 {
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}
