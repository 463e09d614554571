package results

import (
	"compqa/data"
	"compqa/stats"
)

// answerTotals are means of valid totals by answer, over repeats and over the
// judges they were collected from: one label an answer.
type answerTotals struct {
	sum []float64
	n   []int32
}

func (x *index) answerTotals(judges ...int) answerTotals {
	if len(judges) == 0 {
		return answerTotals{}
	}
	t := answerTotals{make([]float64, len(x.Answers)), make([]int32, len(x.Answers))}
	for _, j := range judges {
		for _, s := range x.sheets(j) {
			if s.Status == data.Valid {
				t.sum[s.Answer] += s.Total
				t.n[s.Answer]++
			}
		}
	}
	return t
}

func (t answerTotals) any() bool { return t.n != nil }

func (t answerTotals) of(answer int) (total float64, ok bool) {
	if t.n[answer] == 0 {
		return 0, false
	}
	return t.sum[answer] / float64(t.n[answer]), true
}

// A labelling is the answers of one cell that the judge scored, split by whether
// people did.
type labelling struct {
	human, judge, others       []float64
	questions, othersQuestions []int
}

// labellings are those of every cell, in one pass over the answers.
func (x *index) labellings(people, judge answerTotals) []labelling {
	of := make([]labelling, len(x.cells))
	for a, c := range x.cellOf {
		own, ok := judge.of(a)
		if !ok || c < 0 {
			continue
		}
		l := &of[c]
		if human, ok := people.of(a); ok {
			l.human, l.judge, l.questions = append(l.human, human), append(l.judge, own), append(l.questions, x.question[a])
		} else {
			l.others, l.othersQuestions = append(l.others, own), append(l.othersQuestions, x.question[a])
		}
	}
	return of
}

// inPeoplesUnits fills in the mean that people would give, estimated from the
// answers that both scored and the judge's verdicts on the others (see
// stats.PPIMean); the answers that people scored must be a random part of all.
// Over several scenarios it is the mean of the scenarios' means, which takes two
// labels in each, and further verdicts in all of them or in none.
func (b *board) inPeoplesUnits(r *LeaderboardRow, cells []int) {
	var human, judge, others [][]float64
	var s stats.PPISample
	n := 0
	for _, c := range cells {
		l := b.labels[c]
		if len(b.tallies[c].totals) == 0 {
			continue
		}
		n += len(l.human)
		human, judge = append(human, l.human), append(judge, l.judge)
		s.Clusters = append(s.Clusters, l.questions...)
		if len(l.others) > 0 {
			others, s.UnlabelledClusters = append(others, l.others), append(s.UnlabelledClusters, l.othersQuestions...)
		}
	}
	r.NHuman = count(n)
	if n == 0 || len(others) > 0 && len(others) < len(human) {
		return
	}
	s.Human, s.Judge, s.Unlabelled = b.overScenarios(human), b.overScenarios(judge), b.overScenarios(others)
	if s.Human == nil || len(others) > 0 && s.Unlabelled == nil {
		return
	}
	p, err := stats.PPIMean(s, confidence)
	r.HumanMean, r.HumanLow, r.HumanHigh = Figure{b.value(p.Value, err)}, Figure{b.value(p.Low, err)}, Figure{b.value(p.High, err)}
	r.alone, r.aloneLow, r.aloneHigh = Figure{b.value(p.Classical.Value, err)}, Figure{b.value(p.Classical.Low, err)}, Figure{b.value(p.Classical.High, err)}
	r.Lambda, r.NEffective = Figure{b.value(p.Lambda, err)}, Figure{b.value(p.EffectiveN, err)}
}
