package calibrate

import (
	"slices"

	"compqa/data"
	"compqa/judges/surface"
	"compqa/results/dataset"
	"compqa/stats"
)

// leftOut fits the judge again without each system that people scored, and measures its bias on the
// system.
func (c *fitting) leftOut() ([]data.SystemBias, error) {
	var systems []string
	for _, u := range c.units {
		if system := c.Answers[u.Answer].System; !slices.Contains(systems, system) {
			systems = append(systems, system)
		}
	}
	slices.Sort(systems)
	list := make([]data.SystemBias, len(systems))
	return list, dataset.SideBySide(len(systems), func(i int) error {
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
