package bench

import (
	"errors"
	"slices"

	"compqa/judges/surface"
	"compqa/stats"
)

// A curvePoint is the agreement to expect from so many sheets of people.
type curvePoint struct {
	sheets  int
	figures []figureRange // in the order of results.SheetFigureNames
}

type figureRange struct{ mean, low, high float64 }

// The learning curve: the numbers of sheets looked at, how often each is drawn,
// and how often the questions of each are resampled.
var curveSizes = []int{25, 50, 100, 200}

const (
	curveDraws     = 12
	curveResamples = 50
)

// curve draws sheets at random, fits to these alone, and compares on all. The
// bounds hold 95 in 100 of what other draws and other questions would have given.
func (c *calibrating) curve() ([]curvePoint, error) {
	var points []curvePoint
	for _, size := range curveSizes {
		if size >= len(c.units) {
			break
		}
		var own, resampled [][]float64
		for draw := range uint64(curveDraws) {
			fitted, err := c.fit(c.only(size, draw), c.seed, true)
			if errors.Is(err, surface.ErrTooFew) { // on too few questions
				continue
			}
			if err != nil {
				return nil, err
			}
			listed := c.pairs(c.by(fitted))
			f, err := listed.Figures()
			if err != nil {
				return nil, err
			}
			own = append(own, f)
			for r := range uint64(curveResamples) {
				if f, err := listed.Resampled(stats.NewRNG(c.seed, "curve", uint64(size), draw, r)).Figures(); err == nil {
					resampled = append(resampled, f)
				}
			}
		}
		if len(own) > 0 {
			points = append(points, summary(size, own, resampled))
		}
	}
	return points, nil
}

// only keeps people's sheets of so many examples. All others stay as those of
// answers that nobody has annotated.
func (c *calibrating) only(sheets int, draw uint64) []surface.Example {
	var annotated []int
	for i, e := range c.examples {
		if e.People != nil {
			annotated = append(annotated, i)
		}
	}
	stats.NewRNG(c.seed, "sheets", uint64(sheets), draw).Shuffle(len(annotated), func(i, j int) { annotated[i], annotated[j] = annotated[j], annotated[i] })
	some := slices.Clone(c.examples)
	for _, i := range annotated[sheets:] {
		some[i].People = nil
	}
	return some
}

func summary(size int, own, resampled [][]float64) curvePoint {
	p := curvePoint{sheets: size}
	for i := range own[0] {
		mean, _ := moments(own, i)
		values := make([]float64, len(resampled))
		for r := range resampled {
			values[r] = resampled[r][i]
		}
		slices.Sort(values)
		low, err1 := stats.Quantile(values, 0.025)
		high, err2 := stats.Quantile(values, 0.975)
		if err1 != nil || err2 != nil {
			low, high = mean, mean
		}
		p.figures = append(p.figures, figureRange{mean, low, high})
	}
	return p
}
