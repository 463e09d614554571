package preferences

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
)

// panel is the name and the method of the judge that the majority of models is. It is not in the record: its preferences follow
// from theirs, and it costs nothing of its own.
const panel = "panel"

// fewestInPanel are the judges that make a majority: two who disagree have none.
const fewestInPanel = 3

// withPanel returns a record with the preferences of a panel of all models that were asked for a choice, as Verga et al. (2024) put
// smaller models together: on each pair, in each order, that at least three of them judged, the choice of more of them than any other
// one, or a tie. If less than half of them have a valid preference, the panel has none. Rounds after the first, judges with hints and
// degenerate ones have no vote. With fewer than three models the record is the same.
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
	for pair := range r.Pairs {
		for _, order := range data.Orders {
			votes := asked[place{pair, order}]
			if len(votes) < fewestInPanel {
				continue
			}
			p := dataset.PreferenceRow{Judge: len(r.Judges), Pair: pair, Order: order, PreferenceExtra: dataset.NoExtra}
			p.Status, p.Choice = decidedBy(votes)
			with.Prefs = append(with.Prefs, p)
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

// decidedBy returns the choice of most of those who have one; a tie where several choices are equally frequent.
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
