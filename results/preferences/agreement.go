package preferences

import (
	"maps"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// An AgreementRow compares the choices of a judge on a set of pairs with a reference: the labels
// (gold), a person, or, for people, the others. Ties are a class of their own except in the
// accuracies, which are over the pairs whose reference is a or b. In order both a choice is that
// of both orders, and a tie if they differ.
type AgreementRow struct {
	JudgeOn
	Domain       string        `csv:"domain"`    // all, or a domain of the set
	Reference    string        `csv:"reference"` // gold, a person, people
	Kind         string        `csv:"kind"`      // judge, human, floor, ceiling
	Order        string        `csv:"order"`
	Planned      int           `csv:"planned"`
	N            int           `csv:"n"`             // pairs with a choice by both
	Accuracy     table.Bounded `csv:"accuracy"`      // a tie is wrong
	AccuracyHalf table.Figure  `csv:"accuracy_half"` // a tie is half right
	AccuracySkip table.Figure  `csv:"accuracy_skip"` // ties are left out
	Accuracy3    table.Bounded `csv:"accuracy_3way"` // of all n, a tie being a class
	// share of all planned pairs with a reference that are right, in both orders where order is both; a missing choice is not right
	Right table.Figure `csv:"right"`
	// order both: share of all planned pairs with the same choice in both orders; a missing one is not the same
	Same  table.Figure  `csv:"same"`
	Kappa table.Bounded `csv:"kappa"` // Cohen's, three classes; of several people Fleiss'
	Alpha table.Bounded `csv:"alpha"` // Krippendorff's, nominal, three classes
}

const (
	gold        = "gold"
	people      = "people"
	kindJudge   = "judge"
	kindCeiling = "ceiling"
	anyDomain   = "all"
)

// A person is a human judge with its choices by pair, in the first order that there is.
type person struct {
	group
	choices map[int]data.Choice
}

func (g group) person() person {
	p := person{g, map[int]data.Choice{}}
	for _, j := range g.pairs {
		if valid := j.valid(); valid != nil && j.round == 1 {
			p.choices[j.pair] = valid[0].Choice
		}
	}
	return p
}

// agreements compares judges with the labels and with each person, and people among themselves.
func (b *board) agreements() (rows []AgreementRow) {
	for groups := range b.bySet() {
		labels, domains := groups[0].labels()
		var persons []person
		for _, g := range groups {
			if g.who.Kind == dataset.KindHuman {
				persons = append(persons, g.person())
			}
		}
		for _, g := range fair(groups) {
			// so that a bootstrap draws the same clusters, whatever pairs have a choice
			g.pairs = slices.SortedStableFunc(slices.Values(g.pairs), func(a, b judged) int { return a.Cluster - b.Cluster })
			row := AgreementRow{JudgeOn: g.JudgeOn, Kind: g.who.Kind}
			if row.Kind != dataset.KindHuman && row.Kind != dataset.KindFloor {
				row.Kind = kindJudge
			}
			for _, row.Order = range orders {
				if row.Planned = g.planned[row.Order]; row.Planned == 0 || row.Order == orderBoth && g.oneOrder() {
					continue
				}
				row.Reference = gold
				for _, row.Domain = range domains {
					// of a sample, what is planned in a domain is not known
					if row.Domain == anyDomain || row.Planned == len(labels)*g.who.rounds {
						rows = g.compare(rows, row, labels)
					}
				}
				row.Domain = anyDomain
				for _, other := range persons {
					if row.Reference = other.Judge; other.who != g.who {
						rows = g.compare(rows, row, other.choices)
					}
				}
			}
		}
		if len(persons) > 1 {
			rows = groups[0].among(rows, persons)
		}
	}
	return rows
}

// labels are the labels of the set by pair, and its domains behind that for all.
func (g group) labels() (labels map[int]data.Choice, domains []string) {
	labels, named := map[int]data.Choice{}, map[string]bool{}
	for i, p := range g.Pairs {
		if g.within(p.Set, g.set) {
			labels[i], named[p.Domain] = p.Label, p.Domain != anyDomain
		}
	}
	return labels, append([]string{anyDomain}, several(named)...)
}

// several are the names of domains, if there is more than one.
func several(named map[string]bool) []string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(named)), func(name string) bool { return name == "" || !named[name] })
	if len(names) < 2 {
		return nil
	}
	return names
}

