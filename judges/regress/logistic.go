package regress

import (
	"cmp"
	"fmt"
	"math"

	"compqa/stats"
	"compqa/stats/ranking"
)

// Logistic predicts the log-odds of an outcome from differences:
//
//	log-odds(x) = Σ_j Weights_j · clip(x_j/Scales_j, ±Widest)
//
// It has no base, so that the opposite differences have the opposite log-odds. Scales are roots
// of mean squares; an input that was always 0 has scale 0 and no part.
type Logistic struct {
	Scales  []float64 `json:"scales"`
	Weights []float64 `json:"weights"`
}

// LogOdds are the log-odds for a row of inputs.
func (l Logistic) LogOdds(x []float64) float64 {
	sum := 0.0
	for j, w := range l.Weights {
		sum += float64(w * l.scaled(j, x[j]))
	}
	return sum
}

func (l Logistic) scaled(j int, v float64) float64 {
	if l.Scales[j] == 0 {
		return 0
	}
	return max(-Widest, min(Widest, v/l.Scales[j]))
}

// FitLogistic maximises the likelihood of the outcomes y less half of penalty times the squared weights (Le Cessie and van
// Houwelingen 1992). penalty is in rows and must be positive: then there is one solution. No rows or inputs are
// stats.ErrTooShort; a fit that does not converge is ranking.ErrNotConverged.
func FitLogistic(x [][]float64, y []bool, penalty float64) (l Logistic, err error) {
	defer stats.Wrap("logistic regression", &err)
	if err := stats.CheckLengths(len(x), len(y)); err != nil {
		return l, err
	}
	if len(x) == 0 || len(x[0]) == 0 {
		return l, stats.ErrTooShort
	}
	if !(penalty > 0) || !stats.IsFinite(penalty) {
		return l, fmt.Errorf("penalty is %v; it must be positive", penalty)
	}
	l.Scales = make([]float64, len(x[0]))
	for _, row := range x {
		if err := cmp.Or(stats.CheckLengths(len(row), len(l.Scales)), stats.CheckFinite(row)); err != nil {
			return Logistic{}, err
		}
		for j, v := range row {
			l.Scales[j] += float64(v * v)
		}
	}
	for j := range l.Scales {
		l.Scales[j] = math.Sqrt(l.Scales[j] / float64(len(x)))
	}
	scaled := make([][]float64, len(x))
	for i, row := range x {
		for j, v := range row {
			scaled[i] = append(scaled[i], l.scaled(j, v))
		}
	}
	if l.Weights, err = ranking.FitLogistic(y, scaled, penalty); err != nil {
		return Logistic{}, err
	}
	return l, nil
}
