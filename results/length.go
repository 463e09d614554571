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
// with ranks taken anew in every resample.
func (x *index) rhoGiven(c *computer, a, b, z []float64, questions []int) estimate {
	e := estimate{n: len(a)}
	e.value = Figure{c.value(partial(a, b, z))}
	if !e.value.known() {
		return e
	}
	var of [3][]float64
	d, err := stats.ClusterBootstrap(len(a), questions, x.resampling(), func(rows []int) (float64, error) {
		for i, values := range [][]float64{a, b, z} {
			of[i] = of[i][:0]
			for _, r := range rows {
				of[i] = append(of[i], values[r])
			}
		}
		return partial(of[0], of[1], of[2])
	})
	e.low, e.high = Figure{c.value(d.Low, err)}, Figure{c.value(d.High, err)}
	return e
}

func partial(a, b, z []float64) (float64, error) {
	ab, err := stats.Spearman(a, b)
	if err != nil {
		return 0, err
	}
	az, err := stats.Spearman(a, z)
	if err != nil {
		return 0, err
	}
	bz, err := stats.Spearman(b, z)
	if err != nil {
		return 0, err
	}
	left := (1 - float64(az.R*az.R)) * (1 - float64(bz.R*bz.R))
	if left <= 0 {
		return 0, fmt.Errorf("%w: nothing is left of one rank, given the other", stats.ErrConstant)
	}
	return (ab.R - float64(az.R*bz.R)) / math.Sqrt(left), nil
}
