package careless

import (
	"math"
	"slices"
)

// An evaluation evaluates all people once, from all of their work or from a part of it.
type evaluation struct {
	study    Study
	weights  []float64 // probability that each person is honest
	means    itemMeans
	start    float64    // position in the work, in [0, 1), from which rows count
	compared []compared // for each person, the rows that count
	columns  []int      // columns that count
	dropped  int        // the criterion that is left out, or -1
}

// itemMeans holds the sums of weights and of weighted values of each item, from which means of the other people are computed.
type itemMeans struct {
	people []float64 // weights of people
	weight []float64 // by item
	sum    []float64 // by item and column
}

// width returns the number of columns of a row.
func (s Study) width() int { return len(s.columns(-1)) }

// means returns the weighted sums of all people's values of each item.
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

// appendOtherMean appends the weighted mean of the other people's values of an item. The bool is false if the other people's total weight
// is too small.
func (m itemMeans) appendOtherMean(list []float64, row Row, person int) ([]float64, bool) {
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

// A compared holds a person's values and the reference values (other people's means, or her earlier values), row after row. Both are
// centred by column.
type compared struct {
	rows, width        int
	values, references []float64
	products           []float64 // for columns a and b: (v'v)_ab·(r'r)_ab, see agreement
}

// compare compares each person's rows from a position on with the means of the other people, and her repeated rows with her earlier ones.
func (l evaluation) compare() []compared {
	all := make([]compared, len(l.study.People))
	for person, p := range l.study.People {
		c := compared{width: l.study.width()}
		for _, row := range p.Rows {
			if row.Place < l.start {
				continue
			}
			if references, known := l.means.appendOtherMean(c.references, row, person); known {
				c.values = append(c.values, row.Values...)
				c.references = references
			}
		}
		for _, again := range p.Repeats {
			if again.Place >= l.start {
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

// findings returns the findings of all people in this evaluation.
func (l evaluation) findings() []Finding {
	found := make([]Finding, len(l.study.People))
	relative := make([]float64, len(found)) // agreement divided by the square root of the number of rows
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
				if o.Known && !l.study.People[j].Excluded {
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

// checks returns the evidence from a person's attention items, and from items with known sheets (gold).
func (l evaluation) checks(p Person) (attentionEvidence, goldEvidence float64) {
	missed := 0
	n := 0
	chance := 0.0
	for _, c := range p.Attention {
		if c.Place >= l.start {
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
		if g.Place < l.start {
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
		if g.sheetMissed(l.dropped) {
			missed++
		}
	}
	return attentionEvidence, misses(missed, n, chance/float64(max(1, n)), goldMisses)
}

// agreement returns the sum of products of values and references over some columns, divided by its exact standard deviation under random
// permutation of the rows. It returns 0 if values or references do not vary.
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

// multiply computes the products of each two columns.
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

// centre subtracts from each column its mean. Rows have this width.
func centre(rows []float64, width int) {
	means := make([]float64, width)
	for i, x := range rows {
		means[i%width] += x / float64(len(rows)/width)
	}
	for i := range rows {
		rows[i] -= means[i%width]
	}
}

// weightedMedian returns the smallest value at which half of the total weight is reached, or 0 without weight.
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
