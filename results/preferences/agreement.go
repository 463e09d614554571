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
	Reference    string        `csv:"reference"` // gold, a person, people
	Kind         string        `csv:"kind"`      // judge, human, floor, ceiling
	Order        string        `csv:"order"`
	Planned      int           `csv:"planned"`
	N            int           `csv:"n"`             // pairs with a choice by both
	Accuracy     table.Bounded `csv:"accuracy"`      // a tie is wrong
	AccuracyHalf table.Figure  `csv:"accuracy_half"` // a tie is half right
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
)

// codes are the choices as numbers; what is no choice has none.
var codes = map[data.Choice]int{data.ChoiceTie: 0, data.ChoiceA: 1, data.ChoiceB: 2}

// agreements compares judges with the labels and with each person, and people among themselves.
func (b *preferenceBoard) agreements() (rows []AgreementRow) {
	for _, set := range b.setRanges() {
		labels := map[int]data.Choice{}
		for i, p := range b.Pairs {
			if b.within(p.Set, set) {
				labels[i] = p.Label
			}
		}
		var persons []int
		given := map[int]map[int]data.Choice{} // of each person, the choices by pair
		for j, judge := range b.Judges {
			if judge.Kind == dataset.KindHuman {
				persons, given[j] = append(persons, j), b.given(j, set)
			}
		}
		for j, judge := range b.Judges {
			kind := judge.Kind
			if kind != dataset.KindHuman && kind != dataset.KindFloor {
				kind = kindJudge
			}
			for _, order := range orders {
				planned, _ := b.planned(j, set, order)
				if planned == 0 || order == orderBoth && b.oneOrder(j, set) {
					continue
				}
				row := AgreementRow{JudgeOn: b.on(j, set), Reference: gold, Kind: kind, Order: order, Planned: planned}
				rows = b.compare(rows, row, j, set, labels)
				for _, other := range persons {
					if row.Reference = b.Judges[other].Name; other != j {
						rows = b.compare(rows, row, j, set, given[other])
					}
				}
			}
		}
		if len(persons) > 1 {
			rows = b.among(rows, persons, given, set)
		}
	}
	return rows
}

// given are a person's choices by pair, in the first order that there is.
func (b *preferenceBoard) given(judge, set int) map[int]data.Choice {
	choices := map[int]data.Choice{}
	for _, j := range b.of(judge, set) {
		if valid := j.valid(); len(valid) > 0 && j.round == 1 {
			choices[j.pair] = valid[0].Choice
		}
	}
	return choices
}

// compare adds a row, if judge and reference have a pair in common.
func (b *preferenceBoard) compare(rows []AgreementRow, row AgreementRow, judge, set int, reference map[int]data.Choice) []AgreementRow {
	crossed := map[int]*counts{}
	var accuracy, half, same dataset.Sample
	rounds := max(1, b.repeats[judge])
	right, known, all, alike := 0, 0, rounds*len(reference), 0
	for _, ref := range reference {
		if _, is := codes[ref]; is {
			known += rounds
		}
	}
	for _, j := range b.of(judge, set) {
		ref, here := reference[j.pair]
		twice := here && j.same()
		alike += int(dataset.Indicator(twice))
		choice, chosen := j.choice(row.Order)
		r, hasReference := codes[ref]
		if !chosen || !hasReference {
			continue
		}
		cluster, hit := b.Pairs[j.pair].Cluster, dataset.Indicator(choice == ref)
		if crossed[cluster] == nil {
			crossed[cluster] = &counts{}
		}
		crossed[cluster][codes[choice]][r]++
		same.Add(hit, cluster)
		if row.Order != orderBoth || twice {
			right += int(hit)
		}
		if ref.Decided() {
			accuracy.Add(hit, cluster)
			if choice == data.ChoiceTie {
				hit = 0.5
			}
			half.Add(hit, cluster)
		}
	}
	if row.N = len(same.Values); row.N == 0 {
		return rows
	}
	row.Accuracy, row.AccuracyHalf, row.Accuracy3 = b.share(accuracy), b.Mean(half).Value, b.share(same)
	if row.Planned == all { // not a sample
		if row.Right = ratio(float64(right), known); row.Order == orderBoth {
			row.Same = ratio(float64(alike), all)
		}
	}
	row.Kappa, row.Alpha = b.resampled(crossed, counts.kappa), b.resampled(crossed, counts.alpha)
	return append(rows, row)
}

// counts are the numbers of pairs by two raters' choices: tie, a, b.
type counts [3][3]float64

// sums are the total and the numbers of each choice of both raters.
func (c *counts) sums() (n, same float64, first, second [3]float64) {
	for i := range c {
		for k := range c {
			n, first[i], second[k] = n+c[i][k], first[i]+c[i][k], second[k]+c[i][k]
		}
		same += c[i][i]
	}
	return n, same, first, second
}

