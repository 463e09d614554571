package bench

import (
	"math"

	"compqa/judges/surface"
)

// A suggestion is an answer whose annotation would help most.
type suggestion struct {
	answer     int
	total      float64 // expected points
	low, high  float64 // within which people's would lie in 80 of 100 cases
	similarity float64 // to the nearest answer that is annotated or suggested before, in (0, 1]
}

// suggest chooses n answers without a sheet of people, one after the other: each
// time the one with the largest product of how uncertain its points are (the
// width of their bounds) and how unlike it is to every answer that is annotated
// or chosen already (distance to the nearest, in standard deviations of the
// inputs). Distance alone would choose freaks, and uncertainty alone the same
// answer over and over.
func (c *calibrating) suggest(fitted *surface.Calibration, n int) []suggestion {
	z := standardised(c.inputs)
	annotated := map[int]bool{}
	for _, u := range c.units {
		annotated[u.answer] = true
	}
	var open []suggestion
	for i, a := range c.answers {
		own := c.sheets[c.judge][i]
		if annotated[i] || c.judge != "" && own == nil {
			continue
		}
		e := fitted.Expect(a.Pair(), c.inputs[i], own)
		open = append(open, suggestion{answer: i, total: e.Total, low: e.TotalLow, high: e.TotalHigh})
	}
	nearest := make([]float64, len(open))
	for i := range open {
		nearest[i] = math.Inf(1)
	}
	approach := func(to int) {
		for i := range open {
			nearest[i] = min(nearest[i], distance(z[open[i].answer], z[to]))
		}
	}
	for i := range c.answers {
		if annotated[i] {
			approach(i)
		}
	}
	var chosen []suggestion
	taken := make([]bool, len(open))
	for len(chosen) < n && len(chosen) < len(open) {
		best, most := -1, -1.0
		for i, s := range open {
			if taken[i] {
				continue
			}
			if math.IsInf(nearest[i], 1) {
				nearest[i] = 1 // nothing to be unlike yet: uncertainty alone decides
			}
			if gain := (s.high - s.low) * nearest[i]; gain > most {
				best, most = i, gain
			}
		}
		s := open[best]
		taken[best] = true
		s.similarity = 1 / (1 + nearest[best])
		chosen = append(chosen, s)
		approach(s.answer)
	}
	return chosen
}

// standardised inputs have mean 0 and standard deviation 1 over the answers; one
// that never varies is 0.
func standardised(inputs [][]float64) [][]float64 {
	z := make([][]float64, len(inputs))
	for i := range z {
		z[i] = make([]float64, len(inputs[i]))
	}
	if len(inputs) == 0 {
		return z
	}
	n := float64(len(inputs))
	for j := range inputs[0] {
		mean, square := 0.0, 0.0
		for i := range inputs {
			mean += inputs[i][j] / n
		}
		for i := range inputs {
			d := inputs[i][j] - mean
			square += d * d / n
		}
		if square > 0 {
			for i := range inputs {
				z[i][j] = (inputs[i][j] - mean) / math.Sqrt(square)
			}
		}
	}
	return z
}

// distance is the root of the mean squared difference.
func distance(a, b []float64) float64 {
	sum := 0.0
	for j := range a {
		sum += (a[j] - b[j]) * (a[j] - b[j])
	}
	return math.Sqrt(sum / float64(len(a)))
}