// compare adds a row, if judge and reference have a pair in common.
func (g group) compare(rows []AgreementRow, row AgreementRow, reference map[int]data.Choice) []AgreementRow {
	known, all, right, alike := 0, 0, 0, 0
	in := func(pair int) bool { return row.Domain == anyDomain || g.Pairs[pair].Domain == row.Domain }
	for pair, ref := range reference {
		if in(pair) {
			all += g.who.rounds
			if _, is := codes[ref]; is {
				known += g.who.rounds
			}
		}
	}
	var x, y []float64   // the codes of judge and reference
	var cells [][][2]int // these by cluster
	var accuracy, same dataset.Sample
	hits, ties := 0.0, 0
	for _, j := range g.pairs {
		ref, here := reference[j.pair]
		if !here || !in(j.pair) {
			continue
		}
		twice := j.same()
		alike += int(dataset.Indicator(twice))
		choice, chosen := j.choice(row.Order)
		code, hasReference := codes[ref]
		if !chosen || !hasReference {
			continue
		}
		hit := dataset.Indicator(choice == ref)
		x, y = append(x, float64(codes[choice])), append(y, float64(code))
		if n := len(x); n == 1 || same.Questions[n-2] != j.Cluster {
			cells = append(cells, nil)
		}
		cells[len(cells)-1] = append(cells[len(cells)-1], [2]int{codes[choice], code})
		same.Add(hit, j.Cluster)
		if row.Order != orderBoth || twice {
			right += int(hit)
		}
		if ref.Decided() {
			accuracy.Add(hit, j.Cluster)
			hits += hit
			ties += int(dataset.Indicator(choice == data.ChoiceTie))
		}
	}
	if row.N = len(x); row.N == 0 {
		return rows
	}
	if row.Domain != anyDomain {
		row.Planned = all
	}
	row.Accuracy, row.Accuracy3 = g.share(accuracy), g.share(same)
	row.AccuracyHalf = ratio(hits+float64(ties)/2, len(accuracy.Values))
	row.AccuracySkip = ratio(hits, len(accuracy.Values)-ties)
	if row.Planned == all { // not a sample
		if row.Right = ratio(float64(right), known); row.Order == orderBoth {
			row.Same = ratio(float64(alike), all)
		}
	}
	row.Kappa.Value, row.Alpha.Value = table.FigureOf(g.Value(agreement.CohenKappa(x, y))), table.FigureOf(g.Alpha(x, y, agreement.Nominal))
	if row.Domain == anyDomain && row.Kappa.Known() { // domains are many and small
		d, err := resampling.Run(len(cells), func(drawn []int) (float64, error) {
			var t crossTable
			for _, c := range drawn {
				for _, cell := range cells[c] {
					t[cell[0]][cell[1]]++
				}
			}
			return t.kappa()
		})
		row.Kappa = g.Interval(row.Kappa.Value, d.Low, d.High, err)
		ratings, err := agreement.PairedRatings(x, y)
		g.Value(0, err)
		row.Alpha = g.AlphaInterval(ratings, agreement.Nominal, same.Questions, resampling)
	}
	return append(rows, row)
}

var resampling = stats.Resampling{Seed: 1, Name: "preferences", Level: dataset.Confidence}

// among adds the agreement of people: of all with each other, and, as the ceiling of a judge, of
// each with the majority of the others.
func (g group) among(rows []AgreementRow, persons []person) []AgreementRow {
	row := AgreementRow{JudgeOn: JudgeOn{people, "annotation", g.Dataset}, Domain: anyDomain, Reference: people,
		Kind: dataset.KindHuman, Order: data.OrderAB}
	raters := make([]agreement.Rater, len(persons))
	var units [][]float64
	var clusters []int
	var same, ceiling dataset.Sample
	for i, pair := range g.Pairs {
		if !g.within(pair.Set, g.set) {
			continue
		}
		var unit []float64
		var votes []data.Choice
		for k, person := range persons {
			v, has := codes[person.choices[i]]
			raters[k].Values, raters[k].Missing = append(raters[k].Values, float64(v)), append(raters[k].Missing, !has)
			if has {
				unit, votes = append(unit, float64(v)), append(votes, person.choices[i])
			}
		}
		clusters = append(clusters, pair.Cluster)
		if len(unit) < 2 {
			continue
		}
		units, row.Planned = append(units, unit), row.Planned+1
		alike := 0.0
		for k, own := range votes {
			for _, other := range votes[k+1:] {
				alike += dataset.Indicator(own == other)
			}
			if m, decided := data.Majority(slices.Delete(slices.Clone(votes), k, k+1)); decided {
				ceiling.Add(dataset.Indicator(own == m), pair.Cluster)
			}
		}
		same.Add(alike/float64(len(votes)*(len(votes)-1)/2), pair.Cluster)
	}
	if row.N = len(units); row.N == 0 {
		return rows
	}
	row.Accuracy3 = g.share(same)
	if !slices.ContainsFunc(units, func(u []float64) bool { return len(u) != len(units[0]) }) {
		row.Kappa.Value = table.FigureOf(g.Value(agreement.FleissKappa(units)))
	}
	ratings, err := agreement.NewRatings(raters...)
	if g.Value(0, err); err == nil {
		row.Alpha = g.AlphaInterval(ratings, agreement.Nominal, clusters, resampling)
	}
	rows = append(rows, row)
	if row.N = len(ceiling.Values); row.N > 0 {
		row.Planned *= len(persons)
		rows = append(rows, AgreementRow{JudgeOn: row.JudgeOn, Domain: anyDomain, Reference: "the other people", Kind: kindCeiling,
			Order: data.OrderAB, Planned: row.Planned, N: row.N, Accuracy3: g.share(ceiling)})
	}
	return rows
}
