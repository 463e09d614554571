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

// An AgreementRow measures how often a judge's choices agree with a reference on a set of pairs. The reference is the labels (gold), one
// person, or, for people, the other people. A tie counts as a third class, except in the accuracies: they cover only the pairs whose
// reference is a or b. In order "both", the judge's choice is the one that it made in both orders, or a tie if the two orders differ.
type AgreementRow struct {
	JudgeOn
	Domain       string       `csv:"domain"`    // all, or a domain of the set
	Reference    string       `csv:"reference"` // gold, a person's name, people, the other people
	Kind         string       `csv:"kind"`      // judge, human, floor, ceiling
	Order        string       `csv:"order"`
	Planned      int          `csv:"planned"`
	N            int          `csv:"n"`                                                  // pairs on which both chose
	Accuracy     stats.Figure `csv:"accuracy,accuracy_low,accuracy_high"`                // a tie of the judge is wrong
	AccuracyHalf stats.Figure `csv:"accuracy_half"`                                      // a tie of the judge is half right
	AccuracySkip stats.Figure `csv:"accuracy_skip"`                                      // the judge's ties are left out
	Accuracy3    stats.Figure `csv:"accuracy_3way,accuracy_3way_low,accuracy_3way_high"` // over all n pairs, with a tie as a class
	// Right is the share of the planned pairs with a reference on which the judge chose as the reference did. In order both, both orders
	// must agree with it. A missing choice is not right.
	Right stats.Figure `csv:"right"`
	// Same is the share of all planned pairs with the same choice in both orders (order both only). A missing choice is not the same.
	Same  stats.Figure `csv:"same"`
	Kappa stats.Figure `csv:"kappa,kappa_low,kappa_high"` // Cohen's kappa, three classes; among several people, Fleiss' kappa
	Alpha stats.Figure `csv:"alpha,alpha_low,alpha_high"` // Krippendorff's alpha, nominal, three classes
}

const (
	gold        = "gold"
	people      = "people"
	kindJudge   = "judge"
	kindCeiling = "ceiling"
	anyDomain   = "all"
)

// agreements compares each judge with the labels and with each person, by set, order and domain. Then it compares people with each other.
func (b *board) agreements() (rows []AgreementRow) {
	references := b.references()
	persons := b.persons()
	for groups := range b.bySet() {
		var domainOf []string // by pair of the set; a copy of the pairs would only take memory
		for i := range b.Pairs {
			if p := &b.Pairs[i]; b.within(p.Set, groups[0].set) {
				domainOf = append(domainOf, p.Domain)
			}
		}
		domains := append([]string{anyDomain}, several(domainOf)...)
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
						// a judge may have been asked about a sample, and the number of planned pairs in a domain of the sample is not
						// known
						byDomain := k == 0 && row.Planned == len(domainOf)*g.who.rounds
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

// several returns the distinct names of domains, sorted, or nil if there is only one. Empty names and "all" do not count.
func several(names []string) []string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if names = slices.DeleteFunc(names, func(name string) bool { return name == "" || name == anyDomain }); len(names) < 2 {
		return nil
	}
	return names
}

// compare appends a row to rows if the judge and the reference both chose on at least one pair of the row's domain. The tables have two
// raters: the judge and the reference. items maps the units of the tables to pairs. sheets are the reference's choices.
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
	if row.Domain != anyDomain { // kappa and alpha of a domain have no intervals: domains are many and small
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
	if row.Planned == all { // row.Planned counts all pairs, so the judge was not asked about a sample
		row.Right = stats.Ratio(right, known)
		if row.Order == orderBoth {
			row.Same = stats.Ratio(alike, all)
		}
	}
	row.Kappa = pair.Kappa
	row.Alpha = pair.Alpha
	return append(rows, row)
}

// choiceScale is the scale of choices: three nominal labels, one of which is the tie.
var choiceScale = raters.Scale{Level: agreement.Nominal, Ties: true, Tie: float64(codes[data.ChoiceTie])}

var resampling = stats.Resampling{Seed: 1, Name: "preferences", Level: dataset.Confidence}

// among appends two rows on how people agree. The first measures the agreement of all people with each other. The second (kind ceiling) is
// what a judge can reach at best: the agreement of each person with the majority of the other people.
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
