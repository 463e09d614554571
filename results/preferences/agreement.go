package preferences

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/results/store"
	"compqa/stats"
	"compqa/stats/agreement"
)

// An AgreementRow compares the choices of a judge on a set of pairs with a reference: the labels (gold), a person, or, for
// people, the others. Ties are a class of their own except in the accuracies, which are over the pairs whose reference is a
// or b. In order both a choice is that of both orders, and a tie if they differ.
type AgreementRow struct {
	JudgeOn
	Domain       string       `csv:"domain"`    // all, or a domain of the set
	Reference    string       `csv:"reference"` // gold, a person, people
	Kind         string       `csv:"kind"`      // judge, human, floor, ceiling
	Order        string       `csv:"order"`
	Planned      int          `csv:"planned"`
	N            int          `csv:"n"`                                                  // pairs with a choice by both
	Accuracy     stats.Figure `csv:"accuracy,accuracy_low,accuracy_high"`                // a tie is wrong
	AccuracyHalf stats.Figure `csv:"accuracy_half"`                                      // a tie is half right
	AccuracySkip stats.Figure `csv:"accuracy_skip"`                                      // ties are left out
	Accuracy3    stats.Figure `csv:"accuracy_3way,accuracy_3way_low,accuracy_3way_high"` // of all n, a tie being a class
	// share of all planned pairs with a reference that are right, in both orders where order is both; a missing choice is not right
	Right stats.Figure `csv:"right"`
	// order both: share of all planned pairs with the same choice in both orders; a missing one is not the same
	Same  stats.Figure `csv:"same"`
	Kappa stats.Figure `csv:"kappa,kappa_low,kappa_high"` // Cohen's, three classes; of several people Fleiss'
	Alpha stats.Figure `csv:"alpha,alpha_low,alpha_high"` // Krippendorff's, nominal, three classes
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

// references returns the labels, and each person.
func (b *board) references() []person {
	all := []person{{nil, gold, data.Each(b.Pairs, func(p store.PairRow) data.Choice { return cmp.Or(p.Label, data.NoChoice) })}}
	for _, j := range b.judges {
		if j.Kind != dataset.KindHuman {
			continue
		}
		choices := make([]data.Choice, len(b.Pairs))
		for _, judged := range j.pairs {
			if valid := judged.valid(); valid != nil && judged.round == 1 {
				choices[judged.pair] = valid[0].Choice
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
		pairs := data.Where(b.Pairs, func(p store.PairRow) bool { return b.within(p.Set, groups[0].set) })
		domains := append([]string{anyDomain}, several(data.Each(pairs, func(p store.PairRow) string { return p.Domain }))...)
		for _, g := range fair(groups) {
			// so that a bootstrap draws the same clusters, whatever pairs have a choice
			g.pairs = slices.SortedStableFunc(slices.Values(g.pairs), func(a, b judged) int { return a.Cluster - b.Cluster })
			row := AgreementRow{JudgeOn: g.JudgeOn, Kind: g.who.Kind}
			if row.Kind != dataset.KindHuman && row.Kind != dataset.KindFloor {
				row.Kind = kindJudge
			}
			for _, row.Order = range orders {
				row.Planned = g.planned[row.Order]
				if row.Planned == 0 || row.Order == orderBoth && g.oneOrder() {
					continue
				}
				for _, person := range references {
					for _, row.Domain = range domains {
						// of a sample, what is planned in a domain is not known
						byDomain := person.judge == nil && row.Planned == len(pairs)*g.who.rounds
						row.Reference = person.name
						if person.judge != g.who && (row.Domain == anyDomain || byDomain) {
							rows = g.compare(rows, row, person.choices)
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

// several returns the names of domains, if there is more than one.
func several(names []string) []string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if names = slices.DeleteFunc(names, func(name string) bool { return name == "" || name == anyDomain }); len(names) < 2 {
		return nil
	}
	return names
}

// compare adds a row, if judge and reference have a pair in common.
func (g group) compare(rows []AgreementRow, row AgreementRow, reference []data.Choice) []AgreementRow {
	in := func(pair int) bool {
		compared := &g.Pairs[pair]
		return reference[pair] != "" && g.within(compared.Set, g.set) && (row.Domain == anyDomain || compared.Domain == row.Domain)
	}
	known, all, right, alike := 0, 0, 0, 0
	for pair, choice := range reference {
		if in(pair) {
			all += g.who.rounds
			if coded(choice).Given() {
				known += g.who.rounds
			}
		}
	}
	t := raters.Table{Scale: choiceScale}
	var judge, given raters.Rater
	for _, j := range g.pairs {
		if !in(j.pair) {
			continue
		}
		choice, chosen := j.choice(row.Order)
		value := coded(choice)
		if !chosen {
			value = raters.Missing(raters.NotAsked)
		}
		theirs := coded(reference[j.pair])
		t.Units = append(t.Units, raters.Unit{Cluster: j.Cluster})
		judge.Values, given.Values = append(judge.Values, value), append(given.Values, theirs)
		alike += int(dataset.Indicator(j.same()))
		if value.Given() && value == theirs && (row.Order != orderBoth || j.same()) {
			right++
		}
	}
	o := raters.Options{Figures: raters.Alpha | raters.Shares | raters.Categories, Resampling: resampling}
	if row.Domain != anyDomain { // domains are many and small: their kappa and alpha have no intervals
		o.Figures = raters.Shares
	}
	pair := t.Against(judge, given, o)
	row.N = pair.N
	if row.N == 0 {
		return rows
	}
	if row.Domain != anyDomain {
		row.Planned = all
		o.Figures, o.Intervals = raters.Alpha|raters.Categories, raters.NoIntervals
		values := t.Against(judge, given, o)
		pair.Alpha, pair.Kappa = values.Alpha, values.Kappa
	}
	g.Value(0, pair.Fault())
	row.Accuracy, row.Accuracy3 = pair.Accuracy[raters.TiesWrong], pair.Agreement
	row.AccuracyHalf = pair.Accuracy[raters.TiesHalf].Point()
	row.AccuracySkip = pair.Accuracy[raters.TiesMissing].Point()
	if row.Planned == all { // not a sample
		row.Right = stats.Ratio(right, known)
		if row.Order == orderBoth {
			row.Same = stats.Ratio(alike, all)
		}
	}
	row.Kappa, row.Alpha = pair.Kappa, pair.Alpha
	return append(rows, row)
}

// choiceScale is that of choices: three labels, of which a tie decides nothing.
var choiceScale = raters.Scale{Level: agreement.Nominal, Ties: true, Tie: float64(codes[data.ChoiceTie])}

// coded returns a choice as a value; what is not a choice is missing.
func coded(c data.Choice) raters.Value {
	if code, is := codes[c]; is {
		return raters.Number(float64(code))
	}
	return raters.Missing(raters.NotAsked)
}

var resampling = stats.Resampling{Seed: 1, Name: "preferences", Level: dataset.Confidence}

// among adds the agreement of people: of all with each other, and, as the ceiling of a judge, of each with the majority of
// the others.
func (g group) among(rows []AgreementRow, persons []person) []AgreementRow {
	row := AgreementRow{JudgeOn: JudgeOn{people, "annotation", g.Dataset}, Domain: anyDomain, Reference: people,
		Kind: dataset.KindHuman, Order: data.OrderAB}
	t, who := raters.Table{Scale: choiceScale}, make([]raters.Rater, len(persons))
	for i, pair := range g.Pairs {
		if g.within(pair.Set, g.set) {
			t.Units = append(t.Units, raters.Unit{Cluster: pair.Cluster})
			for k, person := range persons {
				who[k].Values = append(who[k].Values, coded(person.choices[i]))
			}
		}
	}
	o := raters.Options{Figures: raters.Alpha | raters.Shares | raters.Categories, Resampling: resampling}
	measured := t.Among(who, o)
	row.N, row.Planned = measured.N, measured.N
	if row.N == 0 {
		return rows
	}
	ceiling := t.Ceiling(who, o)
	g.Value(0, cmp.Or(measured.Fault(), ceiling.Fault()))
	row.Accuracy3, row.Kappa, row.Alpha = measured.Agreement, measured.Kappa, measured.Alpha
	rows = append(rows, row)
	if ceiling.N > 0 {
		rows = append(rows, AgreementRow{JudgeOn: row.JudgeOn, Domain: anyDomain, Reference: "the other people", Kind: kindCeiling,
			Order: data.OrderAB, Planned: row.N * len(persons), N: ceiling.N, Accuracy3: ceiling.Agreement})
	}
	return rows
}
