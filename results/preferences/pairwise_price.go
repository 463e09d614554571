package preferences

import (
	"fmt"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
)

// A PriceRow is the costs of a judge's preferences on a set over both orders, in total
// and per valid preference. Figures that are unknown are missing, for example those of
// imported preferences.
type PriceRow struct {
	JudgeOn
	Preferences int          `csv:"preferences"` // valid ones
	Accuracy    table.Figure `csv:"accuracy"`
	Calls       table.Figure `csv:"calls"`
	Tokens      table.Figure `csv:"tokens"`
	Input       table.Figure `csv:"input_tokens"`
	Output      table.Figure `csv:"output_tokens"`
	Cost        table.Figure `csv:"cost"`
	Seconds     table.Figure `csv:"seconds"` // sum of response times
	CallsPer    table.Figure `csv:"calls_per_preference"`
	TokensPer   table.Figure `csv:"tokens_per_preference"`
	InputPer    table.Figure `csv:"input_tokens_per_preference"`
	OutputPer   table.Figure `csv:"output_tokens_per_preference"`
	CostPer     table.Figure `csv:"cost_per_preference"`
	SecondsPer  table.Figure `csv:"seconds_per_preference"`
}

// A BudgetRow is a judge's accuracy with a number of calls per preference: its own
// number as recorded, and for judges that vote the numbers with fewer votes, because the
// first votes are those of a judge with fewer votes. If the votes are tied, a preference counts by its
// probability of being correct.
type BudgetRow struct {
	JudgeOn
	Calls    table.Figure  `csv:"calls"` // for one preference, in one order
	Input    table.Figure  `csv:"input_tokens"`
	Output   table.Figure  `csv:"output_tokens"`
	N        int           `csv:"n"`
	Accuracy table.Bounded `csv:"accuracy"`
}

// budgets are a single call, the numbers of calls in SC2's paper (Tables 4 and 5), and
// the number for exact search.
var budgets = []int{1, 8, 15, 24, 65}

func (b *preferenceBoard) prices() (prices []PriceRow, points []BudgetRow) {
	b.eachFair(func(judge, set int, on JudgeOn) {
		of := b.of(judge, set)
		t := tally{b: b, statuses: map[data.Status]int{}}
		for _, pair := range of {
			t.add(pair.by[0])
			t.add(pair.by[1])
		}
		n := t.statuses[data.Valid]
		if n == 0 {
			return
		}
		accuracy := b.share(t.right)
		r := PriceRow{JudgeOn: on, Preferences: n, Accuracy: accuracy.Value}
		if b.Judges[judge].Kind != dataset.KindImported {
			r.Calls, r.Tokens, r.Cost, r.Seconds = table.Count(t.calls), per(t.spent.Tokens(), 1), per(t.spent.Cost, 1), per(t.spent.Seconds, 1)
			r.CallsPer, r.TokensPer, r.CostPer, r.SecondsPer = ratio(float64(t.calls), n), per(t.spent.Tokens(), n), per(t.spent.Cost, n),
				per(t.spent.Seconds, n)
			r.Input, r.Output, r.InputPer, r.OutputPer = per(t.spent.Input, 1), per(t.spent.Output, 1), per(t.spent.Input, n), per(t.spent.Output, n)
			if accuracy.Known() {
				points = append(points, b.votesUpTo(of, on)...)
				points = append(points, BudgetRow{on, r.CallsPer, r.InputPer, r.OutputPer, len(t.right.Values), accuracy})
			}
		}
		prices = append(prices, r)
	})
	return prices, points
}

// votesUpTo are the accuracies of a voting judge with fewer votes. Its other calls are those recorded;
// the tokens of single calls are not known.
func (b *preferenceBoard) votesUpTo(of []judged, on JudgeOn) []BudgetRow {
	most := 0
	for _, pair := range of {
		for _, p := range pair.valid() {
			most = max(most, len(p.Detail.Votes))
		}
	}
	var points []BudgetRow
	for k := 1; k < most; k++ {
		var right dataset.Sample
		var calls []float64
		for _, pair := range of {
			for _, p := range pair.valid() {
				gold := b.Pairs[pair.pair].Label
				if !gold.Decided() || len(p.Detail.Votes) < k {
					continue
				}
				if p.Order == data.OrderBA { // votes refer to the order in which the answers were shown
					gold = gold.Swapped()
				}
				if value, voted := chanceOf(p.Detail.Votes[:k], gold); voted {
					right.Add(value, b.Pairs[pair.pair].Cluster)
					calls = append(calls, float64(p.Calls-len(p.Detail.Votes)+k))
				}
			}
		}
		if len(calls) > 0 {
			points = append(points, BudgetRow{JudgeOn: on, Calls: table.Number(mean(calls)), N: len(calls), Accuracy: b.share(right)})
		}
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
	first := 0.0
	for _, n := range counts {
		first += dataset.Indicator(n == most)
	}
	if most == 0 {
		return 0, false
	}
	return dataset.Indicator(counts[gold] == most) / first, true
}

// budgetTable shows each judge's accuracy within each budget on a set: that of the most
// expensive point within the budget, because choosing the best would be biased.
func budgetTable(points []BudgetRow, dataset string) *table.Table {
	grid := table.NewGrid("judge", "method")
	for _, n := range budgets {
		grid.Header = append(grid.Header, fmt.Sprint("up to ", n))
	}
	for _, p := range points {
		for _, n := range budgets {
			if p.Dataset == dataset && *p.Calls.Number <= float64(n) {
				grid.Set(table.Figured(p.Accuracy.Value, 3), fmt.Sprint("up to ", n), p.Judge, p.Method)
			}
		}
	}
	return &grid.Table
}
