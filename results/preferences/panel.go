package preferences

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
)

// panel is the name and the method of a judge that is the majority vote of the models. The panel is not in the record. Its preferences are
// computed from those of the models, at no cost.
const panel = "panel"

// fewestInPanel is the least number of models for a majority vote, because two that disagree have no majority.
const fewestInPanel = 3

// withPanel returns the record with the preferences of a panel of all models added, in the manner of Verga et al. (2024). The panel chooses
// on each pair and order that at least three models were asked about: the choice with the most votes, or a tie. If less than half of the
// models have a valid preference there, the panel has none. Later rounds, judges that are told the answer and degenerate judges do not
// vote. With fewer than three models, the record is returned unchanged.
func (b *board) withPanel() *dataset.PairwiseRecord {
	r := b.PairwiseRecord
	members := map[int]string{}
	for i, j := range r.Judges {
		_, round := store.BaseOf(j.Name)
		if j.Kind == dataset.ModelKind && !j.Hinted && round == 1 && b.byRound[i].degenerate == "" {
			members[i] = j.Name
		}
	}
	if len(members) < fewestInPanel || slices.ContainsFunc(r.Judges, func(j store.Participant) bool { return j.Name == panel }) {
		return r
	}
	type place struct {
		pair  int
		order string
	}
	asked := map[place][]*dataset.PreferenceRow{}
	for i := range r.Prefs {
		if p := &r.Prefs[i]; members[p.Judge] != "" {
			spot := place{p.Pair, p.Order}
			asked[spot] = append(asked[spot], p)
		}
	}
	with := *r
	type cell struct {
		set   int
		order string
	}
	planned := map[cell]int{}
	var names []string
	for i := range r.Judges {
		if members[i] != "" {
			names = append(names, members[i])
		}
	}
	who := store.Participant{Name: panel, Method: panel, Kind: dataset.KindImported, About: "the majority of " + data.List(names)}
	with.Judges, with.Prefs, with.Cells = append(slices.Clip(r.Judges), who), slices.Clip(r.Prefs), slices.Clip(r.Cells)
	shared := dataset.PreferenceEndings{}
	for pair := range r.Pairs {
		for _, order := range data.Orders {
			votes := asked[place{pair, order}]
			if len(votes) < fewestInPanel {
				continue
			}
			status, choice := decidedBy(votes)
			with.Prefs = append(with.Prefs, dataset.PreferenceRow{Judge: len(r.Judges), Pair: pair,
				PreferenceEnding: shared.Of(order, status, choice)})
			planned[cell{r.Pairs[pair].Set, order}]++
		}
	}
	for set := range r.Sets {
		for _, order := range data.Orders {
			if n := planned[cell{set, order}]; n > 0 {
				with.Cells = append(with.Cells, store.PlanCell{Judge: panel, Method: panel, Dataset: r.Sets[set].Name, Order: order, Planned: n})
			}
		}
	}
	return &with
}

// decidedBy returns the status and the choice of a vote: the most frequent choice, or a tie if several are equally frequent. If fewer than
// half of the votes are valid, the status is Incomplete.
func decidedBy(votes []*dataset.PreferenceRow) (data.Status, data.Choice) {
	valid := data.Where(votes, func(p *dataset.PreferenceRow) bool { return p.Status == data.Valid })
	if 2*len(valid) < len(votes) {
		return data.Incomplete, ""
	}
	most := data.MostVoted(data.Each(valid, func(p *dataset.PreferenceRow) string { return string(p.Choice) }))
	if len(most) != 1 {
		return data.Valid, data.ChoiceTie
	}
	return data.Valid, most[0]
}
