package validation

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/validation/scales"
	"compqa/stats"
	"compqa/stats/labels"
)

// Names of the design of labels (how people's items were chosen) in validation.csv. If labelled and unlabelled items differ, the name lists
// the variables that differ, as "verdict × system".
const (
	designAll       = "all"       // people labelled nearly all items that the judge scored
	designRandom    = "random"    // nothing shows that labels are no random sample
	designInclusion = "inclusion" // the file has the probability of each label
)

const (
	designLevel = 0.05 // p-value below which a difference counts, adjusted for the number of variables
	mostLevels  = 12   // most systems that are levels of their own
	fewLevels   = 5    // most different values of a judge that are levels of their own
	lengthParts = 4
	leastLevel  = 0.05 // least share of items with which a judge's value is a level
)

// A sampling says how the items that people labelled on a criterion were chosen.
type sampling struct {
	labels.Design
	name      string // a design above, or the variables that differ, as verdict × system
	uncovered string // strata in which nobody labelled an item, in words; "": none
	unjudged  bool   // one of these strata has all items with some value of the judge, so that agreement says nothing about all items
	assumed   string // sentence for labels with probabilities
	equal     bool   // all labels have the same probability
}

func (s sampling) weighted() bool { return s.name == designInclusion || len(s.Differences) > 0 }

// findSampling tests whether people's labels are a random sample of the items that the judge scored. If they are not, or have inclusion
// probabilities, it makes the table weighted.
func (p *Pairing) findSampling() {
	p.sampling.name = designAll
	units, labelled, probabilities := p.judgedUnits()
	n := 0
	for _, is := range labelled {
		if is {
			n++
		}
	}
	if n == 0 || n == len(units) {
		return
	}
	p.sampling.name = designRandom
	var strata []int
	switch {
	case probabilities > 0:
		p.sampling.name = designInclusion
		strata = labels.PostStratify(labelled, p.verdictLevels(units))
	default:
		clusters := data.Each(units, func(i int) int { return p.Clusters[i] })
		variables := append([]labels.Variable{p.verdictLevels(units)}, p.describe(units)...)
		p.sampling.Design = labels.FindDesign(labelled, clusters, variables, designLevel)
		strata = p.sampling.Strata
		if !p.sampling.weighted() {
			return
		}
		p.sampling.name = strings.Join(data.Each(p.sampling.Differences, func(d labels.Difference) string { return d.Name }), " × ")
		p.sampling.uncovered, p.sampling.unjudged = p.holes()
	}
	p.t.Strata = slices.Repeat([]int{stats.NoStratum}, len(p.t.Units))
	for k, i := range units {
		p.t.Strata[i] = strata[k]
	}
	if probabilities > 0 {
		p.sampling.equal = probabilities == n && p.oneInclusion(units, labelled)
		p.fillInclusion(units, labelled, n-probabilities)
	}
}

// oneInclusion reports whether all labels have the same inclusion probability.
func (p *Pairing) oneInclusion(units []int, labelled []bool) bool {
	first := p.Units[units[slices.Index(labelled, true)]].Inclusion
	for k, i := range units {
		if labelled[k] && p.Units[i].Inclusion != first {
			return false
		}
	}
	return true
}

// judgedUnits returns the units that the judge scored, whether people labelled each of them, and how many labels have an inclusion
// probability.
func (p *Pairing) judgedUnits() (units []int, labelled []bool, probabilities int) {
	units = make([]int, 0, len(p.judge.Values))
	labelled = make([]bool, 0, len(p.judge.Values))
	for i, v := range p.judge.Values {
		if v.Given() {
			is := p.mean.Values[i].Given()
			units = append(units, i)
			labelled = append(labelled, is)
			if is && p.Units[i].Inclusion > 0 {
				probabilities++
			}
		}
	}
	return units, labelled, probabilities
}

