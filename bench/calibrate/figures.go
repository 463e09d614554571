package calibrate

import (
	"fmt"
	"slices"

	"compqa/data"
	"compqa/judges/rules"
	"compqa/judges/surface"
	"compqa/judges/text"
	"compqa/results/dataset"
	"compqa/rubric"
	"compqa/stats"
)

// A fitting is the state of one calibration: the data, the examples to fit to, and the sheets of people to compare with.
type fitting struct {
	*surface.Corpus
	judge    string   // calibrated; "" for none
	teachers []string // of the lessons
	seed     uint64
	units    []surface.PersonSheet
	examples []surface.Example
}

// name is the name of the judge with the calibration.
func (c *fitting) name() string { return calibratedName(c.judge) }

func calibratedName(judge string) string {
	if judge == "" {
		return surface.Name
	}
	return judge + "+calibrated"
}

func (c *fitting) fit(examples []surface.Example, seed uint64) (*surface.Calibration, error) {
	fitted, err := surface.FitCalibration(examples, surface.FitOptions{Judge: c.judge, Seed: seed})
	if err != nil {
		return nil, err
	}
	fitted.Made.Release, fitted.Made.Teachers = c.Hash, c.teachers
	return fitted, nil
}

// pairs joins people's sheets with a judge's scores of the same answers. It leaves
// out answers that the judge has not scored.
func (c *fitting) pairs(of func(answer int) []float64) sheetPairs {
	return c.join(c.units, func(s surface.PersonSheet) []float64 { return of(s.Answer) })
}

// by are the scores of a calibration.
func (c *fitting) by(fitted *surface.Calibration) func(answer int) []float64 {
	return func(answer int) []float64 {
		var own []float64
		if c.judge != "" {
			if own = c.Sheets[c.judge][answer]; own == nil {
				return nil
			}
		}
		return rubric.CQA().Points(fitted.Scores(fitted.Expect(c.Answers[answer].Pair(), c.Inputs[answer], own)))
	}
}

// rows are the agreement with people of the fitted judge, of the corpus's judges,
// of the rules and of the floors, and people's agreement among themselves.
func (c *fitting) rows(fitted *surface.Calibration) ([]sheetRow, error) {
	rows := []sheetRow{{c.name(), "cross-validated", c.pairs(c.by(fitted)), nil}}
	for _, judge := range c.Judges {
		if judge == c.name() || judge == surface.Name {
			continue // the same judge, with this or an earlier fit
		}
		rows = append(rows, sheetRow{judge, "judge", c.pairs(func(answer int) []float64 { return c.Sheets[judge][answer] }), nil})
	}
	if !slices.Contains(c.Judges, "rules") {
		rows = append(rows, sheetRow{"rules", "embedded", c.pairs(func(answer int) []float64 {
			scores, _ := rules.Score(text.Measure(data.QuestionOf(c.Answers[answer]), c.Answers[answer].Text))
			return rubric.CQA().Points(scores)
		}), nil})
	}
	if !slices.Contains(c.Judges, "constant") {
		rows = append(rows, sheetRow{"constant", "floor", c.pairs(func(int) []float64 { return rubric.CQA().Points(rubric.CQA().Full()) }), nil})
	}
	rows = append(rows, sheetRow{"people's means", "floor", c.pairs(c.means(fitted)), nil})
	if one, other := c.People[data.Human+":1"], c.People[data.Human+":2"]; one != nil && other != nil {
		rows = append(rows, sheetRow{data.Human + ":1, " + data.Human + ":2", "people", c.among(one, other), nil})
	}
	return rows, data.SideBySide(len(rows), func(i int) (err error) {
		if rows[i].figures, err = rows[i].pairs.agreement(stats.Resampling{Seed: c.seed, Name: "calibration"}); err != nil {
			return fmt.Errorf("%s: %w", rows[i].name, err)
		}
		return nil
	})
}

// means is the floor that gives every answer each criterion's mean: of people's scores on the questions of the other parts.
func (c *fitting) means(fitted *surface.Calibration) func(answer int) []float64 {
	sums, counts := make([][]float64, len(fitted.Models)), make([]int, len(fitted.Models))
	for p := range fitted.Models {
		sums[p] = make([]float64, len(fitted.Criteria))
		for _, u := range c.units {
			if fitted.PartOf(c.Answers[u.Answer].Pair()) == p {
				continue
			}
			counts[p]++
			for k, points := range u.Scores {
				sums[p][k] += points
			}
		}
	}
	return func(answer int) []float64 {
		p := fitted.PartOf(c.Answers[answer].Pair())
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

// among joins two annotators' sheets by answer and repeat.
func (c *fitting) among(one, other []surface.PersonSheet) sheetPairs {
	theirs := map[[2]int][]float64{}
	for _, s := range other {
		theirs[[2]int{s.Answer, s.Repeat}] = s.Scores
	}
	return c.join(one, func(s surface.PersonSheet) []float64 { return theirs[[2]int{s.Answer, s.Repeat}] })
}

// divisions fits to n other divisions of the questions into parts and returns the
// figures of each. They show how much a figure depends on the division.
func (c *fitting) divisions(n int) ([][]float64, error) {
	var figures [][]float64
	for d := range n {
		fitted, err := c.fit(c.examples, c.seed+1+uint64(d))
		if err != nil {
			return nil, err
		}
		f, err := c.pairs(c.by(fitted)).values()
		if err != nil {
			return nil, err
		}
		figures = append(figures, f)
	}
	return figures, nil
}

// leftOut fits the judge again without each system that people scored, and measures its bias on the system.
func (c *fitting) leftOut() ([]data.SystemBias, error) {
	var systems []string
	for _, u := range c.units {
		if system := c.Answers[u.Answer].System; !slices.Contains(systems, system) {
			systems = append(systems, system)
		}
	}
	slices.Sort(systems)
	list := make([]data.SystemBias, len(systems))
	return list, data.SideBySide(len(systems), func(i int) error {
		others := slices.DeleteFunc(slices.Clone(c.examples), func(e surface.Example) bool { return e.System == systems[i] })
		fitted, err := c.fit(others, c.seed)
		if err != nil {
			return err
		}
		scores := c.by(fitted)
		var differences []float64
		var questions []string
		for _, u := range c.units {
			if judged := scores(u.Answer); judged != nil && c.Answers[u.Answer].System == systems[i] {
				difference := 0.0
				for k, points := range judged {
					difference += points - u.Scores[k]
				}
				differences, questions = append(differences, difference), append(questions, c.Answers[u.Answer].Pair())
			}
		}
		mean, err := stats.MeanInterval(differences, stats.ClusterLabels(questions), dataset.Confidence)
		list[i] = data.SystemBias{System: systems[i], N: len(differences), Bias: decimals(mean.Value), SE: decimals(mean.SE)}
		if err != nil { // of one question
			list[i].SE = 0
		}
		return nil
	})
}
