package dataset

import (
	"errors"

	"compqa/results/table"
	"compqa/stats"
)

// An Estimate is a figure with its interval and the number of values.
type Estimate struct {
	table.Bounded
	N int
}

// A Sample is values with the question of each.
type Sample struct {
	Values    []float64
	Questions []int
}

func (s *Sample) Add(value float64, question int) {
	s.Values, s.Questions = append(s.Values, value), append(s.Questions, question)
}

// Mean is the mean of a sample with an interval clustered by question.
func (c *Calculator) Mean(s Sample) Estimate {
	e := Estimate{N: len(s.Values)}
	m, err := stats.MeanInterval(s.Values, s.Questions, Confidence)
	e.Low, e.High = table.FigureOf(c.Value(m.Low, err)), table.FigureOf(c.Value(m.High, err))
	if e.N > 0 {
		e.Value = table.Number(m.Value)
	}
	return e
}

// Contrast is Σ w_k·m_k over the means m_k of samples, with an interval clustered by
// question over all samples. With n_k values in sample k and n in total, its standard
// error is that of the mean of
//
//	v = Σ w_k·m_k + n·w_k/n_k · (value - m_k)
//
// (linearisation). It is missing if a sample is empty, and has no interval if a
// sample has a single value, because its variance is then unknown.
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
			all.Add(total+float64(weight*(v-means[k])), s.Questions[i]) // the conversion prevents fused multiply-add
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

// Share is the mean of values from 0 to 1, such as 0 and 1, with a clustered interval within
// [0, 1]. If that interval is undefined with the error replaced (ErrZeroWidth: all
// values are equal; ErrUndefined: also too few values), it is Wilson's interval, with
// one trial per question.
func (c *Calculator) Share(s Sample, replaced error) Estimate {
	e := Estimate{N: len(s.Values)}
	if e.N == 0 {
		return e
	}
	m, err := stats.MeanInterval(s.Values, s.Questions, Confidence)
	e.Value = table.Number(m.Value)
	switch {
	case err == nil:
		e.Low, e.High = table.Number(max(0, m.Low)), table.Number(min(1, m.High))
	case errors.Is(err, replaced):
		questions := map[int]bool{}
		for _, q := range s.Questions {
			questions[q] = true
		}
		trials := len(questions)
		w, err := stats.Wilson(int(m.Value*float64(trials)+0.5), trials, Confidence)
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

// Figures are the figures of an Estimate.
func (e Estimate) Figures() (value, low, high table.Figure) { return e.Value, e.Low, e.High }
