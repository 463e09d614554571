package humanpoints

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/trust"
	"compqa/stats"
)

// combine combines judges into one. The weight of a judge is the inverse of the variance of its bias on a system that nobody
// scored, τ² + SE². The combination is measured like a single judge, so its own τ reflects how the judges' biases correlate over
// systems. If a system is left out, the weights are computed without it, too. mean returns the combined mean of a system.
func (c *Tables) combine(members []int) (t Transfer, mean judgeMean, err error) {
	t.Judge = Combined
	totals := make([]dataset.AnswerTotals, len(members))
	each := make([]trust.Biases, len(members))
	for k, j := range members {
		totals[k] = c.AnswerTotals(j)
		each[k], err = systemBiases(c.Dataset, totals[k], c.people)
		if err != nil {
			return t, nil, err
		}
	}
	weights, err := weightsOf(each, -1)
	if err != nil {
		return t, nil, err
	}
	t.bias.Known, err = systemBiases(c.Dataset, Mean(totals, weights), c.people)
	if err != nil {
		return t, nil, err
	}
	if len(t.bias.Known) < combinable {
		t.Bias = stats.MissingFigure(stats.Reason("the judges share fewer than 5 systems that people scored"))
		return t, nil, nil
	}
	t.bias.Effects, err = t.bias.Known.Model()
	if err != nil {
		return t, nil, err
	}
	err = t.measure(t.bias.Known, func(system int) (trust.Biases, error) {
		w, err := weightsOf(each, system)
		if err != nil {
			return nil, err
		}
		return systemBiases(c.Dataset, Mean(totals, w), c.people)
	})
	return t, func(system int) (mean stats.Figure, n int) { // the interval is that of fully correlated judges, an upper bound
		mean = stats.WithInterval(0, 0, 0)
		n = math.MaxInt
		for k, j := range members {
			one, answers := c.judgeMean(j)(system)
			if !one.Known {
				return one, 0
			}
			mean.Value, mean.Low = mean.Value+weights[k]*one.Value, mean.Low+weights[k]*one.Least().Value
			mean.High = mean.High + weights[k]*one.Most().Value
			n = min(n, answers)
		}
		return mean, n
	}, err
}

// together estimates the mean that people would give to a system, from the totals of all judges at once, if the rule of
// trust.AllJudges accepts this basis. Else the result is empty. An answer in a scenario with N_h answers has the weight N/(H·N_h),
// where N answers are in H scenarios. The weighted mean is then the mean of the scenario means.
func (c *Tables) together(totals []dataset.AnswerTotals, system int) (corrected trust.Correction) {
	asked := trust.AllJudges{Judges: make([]string, len(totals)), Sample: stats.TogetherSample{Judges: make([][]float64, len(totals))}}
	all := slices.Repeat([]float64{1 / float64(len(totals))}, len(totals))
	n := map[string]float64{}
	var answers []int
	both := Mean(totals, all) // known for answers that all judges scored
	for a, cell := range c.ConditionOf {
		_, scored := both.Of(a)
		if cell >= 0 && c.Conditions[cell].System == system && scored {
			answers = append(answers, a)
			n[c.Conditions[cell].Scenario]++
		}
	}
	for k, a := range answers {
		weight := float64(len(answers)) / float64(len(n)) / n[c.Conditions[c.ConditionOf[a]].Scenario]
		for j, total := range totals {
			points, _ := total.Of(a)
			asked.Sample.Judges[j] = append(asked.Sample.Judges[j], weight*points)
		}
		if points, scored := c.people.Of(a); scored {
			asked.Sample.Labelled = append(asked.Sample.Labelled, k)
			asked.Sample.Human = append(asked.Sample.Human, weight*points)
		}
		asked.Sample.Clusters = append(asked.Sample.Clusters, c.Question[a])
	}
	if d := asked.Decide(); d.Basis == trust.BasisTogether {
		corrected.Mean = d.Mean
		corrected.LabelMean = d.Alone
	}
	return corrected
}

// weightsOf returns the weights of judges, which add up to 1, from their biases on all systems except one (-1 for none).
func weightsOf(each []trust.Biases, except int) ([]float64, error) {
	weights := make([]float64, len(each))
	sum := 0.0
	for k, b := range each {
		m, err := b.Without(except).Model()
		if err != nil {
			return nil, err
		}
		weights[k] = 1 / (m.Tau2 + m.SE*m.SE)
		sum += weights[k]
	}
	for k := range weights {
		weights[k] /= sum
	}
	return weights, nil
}

// Mean returns the weighted mean of the judges' totals, for the answers that all judges scored.
func Mean(totals []dataset.AnswerTotals, weights []float64) dataset.AnswerTotals {
	n := len(totals[0].N)
	mean := dataset.AnswerTotals{Sum: make([]float64, n), N: make([]int32, n)}
	for a := range n {
		sum := 0.0
		all := true
		for k, t := range totals {
			total, ok := t.Of(a)
			sum += weights[k] * total
			all = all && ok
		}
		if all {
			mean.Sum[a] = sum
			mean.N[a] = 1
		}
	}
	return mean
}

// alike reports, by system, whether its answers resemble those that people scored. It measures answers by the logarithms of the number of
// words and of words per sentence. Each scored system is left out in turn, and the Mahalanobis distances of its answers from those of the
// other scored systems are collected. A system is unlike the scored ones if its median distance is above the 99 % quantile of the collected
// distances.
func alike(x *dataset.Dataset, people dataset.AnswerTotals) []bool {
	measures := make([][][]float64, len(x.Systems))
	scored := make([][][]float64, len(x.Systems)) // two measures of each answer
	for a, row := range x.Answers {
		c := x.ConditionOf[a]
		if c < 0 || row.Words == 0 {
			continue
		}
		s := x.Conditions[c].System
		words := float64(row.Words)
		m := []float64{math.Log(words), math.Log(words / float64(max(1, row.Sentences)))}
		measures[s] = append(measures[s], m)
		if _, ok := people.Of(a); ok {
			scored[s] = append(scored[s], m)
		}
	}
	var left []float64
	for s := range scored {
		if scored[s] != nil {
			left = append(left, distances(scored[s], scored, s)...)
		}
	}
	slices.Sort(left)
	all := make([]bool, len(x.Systems))
	for s := range all {
		values := distances(measures[s], scored, s)
		slices.Sort(values)
		all[s] = len(values) == 0 || len(left) == 0 || stats.Quantile(values, 0.5) <= stats.Quantile(left, 0.99)
	}
	return all
}

// distances returns the Mahalanobis distances of answers (lists) from the scored answers of all systems except one. It returns nil if there
// are too few scored answers.
func distances(lists [][]float64, scored [][][]float64, except int) []float64 {
	others := slices.Concat(slices.Concat(slices.Delete(slices.Clone(scored), except, except+1)...)...)
	if len(others) < 2*trust.LeastLabels {
		return nil
	}
	x := mat.NewDense(len(others)/2, 2, others)
	var covariance mat.SymDense
	var root mat.Cholesky
	stat.CovarianceMatrix(&covariance, x, nil)
	if !root.Factorize(&covariance) {
		return nil
	}
	centre := mat.NewVecDense(2, []float64{stat.Mean(mat.Col(nil, 0, x), nil), stat.Mean(mat.Col(nil, 1, x), nil)})
	return data.Each(lists, func(m []float64) float64 { return stat.Mahalanobis(mat.NewVecDense(2, m), centre, &root) })
}
