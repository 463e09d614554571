package judgequality

import (
	"slices"

	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/table"
	"compqa/stats/agreement"
)

// A panel is the ranking of systems by all scorers, over the systems for which each of
// them has a mean, and the rankings without some of them. It uses a system's mean over
// all scenarios minus the judge's mean over these systems, so that lenient judges do not
// count more.
type panel struct {
	judges  []int
	systems []int
	points  [][]float64 // by judge and system: above the judge's mean
	lacks   string      // why there are none
}

// A panelRow is one system's rank in the panel, with and without the judges of its own
// family.
type panelRow struct {
	System, Family string
	Points         float64
	Rank           int
	Without        table.Figure // missing if no judge is left
	WithoutRank    table.Figure
	Left           table.Names // the judges that are left
}

func (t *Tables) newPanel() panel {
	var p panel
	for _, j := range panelists(t.Tables.Dataset) {
		if slices.ContainsFunc(t.Board, func(r leaderboard.LeaderboardRow) bool { return r.Judge == t.Judges[j].Name && r.Valid > 0 }) {
			p.judges = append(p.judges, j)
		}
	}
	if len(p.judges) == 0 {
		return panel{}
	}
	if lacks := t.lacks(p.judges...); len(p.judges) > 1 && lacks != "" {
		return panel{lacks: lacks}
	}
	for s := range t.Systems {
		if !slices.ContainsFunc(p.judges, func(j int) bool { return !t.MeanOf(j, s).Known() }) {
			p.systems = append(p.systems, s)
		}
	}
	for _, j := range p.judges {
		points, sum := make([]float64, len(p.systems)), 0.0
		for i, s := range p.systems {
			points[i] = *t.MeanOf(j, s).Number
			sum += points[i]
		}
		for i := range points {
			points[i] -= sum / float64(len(points))
		}
		p.points = append(p.points, points)
	}
	return p
}

// of is the mean points of each system over the judges that count, missing if there are
// none.
func (p panel) of(counts func(judge, system int) bool) []table.Figure {
	all := make([]table.Figure, len(p.systems))
	for i := range p.systems {
		sum, n := 0.0, 0
		for k := range p.judges {
			if counts(k, i) {
				sum += p.points[k][i]
				n++
			}
		}
		if n > 0 {
			all[i] = table.Number(sum / float64(n))
		}
	}
	return all
}

// Rows are sorted by rank.
func (p panel) Rows(x *dataset.Dataset) []panelRow {
	kin := func(k, i int) bool {
		family := x.Systems[p.systems[i]].Family
		return family != "" && x.Judges[p.judges[k]].Family == family
	}
	all := p.of(func(int, int) bool { return true })
	others := p.of(func(k, i int) bool { return !kin(k, i) })
	allRanks, otherRanks := dataset.Ranks(all), dataset.Ranks(others)
	var rows []panelRow
	for i, s := range p.systems {
		r := panelRow{System: x.Systems[s].Name, Family: x.Systems[s].Family, Points: *all[i].Number, Rank: int(*allRanks[i].Number),
			Without: others[i], WithoutRank: otherRanks[i]}
		for k, j := range p.judges {
			if !kin(k, i) {
				r.Left = append(r.Left, x.Judges[j].Name)
			}
		}
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b panelRow) int { return a.Rank - b.Rank })
	return rows
}

// fillStability sets Kendall's tau-b between the rankings by all judges and by the other
// judges, by the judge and by the others, and by the judge and by people.
func (p panel) fillStability(c *dataset.Calculator, r *JudgeRow, judge int, people []table.Figure) {
	k := slices.Index(p.judges, judge)
	if k < 0 {
		return
	}
	own := p.of(func(j, _ int) bool { return j == k })
	r.TauPeople = tau(c, own, people)
	if len(p.judges) > 1 {
		others := p.of(func(j, _ int) bool { return j != k })
		r.TauWithout, r.TauOthers = tau(c, p.of(func(int, int) bool { return true }), others), tau(c, own, others)
	}
}

// tau is over the systems that have both points. It uses ranks, so that rounding errors
// do not break ties.
func tau(c *dataset.Calculator, a, b []table.Figure) table.Figure {
	var x, y []float64
	a, b = dataset.Ranks(a), dataset.Ranks(b)
	for i := range a {
		if a[i].Known() && b[i].Known() {
			x, y = append(x, *a[i].Number), append(y, *b[i].Number)
		}
	}
	return table.FigureOf(c.Value(agreement.KendallTauB(x, y)))
}

// peoplesMeans are the means of the panel's systems by the first reference.
func (t *Tables) peoplesMeans(p panel) []table.Figure {
	means := make([]table.Figure, len(p.systems))
	who := t.References()
	if who == nil {
		return means
	}
	for i, s := range p.systems {
		means[i] = t.MeanOf(who[0], s)
	}
	return means
}
