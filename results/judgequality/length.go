package judgequality

import (
	"fmt"
	"math"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// fillLength sets Spearman's rho of a judge's totals and the number of words of an
// answer, resampled by question: over all its verdicts; and over the answers with human
// scores, given these, because longer answers may be better.
func (r *JudgeRow) fillLength(c *dataset.Calculator, x *dataset.Dataset, judge int, people dataset.AnswerTotals) {
	own := x.AnswerTotals(judge)
	var words, totals, scoredWords, scoredTotals, human []float64
	var questions, scoredQuestions []int
	for a, row := range x.Answers {
		total, ok := own.Of(a)
		if !ok || row.Status != data.Valid {
			continue
		}
		length := float64(row.Words)
		words, totals, questions = append(words, length), append(totals, total), append(questions, x.Question[a])
		if !people.Any() || x.People(judge) {
			continue
		}
		if theirs, ok := people.Of(a); ok {
			scoredWords, scoredTotals, human = append(scoredWords, length), append(scoredTotals, total), append(human, theirs)
			scoredQuestions = append(scoredQuestions, x.Question[a])
		}
	}
	r.LengthN, r.LengthScoredN = len(words), len(scoredWords)
	r.Length = rho(x, c, words, totals, questions)
	r.LengthGiven = rhoGiven(x, c, scoredWords, scoredTotals, human, scoredQuestions)
}

func rho(x *dataset.Dataset, c *dataset.Calculator, a, b []float64, questions []int) (e table.Bounded) {
	e.Value = table.FigureOf(c.Value(agreement.Spearman(a, b)))
	if e.Known() {
		i, err := agreement.AgreementBootstrap(a, b, questions, x.Resampling())
		e.Low, e.High = c.Bounds(i.Spearman, err)
	}
	return e
}

// rhoGiven is the partial rank correlation of a and b given z,
//
//	(r_ab - r_az·r_bz) / √((1 - r_az²)(1 - r_bz²))
//
// with Pearson's r of ranks. Resamples keep the ranks of all data.
func rhoGiven(x *dataset.Dataset, c *dataset.Calculator, a, b, z []float64, questions []int) (e table.Bounded) {
	var ranked [3][]float64
	for i, values := range [][]float64{a, b, z} {
		of, err := agreement.MidRanks(values)
		c.Value(0, err)
		ranked[i] = of
	}
	clusters, err := stats.NewGrouping(questions, len(a))
	if c.Value(0, err); err != nil {
		return e
	}
	sums, err := agreement.NewCriteriaSums(ranked[:], clusters)
	if c.Value(0, err); err != nil {
		return e
	}
	all := make([]int, clusters.Count())
	for i := range all {
		all[i] = i
	}
	if e.Value = table.FigureOf(c.Value(partial(sums, all))); !e.Value.Known() {
		return e
	}
	d, err := x.Resampling().Run(clusters.Count(), func(drawn []int) (float64, error) { return partial(sums, drawn) })
	e.Low, e.High = table.FigureOf(c.Value(d.Low, err)), table.FigureOf(c.Value(d.High, err))
	return e
}

// partial is the correlation of the first two of three variables, given the third.
func partial(of *agreement.CriteriaSums, drawn []int) (float64, error) {
	r, err := of.Correlations(drawn, [2]int{1, 0}, [2]int{2, 0}, [2]int{2, 1})
	if err != nil {
		return 0, err
	}
	left := (1 - float64(r[1]*r[1])) * (1 - float64(r[2]*r[2]))
	if left <= 0 {
		return 0, fmt.Errorf("%w: the third rank determines one of the others", stats.ErrConstant)
	}
	return (r[0] - float64(r[1]*r[2])) / math.Sqrt(left), nil
}
