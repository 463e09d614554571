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

// A Row is what one party is expected to take at one model.
type Row struct {
	Kind         string   `json:"kind"` // answer, verdict, preference
	Name         string   `json:"name"`
	Provider     string   `json:"provider"`
	Model        string   `json:"model"`
	Planned      int      `json:"planned"`
	Recorded     int      `json:"recorded"`
	Calls        int      `json:"calls"` // to make
	PromptTokens float64  `json:"prompt_tokens"`
	ReplyTokens  float64  `json:"reply_tokens"`
	Cost         *float64 `json:"cost"` // US dollars; nil: the price is unknown
	Seconds      float64  `json:"seconds"`
	CallSeconds  float64  `json:"call_seconds"` // of one call
	Time         string   `json:"time"`         // how call_seconds is known: measured or assumed
	Batch        bool     `json:"batch"`
	Basis        string   `json:"basis"` // record or assumption
}

// Rows are the estimation of each party.
func (e *estimation) Rows() []Row {
	rows := []Row{}
	for _, x := range e.parties {
		prompt, reply := x.usage()
		row := Row{Kind: x.Kind, Name: x.Name, Provider: x.provider, Model: x.model, Planned: x.items, Recorded: x.have, Calls: x.calls,
			PromptTokens: prompt, ReplyTokens: reply, Seconds: x.time(e.config).Seconds(), Batch: x.batch, Basis: "assumption", Time: "assumed"}
		each, measured := x.latency(e.config)
		if row.CallSeconds = each.Seconds(); measured {
			row.Time = "measured"
		}
		if cost, known := x.cost(e.config); known {
			row.Cost = &cost
		}
		if x.told != nil {
			row.Basis = "record"
		}
		rows = append(rows, row)
	}
	return rows
}

