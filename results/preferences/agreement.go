package preferences

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
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

// agreements compares judges with the labels and with each person, and people among themselves.
func (b *board) agreements() (rows []AgreementRow) {
	references := b.references()
	persons := b.persons()
	for groups := range b.bySet() {
		pairs := data.Where(b.Pairs, func(p dataset.PairRow) bool { return b.within(p.Set, groups[0].set) })
		domains := append([]string{anyDomain}, several(data.Each(pairs, func(p dataset.PairRow) string { return p.Domain }))...)
		for _, g := range fair(groups) {
			judgements := g.judgements(references)
			row := AgreementRow{JudgeOn: g.JudgeOn, Kind: g.who.Kind}
			if row.Kind != dataset.KindHuman && row.Kind != dataset.KindFloor {
				row.Kind = kindJudge
			}
			for order, name := range orders {
				row.Order = name
				row.Planned = g.planned[name]
				if row.Planned == 0 || name == orderBoth && g.oneOrder() {
					continue
				}
				for k := range references.Raters {
					if k > 0 && persons[k-1] == g.who {
						continue
					}
					row.Reference = references.Raters[k].Name
					tables, items := raters.BySheet(judgements, len(references.Raters)+order, k)
					for _, row.Domain = range domains {
						// of a sample, what is planned in a domain is not known
						byDomain := k == 0 && row.Planned == len(pairs)*g.who.rounds
						if row.Domain == anyDomain || byDomain {
							rows = g.compare(rows, row, tables, items, data.ByRater(references.Sheets, k))
						}
					}
				}
			}
		}
		if len(persons) > 1 {
			rows = groups[0].among(rows, references)
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

// compare adds a row, if judge and reference have a pair in common. tables are of the judge's sheets and the reference; items are theirs,
// and sheets those of the reference.
func (g group) compare(rows []AgreementRow, row AgreementRow, tables []raters.Table, items []int32, sheets []data.Given) []AgreementRow {
	in := func(item int32) bool {
		compared := &g.Pairs[g.byCluster[item]]
		return g.within(compared.Set, g.set) && (row.Domain == anyDomain || compared.Domain == row.Domain)
	}
	known := 0
	all := 0
	for _, s := range sheets {
		if in(s.Item) {
			all += g.who.rounds
			if s.Scores != nil {
				known += g.who.rounds
			}
		}
	}
	asked := func(unit int) bool {
		return in(items[unit]) && tables[choiceOf].Raters[1].Values[unit].Missing() != raters.NotAsked
	}
	t := tables[choiceOf].Where(asked)
	same := tables[sameOf].Where(asked).Raters[0]
	t.Scale = choiceScale
	judge := t.Raters[0]
	reference := t.Raters[1]
	right := 0
	alike := 0
	for i, value := range judge.Values {
		alike += int(same.Values[i].Number())
		if value.Given() && value == reference.Values[i] && (row.Order != orderBoth || same.Values[i].Number() == 1) {
			right++
		}
	}
	o := raters.Options{Figures: raters.Alpha | raters.Shares | raters.Categories, Resampling: resampling}
	if row.Domain != anyDomain { // domains are many and small: their kappa and alpha have no intervals
		o.Figures = raters.Shares
	}
	pair := t.Against(judge, reference, o)
	row.N = pair.N
	if row.N == 0 {
		return rows
	}
	if row.Domain != anyDomain {
		row.Planned = all
		o.Figures = raters.Alpha | raters.Categories
		o.Intervals = raters.NoIntervals
		values := t.Against(judge, reference, o)
		pair.Alpha = values.Alpha
		pair.Kappa = values.Kappa
	}
	g.Value(0, pair.Fault())
	row.Accuracy = pair.Accuracy[raters.TiesWrong]
	row.Accuracy3 = pair.Agreement
	row.AccuracyHalf = pair.Accuracy[raters.TiesHalf].Point()
	row.AccuracySkip = pair.Accuracy[raters.TiesMissing].Point()
	if row.Planned == all { // not a sample
		row.Right = stats.Ratio(right, known)
		if row.Order == orderBoth {
			row.Same = stats.Ratio(alike, all)
		}
	}
	row.Kappa = pair.Kappa
	row.Alpha = pair.Alpha
	return append(rows, row)
}

// choiceScale is that of choices: three labels, of which a tie decides nothing.
var choiceScale = raters.Scale{Level: agreement.Nominal, Ties: true, Tie: float64(codes[data.ChoiceTie])}

var resampling = stats.Resampling{Seed: 1, Name: "preferences", Level: dataset.Confidence}

// among adds the agreement of people: of all with each other, and, as the ceiling of a judge, of each with the majority of
// the others.
func (g group) among(rows []AgreementRow, references *data.Judgements) []AgreementRow {
	row := AgreementRow{JudgeOn: JudgeOn{people, "annotation", g.Dataset}, Domain: anyDomain, Reference: people,
		Kind: dataset.KindHuman, Order: data.OrderAB}
	t, items := g.peoplesChoices(references)
	t = t.Where(func(unit int) bool { return g.within(g.Pairs[g.byCluster[items[unit]]].Set, g.set) })
	who := t.Raters
	o := raters.Options{Figures: raters.Alpha | raters.Shares | raters.Categories, Resampling: resampling}
	measured := t.Among(who, o)
	row.N = measured.N
	row.Planned = measured.N
	if row.N == 0 {
		return rows
	}
	ceiling := t.Ceiling(who, o)
	g.Value(0, cmp.Or(measured.Fault(), ceiling.Fault()))
	row.Accuracy3 = measured.Agreement
	row.Kappa = measured.Kappa
	row.Alpha = measured.Alpha
	rows = append(rows, row)
	if ceiling.N > 0 {
		rows = append(rows, AgreementRow{JudgeOn: row.JudgeOn, Domain: anyDomain, Reference: "the other people", Kind: kindCeiling,
			Order: data.OrderAB, Planned: row.N * len(who), N: ceiling.N, Accuracy3: ceiling.Agreement})
	}
	return rows
}
