package judgequality

import (
	"cmp"
	"fmt"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
	"compqa/stats/agreement"
)

// mostBlocks is the largest number of groups of questions for resampling rankings. Groups are always drawn at random, never left out one by
// one, because leaving out one group may change no rank.
const mostBlocks = 200

// rankings compares each judge's order of the systems with people's, by Kendall's tau-b of their mean points over scenarios, for the
// systems that both scored. The interval has percentiles of resamples by question. It is extended to include tau itself, because resampled
// means are noisier than the means, so that resampled orders differ more.
func (t *Tables) rankings() (all []trust.Ranking, err error) {
	who := t.References()
	if who == nil {
		return nil, nil
	}
	people := t.Judges[who[0]].Name
	reference := t.pointsOf(who[0])
	scorers := t.Scorers()
	all = make([]trust.Ranking, len(scorers))
	err = data.SideBySide(len(scorers), func(i int) (err error) {
		all[i], err = t.rankingOf(t.Judges[scorers[i]].Name, people, t.pointsOf(scorers[i]), reference)
		return err
	})
	return data.Where(all, func(r trust.Ranking) bool { return r.Tau.Known }), err
}

// ranking returns the ranking of a judge, or the zero value if there is none.
func (t *Tables) ranking(judge string) trust.Ranking {
	return table.First(t.Rankings, func(r trust.Ranking) bool { return r.Judge == judge })
}

// rankingOf compares the order of the systems by a judge with the order by people. With fewer than three systems that both scored, Tau is
// missing.
func (t *Tables) rankingOf(judge, people string, points, reference *questionPoints) (r trust.Ranking, err error) {
	r.Judge = judge
	var systems []int
	for s, candidate := range t.Candidates() {
		scored := func(by string) bool { return t.boards.Overall(by, t.Systems[s].Name).Mean.Known }
		if candidate && scored(judge) && scored(people) {
			systems = append(systems, s)
		}
	}
	if len(systems) < 3 {
		return r, nil
	}
	r.Systems = len(systems)
	t.swaps(&r, judge, people, systems)
	tau := func(weights []float64) []float64 {
		var figures, theirs []stats.Figure
		for _, s := range systems {
			a := points.mean(t.BySystem[s], weights)
			b := reference.mean(t.BySystem[s], weights)
			if a.Known && b.Known {
				figures = append(figures, a)
				theirs = append(theirs, b)
			}
		}
		rank := func(f stats.Figure) float64 { return f.Value }
		return []float64{stats.Defined(agreement.KendallTauB(data.Each(dataset.Ranks(figures), rank), data.Each(dataset.Ranks(theirs), rank)))}
	}
	var c dataset.Calculator
	resampling := t.Resampling()
	resampling.Name = "rankings"
	units, err := stats.Units(points.blocks, nil)
	if err != nil {
		return r, err
	}
	r.Tau = resampled(&c, units.Bootstrap(resampling, tau))
	if r.Tau.Bounded {
		r.Tau.Low = min(r.Tau.Low, r.Tau.Value)
		r.Tau.High = max(r.Tau.High, r.Tau.Value)
	}
	if c.Err != nil {
		return r, fmt.Errorf("comparing the ranking by %s with people's: %w", judge, c.Err)
	}
	return r, nil
}

// swaps fills in the pairs of systems that the judge and people order oppositely. The pairs that differ most by people's points come first.
func (t *Tables) swaps(r *trust.Ranking, judge, people string, systems []int) {
	type swap struct {
		names [2]string
		apart float64
	}
	var swaps []swap
	for i, one := range systems {
		for _, other := range systems[i+1:] {
			a := t.Systems[one].Name
			b := t.Systems[other].Name
			ofJudge := [2]string{a, b}
			ofPeople := t.boards.Overall(people, a).Mean.Value - t.boards.Overall(people, b).Mean.Value
			if ofPeople < 0 {
				a, b, ofPeople = b, a, -ofPeople
				ofJudge = [2]string{a, b}
			}
			byJudge := t.boards.Overall(judge, ofJudge[0]).Mean.Value - t.boards.Overall(judge, ofJudge[1]).Mean.Value
			r.Pairs++
			switch {
			case ofPeople <= dataset.EqualMeans || byJudge >= -dataset.EqualMeans && byJudge <= dataset.EqualMeans:
				r.Tied++
			case byJudge < 0:
				swaps = append(swaps, swap{[2]string{t.SystemName(a), t.SystemName(b)}, ofPeople})
				if slices.Contains(t.boards.Overall(people, a).Above, b) && slices.Contains(t.boards.Overall(judge, b).Above, a) {
					r.Clear++
				}
			}
		}
	}
	slices.SortStableFunc(swaps, func(a, b swap) int { return -cmp.Compare(a.apart, b.apart) })
	r.Swapped = data.Each(swaps, func(s swap) [2]string { return s.names })
}

// questionPoints has the sums and the numbers of a rater's totals, by condition (system and scenario) and block of questions.
type questionPoints struct {
	blocks      int
	sums, count [][]float64
}

func (t *Tables) pointsOf(judge int) *questionPoints {
	p := &questionPoints{blocks: min(t.Pairs, mostBlocks)}
	for _, tally := range t.Tallies(judge) {
		sums := make([]float64, p.blocks)
		count := make([]float64, p.blocks)
		for i, total := range tally.Totals {
			block := tally.Questions[i] % p.blocks
			sums[block] += total
			count[block]++
		}
		p.sums = append(p.sums, sums)
		p.count = append(p.count, count)
	}
	return p
}

// mean returns the mean over cells of their weighted mean totals. Cells without totals are left out.
func (p *questionPoints) mean(cells []int, weights []float64) stats.Figure {
	sum := 0.0
	n := 0
	for _, c := range cells {
		if count := stats.Dot(p.count[c], weights); count > 0 {
			sum += stats.Dot(p.sums[c], weights) / count
			n++
		}
	}
	return stats.Ratio(sum, n)
}

// firstTwo returns which systems people and each judge put first and second. Judges that lack points of a ranked system, contradict
// themselves or are degenerate are left out.
func (t *Tables) firstTwo() (f table.Finding, ok bool) {
	var firsts trust.FirstTwo
	for _, j := range append(t.Scorers(), t.References()[:min(1, len(t.References()))]...) {
		name := t.Judges[j].Name
		type scored struct {
			name   string
			points stats.Figure
		}
		var systems []scored
		whole := true
		for s, candidate := range t.Candidates() {
			if candidate {
				mean := t.boards.Overall(name, t.Systems[s].Name)
				whole = whole && mean.Mean.Known
				systems = append(systems, scored{t.SystemName(t.Systems[s].Name), mean.Points()})
			}
		}
		if !whole || len(systems) < 3 || t.Contradicts(name) || t.Degenerate[j] != "" {
			continue
		}
		slices.SortStableFunc(systems, func(a, b scored) int { return -cmp.Compare(a.points.Value, b.points.Value) })
		top := trust.TopTwo{By: name, First: systems[0].name, Second: systems[1].name,
			Points: [2]stats.Figure{systems[0].points, systems[1].points}}
		if t.People(j) {
			firsts.People = &top
			continue
		}
		firsts.Judges = append(firsts.Judges, top)
	}
	return firsts.Finding()
}

// OrderFindings says whether judges agree on the first two systems, then how each judge's ranking compares with people's.
func (t *Tables) OrderFindings() (all table.Findings) {
	if f, ok := t.firstTwo(); ok {
		all = append(all, f)
	}
	for _, r := range t.Rankings {
		all = append(all, r.Finding())
	}
	return all
}
