package dataset

import (
	"errors"

	"compqa/results/table"
	"compqa/stats"
)

// An estimate is a figure with its interval, and what it rests on.
type Estimate struct {
	Margin
	N int
}

// A sample is values with the question of each.
type Sample struct {
	Values    []float64
	Questions []int
}

func (s *Sample) Add(value float64, question int) {
	s.Values, s.Questions = append(s.Values, value), append(s.Questions, question)
}

// mean has its interval clustered by question.
func (c *Calculator) Mean(s Sample) Estimate {
	e := Estimate{N: len(s.Values)}
	m, err := stats.MeanInterval(s.Values, s.Questions, Confidence)
	e.Low, e.High = table.FigureOf(c.Value(m.Low, err)), table.FigureOf(c.Value(m.High, err))
	if e.N > 0 {
		e.Value = table.Number(m.Value)
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
func (c *Calculator) Contrast(samples []Sample, weights []float64) Estimate {
	n, single := 0, false
	for _, s := range samples {
		if len(s.Values) == 0 {
			return Estimate{}
		}
		n += len(s.Values)
		single = single || len(s.Values) == 1
	}
	total, means := 0.0, make([]float64, len(samples))
	for k, s := range samples {
		means[k] = *c.Moments(s.Values).Mean
		total += float64(weights[k] * means[k])
	}
	var all Sample
	for k, s := range samples {
		weight := float64(n) * weights[k] / float64(len(s.Values))
		for i, v := range s.Values {
			all.Add(total+float64(weight*(v-means[k])), s.Questions[i]) // the conversion keeps machines from fusing the two
		}
	}
	e := c.Mean(all)
	if n > 0 {
		e.Value = table.Number(total)
	}
	if single {
		e.Low, e.High = table.Figure{}, table.Figure{}
	}
	return e
}

// share is the mean of values that are 0 or 1, cut to what a share can be. Where
// all are the same, a clustered interval has no width; it is Wilson's then, with
// every question counting once.
func (c *Calculator) Share(s Sample) Estimate {
	e := Estimate{N: len(s.Values)}
	if e.N == 0 {
		return e
	}
	m, err := stats.MeanInterval(s.Values, s.Questions, Confidence)
	e.Value = table.Number(m.Value)
	switch {
	case err == nil:
		e.Low, e.High = table.Number(max(0, m.Low)), table.Number(min(1, m.High))
	case errors.Is(err, stats.ErrZeroWidth):
		questions := 0
		seen := map[int]bool{}
		for _, q := range s.Questions {
			if !seen[q] {
				seen[q] = true
				questions++
			}
		}
		successes := 0
		if m.Value > 0.5 {
			successes = questions
		}
		w, err := stats.Wilson(successes, questions, Confidence)
		e.Low, e.High = table.FigureOf(c.Value(w.Low, err)), table.FigureOf(c.Value(w.High, err))
	default:
		c.Value(0, err)
	}
	return e
}

func Indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func (m Margin) Figures() (value, low, high table.Figure) { return m.Value, m.Low, m.High }

// A margin is a figure less another one of the same units; none where either is
// undefined, or too seldom defined in resamples.
type Margin struct{ Value, Low, High table.Figure }

// above says that the first is better beyond what the choice of questions
// explains; below, that the second is.
func (m Margin) Above() bool { return m.Low.Known() && *m.Low.Number > 0 }

func (m Margin) Below() bool { return m.High.Known() && *m.High.Number < 0 }
