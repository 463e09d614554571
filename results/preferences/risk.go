package preferences

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// Sources of a judge's confidence in a choice.
const (
	fromVotes  = "votes"     // the share of its votes that are for the choice; each order is an observation
	fromOrders = "orders"    // 1 if both orders have the same choice, else ½; each pair is an observation
	fromTokens = "logprob"   // the probability of the choice among both at the token that names it; each order is an observation
	ownChoice  = "abstained" // the judge itself says that a pair is hard to judge: one point, without a threshold
)

// A RiskRow is a point of a judge's risk–coverage curve (El-Yaniv and Wiener 2010): the risk of its choices if it abstained
// at every confidence below the threshold. Risk is the share of wrong choices among the remaining ones; a tie is a wrong
// choice.
type RiskRow struct {
	JudgeOn
	Confidence string       `csv:"confidence"` // votes, orders, logprob, abstained
	Threshold  stats.Figure `csv:"threshold"`
	N          int          `csv:"n"`        // observations that are left
	Coverage   stats.Figure `csv:"coverage"` // their share
	Risk       stats.Figure `csv:"risk,risk_low,risk_high"`
	AURC       stats.Figure `csv:"aurc"` // area under the whole curve: the mean risk over coverages
}

type sureness struct {
	confidence float64
	wrong      float64
	cluster    int
}

func (g group) risks() (rows []RiskRow) {
	g.pairs = data.Where(g.pairs, func(j judged) bool { return j.Label.Decided() })
	groups := map[string][]sureness{}
	var decided dataset.Sample // wrong choices of a judge that may abstain
	for _, j := range g.pairs {
		observe := func(source string, c data.Choice, confidence float64) {
			groups[source] = append(groups[source], sureness{confidence, 1 - j.right(c), j.Cluster})
		}
		for _, p := range j.valid() {
			decided.Add(1-j.right(p.Choice), j.Cluster)
			if p.Detail.Confidence != nil {
				observe(fromTokens, p.Choice, *p.Detail.Confidence)
			}
			if share, several := voted(p.Detail.Votes, p.Choice.In(p.Order)); several {
				observe(fromVotes, p.Choice, share)
			}
		}
		if c, both := j.choice(orderBoth); both {
			observe(fromOrders, c, (1+dataset.Indicator(j.same()))/2)
		}
	}
	for _, source := range []string{fromVotes, fromOrders, fromTokens} {
		rows = append(rows, g.curve(RiskRow{JudgeOn: g.JudgeOn, Confidence: source}, groups[source])...)
	}
	abstained := g.tally(data.Orders...).statuses[data.Abstained]
	if n := len(decided.Values); abstained > 0 && n > 0 {
		rows = append(rows, RiskRow{JudgeOn: g.JudgeOn, Confidence: ownChoice, N: n, Coverage: stats.Ratio(n, n+abstained),
			Risk: g.share(decided)})
	}
	return rows
}

// voted returns the share of the votes that are for a choice, and whether there are several.
func voted(votes []string, c data.Choice) (share float64, several bool) {
	counts, _, n := data.CountVotes(votes)
	return float64(counts[c]) / float64(max(1, n)), n > 1
}

// curve has a point for each confidence that occurs; there is none if all are alike.
func (b *board) curve(row RiskRow, choices []sureness) (rows []RiskRow) {
	slices.SortStableFunc(choices, func(x, y sureness) int { return cmp.Compare(y.confidence, x.confidence) })
	if len(choices) == 0 || choices[0].confidence == choices[len(choices)-1].confidence {
		return nil
	}
	var wrong dataset.Sample
	area := 0.0
	for _, alike := range table.Grouped(choices, func(s sureness) float64 { return s.confidence }) {
		for _, s := range alike {
			wrong.Add(s.wrong, s.cluster)
		}
		row.Threshold, row.N, row.Risk = stats.Number(alike[0].confidence), len(wrong.Values), b.share(wrong)
		row.Coverage = stats.Ratio(row.N, len(choices))
		rows = append(rows, row)
		area += float64(len(alike)) * row.Risk.Value
	}
	for i := range rows {
		rows[i].AURC = stats.Ratio(area, len(choices))
	}
	return rows
}

// A ComparatorRow is the behaviour of SC2's comparator of tables on a set: its preference for the table shown first, and how
// often its choices are intransitive, on which the tournament relies (Yan et al. 2024, section 3). Both orders of two
// tables, and so triples, are compared by `selection: exact` alone. A triple counts where each of its three pairs has the
// same choice in both orders. Intervals are clustered by question.
type ComparatorRow struct {
	JudgeOn
	Preferences  int          `csv:"preferences"`                                  // valid ones with comparisons
	Duels        int          `csv:"duels"`                                        // comparisons of two tables that were decided
	FirstShare   stats.Figure `csv:"first_share,first_share_low,first_share_high"` // of the table shown first
	Pairs        int          `csv:"pairs"`                                        // of tables, decided in both orders
	SameShare    stats.Figure `csv:"same_share,same_share_low,same_share_high"`    // with the same choice in both orders
	Triples      int          `csv:"triples"`
	Intransitive stats.Figure `csv:"intransitive_share,intransitive_share_low,intransitive_share_high"` // a over b over c over a
}

func (g group) comparator() []ComparatorRow {
	n := 0
	var first, same, cycles dataset.Sample
	for _, j := range g.pairs {
		add := func(s *dataset.Sample, hits, n int) {
			for i := range n {
				s.Add(dataset.Indicator(i < hits), j.Cluster)
			}
		}
		for _, p := range j.valid() {
			if c := p.Detail.Comparator; c != nil {
				n++
				add(&first, c.First, c.Duels)
				add(&same, c.Same, c.Pairs)
				add(&cycles, c.Cycles, c.Triples)
			}
		}
	}
	if n == 0 {
		return nil
	}
	return []ComparatorRow{{g.JudgeOn, n, len(first.Values), g.share(first), len(same.Values), g.share(same), len(cycles.Values),
		g.share(cycles)}}
}
