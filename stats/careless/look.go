package careless

import (
	"math"
	"slices"
)

// A look is one pass over all people: the whole work, or a part of it.
type look struct {
	study   Study
	weights []float64 // how probably each person is honest
	means   itemMeans
	from    float64 // place from which on work counts
	columns []int
	dropped int // the criterion that is left out; -1: none
}

// itemMeans are the sums of weights and of weighted values of each item.
type itemMeans struct {
	people []float64 // weights of people
	weight []float64
	sum    [][]float64
}

func (s Study) means(weights []float64) itemMeans {
	width := len(s.columns(-1))
	m := itemMeans{weights, make([]float64, s.Items), make([][]float64, s.Items)}
	for i, p := range s.People {
		for _, row := range p.Rows {
			if m.sum[row.Item] == nil {
				m.sum[row.Item] = make([]float64, width)
			}
			m.weight[row.Item] += weights[i]
			for c, x := range row.Values {
				m.sum[row.Item][c] += weights[i] * x
			}
		}
	}
	return m
}

// others returns the mean of the others' values of an item; nil: nobody who counts.
func (m itemMeans) others(row Row, person int) []float64 {
	const least = .2
	weight := m.people[person]
	count := m.weight[row.Item] - weight
	if count <= least {
		return nil
	}
	mean := make([]float64, len(row.Values))
	for c, x := range row.Values {
		mean[c] = (m.sum[row.Item][c] - weight*x) / count
	}
	return mean
}

// all computes the findings of all people.
func (l look) all() []Finding {
	found := make([]Finding, len(l.study.People))
	relative := make([]float64, len(found)) // agreement for each square root of a row
	for i := range found {
		values, references := l.rows(i)
		found[i].Rows = len(values)
		if len(values) >= leastRows {
			found[i].Known, found[i].Z = true, agreement(values, references)
			relative[i] = found[i].Z / math.Sqrt(float64(len(values)-1))
		}
	}
	for i := range found {
		f := &found[i]
		f.Attention, f.Gold = l.checks(l.study.People[i])
		known := 0
		var others, weights []float64
		for j, o := range found {
			if j != i {
				others, weights = append(others, relative[j]), append(weights, 0)
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

// rows returns a person's sheets with the others' means, then her repeated sheets with her earlier ones.
func (l look) rows(person int) (values, references [][]float64) {
	take := func(row, reference []float64) {
		values, references = append(values, pick(row, l.columns)), append(references, pick(reference, l.columns))
	}
	p := l.study.People[person]
	for _, row := range p.Rows {
		if row.Place < l.from {
			continue
		}
		if mean := l.means.others(row, person); mean != nil {
			take(row.Values, mean)
		}
	}
	for _, again := range p.Repeats {
		if again.Place >= l.from {
			take(again.Values, again.Before)
		}
	}
	return values, references
}

func pick(row []float64, columns []int) []float64 {
	values := make([]float64, len(columns))
	for i, c := range columns {
		values[i] = row[c]
	}
	return values
}

// checks returns the evidence of attention items and of gold.
func (l look) checks(p Person) (attentionEvidence, goldEvidence float64) {
	missed, n, chance := 0, 0, 0.0
	for _, c := range p.Attention {
		if c.Place >= l.from {
			n, chance = n+1, chance+c.Chance
			if c.Missed {
				missed++
			}
		}
	}
	attentionEvidence = attention(missed, n, chance/float64(max(1, n)))
	missed, n, chance = 0, 0, 0
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
		n, chance = n+1, chance+sheetChance(chances)
		if g.lost(l.dropped) {
			missed++
		}
	}
	return attentionEvidence, misses(missed, n, chance/float64(max(1, n)), goldMisses)
}

// agreement returns the sum of products of values and references, both centred by column, over its exact standard deviation when the rows
// of the values are shuffled. 0 where they do not vary.
//
//	z = Σ v·r / √( Σ_ij (v'v)_ij (r'r)_ij / (n−1) )
func agreement(values, references [][]float64) float64 {
	v, r := centred(values), centred(references)
	sum, variance := 0.0, 0.0
	for i := range v {
		for c := range v[i] {
			sum += v[i][c] * r[i][c]
		}
	}
	for a := range v[0] {
		for b := range v[0] {
			vv, rr := 0.0, 0.0
			for i := range v {
				vv, rr = vv+v[i][a]*v[i][b], rr+r[i][a]*r[i][b]
			}
			variance += vv * rr
		}
	}
	variance /= float64(max(1, len(v)-1))
	if variance <= 1e-9 {
		return 0
	}
	return sum / math.Sqrt(variance)
}

func centred(rows [][]float64) [][]float64 {
	means := make([]float64, len(rows[0]))
	for _, row := range rows {
		for c, x := range row {
			means[c] += x / float64(len(rows))
		}
	}
	list := make([][]float64, len(rows))
	for i, row := range rows {
		list[i] = make([]float64, len(row))
		for c, x := range row {
			list[i][c] = x - means[c]
		}
	}
	return list
}

// weightedMedian returns the first value at which half of the weight is reached; 0 without weight.
func weightedMedian(values, weights []float64) float64 {
	order := make([]int, len(values))
	total := 0.0
	for i := range order {
		order[i], total = i, total+weights[i]
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
