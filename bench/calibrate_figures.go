package bench

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"compqa/data"
	"compqa/judges/rules"
	"compqa/judges/surface"
	"compqa/judges/text"
	"compqa/results/paper"
	"compqa/rubric"
	"compqa/stats"
)

// A calibrating is a calibration on its way: the data, what is fitted to them,
// and the sheets of people that it is compared on.
type calibrating struct {
	*corpus
	judge    string   // calibrated; "" for none
	teachers []string // of the lessons
	seed     uint64
	units    []personSheet
	examples []surface.Example
}

// name is what the judge with the calibration is called.
func (c *calibrating) name() string { return calibratedName(c.judge) }

func calibratedName(judge string) string {
	if judge == "" {
		return surface.Name
	}
	return judge + calibratedSuffix
}

const (
	calibratedSuffix = "+calibrated"
)

func (c *calibrating) fit(examples []surface.Example, seed uint64, quick bool) (*surface.Calibration, error) {
	fitted, err := surface.FitCalibration(examples, surface.FitOptions{Judge: c.judge, Seed: seed, Quick: quick})
	if err != nil {
		return nil, err
	}
	fitted.Made.Release, fitted.Made.Teachers = c.hash, c.teachers
	return fitted, nil
}

// pairs are people's sheets with what somebody gives the same answers; units on
// whose answer he gives nothing are left out.
func (c *calibrating) pairs(of func(answer int) []float64) paper.SheetPairs {
	var p paper.SheetPairs
	var questions []string
	for _, u := range c.units {
		if scores := of(u.answer); scores != nil {
			p.People, p.Judge = append(p.People, u.scores), append(p.Judge, scores)
			questions = append(questions, c.answers[u.answer].Pair())
		}
	}
	p.Questions = stats.ClusterLabels(questions)
	return p
}

// by are the scores of a calibration.
func (c *calibrating) by(fitted *surface.Calibration) func(answer int) []float64 {
	return func(answer int) []float64 {
		var own []float64
		if c.judge != "" {
			if own = c.sheets[c.judge][answer]; own == nil {
				return nil
			}
		}
		return rubric.CQA().Points(fitted.Scores(fitted.Expect(c.answers[answer].Pair(), c.inputs[answer], own)))
	}
}

func (c *calibrating) resampling() stats.Resampling {
	return stats.Resampling{Seed: c.seed, Name: "calibration"}
}

// rows are the agreement of the fitted judge, of the corpus's judges, of the
// rules, of the floors, and of people among themselves.
func (c *calibrating) rows(fitted *surface.Calibration) ([]paper.SheetRow, error) {
	type line struct {
		name, kind string
		pairs      paper.SheetPairs
	}
	lines := []line{{c.name(), "cross-validated", c.pairs(c.by(fitted))}}
	for _, judge := range c.judges {
		if judge == c.name() || judge == surface.Name {
			continue // scored with what is fitted here, or with an earlier one
		}
		lines = append(lines, line{judge, "judge", c.pairs(func(answer int) []float64 { return c.sheets[judge][answer] })})
	}
	if !slices.Contains(c.judges, "rules") {
		lines = append(lines, line{"rules", "embedded", c.pairs(func(answer int) []float64 {
			scores, _ := rules.Score(text.Measure(data.QuestionOf(c.answers[answer]), c.answers[answer].Text))
			return rubric.CQA().Points(scores)
		})})
	}
	if !slices.Contains(c.judges, "constant") {
		lines = append(lines, line{"constant", "floor", c.pairs(func(int) []float64 { return rubric.CQA().Points(rubric.CQA().Full()) })})
	}
	lines = append(lines, line{"people's means", "floor", c.pairs(c.means(fitted))})
	if one, other := c.people[data.Human+":1"], c.people[data.Human+":2"]; one != nil && other != nil {
		lines = append(lines, line{data.Human + ":1, " + data.Human + ":2", "people", c.among(one, other)})
	}
	rows := make([]paper.SheetRow, len(lines))
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, l := range lines {
		work.Go(func() (err error) {
			rows[i] = paper.SheetRow{Name: l.name, Kind: l.kind}
			if rows[i].SheetAgreement, err = l.pairs.Agreement(c.resampling()); err != nil {
				return fmt.Errorf("%s: %w", l.name, err)
			}
			return nil
		})
	}
	return rows, work.Wait()
}

