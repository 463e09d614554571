package preferences

import (
	"compqa/results/dataset"
	"compqa/results/table"
)

// A ComparatorRow is the behaviour of SC2's comparator of tables on a set: its preference for the
// table shown first, and how often its choices are intransitive, on which the tournament relies
// (Yan et al. 2024, section 3). Both orders of two tables, and so triples, are compared by
// `selection: exact` alone. A triple counts where each of its three pairs has the same choice in
// both orders. Intervals are clustered by question.
type ComparatorRow struct {
	JudgeOn
	Preferences  int           `csv:"preferences"` // valid ones with comparisons
	Duels        int           `csv:"duels"`       // comparisons of two tables that were decided
	FirstShare   table.Bounded `csv:"first_share"` // of the table shown first
	Pairs        int           `csv:"pairs"`       // of tables, decided in both orders
	SameShare    table.Bounded `csv:"same_share"`  // with the same choice in both orders
	Triples      int           `csv:"triples"`
	Intransitive table.Bounded `csv:"intransitive_share"` // a over b over c over a
}

// comparators has a row for each judge with a comparator on each set.
func (b *preferenceBoard) comparators() (rows []ComparatorRow) {
	b.eachFair(func(judge, set int, on JudgeOn) {
		r := ComparatorRow{JudgeOn: on}
		var first, same, cycles dataset.Sample
		add := func(s *dataset.Sample, of, n, cluster int) {
			for i := range n {
				s.Add(dataset.Indicator(i < of), cluster)
			}
		}
		for _, j := range b.of(judge, set) {
			for _, p := range j.valid() {
				c := p.Detail.Comparator
				if c == nil {
					continue
				}
				cluster := b.Pairs[j.pair].Cluster
				r.Preferences, r.Duels, r.Pairs, r.Triples = r.Preferences+1, r.Duels+c.Duels, r.Pairs+c.Pairs, r.Triples+c.Triples
				add(&first, c.First, c.Duels, cluster)
				add(&same, c.Same, c.Pairs, cluster)
				add(&cycles, c.Cycles, c.Triples, cluster)
			}
		}
		if r.Preferences > 0 {
			r.FirstShare, r.SameShare, r.Intransitive = b.share(first), b.share(same), b.share(cycles)
			rows = append(rows, r)
		}
	})
	return rows
}
