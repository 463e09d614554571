package preferences

import (
	"fmt"
	"html"
	"math"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/plot"
	"compqa/results/table"
	"compqa/stats"
)

// A PriceRow has the costs of a judge's preferences on a set over both orders, in total and per valid preference. An unknown figure is
// missing, as for imported preferences.
type PriceRow struct {
	JudgeOn
	Preferences int          `csv:"preferences"` // valid ones
	Accuracy    stats.Figure `csv:"accuracy"`
	Calls       stats.Figure `csv:"calls"`
	Tokens      stats.Figure `csv:"tokens"`
	Input       stats.Figure `csv:"input_tokens"`
	Output      stats.Figure `csv:"output_tokens"`
	Cost        stats.Figure `csv:"cost"`
	Seconds     stats.Figure `csv:"seconds"` // sum of response times
	CallsPer    stats.Figure `csv:"calls_per_preference"`
	TokensPer   stats.Figure `csv:"tokens_per_preference"`
	InputPer    stats.Figure `csv:"input_tokens_per_preference"`
	OutputPer   stats.Figure `csv:"output_tokens_per_preference"`
	CostPer     stats.Figure `csv:"cost_per_preference"`
	SecondsPer  stats.Figure `csv:"seconds_per_preference"`
}

// A BudgetRow is a judge's accuracy with a number of calls per preference. Each judge has a row with all its calls. A judge that votes also
// has a row for each smaller number of votes, because its first votes equal those of a judge with fewer votes. If these votes are tied, the
// preference counts as its probability of being correct.
type BudgetRow struct {
	JudgeOn
	Calls    stats.Figure `csv:"calls"` // for one preference, in one order
	Input    stats.Figure `csv:"input_tokens"`
	Output   stats.Figure `csv:"output_tokens"`
	N        int          `csv:"n"`
	Accuracy stats.Figure `csv:"accuracy,accuracy_low,accuracy_high"`
}

// budgets are the numbers of calls of a single call, of SC2's paper (Tables 4 and 5), and of exact search.
var budgets = []int{1, 8, 15, 24, 65}

func (g group) prices() []PriceRow {
	t := g.tally(data.Orders...)
	n := t.statuses[data.Valid]
	if n == 0 {
		return nil
	}
	r := PriceRow{JudgeOn: g.JudgeOn, Preferences: n, Accuracy: g.share(t.right).Point()}
	if g.who.Kind != dataset.KindImported {
		r.Calls, r.Tokens, r.Input, r.Output, r.Cost, r.Seconds = t.costs(1)
		r.CallsPer, r.TokensPer, r.InputPer, r.OutputPer, r.CostPer, r.SecondsPer = t.costs(n)
	}
	return []PriceRow{r}
}

// budget returns the accuracies of a judge with fewer votes, from one vote on, and then with all its votes. The calls and tokens of a row
// include the calls before the votes.
func (g group) budget() (points []BudgetRow) {
	t := g.tally(data.Orders...)
	if g.who.Kind == dataset.KindImported || len(t.right.Values) == 0 {
		return nil
	}
	var right []dataset.Sample // with the first vote, with the first two, and so on
	var spent []tally
	for _, j := range g.pairs {
		for _, p := range j.valid() {
			votes := p.Detail.Votes
			for k := range votes {
				if k == len(right) {
					right = append(right, dataset.Sample{})
					spent = append(spent, tally{})
				}
				// votes are on the answers as shown
				if value, voted := chanceOf(votes[:k+1], j.Label.In(p.Order)); voted && j.Label.Decided() {
					right[k].Add(value, j.Cluster)
					made := max(0, len(p.Calls)-len(votes)+k+1)
					spent[k].calls += made
					for _, call := range p.ByCall[:made] {
						spent[k].spent.Add(call)
					}
				}
			}
		}
	}
	for k := range len(right) - 1 {
		if n := len(right[k].Values); n > 0 {
			row := BudgetRow{JudgeOn: g.JudgeOn, N: n, Accuracy: g.share(right[k])}
			row.Calls, _, row.Input, row.Output, _, _ = spent[k].costs(n)
			points = append(points, row)
		}
	}
	row := BudgetRow{JudgeOn: g.JudgeOn, N: len(t.right.Values), Accuracy: g.share(t.right)}
	row.Calls, _, row.Input, row.Output, _, _ = t.costs(t.statuses[data.Valid])
	return append(points, row)
}