// Print shows the estimation as a table, and below it what it is based on.
func (e *estimation) Print(out io.Writer) error {
	c := e.config
	if len(e.parties) == 0 {
		_, err := fmt.Fprintf(out, "%s uses no model of a provider, so a run makes no calls and costs nothing\n", c.File)
		return err
	}
	view := table.New(1, "", "on record", "calls to make", "prompt tokens", "reply tokens", "US dollars", "time")
	var calls, have int
	var prompts, replies, sum float64
	var unknown []string
	byProvider := map[string]time.Duration{}
	batches := false
	for _, x := range e.parties {
		prompt, reply := x.usage()
		cost, known := x.cost(c)
		money := fmt.Sprintf("%.2f", cost)
		if !known {
			money = "?"
			unknown = append(unknown, x.Name)
		}
		last := run.Rough(x.time(c))
		if x.batch && x.calls > 0 {
			last, batches = "batch", true
		}
		view.Add(x.title(), fmt.Sprintf("%d of %d", x.have, x.items), strconv.Itoa(x.calls), fmt.Sprintf("%.0f", prompt),
			fmt.Sprintf("%.0f", reply), money, last)
		calls, have, prompts, replies, sum = calls+x.calls, have+x.have, prompts+prompt, replies+reply, sum+cost
		byProvider[x.provider] += x.time(c)
	}
	longest := time.Duration(0)
	for _, d := range byProvider {
		longest = max(longest, d)
	}
	total, last := fmt.Sprintf("%.2f", sum), run.Rough(longest)
	if unknown != nil {
		total += " + ?"
	}
	if batches {
		last += " + batches"
	}
	view.Add("all", strconv.Itoa(have), strconv.Itoa(calls), fmt.Sprintf("%.0f", prompts), fmt.Sprintf("%.0f", replies), total, last)
	if err := view.Terminal(out); err != nil {
		return err
	}
	fmt.Fprintln(out)
	for _, line := range e.basis(unknown) {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

func (x *expected) title() string {
	switch {
	case x.Kind == store.KindVerdict:
		return x.Name + " (judge)"
	case x.Kind == store.KindLabel:
		return x.Shown()
	case x.Kind == store.KindPreference && x.items == 0: // it is asked for one role of an entry
		return fmt.Sprintf("%s (pairwise, %s)", x.Name, x.model)
	case x.Kind == store.KindPreference:
		return x.Name + " (pairwise)"
	}
	return x.Name
}

// basis explains what the figures are based on.
func (e *estimation) basis(unknown []string) []string {
	var lines, recorded, assumed []string
	batched, times := false, map[bool][]string{} // measured, and assumed
	for _, x := range e.parties {
		switch {
		case x.calls == 0:
		case x.told != nil:
			of := ""
			if x.told.Name != x.Name {
				of = " of " + x.told.Name
			}
			recorded = append(recorded, fmt.Sprintf("%s by %s on record%s", x.title(), data.Plural(x.told.Told, "call", "calls"), of))
		default:
			of := ""
			if x.reasoning > 0 {
				of = fmt.Sprintf(" + %d of reasoning", x.reasoning)
			}
			assumed = append(assumed, fmt.Sprintf("%s %d%s", x.title(), x.reply, of))
		}
		batched = batched || x.batch && x.calls > 0
		if x.calls > 0 && !x.batch {
			each, measured := x.latency(e.config)
			times[measured] = append(times[measured], fmt.Sprintf("%s %.1fs", x.title(), each.Seconds()))
		}
	}
	for _, x := range e.parties {
		if sampled, scored := e.plan.SampledWithScores(x.Name); x.Kind == store.KindVerdict && sampled > 0 {
			lines = append(lines, sampleText(x.Name, sampled, scored))
		}
	}
	if recorded != nil {
		lines = append(lines, "Averages of the record: "+strings.Join(recorded, ", ")+".")
	}
	if assumed != nil {
		lines = append(lines, fmt.Sprintf("Assumptions without recorded calls: %d bytes of prompt per token; tokens per reply: %s.",
			plan.BytesOfToken, strings.Join(assumed, ", ")))
	}
	if of := times[true]; of != nil {
		lines = append(lines, "Time per call, measured: "+strings.Join(of, ", ")+".")
	}
	if of := times[false]; of != nil {
		lines = append(lines, "Time per call, assumed from the type of the provider until it is measured: "+strings.Join(of, ", ")+".")
	}
	if batched {
		lines = append(lines, fmt.Sprintf("Batches take up to %s, at a share of the price (by default, half of it).", run.Rough(dayOfBatch)))
	}
	for _, x := range e.parties {
		if x.underWay > 0 {
			lines = append(lines, fmt.Sprintf("In batches in flight, not counted above: %s of %s.", data.Plural(x.underWay, "call", "calls"),
				x.title()))
		}
	}
	if slices.ContainsFunc(e.parties, func(x *expected) bool { return x.Kind == store.KindPreference && x.calls > 0 }) {
		lines = append(lines, "Pairwise judges are counted over all pairs of their sets, with the maximum number of calls of their methods.")
	}
	if unknown != nil {
		lines = append(lines, fmt.Sprintf("The price of %s is unknown: add price: {input: 2.5, output: 10} to the entry, in US dollars per "+
			"million tokens.", strings.Join(unknown, ", ")))
	}
	return append(lines, fmt.Sprintf("Prices: from the configuration, otherwise built in (%s); Ollama is free.", llm.PricesOf))
}

// Budget prints whether the budgets cover the run.
func (e *estimation) Budget(db *store.Store, out io.Writer) error {
	c := e.config
	if err := run.CheckBudget(c); err != nil {
		_, err = fmt.Fprintln(out, err)
		return err
	}
	spent := run.NewBudgets(c)
	if db != nil {
		if err := spent.Charge(c, db); err != nil {
			return err
		}
	}
	needed := map[string]float64{}
	all := 0.0
	for _, x := range e.parties {
		cost, _ := x.cost(c)
		needed[x.provider] += cost
		all += cost
	}
	say := func(name string, limit, spent, needed float64) {
		if limit > 0 {
			verdict := "covers it"
			if spent+needed > limit {
				verdict = "does not cover it: the run will stop before it exceeds the budget"
			}
			fmt.Fprintf(out, "%s of %s, %s of it spent, %s.\n", name, limits.Dollars(limit), limits.Dollars(spent), verdict)
		}
	}
	say("The budget", c.Run.Budget, spent.All.Spent(), all)
	for _, name := range slices.Sorted(maps.Keys(spent.Own)) {
		own := spent.Own[name]
		say("The budget of provider "+name, own.Limit, own.Spent(), needed[name])
	}
	return nil
}

// usualCorrelation is a correlation of a judge's and people's totals that a sample is planned for.
const usualCorrelation = 0.6

// sampleText says what the sample of a judge will tell about its agreement with people: the 95 %
// interval of a correlation by Fisher's transformation, tanh(atanh r ± 1.96 / √(n − 3)), for n > 3
// answers that do not depend on one another.
func sampleText(judge string, sampled, scored int) string {
	text := fmt.Sprintf("Of the %s in the sample of %s, people scored %d", data.Plural(sampled, "answer", "answers"), judge, scored)
	if scored <= 3 {
		return text + ": too few to know whether the judge agrees with them."
	}
	half := distuv.UnitNormal.Quantile(0.975) / math.Sqrt(float64(scored-3))
	low, high := math.Tanh(math.Atanh(usualCorrelation)-half), math.Tanh(math.Atanh(usualCorrelation)+half)
	return fmt.Sprintf("%s: a correlation of %v with them will have the interval %.2f to %.2f, or a wider one where few questions have "+
		"many of the answers.",
		text, usualCorrelation, low, high)
}
