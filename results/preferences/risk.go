package preferences

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// Sources of a judge's confidence in a choice.
const (
	fromVotes  = "votes"     // the share of its votes that are for the choice; each order is an observation
	fromOrders = "orders"    // 1 if both orders have the same choice, else ½; each pair is an observation
	fromTokens = "logprob"   // the probability of the choice among both at the token that names it; each order is an observation
	ownChoice  = "abstained" // the judge itself says that a pair is hard to judge: one point, without a threshold
)

// A RiskRow is a point of a judge's risk–coverage curve (El-Yaniv and Wiener 2010): the risk of its
// choices if it abstained at every confidence below the threshold. Risk is the share of wrong
// choices among the remaining ones; a tie is a wrong choice.
type RiskRow struct {
	JudgeOn
	Confidence string        `csv:"confidence"` // votes, orders, logprob, abstained
	Threshold  table.Figure  `csv:"threshold"`
	N          int           `csv:"n"`        // observations that are left
	Coverage   table.Figure  `csv:"coverage"` // their share
	Risk       table.Bounded `csv:"risk"`
	AURC       table.Figure  `csv:"aurc"` // area under the whole curve: the mean risk over coverages
}

// A sureness is an observation with the confidence of the choice.
type sureness struct {
	confidence float64
	wrong      float64
	cluster    int
}

// risks has the curves of the judges with a confidence.
func (b *preferenceBoard) risks() (rows []RiskRow) {
	b.eachFair(func(judge, set int, on JudgeOn) {
		var votes, orders, tokens []sureness
		var decided dataset.Sample // wrong choices of a judge that may abstain
		abstained := 0
		for _, j := range b.of(judge, set) {
			pair := &b.Pairs[j.pair]
			if !pair.Label.Decided() {
				continue
			}
			observe := func(c data.Choice, confidence float64) sureness {
				return sureness{confidence, dataset.Indicator(c != pair.Label), pair.Cluster}
			}
			for _, p := range j.by {
				if p != nil && p.Status == data.Abstained {
					abstained++
				}
			}
			for _, p := range j.valid() {
				decided.Add(dataset.Indicator(p.Choice != pair.Label), pair.Cluster)
				if p.Detail.Confidence != nil {
					tokens = append(tokens, observe(p.Choice, *p.Detail.Confidence))
				}
				if share, several := voted(p.Detail.Votes, p.Choice, p.Order); several {
					votes = append(votes, observe(p.Choice, share))
				}
			}
			if j.both() {
				confidence := 0.5
				if j.by[0].Choice == j.by[1].Choice {
					confidence = 1
				}
				orders = append(orders, observe(j.combined(), confidence))
			}
		}
		rows = append(rows, b.curve(RiskRow{JudgeOn: on, Confidence: fromVotes}, votes)...)
		rows = append(rows, b.curve(RiskRow{JudgeOn: on, Confidence: fromOrders}, orders)...)
		rows = append(rows, b.curve(RiskRow{JudgeOn: on, Confidence: fromTokens}, tokens)...)
		if n := len(decided.Values); abstained > 0 && n > 0 {
			rows = append(rows, RiskRow{JudgeOn: on, Confidence: ownChoice, N: n, Coverage: ratio(float64(n), n+abstained), Risk: b.share(decided)})
		}
	})
	return rows
}

// voted is the share of the votes that are for a choice. Votes are on the answers as shown.
func voted(votes []string, c data.Choice, order string) (share float64, several bool) {
	if order == data.OrderBA {
		c = c.Swapped()
	}
	n := 0
	for _, v := range votes {
		switch data.Choice(v) {
		case c:
			share++
			n++
		case data.ChoiceA, data.ChoiceB, data.ChoiceTie:
			n++
		}
	}
	return share / float64(max(1, n)), n > 1
}

// curve has a point for each confidence that occurs; there is none if all are alike.
func (b *preferenceBoard) curve(row RiskRow, of []sureness) (rows []RiskRow) {
	slices.SortStableFunc(of, func(x, y sureness) int {
		switch {
		case x.confidence > y.confidence:
			return -1
		case x.confidence < y.confidence:
			return 1
		}
		return 0
	})
	if len(of) == 0 || of[0].confidence == of[len(of)-1].confidence {
		return nil
	}
	var wrong dataset.Sample
	area, before := 0.0, 0
	for i, s := range of {
		wrong.Add(s.wrong, s.cluster)
		if i+1 < len(of) && of[i+1].confidence == s.confidence {
			continue
		}
		r := row
		r.Threshold, r.N, r.Coverage, r.Risk = table.Number(s.confidence), i+1, ratio(float64(i+1), len(of)), b.share(wrong)
		rows = append(rows, r)
		area += float64(i+1-before) * *r.Risk.Value.Number
		before = i + 1
	}
	for i := range rows {
		rows[i].AURC = ratio(area, len(of))
	}
	return rows
}
