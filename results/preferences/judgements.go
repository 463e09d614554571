package preferences

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/stats/agreement"
)

// The criteria under which preferences are stored as judgements.
const (
	choiceOf = iota // the choice, as one of codes
	sameOf          // 1 if the choice is valid and the same in both orders, else 0
)

var pairCriteria = []data.Measured{{ID: "choice", Level: string(agreement.Nominal)},
	{ID: "same in both orders", Level: string(agreement.Nominal)}}

// endings shares the outcomes of sheets: by the code of the choice (or noCode) and whether both orders have the same choice (1) or not (0).
type endings map[[2]int]*data.Ending

// noCode stands for a choice that codes does not contain.
const noCode = -1

// of returns the outcome of a sheet with a choice. A choice that codes does not contain makes it missing.
func (e endings) of(c data.Choice, same bool) *data.Ending {
	code, is := codes[c]
	if !is {
		code = noCode
	}
	key := [2]int{code, int(dataset.Indicator(same))}
	if e[key] == nil {
		e[key] = &data.Ending{Status: data.Skipped}
		if is {
			*e[key] = data.Ending{Status: data.Valid, Scores: []float64{float64(code), float64(key[1])}}
		}
	}
	return e[key]
}

// references returns the judgements that judges are compared with: the labels as the first rater, then one rater for each person. A
// person's choice is the one of the first round, in order ab if that is valid, else in order ba. Items are pairs in the order of byCluster.
// All raters are of kind Derived, so that one value counts for all rounds of a judge.
func (b *board) references() *data.Judgements {
	j := &data.Judgements{Criteria: pairCriteria, Raters: []data.Rater{{Name: gold, Kind: string(raters.Derived)}}}
	j.Items = make([]data.Rated, 0, len(b.Pairs))
	j.Sheets = make([]data.Given, 0, len(b.Pairs))
	ended := endings{}
	for item, pair := range b.byCluster {
		p := &b.Pairs[pair]
		j.Items = append(j.Items, data.Rated{ID: p.Id, Cluster: p.Cluster})
		j.Sheets = append(j.Sheets, data.Given{Item: int32(item), Repeat: 1, Ending: ended.of(p.Label, false)})
	}
	for k, person := range b.persons() {
		j.Raters = append(j.Raters, data.Rater{Name: person.Name, Kind: string(raters.Derived)})
		for _, judged := range person.pairs {
			if valid := judged.valid(); valid != nil && judged.round == 1 {
				j.Sheets = append(j.Sheets, data.Given{Rater: int32(k + 1), Item: b.itemOf[judged.pair], Repeat: 1,
					Ending: ended.of(valid[0].Choice, false)})
			}
		}
	}
	slices.SortFunc(j.Sheets, data.CompareSheets)
	return j
}

// judgements returns the references, followed by the group's judge as three raters: in order ab, in order ba, and in both orders. Each
// round of a pair is a sheet.
func (g group) judgements(references *data.Judgements) *data.Judgements {
	j := *references
	ended := endings{}
	first := len(j.Sheets)
	j.Raters = slices.Clip(j.Raters)
	j.Sheets = append(make([]data.Given, 0, first+len(orders)*len(g.pairs)), j.Sheets...)
	for k, order := range orders {
		j.Raters = append(j.Raters, data.Rater{Name: g.Judge, Kind: g.who.Kind})
		for _, judged := range g.pairs {
			choice, _ := judged.choice(order)
			j.Sheets = append(j.Sheets, data.Given{Rater: int32(len(references.Raters) + k), Item: g.itemOf[judged.pair],
				Repeat: int32(judged.round), Ending: ended.of(choice, judged.same())})
		}
	}
	slices.SortFunc(j.Sheets[first:], data.CompareSheets)
	return &j
}

// peoplesChoices returns the table of all people's choices, and the item of each unit of the table.
func (b *board) peoplesChoices(references *data.Judgements) (t raters.Table, items []int32) {
	who := references.Everyone()[1:]
	t = raters.ByItem(references, who...)[choiceOf]
	t.Scale = choiceScale
	for _, s := range references.Sheets {
		if s.Rater > 0 {
			items = append(items, s.Item)
		}
	}
	slices.Sort(items)
	return t, slices.Compact(items)
}

// placeItems numbers the items of judgements. Items are sorted by question, so that resampling draws the same questions whichever pairs
// have a choice.
func (b *board) placeItems() {
	b.byCluster = make([]int, len(b.Pairs))
	b.itemOf = make([]int32, len(b.Pairs))
	for i := range b.byCluster {
		b.byCluster[i] = i
	}
	slices.SortStableFunc(b.byCluster, func(a, c int) int { return cmp.Compare(b.Pairs[a].Cluster, b.Pairs[c].Cluster) })
	for item, pair := range b.byCluster {
		b.itemOf[pair] = int32(item)
	}
}
