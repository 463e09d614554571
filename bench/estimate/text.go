package estimate

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/data"
	"compqa/llm"
	"compqa/llm/limits"
	"compqa/results/store"
	"compqa/results/table"
)

// Print writes the estimation as a table, followed by what the estimate is based on. The total time adds up the rows of one provider. It is
// the time of the slowest provider, because providers work at the same time.
func (e *estimation) Print(out io.Writer) error {
	if len(e.Rows) == 0 {
		_, err := fmt.Fprintf(out, "%s uses no model of a provider, so a run makes no calls and costs nothing\n", e.config.File)
		return err
	}
	view := table.New(1, "", "on record", "calls to make", "prompt tokens", "reply tokens", "US dollars", "time")
	var all Row
	var sum float64
	var unknown []string
	byProvider := map[string]float64{}
	for _, r := range e.Rows {
		money := "?"
		if r.Cost != nil {
			money = fmt.Sprintf("%.2f", *r.Cost)
			sum += *r.Cost
		} else if !slices.Contains(unknown, r.Name) {
			unknown = append(unknown, r.Name)
		}
		last := rough(r.Seconds)
		if r.Batch && r.Calls > 0 {
			last = "batch"
			all.Batch = true
		}
		view.Add(r.title(), fmt.Sprintf("%d of %d", r.Recorded, r.Planned), strconv.Itoa(r.Calls), fmt.Sprintf("%.0f", r.PromptTokens),
			fmt.Sprintf("%.0f", r.ReplyTokens), money, last)
		all.Recorded += r.Recorded
		all.Calls += r.Calls
		all.PromptTokens += r.PromptTokens
		all.ReplyTokens += r.ReplyTokens
		byProvider[r.Provider] += r.Seconds
		all.Seconds = max(all.Seconds, byProvider[r.Provider])
	}
	total := fmt.Sprintf("%.2f", sum)
	last := rough(all.Seconds)
	if unknown != nil {
		total += " + ?"
	}
	if all.Batch {
		last = strings.TrimPrefix(last+" + batches", "- + ")
	}
	view.Add("all", strconv.Itoa(all.Recorded), strconv.Itoa(all.Calls), fmt.Sprintf("%.0f", all.PromptTokens),
		fmt.Sprintf("%.0f", all.ReplyTokens), total, last)
	if err := view.Terminal(out); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\n", strings.Join(e.basis(unknown), "\n"))
	return err
}

func rough(seconds float64) string { return table.Rough(time.Duration(seconds * float64(time.Second))) }

func (r *Row) title() string {
	kind := map[string]string{store.KindVerdict: " (judge)", store.KindPreference: " (pairwise)", store.KindLabel: " (summaries)"}[r.Kind]
	if r.Kind == store.KindPreference && r.Planned == 0 { // the party has several roles, and this row is of one of them
		kind = fmt.Sprintf(" (pairwise, %s)", r.Model)
	}
	return r.Name + kind
}