// means is the floor that knows each criterion's mean, and no answer: people's
// over the questions of the other parts.
func (c *calibrating) means(fitted *surface.Calibration) func(answer int) []float64 {
	sums, counts := make([][]float64, len(fitted.Models)), make([]int, len(fitted.Models))
	for p := range fitted.Models {
		sums[p] = make([]float64, len(fitted.Criteria))
		for _, u := range c.units {
			if fitted.PartOf(c.answers[u.answer].Pair()) == p {
				continue
			}
			counts[p]++
			for k, points := range u.scores {
				sums[p][k] += points
			}
		}
	}
	return func(answer int) []float64 {
		p := fitted.PartOf(c.answers[answer].Pair())
		if p < 0 {
			return nil
		}
		mean := make([]float64, len(sums[p]))
		for k, sum := range sums[p] {
			mean[k] = sum / float64(counts[p])
		}
		return mean
	}
}

// among pairs two annotators' sheets, by answer and repeat.
func (c *calibrating) among(one, other []personSheet) paper.SheetPairs {
	theirs := map[[2]int][]float64{}
	for _, s := range other {
		theirs[[2]int{s.answer, s.repeat}] = s.scores
	}
	var p paper.SheetPairs
	var questions []string
	for _, s := range one {
		if scores := theirs[[2]int{s.answer, s.repeat}]; scores != nil {
			p.People, p.Judge = append(p.People, s.scores), append(p.Judge, scores)
			questions = append(questions, c.answers[s.answer].Pair())
		}
	}
	p.Questions = stats.ClusterLabels(questions)
	return p
}

// divisions fits to other divisions of the questions into parts and returns the
// figures of each: how much of a figure is the luck of one division.
func (c *calibrating) divisions(n int) ([][]float64, error) {
	var figures [][]float64
	for d := range n {
		fitted, err := c.fit(c.examples, c.seed+1+uint64(d), true)
		if err != nil {
			return nil, err
		}
		f, err := c.pairs(c.by(fitted)).Figures()
		if err != nil {
			return nil, err
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// moments are mean and standard deviation of the i-th figure.
func moments(figures [][]float64, i int) (mean, sd float64) {
	for _, f := range figures {
		mean += f[i] / float64(len(figures))
	}
	for _, f := range figures {
		sd += (f[i] - mean) * (f[i] - mean)
	}
	if len(figures) > 1 {
		sd = math.Sqrt(sd / float64(len(figures)-1))
	}
	return mean, sd
}

// A covering says how well the bounds of the expectations hold where the model
// has not seen the question: the share of people's scores within them, and the
// slope of people's scores on those expected (1: a point expected is a point
// given).
type covering struct {
	scores, totals float64 // shares in [0, 1]
	slope          float64 // of totals
}

func (c *calibrating) covered(fitted *surface.Calibration) covering {
	const rounding = 1e-9
	var of covering
	n, criteria, mx, my := 0.0, 0.0, 0.0, 0.0
	var x, y []float64
	for _, u := range c.units {
		own := c.sheets[c.judge][u.answer]
		if c.judge != "" && own == nil {
			continue
		}
		e := fitted.Expect(c.answers[u.answer].Pair(), c.inputs[u.answer], own)
		total := 0.0
		for k, points := range u.scores {
			total += points
			criteria++
			if points >= e.Low[k]-rounding && points <= e.High[k]+rounding {
				of.scores++
			}
		}
		if n++; total >= e.TotalLow-rounding && total <= e.TotalHigh+rounding {
			of.totals++
		}
		x, y = append(x, e.Total), append(y, total)
		mx, my = mx+e.Total, my+total
	}
	of.scores, of.totals, mx, my = of.scores/criteria, of.totals/n, mx/n, my/n
	sxy, sxx := 0.0, 0.0
	for i := range x {
		sxy += (x[i] - mx) * (y[i] - my)
		sxx += (x[i] - mx) * (x[i] - mx)
	}
	if sxx > 0 {
		of.slope = sxy / sxx
	}
	return of
}
