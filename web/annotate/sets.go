package annotate

import (
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/stats/agreement"
)

// allRight is appended to the name of a criterion for which people mark all options that may be right.
const allRight = ": all that may be right"

// A givenSet is the set of options that one person finds right, for a criterion and an item or a part of an item.
type givenSet struct {
	criterion, person string
	item              data.Rated
	part              string
	set               agreement.Set
}

// ofSets returns how far people agree on a criterion for which several options may be right: Krippendorff's alpha of their sets of
// options, with the MASI distance. named restricts it to some people; the alpha then has no interval. people labels the row. N, the number
// of units for which two or more people gave a set, can be 0.
func (r *Report) ofSets(criterion, people string, named ...string) Agreement {
	a := Agreement{Criterion: criterion + allRight, People: people, Level: "sets (MASI)"}
	places := map[string]int{}
	var units [][]agreement.Set
	var clusters []int
	var ids []string
	for _, given := range r.sets {
		if given.criterion != criterion || named != nil && !slices.Contains(named, given.person) {
			continue
		}
		unit := given.item.ID + "/" + given.part
		place, known := places[unit]
		if !known {
			place = len(units)
			places[unit] = place
			units = append(units, nil)
			clusters = append(clusters, given.item.Cluster)
			ids = append(ids, given.item.ID)
		}
		units[place] = append(units[place], given.set)
	}
	items := map[string]bool{}
	for i, sets := range units {
		if len(sets) > 1 {
			a.N++
			items[ids[i]] = true
		}
	}
	a.Items = len(items)
	if a.N > 0 {
		a.Alpha = raters.SetAlpha(units, clusters, dataset.Confidence)
	}
	if named != nil {
		a.Alpha = a.Alpha.Point()
	}
	return a
}
