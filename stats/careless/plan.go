package careless

import (
	"math"
	"slices"

	"compqa/stats"
)

// A Plan is what checks of a study are planned for each person.
type Plan struct {
	People                   int // of the study
	Shared                   int // items of a person that others have, too
	Criteria                 int
	Gold, Repeats, Attention int     // items
	GoldChance               float64 // that somebody who does not look misses a criterion of a known sheet
	AttentionChance          float64 // that somebody who does not look misses an attention item
	Agreement                float64 // expected of honest people for each square root of a row, see Expected
}

// Expected agreements of honest people, for each square root of a row: of sheets of several criteria, of one value, of pairs.
const (
	ExpectedSheet = .84
	ExpectedValue = .45
	ExpectedPair  = .57
)

// Found returns the share of people who click without looking that the plan finds, in [0, 1]: those whose work is Limit times more probable
// for somebody who does not look. Misses are binomial, agreement is standard normal; 4,000 quantiles stand for it.
func (p Plan) Found() float64 {
	const points, badOthers = 4000, .85 // some of the others do not look, either
	agreeing := []float64{0}
	rows := p.Repeats + p.Shared
	if rho := p.Agreement * badOthers; rows >= leastRows && p.People > leastOthers && rho > 0 {
		agreeing = agreeing[:0]
		for i := range points {
			z, err := stats.NormalQuantile((float64(i) + .5) / points)
			if err != nil {
				panic(err) // the probability is in (0, 1)
			}
			agreeing = append(agreeing, agreementEvidence(z, rho, rows))
		}
		slices.Sort(agreeing)
	}
	chances := slices.Repeat([]float64{p.GoldChance}, p.Criteria)
	gold := sheetChance(chances)
	found := 0.0
	for x := range p.Attention + 1 {
		for y := range p.Gold + 1 {
			needed := math.Log(Limit) - attention(x, p.Attention, p.AttentionChance) - misses(y, p.Gold, gold, goldMisses)
			index, _ := slices.BinarySearch(agreeing, needed)
			found += binomial(x, p.Attention, p.AttentionChance) * binomial(y, p.Gold, gold) *
				float64(len(agreeing)-index) / float64(len(agreeing))
		}
	}
	return found
}

func binomial(k, n int, q float64) float64 {
	return math.Exp(logChoose(n, k)) * math.Pow(q, float64(k)) * math.Pow(1-q, float64(n-k))
}

// Cheapest returns the plan with the fewest further checks, at most 12, that finds the share asked for; false: no plan does.
// mostGold are the known items that the study has.
func (p Plan) Cheapest(share float64, mostGold, mostAttention int) (Plan, bool) {
	const most = 12
	for more := range most + 1 {
		for attention := range more + 1 {
			for gold := range more - attention + 1 {
				q := p
				q.Attention = p.Attention + attention
				q.Gold = p.Gold + gold
				q.Repeats = p.Repeats + more - attention - gold
				if q.Attention <= mostAttention && q.Gold <= max(p.Gold, mostGold) && q.Found() >= share {
					return q, true
				}
			}
		}
	}
	return p, false
}
