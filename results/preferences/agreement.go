package preferences

import (
	"maps"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
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

// code is a choice as a number; ok is false if there is none.
func code(c data.Choice) (v float64, ok bool) {
	switch c {
	case data.ChoiceTie:
		return 0, true
	case data.ChoiceA:
		return 1, true
	case data.ChoiceB:
		return 2, true
	}
	return 0, false
}

// agreements compares judges with the labels and with each person, and people among themselves.
func (b *preferenceBoard) agreements() (rows []AgreementRow) {
	for _, set := range b.setRanges() {
		var persons []int
		for j, judge := range b.Judges {
			if judge.Kind == dataset.KindHuman {
				persons = append(persons, j)
			}
		}
		labels := map[int]data.Choice{}
		domains := []string{anyDomain}
		for i, p := range b.Pairs {
			if !b.within(p.Set, set) {
				continue
			}
			labels[i] = p.Label
			if !slices.Contains(domains, p.Domain) && p.Domain != "" {
				domains = append(domains, p.Domain)
			}
		}
		slices.Sort(domains[1:])
		if len(domains) == 2 {
			domains = domains[:1]
		}
		for j, judge := range b.Judges {
			if judge.Hinted {
				continue
			}
			for _, order := range []string{data.OrderAB, data.OrderBA, orderBoth} {
				choices, planned := b.choices(j, set, order)
				if planned == 0 {
					continue
				}
				row := AgreementRow{JudgeOn: b.on(j, set), Domain: anyDomain, Kind: kindOf(judge.Kind), Order: order, Planned: planned}
				for _, domain := range domains {
					if domain == anyDomain || planned == len(labels)*max(1, b.repeats[j]) { // of a sample, what is planned in a domain is not known
						row.Domain, row.Reference = domain, gold
						rows = b.compare(rows, row, choices, labels)
					}
				}
				row.Domain = anyDomain
				for _, other := range persons {
					if other != j {
						row.Reference = b.Judges[other].Name
						theirs, _ := b.choices(other, set, "")
						rows = b.compare(rows, row, choices, theirs[0])
					}
				}
			}
		}
		if len(persons) > 1 {
			rows = b.among(rows, persons, set)
		}
	}
	return rows
}

func kindOf(kind string) string {
	switch kind {
	case dataset.KindHuman, dataset.KindFloor:
		return kind
	}
	return kindJudge
}

// choices are a judge's valid choices by pair in an order, "" for the first that there is, in each of
// its rounds, and the number planned in all. A pair with a choice in one order only has none in both.
func (b *preferenceBoard) choices(judge, set int, order string) (rounds []map[int]data.Choice, planned int) {
	for range max(1, b.repeats[judge]) {
		rounds = append(rounds, map[int]data.Choice{})
	}
	for _, j := range b.of(judge, set) {
		of := rounds[j.round-1]
		switch valid := j.valid(); {
		case order == orderBoth:
			if j.both() {
				of[j.pair] = j.combined()
			}
		case order == "" && len(valid) > 0:
			of[j.pair] = valid[0].Choice
		default:
			for _, p := range valid {
				if p.Order == order {
					of[j.pair] = p.Choice
				}
			}
		}
	}
	orders := 0
	for _, o := range data.Orders {
		n, _ := b.planned(judge, set, o)
		orders += min(n, 1)
	}
	planned, _ = b.planned(judge, set, order)
	if order == orderBoth && orders < 2 {
		return rounds, 0
	}
	return rounds, planned
}

// compare adds a row, if judge and reference have a pair in common.
func (b *preferenceBoard) compare(rows []AgreementRow, row AgreementRow, choices []map[int]data.Choice,
	reference map[int]data.Choice) []AgreementRow {
	crossed := crossing{}
	var accuracy, half, skip, same dataset.Sample
	judge := slices.IndexFunc(b.Judges, func(j store.PairwiseJudge) bool { return j.Name == row.Judge && j.Method == row.Method })
	right, known, all, alike := 0, 0, 0, 0
	twice := map[[2]int]bool{} // the same choice in both orders, by round and pair
	for _, j := range b.byJudge[judge] {
		twice[[2]int{j.round - 1, j.pair}] = j.both() && j.by[0].Choice == j.by[1].Choice
	}
	for at := range len(choices) * len(b.Pairs) {
		round, i := at/len(b.Pairs), at%len(b.Pairs)
		again := twice[[2]int{round, i}]
		ref, here := reference[i]
		pair := &b.Pairs[i]
		if row.Domain != anyDomain && pair.Domain != row.Domain {
			continue
		}
		choice, chosen := choices[round][i]
		r, hasReference := code(ref)
		if here {
			all++
			alike += int(dataset.Indicator(again))
		}
		if !here || !hasReference {
			continue
		}
		known++
		if !chosen {
			continue
		}
		c, _ := code(choice)
		crossed.add(pair.Cluster, c, r)
		same.Add(dataset.Indicator(c == r), pair.Cluster)
		if c == r && (row.Order != orderBoth || again) {
			right++
		}
		if !ref.Decided() {
			continue
		}
		accuracy.Add(dataset.Indicator(c == r), pair.Cluster)
		if choice.Decided() {
			half.Add(dataset.Indicator(c == r), pair.Cluster)
			skip.Add(dataset.Indicator(c == r), pair.Cluster)
		} else {
			half.Add(0.5, pair.Cluster)
		}
	}
	if row.N = len(same.Values); row.N == 0 {
		return rows
	}
	if row.Domain != anyDomain {
		row.Planned = all
	}
	row.Accuracy, row.Accuracy3 = b.share(accuracy), b.share(same)
	row.AccuracyHalf, row.AccuracySkip = b.Mean(half).Value, b.share(skip).Value
	if row.Planned == all { // not a sample
		row.Right = ratio(float64(right), known)
	}
	if row.Order == orderBoth && row.Planned == all {
		row.Same = ratio(float64(alike), all)
	}
	resamples := row.Domain == anyDomain // domains are many and small
	row.Kappa, row.Alpha = b.resampled(crossed, counts.kappa, resamples), b.resampled(crossed, counts.alpha, resamples)
	return append(rows, row)
}

// counts are the numbers of pairs by two raters' choices: tie, a, b.
type counts [3][3]float64

func (c counts) kappa() (float64, error) {
	n, same, chance := 0.0, 0.0, 0.0
	for i := range c {
		row, column := 0.0, 0.0
		for k := range c {
			row, column = row+c[i][k], column+c[k][i]
		}
		n, same, chance = n+row, same+c[i][i], chance+row*column
	}
	if chance == n*n {
		return 0, stats.ErrNoVariation
	}
	return 1 - (n-same)/n/((n*n-chance)/(n*n)), nil
}

// alpha is Krippendorff's, nominal: 1 - (N-1) Σ o_ck / Σ n_c n_k over c ≠ k, of N = 2n values.
func (c counts) alpha() (float64, error) {
	var of [3]float64
	total, differ := 0.0, 0.0
	for i := range c {
		for k := range c {
			of[i] += c[i][k]
			of[k] += c[i][k]
			total += 2 * c[i][k]
			if i != k {
				differ += 2 * c[i][k]
			}
		}
	}
	expected := total * total
	for _, n := range of {
		expected -= n * n
	}
	if expected == 0 {
		return 0, stats.ErrNoVariation
	}
	return 1 - (total-1)*differ/expected, nil
}

// A crossing has the choices of two raters on the pairs of each cluster.
type crossing map[int][][2]int

func (x crossing) add(cluster int, a, b float64) {
	x[cluster] = append(x[cluster], [2]int{int(a), int(b)})
}

// resampled is a statistic, if wanted with the percentile interval of a bootstrap of clusters.
func (b *preferenceBoard) resampled(x crossing, statistic func(counts) (float64, error), interval bool) (r table.Bounded) {
	var of [][][2]int // by cluster
	for _, c := range slices.Sorted(maps.Keys(x)) {
		of = append(of, x[c])
	}
	all := make([]int, len(of))
	for i := range all {
		all[i] = i
	}
	over := func(clusters []int) (float64, error) {
		var sum counts
		for _, c := range clusters {
			for _, choices := range of[c] {
				sum[choices[0]][choices[1]]++
			}
		}
		return statistic(sum)
	}
	value, err := over(all)
	if r.Value = table.FigureOf(b.Value(value, err)); err != nil || !interval {
		return r
	}
	d, err := stats.Resampling{Seed: 1, Name: "preferences", Level: dataset.Confidence}.Run(len(of), over)
	r.Low, r.High = table.FigureOf(b.Value(d.Low, err)), table.FigureOf(b.Value(d.High, err))
	return r
}

// among adds the agreement of people: of all with each other, and, as the ceiling of a judge, of
// each with the majority of the others.
func (b *preferenceBoard) among(rows []AgreementRow, persons []int, set int) []AgreementRow {
	by := make([]map[int]data.Choice, len(persons))
	for k, person := range persons {
		rounds, _ := b.choices(person, set, "")
		by[k] = rounds[0]
	}
	row := AgreementRow{JudgeOn: JudgeOn{people, "annotation", b.setName(set)}, Domain: anyDomain, Reference: people,
		Kind: dataset.KindHuman, Order: data.OrderAB}
	raters := make([]agreement.Rater, len(persons))
	var units [][]float64
	var clusters []int
	var same, ceiling dataset.Sample
	for i, pair := range b.Pairs {
		if !b.within(pair.Set, set) {
			continue
		}
		var given []float64
		var votes []data.Choice
		for k := range persons {
			v, has := code(by[k][i])
			raters[k].Values, raters[k].Missing = append(raters[k].Values, v), append(raters[k].Missing, !has)
			if has {
				given, votes = append(given, v), append(votes, by[k][i])
			}
		}
		clusters = append(clusters, pair.Cluster)
		if len(given) < 2 {
			continue
		}
		units, row.Planned = append(units, given), row.Planned+1
		alike, of := 0.0, float64(len(given)*(len(given)-1)/2)
		for k := range given {
			for _, v := range given[k+1:] {
				alike += dataset.Indicator(given[k] == v)
			}
			if m, decided := data.Majority(slices.Delete(slices.Clone(votes), k, k+1)); decided {
				ceiling.Add(dataset.Indicator(votes[k] == m), pair.Cluster)
			}
		}
		same.Add(alike/of, pair.Cluster)
	}
	if row.N = len(units); row.N == 0 {
		return rows
	}
	row.Accuracy3 = b.share(same)
	if slices.IndexFunc(units, func(u []float64) bool { return len(u) != len(units[0]) }) < 0 {
		v, err := agreement.FleissKappa(units)
		row.Kappa.Value = table.FigureOf(b.Value(v, err))
	}
	ratings, err := agreement.NewRatings(raters...)
	if b.Value(0, err); err == nil {
		alpha, err := agreement.Alpha(ratings, agreement.Nominal)
		row.Alpha.Value = table.FigureOf(b.Value(alpha.Alpha, err))
		if err == nil {
			d, err := agreement.AlphaBootstrap(ratings, agreement.Nominal, clusters,
				stats.Resampling{Seed: 1, Name: "preferences", Level: dataset.Confidence})
			row.Alpha.Low, row.Alpha.High = table.FigureOf(b.Value(d.Low, err)), table.FigureOf(b.Value(d.High, err))
		}
	}
	rows = append(rows, row)
	if row.N = len(ceiling.Values); row.N > 0 {
		rows = append(rows, AgreementRow{JudgeOn: row.JudgeOn, Domain: anyDomain, Reference: "the other people", Kind: kindCeiling,
			Order: data.OrderAB, Planned: row.Planned * len(persons), N: row.N, Accuracy3: b.share(ceiling)})
	}
	return rows
}