// fillInclusion sets the inclusion probability of each label. A label of an earlier round, which has none, gets the harmonic mean over
// similar labels: those with the same value of the judge and the same system, else with the same value, else all (see cellsOf).
func (p *Pairing) fillInclusion(units []int, labelled []bool, without int) {
	p.t.Inclusion = make([]float64, len(p.t.Units))
	sums := map[string]float64{}
	n := map[string]float64{}
	for k, i := range units {
		if x := p.Units[i].Inclusion; labelled[k] && x > 0 {
			for _, cell := range p.cellsOf(i) {
				sums[cell], n[cell] = sums[cell]+1/x, n[cell]+1
			}
		}
	}
	for k, i := range units {
		if !labelled[k] {
			continue
		}
		x := p.Units[i].Inclusion
		for _, cell := range p.cellsOf(i) {
			if x <= 0 && n[cell] > 0 {
				x = n[cell] / sums[cell]
			}
		}
		p.t.Inclusion[i] = min(1, x)
	}
	if p.sampling.assumed = "figures are weighted by the column inclusion: labels were chosen with these probabilities"; without > 0 {
		p.sampling.assumed += fmt.Sprintf("; %s without one took that of labels with the same value of the judge",
			data.Plural(without, "label", "labels"))
	}
}

// cellsOf returns the names of three groups of labels that are similar to a unit's label, the most similar group first.
func (p *Pairing) cellsOf(i int) [3]string {
	value := "\x00" + p.series.Value(i)
	return [3]string{value + "\x00" + p.Units[i].System, value, ""}
}

// A described has what is known about some units, whatever the judge gave them.
type described struct {
	units     []int
	variables []labels.Variable
}

// describe returns the system, the length, and the columns of --by of some units.
func (s *Study) describe(units []int) (all []labels.Variable) {
	if slices.Equal(units, s.described.units) {
		return s.described.variables
	}
	add := func(name string, value func(i int) string) {
		values := data.Each(units, value)
		if slices.ContainsFunc(values, func(v string) bool { return v != "" }) {
			all = append(all, levelsOf(name, values))
		}
	}
	if !slices.ContainsFunc(units, func(i int) bool { return s.Units[i].System == "" }) { // an empty name is not a system
		add("system", func(i int) string { return s.Units[i].System })
	}
	words := data.Each(units, func(i int) float64 { return float64(s.Units[i].Words) })
	if slices.Max(words) > 0 {
		all = append(all, parts("length", " words", words, lengthParts))
	}
	for c, column := range s.o.Columns {
		bins := s.binned(c)
		add(column, func(i int) string { return bins[i] })
	}
	return all
}

// levelsOf returns a variable whose values have no order. If there are more than mostLevels values, rare ones become one level, "others".
func levelsOf(name string, values []string) labels.Variable {
	v := labels.Variable{Name: name}
	numbers, names := stats.NumberLabels(values)
	counts := make([]int, len(names))
	for _, k := range numbers {
		counts[k]++
	}
	order := slices.Clone(counts)
	slices.Sort(order)
	slices.Reverse(order)
	place := make([]int, len(names))
	others := -1
	for k, n := range counts {
		if len(names) > mostLevels && n <= order[mostLevels-1] {
			if others < 0 {
				others = len(v.Names)
				v.Names = append(v.Names, "others")
			}
			place[k] = others
			continue
		}
		place[k] = len(v.Names)
		v.Names = append(v.Names, names[k])
	}
	v.Level = data.Each(numbers, func(k int) int { return place[k] })
	return v
}

// parts returns a variable whose levels are n ranges of numbers with about equally many values, in ascending order.
func parts(name, unit string, values []float64, n int) labels.Variable {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	var tops []float64
	for k := 1; k <= n; k++ {
		top := sorted[min(len(sorted)-1, (k*len(sorted)+n-1)/n-1)]
		if len(tops) == 0 || top > tops[len(tops)-1] {
			tops = append(tops, top)
		}
	}
	v := labels.Variable{Name: name, Ordered: true, Level: make([]int, len(values))}
	low := sorted[0]
	for _, top := range tops {
		text := stats.Shortest(low)
		if top > low {
			text += "–" + stats.Shortest(top)
		}
		v.Names = append(v.Names, text+unit)
		next, _ := slices.BinarySearchFunc(sorted, top, func(x, top float64) int {
			if x <= top {
				return -1
			}
			return 1
		})
		low = sorted[min(next, len(sorted)-1)]
	}
	for i, x := range values {
		v.Level[i], _ = slices.BinarySearch(tops, x)
	}
	return v
}

