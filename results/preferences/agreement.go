package preferences

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// An AgreementRow compares the choices of a judge on a set of pairs with a reference: the labels (gold), a person, or, for
// people, the others. Ties are a class of their own except in the accuracies, which are over the pairs whose reference is a
// or b. In order both a choice is that of both orders, and a tie if they differ.
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

// A person is a human judge with its choices by pair, in the first order that there is; without a judge, the labels.
type person struct {
	*judge
	name    string
	choices []data.Choice // "": none
}

// references are the labels, and each person.
func (b *board) references() []person {
	all := []person{{nil, gold, table.Each(b.Pairs, func(p store.PairRow) data.Choice { return cmp.Or(p.Label, data.NoChoice) })}}
	for _, j := range b.judges {
		if j.Kind != dataset.KindHuman {
			continue
		}
		choices := make([]data.Choice, len(b.Pairs))
		for _, of := range j.pairs {
			if valid := of.valid(); valid != nil && of.round == 1 {
				choices[of.pair] = valid[0].Choice
			}
		}
		all = append(all, person{j, j.Name, choices})
	}
	return all
}

// agreements compares judges with the labels and with each person, and people among themselves.
func (b *board) agreements() (rows []AgreementRow) {
	references := b.references()
	for groups := range b.bySet() {
		pairs := table.Where(b.Pairs, func(p store.PairRow) bool { return b.within(p.Set, groups[0].set) })
		domains := append([]string{anyDomain}, several(table.Each(pairs, func(p store.PairRow) string { return p.Domain }))...)
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
				for _, of := range references {
					for _, row.Domain = range domains {
						// of a sample, what is planned in a domain is not known
						byDomain := of.judge == nil && row.Planned == len(pairs)*g.who.rounds
						if row.Reference = of.name; of.judge != g.who && (row.Domain == anyDomain || byDomain) {
							rows = g.compare(rows, row, of.choices)
						}
					}
				}
			}
		}
		if persons := references[1:]; len(persons) > 1 {
			rows = groups[0].among(rows, persons)
		}
	}
	return rows
}

// several are the names of domains, if there is more than one.
func several(names []string) []string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if names = slices.DeleteFunc(names, func(name string) bool { return name == "" || name == anyDomain }); len(names) < 2 {
		return nil
	}
	return names
}

// compare adds a row, if judge and reference have a pair in common.
func (g group) compare(rows []AgreementRow, row AgreementRow, reference []data.Choice) []AgreementRow {
	known, all, right, alike := 0, 0, 0, 0
	in := func(pair int) bool {
		of := &g.Pairs[pair]
		return reference[pair] != "" && g.within(of.Set, g.set) && (row.Domain == anyDomain || of.Domain == row.Domain)
	}
	for pair, choice := range reference {
		if in(pair) {
			all += g.who.rounds
			if _, is := codes[choice]; is {
				known += g.who.rounds
			}
		}
	}
	var x, y []float64 // the codes of judge and reference
	var accuracy, same dataset.Sample
	hits, ties := 0.0, 0
	for _, j := range g.pairs {
		if !in(j.pair) {
			continue
		}
		twice := j.same()
		alike += int(dataset.Indicator(twice))
		choice, chosen := j.choice(row.Order)
		ref := reference[j.pair]
		code, hasReference := codes[ref]
		if !chosen || !hasReference {
			continue
		}
		hit := dataset.Indicator(choice == ref)
		x, y = append(x, float64(codes[choice])), append(y, float64(code))
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
	row.AccuracyHalf = table.Ratio(hits+float64(ties)/2, len(accuracy.Values))
	row.AccuracySkip = table.Ratio(hits, len(accuracy.Values)-ties)
	if row.Planned == all { // not a sample
		if row.Right = table.Ratio(right, known); row.Order == orderBoth {
			row.Same = table.Ratio(alike, all)
		}
	}
	ratings, err := agreement.PairedRatings(x, y)
	row.Kappa.Value = table.FigureOf(g.Value(agreement.CohenKappa(x, y)))
	row.Alpha.Value = table.FigureOf(g.AlphaOf(ratings, agreement.Nominal, err))
	if row.Domain == anyDomain && row.Kappa.Known() { // domains are many and small
		var d stats.Distribution
		cross, err := agreement.NewConfusion(x, y, nil, same.Questions, dataset.Confidence)
		if err == nil {
			d, err = cross.ResampledKappa(resampling)
		}
		row.Kappa = g.Interval(row.Kappa.Value, d.Low, d.High, err)
		row.Alpha = g.AlphaInterval(ratings, agreement.Nominal, same.Questions, resampling)
	}
	return append(rows, row)
}

var resampling = stats.Resampling{Seed: 1, Name: "preferences", Level: dataset.Confidence}

// among adds the agreement of people: of all with each other, and, as the ceiling of a judge, of each with the majority of
// the others.
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
		for k, person := range persons {
			code, has := codes[person.choices[i]]
			raters[k].Values, raters[k].Missing = append(raters[k].Values, float64(code)), append(raters[k].Missing, !has)
			if has {
				unit = append(unit, float64(code))
			}
		}
		clusters = append(clusters, pair.Cluster)
		if alike := dataset.Alike(unit); alike.Known() {
			units = append(units, unit)
			same.Add(*alike.Number, pair.Cluster)
			for k, own := range unit {
				if most := dataset.MostFrequent(slices.Delete(slices.Clone(unit), k, k+1)); len(most) == 1 {
					ceiling.Add(dataset.Indicator(own == most[0]), pair.Cluster)
				}
			}
		}
	}
	if row.N, row.Planned = len(units), len(units); row.N == 0 {
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
