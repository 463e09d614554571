package strum

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
)

// An attribute is the extractions that one or several names of an attribute have.
type attribute struct {
	name        string
	extractions []extraction
}

// mergeAttributes joins extractions whose attributes' names have the same words, in any order and number. The attribute gets the most
// frequent name, or the first of several.
func mergeAttributes(list []extraction) []*attribute {
	byName := map[string]*attribute{}
	var merged []*attribute
	for _, x := range list {
		key := lexical.NameKey(x.attribute)
		a := byName[key]
		if a == nil {
			a = &attribute{}
			byName[key] = a
			merged = append(merged, a)
		}
		a.extractions = append(a.extractions, x)
	}
	for _, a := range merged {
		a.name = a.names()[0]
	}
	return merged
}

// names returns the attribute's names, the most frequent first.
func (a *attribute) names() []string {
	var names []string
	count := map[string]int{}
	for _, x := range a.extractions {
		count[x.attribute]++
		if count[x.attribute] == 1 {
			names = append(names, x.attribute)
		}
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(count[y], count[x]) })
	return names
}

// members returns the attribute's names if it has several, else nil.
func (a *attribute) members() []string {
	if names := a.names(); len(names) > 1 {
		return names
	}
	return nil
}

// bestRank returns the best rank of the attribute's sources.
func (a *attribute) bestRank() int {
	return slices.MinFunc(a.extractions, func(x, y extraction) int { return cmp.Compare(x.rank, y.rank) }).rank
}

// A cluster is a group of extractions that say the same about one object.
type cluster struct {
	extractions []extraction
	words       []string // of the first extraction, which the others are compared with
	opinions    []opinion
	claim       claim
}

// sources returns the ids of the sources of the extractions, each once.
func (c *cluster) sources() []string {
	return data.Set(data.Each(c.extractions, func(x extraction) string { return x.evidence.Source }))
}

// extractionsOf returns the extractions of an object (0 or 1).
func (a *attribute) extractionsOf(object int) []extraction {
	return data.Where(a.extractions, func(x extraction) bool { return x.object == object })
}

// cells merges the values of both objects, and returns the values to show and the number of distinct sources that support them.
func (a *attribute) cells(r *reader, d *dropped) (cells [2][]data.ContrastValue, sources int) {
	var behind []string
	var minority, beyond [2][]data.ContrastValue
	for k := range cells {
		values, outvoted := valuesOf(r.mergeValues(a.extractionsOf(k)))
		r.dispute(a.name, values)
		cells[k], minority[k], beyond[k] = selected(values, outvoted)
		for _, v := range cells[k] {
			behind = append(behind, v.Supporters...)
		}
	}
	d.values(StageValues, Minority, a.name, minority)
	d.values(StageValues, BeyondBest, a.name, beyond)
	return cells, len(data.Set(behind))
}

// selected divides the values of a cell into those that are shown, those of a minority, and those beyond the best mostValues. A value is of
// a minority if it is outvoted and a value that contradicts it is kept. If all values are disputed (three sources, three prices), those
// with most supporters are kept, with their conflicts.
func selected(values []data.ContrastValue, outvoted []bool) (shown, minority, beyond []data.ContrastValue) {
	shown = []data.ContrastValue{}
	for i, v := range values {
		if outvoted[i] && isMinority(values, outvoted, v) {
			minority = append(minority, v)
		} else {
			shown = append(shown, v)
		}
	}
	slices.SortStableFunc(shown, func(v, w data.ContrastValue) int { return cmp.Compare(len(w.Supporters), len(v.Supporters)) })
	n := min(len(shown), mostValues)
	return shown[:n:n], minority, shown[n:]
}

// isMinority reports whether an outvoted value v is contradicted by a value that is not outvoted, or that has more supporters.
func isMinority(values []data.ContrastValue, outvoted []bool, v data.ContrastValue) bool {
	for i, w := range values {
		if contradicts(w, v) && (!outvoted[i] || len(w.Supporters) > len(v.Supporters)) {
			return true
		}
	}
	return false
}

// contradicts reports whether the sources of w contradict v. Sources that support both values are ignored.
func contradicts(w, v data.ContrastValue) bool {
	against := 0
	for _, id := range w.Supporters {
		if slices.Contains(v.Conflicts, id) {
			against++
		} else if !slices.Contains(v.Supporters, id) {
			return false
		}
	}
	return against > 0
}