// verdictLevels returns the judge's values as a variable. Labels are its levels, and so are numbers if there are few; other numbers become
// quarters.
func (p *Pairing) verdictLevels(units []int) labels.Variable {
	const name = "verdict"
	if p.JudgeScale.Kind == scales.Nominal {
		return levelsOf(name, data.Each(units, func(i int) string { return p.JudgeScale.Label(p.judge.Values[i].Number()) }))
	}
	values := data.Each(units, func(i int) float64 { return p.judge.Values[i].Number() })
	distinct := data.Set(values)
	if len(distinct) > fewLevels {
		return parts(name, "", values, lengthParts)
	}
	v := labels.Variable{Name: name, Ordered: true, Level: make([]int, len(values))}
	for i, x := range values {
		v.Level[i], _ = slices.BinarySearch(distinct, x)
	}
	v.Names = data.Each(distinct, func(x float64) string { return p.JudgeScale.Label(x) })
	return v
}

// levelName returns a level of a variable in words, as "what the judge fails" or "the answers of gpt-4o".
func (p *Pairing) levelName(d labels.Difference, l int) string {
	switch d.Name {
	case "verdict":
		if p.JudgeScale.Kind == scales.Binary && p.PeopleScale.Kind == scales.Binary && len(d.Names) == 2 {
			return []string{"what the judge fails", "what it passes"}[l]
		}
		return "what the judge gives " + d.Names[l]
	case "system":
		return "the answers of " + d.Names[l]
	case "length":
		return "texts of " + d.Names[l]
	}
	return fmt.Sprintf("items whose %s is %s", d.Name, d.Names[l])
}

// holes returns in words the strata in which nobody labelled an item. verdict reports whether nobody labelled any item with some value of
// the judge.
func (p *Pairing) holes() (text string, verdict bool) {
	var parts []string
	for _, h := range p.sampling.Unlabelled {
		var words []string
		for k, index := range h.Variables {
			words = append(words, p.levelName(p.sampling.Differences[index], h.Levels[k]))
			d := p.sampling.Differences[index]
			verdict = verdict || d.Name == "verdict" && d.Share[h.Levels[k]] == 0
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", strings.Join(words, ", "), data.Plural(h.Units, "item", "items")))
	}
	return data.List(parts), verdict
}

// samplingSentence returns a sentence on how labels were chosen, if figures depend on it. It returns "" if labels look like a random
// sample.
func (p *Pairing) samplingSentence() string {
	s := p.sampling
	if s.name == designInclusion {
		return s.assumed
	}
	var parts []string
	for _, d := range s.Differences {
		most := 0
		least := 0
		for l := range d.Share {
			if d.Units[l] > 0 && (d.Share[l] > d.Share[most] || d.Units[most] == 0) {
				most = l
			}
			if d.Units[l] > 0 && (d.Share[l] < d.Share[least] || d.Units[least] == 0) {
				least = l
			}
		}
		parts = append(parts, fmt.Sprintf("people labelled %s of %s and %s of %s", percent(d.Share[most]), p.levelName(d, most),
			percent(d.Share[least]), p.levelName(d, least)))
	}
	if len(parts) == 0 {
		return ""
	}
	line := strings.Join(parts, "; ") + ": figures below are weighted by " + s.name
	if s.uncovered != "" {
		line += "; nobody labelled " + s.uncovered
		if s.unjudged {
			line += ", so that no figure of judge and people can be given for all items"
		} else {
			line += ", so that there is no rate of all items, and the other figures are of the rest"
		}
	}
	return line
}

func percent(share float64) string { return stats.Number(100*share).Text(0) + " %" }
