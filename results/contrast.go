package results

import (
	"errors"

	"compqa/stats"
)

// An estimate is a figure with its interval, and what it rests on.
type estimate struct {
	margin
	n int
}

// A sample is values with the question of each.
type sample struct {
	values    []float64
	questions []int
}

func (s *sample) add(value float64, question int) {
	s.values, s.questions = append(s.values, value), append(s.questions, question)
}

// mean has its interval clustered by question.
func (c *computer) mean(s sample) estimate {
	e := estimate{n: len(s.values)}
	m, err := stats.MeanInterval(s.values, s.questions, confidence)
	e.low, e.high = Figure{c.value(m.Low, err)}, Figure{c.value(m.High, err)}
	if e.n > 0 {
		e.value = figure(m.Value)
	}
	return e
}

// contrast is Σ w_k·m_k over the means m_k of samples, clustered by question
// across all of them. With n_k values in sample k and n in all its standard
// error is that of the mean of
//
//	v = Σ w_k·m_k + n·w_k/n_k · (value - m_k)
//
// (linearisation). There is none where a sample is empty, and no interval where
// one has a single value, which says nothing of its variance.
func (c *computer) contrast(samples []sample, weights []float64) estimate {
	n, single := 0, false
	for _, s := range samples {
		if len(s.values) == 0 {
			return estimate{}
		}
		n += len(s.values)
		single = single || len(s.values) == 1
	}
	total, means := 0.0, make([]float64, len(samples))
	for k, s := range samples {
		means[k] = *c.moments(s.values).Mean
		total += float64(weights[k] * means[k])
	}
	var all sample
	for k, s := range samples {
		weight := float64(n) * weights[k] / float64(len(s.values))
		for i, v := range s.values {
			all.add(total+float64(weight*(v-means[k])), s.questions[i]) // the conversion keeps machines from fusing the two
		}
	}
	e := c.mean(all)
	if n > 0 {
		e.value = figure(total)
	}
	if single {
		e.low, e.high = Figure{}, Figure{}
	}
	return e
}

// share is the mean of values that are 0 or 1, cut to what a share can be. Where
// all are the same, a clustered interval has no width; it is Wilson's then, with
// every question counting once.
func (c *computer) share(s sample) estimate {
	e := estimate{n: len(s.values)}
	if e.n == 0 {
		return e
	}
	m, err := stats.MeanInterval(s.values, s.questions, confidence)
	e.value = figure(m.Value)
	switch {
	case err == nil:
		e.low, e.high = figure(max(0, m.Low)), figure(min(1, m.High))
	case errors.Is(err, stats.ErrZeroWidth):
		questions := 0
		seen := map[int]bool{}
		for _, q := range s.questions {
			if !seen[q] {
				seen[q] = true
				questions++
			}
		}
		successes := 0
		if m.Value > 0.5 {
			successes = questions
		}
		w, err := stats.Wilson(successes, questions, confidence)
		e.low, e.high = Figure{c.value(w.Low, err)}, Figure{c.value(w.High, err)}
	default:
		c.value(0, err)
	}
	return e
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