// mergeEqual joins values that differ only in case, white space and surrounding punctuation.
func (r *reader) mergeEqual(list []extraction) (clusters []*cluster) {
	known := map[string]*cluster{}
	for _, x := range list {
		key := strings.ToLower(strings.Join(strings.Fields(strings.Trim(x.value, quoteTrim)), " "))
		if known[key] == nil {
			known[key] = &cluster{claim: r.claimOf(x.value)}
			clusters = append(clusters, known[key])
		}
		known[key].extractions = append(known[key].extractions, x)
	}
	return clusters
}

// mergeValues puts each value into the first cluster whose first value says the same, or into a new cluster. Two values say the same if
// their words have a Jaccard index of at least 0.6, without names and stop words, they have the same opinions, and their claims agree.
func (r *reader) mergeValues(list []extraction) []*cluster {
	slices.SortStableFunc(list, func(x, y extraction) int { return cmp.Compare(x.rank, y.rank) })
	var clusters []*cluster
	same := map[string]*cluster{}     // by words, opinions and quantities
	having := map[string][]*cluster{} // by each of the words
	for _, x := range list {
		words := r.content(x.value)
		key := fmt.Sprint(words, x.opinions, quantitiesIn(x.value))
		is := r.claimOf(x.value)
		found := same[key]
		if found != nil && !is.agrees(found.claim) {
			found = nil
		}
		for _, w := range words {
			if found != nil {
				break
			}
			for _, c := range having[w] {
				if data.Jaccard(words, c.words) >= sameFrom && slices.Equal(x.opinions, c.opinions) && is.agrees(c.claim) {
					found = c
					break
				}
			}
		}
		if found == nil {
			found = &cluster{words: words, opinions: x.opinions, claim: is}
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

// valuesOf returns the values of clusters: most supporters first, then by rank, then by what distinguishes the objects.
//
// A source supports a value if it makes the same claim. It contradicts the value if it does not, and has an opposite opinion, or says the
// same with other numbers or a negation. A value is outvoted if more sources have an opposite opinion than share all of its opinions, or if
// more sources support a claim that contradicts it than support it.
func valuesOf(clusters []*cluster) (values []data.ContrastValue, outvoted []bool) {
	held := holders{}
	subjects := map[string][]*cluster{}
	for _, c := range clusters {
		subjects[c.claim.subject()] = append(subjects[c.claim.subject()], c)
		for _, o := range c.opinions {
			if held[o] == nil {
				held[o] = map[string]bool{}
			}
			for _, x := range c.extractions {
				held[o][x.evidence.Source] = true
			}
		}
	}
	type merged struct {
		*cluster
		data.ContrastValue
		outvoted bool
	}
	list := data.Each(clusters, func(c *cluster) merged {
		m := merged{cluster: c, ContrastValue: data.ContrastValue{Value: c.extractions[0].value}}
		against := map[string]bool{}
		for _, o := range c.opinions {
			maps.Copy(against, held[opinion{o.scale, -o.side}])
		}
		m.outvoted = len(c.opinions) > 0 && len(held.sharing(c.opinions)) < len(against)
		others := subjects[c.claim.subject()]
		for _, other := range others[:min(len(others), mostCompared)] {
			if other != c && !c.claim.agrees(other.claim) {
				m.outvoted = m.outvoted || len(other.sources()) > len(c.sources())
				for _, id := range other.sources() {
					against[id] = true
				}
			}
		}
		for _, x := range c.extractions {
			if !slices.Contains(m.Supporters, x.evidence.Source) {
				m.Supporters = append(m.Supporters, x.evidence.Source)
				m.Evidence = append(m.Evidence, x.evidence)
			}
			delete(against, x.evidence.Source)
		}
		slices.Sort(m.Supporters)
		m.Conflicts = slices.Sorted(maps.Keys(against))
		return m
	})
	slices.SortStableFunc(list, func(a, b merged) int {
		x := a.extractions[0]
		y := b.extractions[0]
		return cmp.Or(cmp.Compare(len(b.Supporters), len(a.Supporters)), cmp.Compare(x.rank, y.rank), cmp.Compare(y.distinct, x.distinct),
			cmp.Compare(x.order, y.order))
	})
	for _, m := range list {
		values = append(values, m.ContrastValue)
		outvoted = append(outvoted, m.outvoted)
	}
	return values, outvoted
}

// holders maps an opinion to the ids of the sources that have it.
type holders map[opinion]map[string]bool

// sharing returns the ids of the sources that have all of the opinions.
func (h holders) sharing(opinions []opinion) map[string]int {
	sharing := map[string]int{}
	for _, o := range opinions {
		for id := range h[o] {
			sharing[id]++
		}
	}
	maps.DeleteFunc(sharing, func(_ string, n int) bool { return n < len(opinions) })
	return sharing
}
