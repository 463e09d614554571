package preferences

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// Sources of a judge's confidence in a choice, as the column confidence names them.
const (
	fromVotes  = "votes"     // the share of the judge's votes for the choice; each order is an observation
	fromOrders = "orders"    // 1 if both orders have the same choice, else ½; each pair is an observation
	fromTokens = "logprob"   // the probability of the token that names the choice, against the other choice's; each order is an observation
	ownChoice  = "abstained" // the judge itself abstains on pairs that are hard to judge: one point, without a threshold
)

// A RiskRow is a point of a judge's risk–coverage curve (El-Yaniv and Wiener 2010). At this point, the judge abstains from every choice
// with a confidence below the threshold. Risk is the share of wrong choices among the remaining ones. A tie is a wrong choice.
type RiskRow struct {
	JudgeOn
	Confidence string       `csv:"confidence"` // votes, orders, logprob, abstained
	Threshold  stats.Figure `csv:"threshold"`
	N          int          `csv:"n"`        // observations that remain
	Coverage   stats.Figure `csv:"coverage"` // share of the observations that remain
	Risk       stats.Figure `csv:"risk,risk_low,risk_high"`
	AURC       stats.Figure `csv:"aurc"` // area under the whole curve: the mean risk over coverages
}

// A sureness is an observed choice on a pair: its confidence, whether it is wrong (1 or 0), and the cluster of the pair.
type sureness struct {
	confidence float64
	wrong      float64
	cluster    int
}

// risks returns the risk–coverage curves of the judge, one for each source of confidence, and the point of its own abstentions.
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

// voted returns the share of the votes that are for a choice, and whether there is more than one vote.
func voted(votes []string, c data.Choice) (share float64, several bool) {
	counts, _, n := data.CountVotes(votes)
	return float64(counts[c]) / float64(max(1, n)), n > 1
}

// curve returns a point for each distinct confidence, from the highest down. It returns nil if all choices have the same confidence.
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

// A ComparatorRow describes how SC2's comparator chooses between two comparison tables (Yan et al. 2024, section 3). It has the
// comparator's preference for the table shown first, and how often its choices are intransitive, although the tournament assumes
// transitivity. Only `selection: exact` compares two tables in both orders, so only this setting has pairs and triples. A triple counts if
// each of its three pairs has the same choice in both orders. Intervals are clustered by question.
type ComparatorRow struct {
	JudgeOn
	Preferences  int          `csv:"preferences"`                                  // valid preferences that used the comparator
	Duels        int          `csv:"duels"`                                        // decided comparisons of two tables
	FirstShare   stats.Figure `csv:"first_share,first_share_low,first_share_high"` // share of comparisons that choose the table shown first
	Pairs        int          `csv:"pairs"`                                        // pairs of tables that are decided in both orders
	SameShare    stats.Figure `csv:"same_share,same_share_low,same_share_high"`    // share of pairs with the same choice in both orders
	Triples      int          `csv:"triples"`
	Intransitive stats.Figure `csv:"intransitive_share,intransitive_share_low,intransitive_share_high"` // a beats b, b beats c, c beats a
}

// comparator sums up the comparator's counts over the judge's valid preferences. It returns nil if no preference used the comparator.
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
