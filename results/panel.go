package results

import (
	"slices"

	"compqa/stats"
)

// A panel is all scorers together: how they rank the systems that every one of
// them has a mean for, and what becomes of the ranking without some of them. A
// judge's mean over all scenarios counts by how far it is above that judge's
// mean over these systems, so that a lenient judge does not lift whom it scored.
type panel struct {
	judges  []int
	systems []int
	points  [][]float64 // by judge of the panel and its system: above the judge's mean
}

// A panelRow is one system as the panel ranks it, with and without the judges of
// its own family.
type panelRow struct {
	system      Party
	points      float64
	rank        int
	without     Figure // none where no judge is left
	withoutRank Figure
	left        []string // the judges that are left
}

// stability is what becomes of the ranking without one judge: Kendall's tau-b
// of the systems' order by all judges with that by the others, of the judge's
// own order with that by the others, and with people's.
type stability struct{ without, others, people Figure }

func (t *judgeTables) newPanel() panel {
	var p panel
	mean := func(j, s int) Figure {
		if r := t.at[planKey{t.Judges[j].Name, t.Systems[s].Name, AllScenarios}]; r != nil {
			return r.Mean
		}
		return Figure{}
	}
	for _, j := range t.scorers() {
		if slices.ContainsFunc(t.board, func(r LeaderboardRow) bool { return r.Judge == t.Judges[j].Name && r.Valid > 0 }) {
			p.judges = append(p.judges, j)
		}
	}
	if p.judges == nil {
		return p
	}
	for s := range t.Systems {
		if !slices.ContainsFunc(p.judges, func(j int) bool { return !mean(j, s).known() }) {
			p.systems = append(p.systems, s)
		}
	}
	for _, j := range p.judges {
		points, sum := make([]float64, len(p.systems)), 0.0
		for i, s := range p.systems {
			points[i] = *mean(j, s).number
			sum += points[i]
		}
		for i := range points {
			points[i] -= sum / float64(len(points))
		}
		p.points = append(p.points, points)
	}
	return p
}

// of is the mean points of each system over the judges that count; none where no
// judge does.
func (p panel) of(counts func(judge, system int) bool) []Figure {
	all := make([]Figure, len(p.systems))
	for i := range p.systems {
		sum, n := 0.0, 0
		for k := range p.judges {
			if counts(k, i) {
				sum += p.points[k][i]
				n++
			}
		}
		if n > 0 {
			all[i] = figure(sum / float64(n))
		}
	}
	return all
}

// ranks are those of known points, equals sharing the best.
func ranks(points []Figure) []Figure {
	of := make([]Figure, len(points))
	for i, p := range points {
		if !p.known() {
			continue
		}
		above := 0
		for _, other := range points {
			if other.known() && *other.number > *p.number+equalMeans {
				above++
			}
		}
		of[i] = count(1 + above)
	}
	return of
}

// rows are in the order of the panel's ranks.
func (p panel) rows(x *index) []panelRow {
	kin := func(k, i int) bool {
		family := x.Systems[p.systems[i]].Family
		return family != "" && x.Judges[p.judges[k]].Family == family
	}
	all := p.of(func(int, int) bool { return true })
	others := p.of(func(k, i int) bool { return !kin(k, i) })
	allRanks, otherRanks := ranks(all), ranks(others)
	var rows []panelRow
	for i, s := range p.systems {
		r := panelRow{system: x.Systems[s], points: *all[i].number, rank: int(*allRanks[i].number), without: others[i], withoutRank: otherRanks[i]}
		for k, j := range p.judges {
			if !kin(k, i) {
				r.left = append(r.left, x.Judges[j].Name)
			}
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b panelRow) int { return a.rank - b.rank })
	return rows
}

// stability is of the k-th judge. people are the systems' means by people.
func (p panel) stability(c *computer, k int, people []Figure) stability {
	own := p.of(func(j, _ int) bool { return j == k })
	s := stability{people: c.tau(own, people)}
	if len(p.judges) > 1 {
		others := p.of(func(j, _ int) bool { return j != k })
		s.without, s.others = c.tau(p.of(func(int, int) bool { return true }), others), c.tau(own, others)
	}
	return s
}

// tau is over the systems that both have points for. It goes by ranks, so that
// what adding up in another order can do makes no order.
func (c *computer) tau(a, b []Figure) Figure {
	var x, y []float64
	a, b = ranks(a), ranks(b)
	for i := range a {
		if a[i].known() && b[i].known() {
			x, y = append(x, *a[i].number), append(y, *b[i].number)
		}
	}
	return Figure{c.coefficient(stats.KendallTauB(x, y, stats.KendallNormal))}
}

// peoplesMeans are those of the panel's systems by the first reference.
func (t *judgeTables) peoplesMeans(p panel) []Figure {
	means := make([]Figure, len(p.systems))
	who := t.references()
	if who == nil {
		return means
	}
	for i, s := range p.systems {
		if r := t.at[planKey{t.Judges[who[0]].Name, t.Systems[s].Name, AllScenarios}]; r != nil {
			means[i] = r.Mean
		}
	}
	return means
}
