package strum

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// An attribute has the values that were extracted under one or several names.
type attribute struct {
	name        string
	extractions []extraction
}

// mergeAttributes joins the attributes whose names have the same words, in any order and
// number. The most frequent name is kept, the first of several.
func mergeAttributes(list []extraction) []*attribute {
	at := map[string]*attribute{}
	var merged []*attribute
	for _, x := range list {
		key := lexical.NameKey(x.attribute)
		a := at[key]
		if a == nil {
			a = &attribute{}
			at[key], merged = a, append(merged, a)
		}
		a.extractions = append(a.extractions, x)
	}
	for _, a := range merged {
		a.name = a.names()[0]
	}
	return merged
}

// names are the attribute's names, the most frequent first.
func (a *attribute) names() []string {
	var names []string
	count := map[string]int{}
	for _, x := range a.extractions {
		if count[x.attribute]++; count[x.attribute] == 1 {
			names = append(names, x.attribute)
		}
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(count[y], count[x]) })
	return names
}

// members are the names, if there are several.
func (a *attribute) members() []string {
	if names := a.names(); len(names) > 1 {
		return names
	}
	return nil
}

// best is the best rank among the sources.
func (a *attribute) best() int {
	return slices.MinFunc(a.extractions, func(x, y extraction) int { return cmp.Compare(x.rank, y.rank) }).rank
}

// A cluster is extractions that say the same of one object.
type cluster struct {
	extractions []extraction
	words       []string // of the first, which is the centre
	opinions    []opinion
}

// of are the extractions of an object.
func (a *attribute) of(object int) []extraction {
	return data.Where(a.extractions, func(x extraction) bool { return x.object == object })
}

// cells are the values of both objects, and the number of distinct sources behind them.
func (a *attribute) cells(r *reader, d *dropped) (cells [2][]data.ContrastValue, sources int) {
	var behind []string
	var minority, beyond [2][]data.ContrastValue
	for k := range cells {
		cells[k], minority[k], beyond[k] = selected(valuesOf(r.mergeValues(a.of(k))))
		for _, v := range cells[k] {
			behind = append(behind, v.Supporters...)
		}
	}
	d.values(StageValues, Minority, a.name, minority)
	d.values(StageValues, BeyondBest, a.name, beyond)
	return cells, len(data.Set(behind))
}

// selected are the values that a row shows of an object: the best of those that at least as many sources support as
// contradict. The others are those of a minority, and those beyond the best.
func selected(values []data.ContrastValue) (shown, minority, beyond []data.ContrastValue) {
	shown = []data.ContrastValue{}
	for _, v := range values {
		if len(v.Supporters) < len(v.Conflicts) {
			minority = append(minority, v)
		} else {
			shown = append(shown, v)
		}
	}
	slices.SortStableFunc(shown, func(v, w data.ContrastValue) int { return cmp.Compare(len(w.Supporters), len(v.Supporters)) })
	n := min(len(shown), mostValues)
	return shown[:n:n], minority, shown[n:]
}

// mergeValues puts each value into the first cluster that is like it: whose centre has a
// Jaccard index of 0.6 or more and the same opinions, names and stop words aside.
func (r *reader) mergeValues(list []extraction) []*cluster {
	slices.SortStableFunc(list, func(x, y extraction) int { return cmp.Compare(x.rank, y.rank) })
	var clusters []*cluster
	same := map[string]*cluster{}     // by their words
	having := map[string][]*cluster{} // by each of them
	for _, x := range list {
		words := r.content(x.value)
		key := fmt.Sprint(words, x.opinions)
		found := same[key]
		for _, w := range words {
			if found != nil {
				break
			}
			for _, c := range having[w] {
				if data.Jaccard(words, c.words) >= sameFrom && slices.Equal(x.opinions, c.opinions) {
					found = c
					break
				}
			}
		}
		if found == nil {
			found = &cluster{words: words, opinions: x.opinions}
			clusters = append(clusters, found)
			for _, w := range words {
				if len(having[w]) < mostCompared {
					having[w] = append(having[w], found)
				}
			}
		}
		same[key] = found
		found.extractions = append(found.extractions, x)
	}
	return clusters
}

// valuesOf are the values of clusters, those with the most supporters first, then by rank and
// by what distinguishes the objects. A source supports a value that it gives, or all of whose
// opinions it shares; it contradicts a value if it has an opposite opinion and supports it nowhere.
func valuesOf(clusters []*cluster) []data.ContrastValue {
	held := holders{}
	for _, c := range clusters {
		for _, o := range c.opinions {
			if held[o] == nil {
				held[o] = map[string]bool{}
			}
			for _, x := range c.extractions {
				held[o][x.evidence.Source] = true
			}
		}
	}
	shared := map[string]data.ContrastValue{} // the supporters and conflicts by opinions: many values have the same
	of := map[*cluster]data.ContrastValue{}
	for _, c := range clusters {
		key := fmt.Sprint(c.opinions)
		v, known := shared[key]
		if !known && len(c.opinions) > 0 {
			v.Supporters, v.Conflicts = held.sides(c.opinions)
			shared[key] = v
		}
		v.Value = c.extractions[0].value
		given := map[string]bool{}
		for _, x := range c.extractions {
			if !given[x.evidence.Source] {
				v.Evidence = append(v.Evidence, x.evidence)
			}
			given[x.evidence.Source] = true
		}
		if len(c.opinions) == 0 {
			v.Supporters = slices.Sorted(maps.Keys(given))
		}
		of[c] = v
	}
	slices.SortStableFunc(clusters, func(a, b *cluster) int {
		x, y := a.extractions[0], b.extractions[0]
		return cmp.Or(cmp.Compare(len(of[b].Supporters), len(of[a].Supporters)), cmp.Compare(x.rank, y.rank), cmp.Compare(y.distinct, x.distinct),
			cmp.Compare(x.order, y.order))
	})
	return data.Each(clusters, func(c *cluster) data.ContrastValue { return of[c] })
}

// holders are the ids of the sources that have an opinion.
type holders map[opinion]map[string]bool

// sides are the sources that share all of some opinions, and the others that have the opposite of one.
func (h holders) sides(of []opinion) (supporters, conflicts []string) {
	sharing, against := map[string]int{}, map[string]bool{}
	for _, o := range of {
		for id := range h[o] {
			sharing[id]++
		}
	}
	for _, o := range of {
		for id := range h[opinion{o.scale, -o.side}] {
			if sharing[id] < len(of) {
				against[id] = true
			}
		}
	}
	maps.DeleteFunc(sharing, func(_ string, n int) bool { return n < len(of) })
	return slices.Sorted(maps.Keys(sharing)), slices.Sorted(maps.Keys(against))
}
