package careless

import (
	"math"
	"slices"
)

// A look is one pass over all people: the whole work, or a part of it.
type look struct {
	study    Study
	weights  []float64 // how probably each person is honest
	means    itemMeans
	from     float64    // place from which on work counts
	compared []compared // the work of each person from there on
	columns  []int
	dropped  int // the criterion that is left out; -1: none
}

// itemMeans are the sums of weights and of weighted values of each item.
type itemMeans struct {
	people []float64 // weights of people
	weight []float64
	sum    []float64 // of the columns of each item
}

// width returns the number of columns of a row.
func (s Study) width() int { return len(s.columns(-1)) }

func (s Study) means(weights []float64) itemMeans {
	width := s.width()
	m := itemMeans{weights, make([]float64, s.Items), make([]float64, s.Items*width)}
	for i, p := range s.People {
		for _, row := range p.Rows {
			m.weight[row.Item] += weights[i]
			for c, x := range row.Values {
				m.sum[row.Item*width+c] += weights[i] * x
			}
		}
	}
	return m
}

// others appends the mean of the others' values of an item; false: nobody who counts.
func (m itemMeans) others(list []float64, row Row, person int) ([]float64, bool) {
	const least = .2
	weight := m.people[person]
	count := m.weight[row.Item] - weight
	if count <= least {
		return list, false
	}
	for c, x := range row.Values {
		list = append(list, (m.sum[row.Item*len(row.Values)+c]-weight*x)/count)
	}
	return list, true
}

// A compared has the values of a person's rows with their references, both centred by column, one row after the other.
type compared struct {
	rows, width        int
	values, references []float64
	products           []float64 // of two columns: (v'v)·(r'r), see agreement
}

// compare compares each person's sheets from a place on with the others' means, then her repeated sheets with her earlier ones.
func (l look) compare() []compared {
	all := make([]compared, len(l.study.People))
	for person, p := range l.study.People {
		c := compared{width: l.study.width()}
		for _, row := range p.Rows {
			if row.Place < l.from {
				continue
			}
			if references, known := l.means.others(c.references, row, person); known {
				c.values = append(c.values, row.Values...)
				c.references = references
			}
		}
		for _, again := range p.Repeats {
			if again.Place >= l.from {
				c.values = append(c.values, again.Values...)
				c.references = append(c.references, again.Before...)
			}
		}
		c.rows = len(c.values) / max(1, c.width)
		centre(c.values, c.width)
		centre(c.references, c.width)
		c.multiply()
		all[person] = c
	}
	return all
}

// all computes the findings of all people.
func (l look) all() []Finding {
	found := make([]Finding, len(l.study.People))
	relative := make([]float64, len(found)) // agreement for each square root of a row
	for i := range found {
		found[i].Rows = l.compared[i].rows
		if found[i].Rows >= leastRows {
			found[i].Known, found[i].Z = true, l.compared[i].agreement(l.columns)
			relative[i] = found[i].Z / math.Sqrt(float64(found[i].Rows-1))
		}
	}
	for i := range found {
		f := &found[i]
		f.Attention, f.Gold = l.checks(l.study.People[i])
		known := 0
		var others, weights []float64
		for j, o := range found {
			if j != i {
				others = append(others, relative[j])
				weights = append(weights, 0)
				if o.Known && !l.study.People[j].Out {
					known++
					weights[len(weights)-1] = l.weights[j]
				}
			}
		}
		middle := weightedMedian(others, weights)
		if f.Known && known >= leastOthers && middle > 0 {
			f.Usual = middle * math.Sqrt(float64(f.Rows-1))
			f.Agreement = agreementEvidence(f.Z, middle, f.Rows)
		}
		f.Log = f.Attention + f.Gold + f.Agreement
	}
	return found
}

// checks returns the evidence of attention items and of gold.
func (l look) checks(p Person) (attentionEvidence, goldEvidence float64) {
	missed := 0
	n := 0
	chance := 0.0
	for _, c := range p.Attention {
		if c.Place >= l.from {
			n++
			chance += c.Chance
			if c.Missed {
				missed++
			}
		}
	}
	attentionEvidence = attention(missed, n, chance/float64(max(1, n)))
	missed = 0
	n = 0
	chance = 0
	for _, g := range p.Gold {
		if g.Place < l.from {
			continue
		}
		var chances []float64
		for c, q := range g.Chance {
			if c != l.dropped {
				chances = append(chances, q)
			}
		}
		n++
		chance = chance + sheetChance(chances)
		if g.lost(l.dropped) {
			missed++
		}
	}
	return attentionEvidence, misses(missed, n, chance/float64(max(1, n)), goldMisses)
}

// agreement returns the sum of products of values and references of some columns, over its exact standard deviation when the rows of the
// values are shuffled. 0 where they do not vary.
//
//	z = Σ v·r / √( Σ_ij (v'v)_ij (r'r)_ij / (n−1) )
func (c compared) agreement(columns []int) float64 {
	sum := 0.0
	variance := 0.0
	for i := 0; i < len(c.values); i += c.width {
		for _, k := range columns {
			sum += c.values[i+k] * c.references[i+k]
		}
	}
	for _, a := range columns {
		for _, b := range columns {
			variance += c.products[a*c.width+b]
		}
	}
	variance /= float64(max(1, c.rows-1))
	if variance <= 1e-9 {
		return 0
	}
	return sum / math.Sqrt(variance)
}

// multiply sets the products of each two columns.
func (c *compared) multiply() {
	c.products = make([]float64, c.width*c.width)
	for a := range c.width {
		for b := range a + 1 {
			vv := 0.0
			rr := 0.0
			for i := 0; i < len(c.values); i += c.width {
				vv += c.values[i+a] * c.values[i+b]
				rr += c.references[i+a] * c.references[i+b]
			}
			c.products[a*c.width+b] = vv * rr
			c.products[b*c.width+a] = vv * rr
		}
	}
}

// centre takes its mean from each column of rows of a width.
func centre(rows []float64, width int) {
	means := make([]float64, width)
	for i, x := range rows {
		means[i%width] += x / float64(len(rows)/width)
	}
	for i := range rows {
		rows[i] -= means[i%width]
	}
}

// weightedMedian returns the first value at which half of the weight is reached; 0 without weight.
func weightedMedian(values, weights []float64) float64 {
	order := make([]int, len(values))
	total := 0.0
	for i := range order {
		order[i] = i
		total += weights[i]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	sum := 0.0
	for _, i := range order {
		sum += weights[i]
		if total > 0 && sum >= total/2 {
			return values[i]
		}
	}
	return 0
}
