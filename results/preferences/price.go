package preferences

import (
	"fmt"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
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

func (g group) prices() []PriceRow {
	t := g.tally(data.Orders...)
	n := t.statuses[data.Valid]
	if n == 0 {
		return nil
	}
	r := PriceRow{JudgeOn: g.JudgeOn, Preferences: n, Accuracy: g.share(t.right).Value}
	if g.who.Kind != dataset.KindImported {
		r.Calls, r.Tokens, r.Cost = t.costs(1)
		r.CallsPer, r.TokensPer, r.CostPer = t.costs(n)
		r.Input, r.Output, r.Seconds = per(t.spent.Input, 1), per(t.spent.Output, 1), per(t.spent.Seconds, 1)
		r.InputPer, r.OutputPer, r.SecondsPer = per(t.spent.Input, n), per(t.spent.Output, n), per(t.spent.Seconds, n)
	}
	return []PriceRow{r}
}

// budget has the accuracies of a judge that votes with fewer votes, and that with its own number. Its
// other calls are those recorded; the tokens of single calls are not known.
func (g group) budget() (points []BudgetRow) {
	t := g.tally(data.Orders...)
	n, most := t.statuses[data.Valid], 0
	if g.who.Kind == dataset.KindImported || t.right.Values == nil {
		return nil
	}
	for _, j := range g.pairs {
		for _, p := range j.valid() {
			most = max(most, len(p.Detail.Votes))
		}
	}
	for k := 1; k < most; k++ {
		var right dataset.Sample
		var calls []float64
		for _, j := range g.pairs {
			for _, p := range j.valid() {
				if !j.Label.Decided() || len(p.Detail.Votes) < k {
					continue
				}
				// votes are on the answers as shown
				if value, voted := chanceOf(p.Detail.Votes[:k], j.Label.In(p.Order)); voted {
					right.Add(value, j.Cluster)
					calls = append(calls, float64(len(p.Calls)-len(p.Detail.Votes)+k))
				}
			}
		}
		if len(calls) > 0 {
			points = append(points, BudgetRow{JudgeOn: g.JudgeOn, Calls: table.Number(stats.Mean(calls)), N: len(calls), Accuracy: g.share(right)})
		}
	}
	calls, _, _ := t.costs(n)
	return append(points, BudgetRow{g.JudgeOn, calls, per(t.spent.Input, n), per(t.spent.Output, n), len(t.right.Values), g.share(t.right)})
}

// chanceOf is the probability that the majority of votes is the gold choice; ties are
// broken at random.
func chanceOf(votes []string, gold data.Choice) (float64, bool) {
	counts, most, _ := data.CountVotes(votes)
	first := 0.0
	for _, n := range counts {
		first += dataset.Indicator(n == most)
	}
	return dataset.Indicator(counts[gold] == most) / first, most > 0
}

// budgetTable shows each judge's accuracy within each budget on a set: that of the most
// expensive point within the budget, because choosing the best would be biased.
func budgetTable(points []BudgetRow) *table.Table {
	grid := table.NewGrid("judge", "method")
	for _, n := range budgets {
		grid.Header = append(grid.Header, fmt.Sprint("up to ", n))
	}
	for _, p := range points {
		for _, n := range budgets {
			if *p.Calls.Number <= float64(n) {
				grid.Set(table.Figured(p.Accuracy.Value, 3), fmt.Sprint("up to ", n), p.Judge, p.Method)
			}
		}
	}
	return &grid.Table
}
