package results

import (
	"fmt"
	"math"

	"compqa/data"
	"compqa/stats"
)

// A lengthEffect is how a judge's totals go with the number of words of an
// answer (Spearman's rho, resampled by question): over all its verdicts; over
// the answers that people scored too; and over these, given people's scores,
// where what is left is not explained by longer answers being better.
type lengthEffect struct {
	all, scored, given estimate
}

func (x *index) lengthEffect(judge int, people answerTotals) (lengthEffect, error) {
	var e lengthEffect
	var c computer
	own := x.answerTotals(judge)
	var words, totals, scoredWords, scoredTotals, human []float64
	var questions, scoredQuestions []int
	for a, row := range x.Answers {
		total, ok := own.of(a)
		if !ok || row.Status != data.Valid {
			continue
		}
		length := float64(row.Words)
		words, totals, questions = append(words, length), append(totals, total), append(questions, x.question[a])
		if !people.any() || x.people(judge) {
			continue
		}
		if theirs, ok := people.of(a); ok {
			scoredWords, scoredTotals, human = append(scoredWords, length), append(scoredTotals, total), append(human, theirs)
			scoredQuestions = append(scoredQuestions, x.question[a])
		}
	}
	e.all = x.rho(&c, words, totals, questions)
	e.scored = x.rho(&c, scoredWords, scoredTotals, scoredQuestions)
	e.given = x.rhoGiven(&c, scoredWords, scoredTotals, human, scoredQuestions)
	return e, c.err
}

func (x *index) rho(c *computer, a, b []float64, questions []int) estimate {
	e := estimate{n: len(a)}
	e.value = Figure{c.coefficient(stats.Spearman(a, b))}
	if e.value.known() {
		i, err := stats.AgreementBootstrap(a, b, questions, x.resampling())
		e.low, e.high = c.bounds(i.Spearman, err)
	}
	return e
}

// rhoGiven is the partial rank correlation of a and b given z,
//
//	(r_ab - r_az·r_bz) / √((1 - r_az²)(1 - r_bz²))
//
// with r Pearson's of the ranks among all the data, in resamples too.
func (x *index) rhoGiven(c *computer, a, b, z []float64, questions []int) estimate {
	e := estimate{n: len(a)}
	var ranked [3][]float64
	for i, values := range [][]float64{a, b, z} {
		of, err := stats.MidRanks(values)
		c.value(0, err)
		ranked[i] = of
	}
	e.value = Figure{c.value(partial(ranked))}
	if !e.value.known() {
		return e
	}
	var drawn [3][]float64
	d, err := stats.ClusterBootstrap(len(a), questions, x.resampling(), func(rows []int) (float64, error) {
		for i := range drawn {
			drawn[i] = drawn[i][:0]
			for _, r := range rows {
				drawn[i] = append(drawn[i], ranked[i][r])
			}
		}
		return partial(drawn)
	})
	e.low, e.high = Figure{c.value(d.Low, err)}, Figure{c.value(d.High, err)}
	return e
}

// partial correlates the first two of three, given the third.
func partial(of [3][]float64) (float64, error) {
	var r [3]float64
	for i, pair := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
		of, err := stats.Pearson(of[pair[0]], of[pair[1]])
		if err != nil {
			return 0, err
		}
		r[i] = of.R
	}
	left := (1 - float64(r[1]*r[1])) * (1 - float64(r[2]*r[2]))
	if left <= 0 {
		return 0, fmt.Errorf("%w: nothing is left of one rank, given the other", stats.ErrConstant)
	}
	return (r[0] - float64(r[1]*r[2])) / math.Sqrt(left), nil
}