// chanceOf returns the probability that the majority of votes is the gold choice, if a tied majority is broken at random. It returns false
// if there are no votes.
func chanceOf(votes []string, gold data.Choice) (float64, bool) {
	counts, most, _ := data.CountVotes(votes)
	first := 0.0
	for _, n := range counts {
		first += dataset.Indicator(n == most)
	}
	return dataset.Indicator(counts[gold] == most) / first, most > 0
}

// budgetTable shows the accuracy of each judge within each budget. It shows the most expensive row within the budget, not the most accurate
// one, which would be biased.
func budgetTable(points []BudgetRow) *table.Table {
	grid := table.NewGrid("judge", "method")
	for _, n := range budgets {
		grid.Header = append(grid.Header, fmt.Sprint("up to ", n))
	}
	grid.Header = append(grid.Header, "all")
	for _, p := range points {
		for _, n := range budgets {
			if p.Calls.Value <= float64(n) {
				grid.Set(table.Figured(p.Accuracy.Point(), 3), fmt.Sprint("up to ", n), p.Judge, p.Method)
			}
		}
		grid.Set(table.Figured(p.Accuracy.Point(), 3), "all", p.Judge, p.Method)
	}
	return &grid.Table
}

// colours can be told apart by colour-blind readers (Wong 2011).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#767b85", "#a3256f"}

// callsPlot plots accuracy against calls on one set, with intervals, and connects the points of a judge by lines. The horizontal axis is
// log(1+x), so that it can show judges without calls. Without points it returns nil.
func callsPlot(points []BudgetRow, dataset string) *table.Plot {
	points = data.Where(points, func(p BudgetRow) bool { return p.Dataset == dataset && p.Accuracy.Known })
	if len(points) == 0 {
		return nil
	}
	return &table.Plot{Name: "calls", Alt: "Accuracy against calls; the table has the same figures", SVG: func(width int) string {
		const top, bottom, left = 40.0, 320.0, 50.0
		c := plot.Canvas{Width: width}
		most := 1.0
		for _, p := range points {
			most = max(most, p.Calls.Value)
		}
		across := plot.Scale{Low: 0, High: math.Log1p(most), From: left, To: c.End()}
		up := plot.Scale{Low: 0, High: 1, From: bottom, To: top}
		for _, y := range up.Ticks() {
			c.Line("faint", left, up.At(y), c.End(), up.At(y))
			c.Text(left-8, up.At(y)+4, "end", stats.Shortest(math.Round(y*10)/10))
		}
		for _, x := range []float64{0, 1, 2, 4, 8, 16, 32, 64, 128, 256} {
			if x <= most {
				c.Text(across.At(math.Log1p(x)), bottom+18, "middle", stats.Shortest(x))
			}
		}
		c.Text((left+c.End())/2, bottom+36, "middle", "calls for one preference")
		judges := table.Grouped(points, func(p BudgetRow) JudgeOn { return p.JudgeOn })
		for n, name := range judges {
			judge := Heading(name[0].Judge, name[0].Method)
			colour := colours[n%len(colours)]
			legend := bottom + 60 + 18*float64(n)
			line := func(x1, y1, x2, y2 float64) {
				fmt.Fprintf(&c, `<path d="M%.1f %.1fL%.1f %.1f" stroke="%s" stroke-opacity="0.6"/>`+"\n", x1, y1, x2, y2, colour)
			}
			point := func(p BudgetRow) (x, y float64) {
				return across.At(math.Log1p(p.Calls.Value)), up.At(p.Accuracy.Value)
			}
			for i, p := range name {
				x, y := point(p)
				fmt.Fprintf(&c, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"><title>%s</title></circle>`+"\n", x, y, colour,
					html.EscapeString(table.Printable(judge)))
				if p.Accuracy.Bounded {
					line(x, up.At(p.Accuracy.Low), x, up.At(p.Accuracy.High))
				}
				if i > 0 {
					before, height := point(name[i-1])
					line(before, height, x, y)
				}
			}
			fmt.Fprintf(&c, `<circle cx="16" cy="%.1f" r="4" fill="%s"/>`, legend-4, colour)
			c.Text(26, legend, "start", table.Short(judge))
		}
		return c.SVG(plot.Frame{Title: "Accuracy against calls: " + dataset}, int(bottom)+60+18*len(judges))
	}}
}