func (c counts) kappa() (float64, error) {
	n, same, first, second := c.sums()
	chance := 0.0
	for i := range first {
		chance += first[i] * second[i]
	}
	if chance == n*n {
		return 0, stats.ErrNoVariation
	}
	return 1 - (n-same)/n/((n*n-chance)/(n*n)), nil
}

// alpha is Krippendorff's, nominal: 1 - (N-1) Σ o_ck / Σ n_c n_k over c ≠ k, of N = 2n values.
func (c counts) alpha() (float64, error) {
	n, same, first, second := c.sums()
	expected := 4 * n * n
	for i := range first {
		expected -= (first[i] + second[i]) * (first[i] + second[i])
	}
	if expected == 0 {
		return 0, stats.ErrNoVariation
	}
	return 1 - (2*n-1)*2*(n-same)/expected, nil
}

var resampling = stats.Resampling{Seed: 1, Name: "preferences", Level: dataset.Confidence}

// resampled is a statistic of the counts of clusters, with the percentile interval of a bootstrap of
// clusters.
func (b *preferenceBoard) resampled(crossed map[int]*counts, statistic func(counts) (float64, error)) table.Bounded {
	var of []*counts
	var all []int
	for i, cluster := range slices.Sorted(maps.Keys(crossed)) {
		of, all = append(of, crossed[cluster]), append(all, i)
	}
	over := func(clusters []int) (float64, error) {
		var sum counts
		for _, c := range clusters {
			for i := range sum {
				for k := range sum {
					sum[i][k] += of[c][i][k]
				}
			}
		}
		return statistic(sum)
	}
	value, err := over(all)
	if err != nil {
		return b.bounded(value, stats.Distribution{}, err, nil)
	}
	d, none := resampling.Run(len(of), over)
	return b.bounded(value, d, nil, none)
}

// bounded is a statistic with the interval of its resamples.
func (b *preferenceBoard) bounded(value float64, d stats.Distribution, err, none error) (r table.Bounded) {
	if r.Value = table.FigureOf(b.Value(value, err)); err == nil {
		r.Low, r.High = table.FigureOf(b.Value(d.Low, none)), table.FigureOf(b.Value(d.High, none))
	}
	return r
}

// among adds the agreement of people: of all with each other, and, as the ceiling of a judge, of
// each with the majority of the others.
func (b *preferenceBoard) among(rows []AgreementRow, persons []int, given map[int]map[int]data.Choice, set int) []AgreementRow {
	row := AgreementRow{JudgeOn: JudgeOn{people, "annotation", b.setName(set)}, Reference: people, Kind: dataset.KindHuman,
		Order: data.OrderAB}
	raters := make([]agreement.Rater, len(persons))
	var units [][]float64
	var clusters []int
	var same, ceiling dataset.Sample
	for i, pair := range b.Pairs {
		if !b.within(pair.Set, set) {
			continue
		}
		var unit []float64
		var votes []data.Choice
		for k, person := range persons {
			choice := given[person][i]
			v, has := codes[choice]
			raters[k].Values, raters[k].Missing = append(raters[k].Values, float64(v)), append(raters[k].Missing, !has)
			if has {
				unit, votes = append(unit, float64(v)), append(votes, choice)
			}
		}
		clusters = append(clusters, pair.Cluster)
		if len(unit) < 2 {
			continue
		}
		units, row.Planned = append(units, unit), row.Planned+1
		alike, of := 0.0, float64(len(unit)*(len(unit)-1)/2)
		for k := range unit {
			for _, v := range unit[k+1:] {
				alike += dataset.Indicator(unit[k] == v)
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
	ratings, err := agreement.NewRatings(raters...)
	row.Alpha = b.alphaOf(ratings, err, clusters)
	if !slices.ContainsFunc(units, func(u []float64) bool { return len(u) != len(units[0]) }) && row.Alpha.Known() {
		// Fleiss' kappa (1971) differs from nominal alpha by the factor N/(N-1) of D_o for N ratings.
		n := float64(len(units) * len(units[0]))
		row.Kappa.Value = table.Number(1 - (1-*row.Alpha.Value.Number)*n/(n-1))
	}
	rows = append(rows, row)
	if row.N = len(ceiling.Values); row.N > 0 {
		rows = append(rows, AgreementRow{JudgeOn: row.JudgeOn, Reference: "the other people", Kind: kindCeiling, Order: data.OrderAB,
			Planned: row.Planned * len(persons), N: row.N, Accuracy3: b.share(ceiling)})
	}
	return rows
}

// alphaOf is nominal alpha of ratings, with its interval over clusters.
func (b *preferenceBoard) alphaOf(ratings *agreement.Ratings, err error, clusters []int) table.Bounded {
	var alpha agreement.AlphaResult
	if err == nil {
		alpha, err = agreement.Alpha(ratings, agreement.Nominal)
	}
	if err != nil {
		return b.bounded(0, stats.Distribution{}, err, nil)
	}
	d, none := agreement.AlphaBootstrap(ratings, agreement.Nominal, clusters, resampling)
	return b.bounded(alpha.Alpha, d, nil, none)
}
