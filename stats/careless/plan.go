package careless

import (
	"math"
	"slices"

	"compqa/stats"
)

// A Plan holds the checks that are planned for each person of a study.
type Plan struct {
	People                   int // number of people
	Shared                   int // items of a person that other people rate, too
	Criteria                 int
	Gold, Repeats, Attention int     // numbers of items
	GoldChance               float64 // probability that somebody who does not look misses a criterion of a known sheet
	AttentionChance          float64 // probability that somebody who does not look misses an attention item
	Agreement                float64 // expected of honest people, divided by √rows; see ExpectedSheet
}

// Expected agreement of honest people, divided by the square root of the number of rows: for sheets of several criteria, one value, and
// pairs.
const (
	ExpectedSheet = .84
	ExpectedValue = .45
	ExpectedPair  = .57
)

// DetectedShare returns the share, in [0, 1], of people who click without looking that the plan finds: their likelihood ratio reaches
// Limit. It assumes that misses are binomial, and agreement standard normal, approximated by 4,000 quantiles.
func (p Plan) DetectedShare() float64 {
	const points, badOthers = 4000, .85 // some of the other people do not look either
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

// Cheapest returns the plan with the fewest additional checks, at most 12, that finds at least this share. mostGold is the number of known
// sheets that the study has. The bool is false if no plan does.
func (p Plan) Cheapest(share float64, mostGold, mostAttention int) (Plan, bool) {
	const most = 12
	for more := range most + 1 {
		for attention := range more + 1 {
			for gold := range more - attention + 1 {
				q := p
				q.Attention = p.Attention + attention
				q.Gold = p.Gold + gold
				q.Repeats = p.Repeats + more - attention - gold
				if q.Attention <= mostAttention && q.Gold <= max(p.Gold, mostGold) && q.DetectedShare() >= share {
					return q, true
				}
			}
		}
	}
	return p, false
}
