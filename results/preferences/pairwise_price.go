package preferences

import (
	"strconv"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// A PriceRow is the costs of a judge's preferences on a set over both orders, in total
// and per valid preference. Figures that are unknown are missing, for example those of
// imported preferences.
type PriceRow struct {
	Judge       string       `csv:"judge"`
	Method      string       `csv:"method"`
	Dataset     string       `csv:"dataset"`
	Preferences int          `csv:"preferences"` // valid ones
	Accuracy    table.Figure `csv:"accuracy"`
	Calls       table.Figure `csv:"calls"`
	Tokens      table.Figure `csv:"tokens"`
	Cost        table.Figure `csv:"cost"`
	Seconds     table.Figure `csv:"seconds"` // sum of response times
	CallsPer    table.Figure `csv:"calls_per_preference"`
	TokensPer   table.Figure `csv:"tokens_per_preference"`
	CostPer     table.Figure `csv:"cost_per_preference"`
	SecondsPer  table.Figure `csv:"seconds_per_preference"`
}

// A BudgetRow is a judge's accuracy with a number of calls per preference: its own
// number, and all smaller ones for judges that vote, because the first votes are those
// of a judge with fewer votes. If the votes are tied, a preference counts by its
// probability of being correct.
type BudgetRow struct {
	Judge    string       `csv:"judge"`
	Method   string       `csv:"method"`
	Dataset  string       `csv:"dataset"`
	Calls    table.Figure `csv:"calls"` // for one preference, in one order
	N        int          `csv:"n"`
	Accuracy table.Figure `csv:"accuracy"`
	Low      table.Figure `csv:"accuracy_low"`
	High     table.Figure `csv:"accuracy_high"`
}

// budgets are a single call, the numbers of calls in SC2's paper (Tables 4 and 5), and
// the number for exact search.
var budgets = []int{1, 8, 15, 24, 65}

func (b *preferenceBoard) prices() ([]PriceRow, []BudgetRow) {
	var prices []PriceRow
	var points []BudgetRow
	for _, set := range b.setRanges() {
		for j, judge := range b.Judges {
			if judge.Hinted {
				continue
			}
			of := b.of(j, set)
			r := PriceRow{Judge: judge.Name, Method: judge.Method, Dataset: b.setName(set)}
			t := rowTally{b: b, row: &PairwiseRow{statuses: map[data.Status]int{}}}
			for _, pair := range of {
				for _, p := range []*store.PreferenceRow{pair.ab, pair.ba} {
					if p != nil {
						t.preference(pair.pair, p)
					}
				}
			}
			if r.Preferences = t.row.Valid; r.Preferences == 0 {
				continue
			}
			var low, high table.Figure
			r.Accuracy, low, high = b.share(t.right, t.rightClusters)
			if judge.Kind != dataset.KindImported {
				r.fill(t)
				if r.Accuracy.Known() {
					point := BudgetRow{Judge: judge.Name, Method: judge.Method, Dataset: r.Dataset, Calls: r.CallsPer, N: len(t.right), Accuracy: r.Accuracy, Low: low, High: high}
					points = append(points, b.votesUpTo(of, point)...)
					points = append(points, point)
				}
			}
			prices = append(prices, r)
		}
	}
	return prices, points
}

func (r *PriceRow) fill(t rowTally) {
	n := float64(r.Preferences)
	r.Calls, r.CallsPer = table.Count(t.calls), table.Number(float64(t.calls)/n)
	if t.hasTokens {
		r.Tokens, r.TokensPer = table.Number(t.tokens), table.Number(t.tokens/n)
	}
	if t.hasCost {
		r.Cost, r.CostPer = table.Number(t.cost), table.Number(t.cost/n)
	}
	if t.hasSeconds {
		r.Seconds, r.SecondsPer = table.Number(t.seconds), table.Number(t.seconds/n)
	}
}

// votesUpTo are the accuracies of a voting judge with fewer votes.
func (b *preferenceBoard) votesUpTo(of []judged, like BudgetRow) []BudgetRow {
	most := 0
	for _, pair := range of {
		for _, p := range []*store.PreferenceRow{pair.ab, pair.ba} {
			if valid(p) {
				most = max(most, len(p.Detail.Votes))
			}
		}
	}
	var points []BudgetRow
	for k := 1; k < most; k++ {
		var right []float64
		var clusters []int
		for _, pair := range of {
			gold := b.Pairs[pair.pair].Label
			for _, p := range []*store.PreferenceRow{pair.ab, pair.ba} {
				if !valid(p) || !gold.Decided() || len(p.Detail.Votes) < k {
					continue
				}
				shown := gold
				if p.Order == data.OrderBA {
					shown = gold.Swapped()
				}
				if value, voted := chanceOf(p.Detail.Votes[:k], shown); voted {
					right, clusters = append(right, value), append(clusters, b.Pairs[pair.pair].Cluster)
				}
			}
		}
		point := like
		point.Calls, point.N = table.Count(k), len(right)
		point.Accuracy, point.Low, point.High = b.share(right, clusters)
		points = append(points, point)
	}
	return points
}

// chanceOf is the probability that the majority of votes is the gold choice; ties are
// broken at random.
func chanceOf(votes []string, gold data.Choice) (float64, bool) {
	counts, most := map[data.Choice]int{}, 0
	for _, v := range votes {
		if c := data.Choice(v); c.Decided() || c == data.ChoiceTie {
			counts[c]++
			most = max(most, counts[c])
		}
	}
	first := 0
	for _, n := range counts {
		if n == most {
			first++
		}
	}
	switch {
	case most == 0:
		return 0, false
	case counts[gold] == most:
		return 1 / float64(first), true
	}
	return 0, true
}

// budgetTable shows each judge's accuracy within each budget on a set.
func budgetTable(points []BudgetRow, dataset string) *table.Table {
	view := &table.Table{Words: 2, Header: []string{"judge", "method"}}
	for _, n := range budgets {
		view.Header = append(view.Header, "up to "+strconv.Itoa(n))
	}
	at := map[[2]string]int{}
	var best [][]table.Figure
	for _, p := range points {
		if p.Dataset != dataset {
			continue
		}
		key := [2]string{p.Judge, p.Method}
		i, known := at[key]
		if !known {
			i = len(view.Rows)
			at[key] = i
			view.Add(p.Judge, p.Method)
			best = append(best, make([]table.Figure, len(budgets)))
		}
		for k, n := range budgets {
			if *p.Calls.Number <= float64(n) { // the most expensive one within the budget; choosing the best would be biased
				best[i][k] = p.Accuracy
			}
		}
	}
	for i := range view.Rows {
		for _, f := range best[i] {
			view.Rows[i] = append(view.Rows[i], f.Text(3))
		}
	}
	return view
}