// basis returns lines that explain what the figures are based on. unknown lists the parties whose price is unknown.
func (e *estimation) basis(unknown []string) (lines []string) {
	var recorded, assumed, underWay, twice []string
	batched := false
	pairs := false
	times := map[string][]string{} // "measured" or "assumed" to the parties and their seconds per call
	for _, r := range e.Rows {
		if sampled, scored := e.plan.SampledWithScores(r.Name); r.Kind == store.KindVerdict && sampled > 0 {
			lines = append(lines, sampleText(r.Name, sampled, scored))
		}
		if again := e.plan.AskedTwice(r.Name); r.Kind == store.KindVerdict && again > 0 {
			twice = append(twice, fmt.Sprintf("%s %d", r.Name, again))
		}
		if r.underWay > 0 {
			underWay = append(underWay, fmt.Sprintf("In batches in flight, not counted above: %s of %s.", data.Plural(r.underWay, "call", "calls"),
				r.title()))
		}
		if r.Calls == 0 {
			continue
		}
		basis := ""
		switch {
		case r.told != nil:
			if r.told.Name != r.Name {
				basis = " of " + r.told.Name
			}
			recorded = append(recorded, fmt.Sprintf("%s by %s on record%s", r.title(), data.Plural(r.told.Told, "call", "calls"), basis))
		default:
			if r.reasoning > 0 {
				basis = fmt.Sprintf(" + %d of reasoning", r.reasoning)
			}
			assumed = append(assumed, fmt.Sprintf("%s %d%s", r.title(), r.reply, basis))
		}
		batched = batched || r.Batch
		pairs = pairs || r.Kind == store.KindPreference
		if !r.Batch {
			times[r.Time] = append(times[r.Time], fmt.Sprintf("%s %.1fs", r.title(), r.CallSeconds))
		}
	}
	add := func(list []string, format string, args ...any) {
		if list != nil {
			lines = append(lines, fmt.Sprintf(format, append(args, strings.Join(list, ", "))...))
		}
	}
	add(twice, "Scored a second time, to measure whether a judge agrees with itself (1 in 20 answers, counted above): %s.")
	add(recorded, "Averages of the record: %s.")
	add(assumed, "Assumptions without recorded calls: %d bytes of prompt per token; tokens per reply: %s.", plan.BytesOfToken)
	add(times["measured"], "Time per call, measured: %s.")
	add(times["assumed"], "Time per call, assumed from the type of the provider until it is measured: %s.")
	if batched {
		lines = append(lines, fmt.Sprintf("Batches take up to %s, at a share of the price (by default, half of it).", table.Rough(dayOfBatch)))
	}
	lines = append(lines, underWay...)
	if pairs {
		lines = append(lines, "Pairwise judges are counted over the pairs that they are asked about (all of their sets, or a sample), with "+
			"typical replies at each stage of their methods; prompts that are equal are asked once.")
	}
	add(unknown, "The price of %s is unknown: add price: {input: 2.5, output: 10} to the entry, in US dollars per million tokens.")
	return append(lines, fmt.Sprintf("Prices: from the configuration, otherwise built in (%s); Ollama is free.", llm.PricesOf))
}

// Budget prints for each budget whether it covers the run.
func (e *estimation) Budget(out io.Writer) error {
	c := e.config
	if err := run.CheckBudget(c); err != nil {
		_, err = fmt.Fprintln(out, err)
		return err
	}
	spent := run.NewBudgets(c)
	if err := spent.Charge(c, e.store); err != nil {
		return err
	}
	needed := map[*limits.Budget]float64{}
	for _, r := range e.Rows {
		for _, b := range spent.Of(r.Provider) {
			needed[b] += llm.ValueOr(r.Cost, 0)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(spent)) {
		if b := spent[name]; b.Limit > 0 {
			verdict := "covers it"
			if b.Spent()+needed[b] > b.Limit {
				verdict = "does not cover it: the run will stop before it exceeds the budget"
			}
			fmt.Fprintf(out, "%s of %s, %s of it spent, %s.\n", data.Capital(b.Name), limits.Dollars(b.Limit), limits.Dollars(b.Spent()), verdict)
		}
	}
	return nil
}

// usualCorrelation is the correlation between a judge's and people's totals for which a sample is planned.
const usualCorrelation = 0.6

// sampleText says how precisely the sample of a judge will measure its agreement with people. It gives the 95 % interval of a correlation r
// by Fisher's transformation: tanh(atanh r ± 1.96 / √(n − 3)), for n > 3 independent answers.
func sampleText(judge string, sampled, scored int) string {
	text := fmt.Sprintf("Of the %s in the sample of %s, people scored %d", data.Plural(sampled, "answer", "answers"), judge, scored)
	if scored <= 3 {
		return text + ": too few to know whether the judge agrees with them."
	}
	half := distuv.UnitNormal.Quantile(0.975) / math.Sqrt(float64(scored-3))
	low := math.Tanh(math.Atanh(usualCorrelation) - half)
	high := math.Tanh(math.Atanh(usualCorrelation) + half)
	return fmt.Sprintf("%s: a correlation of %v with them will have the interval %.2f to %.2f, or a wider one where few questions have "+
		"many of the answers.",
		text, usualCorrelation, low, high)
}
