package judgequality

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/stats"
)

// A CostRow is the cost of a system's answers or a judge's verdicts. It covers all attempts of all calls in this record, including failed
// ones. A call that an earlier party already made is counted there.
type CostRow struct {
	Kind             string       `csv:"kind"` // answer, verdict, preference
	Name             string       `csv:"name"`
	Provider         string       `csv:"provider"`
	Model            string       `csv:"model"`
	Calls            int          `csv:"calls"`
	Attempts         int          `csv:"attempts"`
	PromptTokens     int          `csv:"prompt_tokens"`
	CachedTokens     int          `csv:"cached_tokens"`
	WrittenTokens    int          `csv:"written_tokens"`
	CompletionTokens int          `csv:"completion_tokens"`
	ReasoningTokens  int          `csv:"reasoning_tokens"`
	ServiceTier      string       `csv:"service_tier"` // batch, flex or priority; "" for the standard tier
	AnsweredBy       string       `csv:"answered_by"`  // models named in the replies, with their numbers of replies
	Cost             stats.Figure `csv:"cost"`         // US dollars for the attempts with a known price; missing if no attempt has one
	Estimated        stats.Figure `csv:"estimated"`    // the part of Cost for which the server reported no tokens
	Unpriced         int          `csv:"unpriced"`     // attempts without a known price, which Cost leaves out
	Valid            int          `csv:"valid"`        // valid answers, verdicts, labels, or preferences with sampled judgments and grades
	PerThousand      stats.Figure `csv:"cost_per_1000"`

	Latency        stats.Figure `csv:"-"`         // median seconds of a call for an answer
	FromCache      string       `csv:"-"`         // share of the prompt tokens that came from the provider's cache
	Reference      string       `csv:"reference"` // the reference of AlphaFinal
	AlphaFinal     stats.Figure `csv:"alpha_final"`
	AlphaPerDollar stats.Figure `csv:"alpha_per_dollar"` // AlphaFinal divided by PerThousand
	MaybePaid      int          `csv:"maybe_paid"`       // requests without a recorded reply that may have been paid; not in Cost
}

// CostsTable has what was paid.
var CostsTable = table.Def[CostRow]{File: "costs.csv"}

// mostAnswered is the number of requested models that AnsweredText names.
const mostAnswered = 3

// AnsweredText says which models replied under another name than the requested one, with their numbers of replies. It returns "" if each
// model replied under its own name. It warns if several models replied for one, because the figures of a judge or system are then of a
// mixture.
func (t *Tables) AnsweredText() string {
	asked := table.Grouped(t.Costs, func(b store.CostAccount) [2]string { return [2]string{b.Provider, b.Model} })
	var parts, moved []string
	for _, accounts := range asked {
		replies := map[string]int{}
		model := accounts[0].Model
		for _, b := range accounts {
			for _, a := range b.AnsweredBy {
				if strings.HasSuffix(model, "/"+a.Model) { // a router's "openai/x" replies as "x"
					a.Model = model
				}
				replies[a.Model] += a.Replies
			}
		}
		if len(replies) == 0 || len(replies) == 1 && replies[model] > 0 {
			continue
		}
		var names []store.Answering
		for name, n := range replies {
			names = append(names, store.Answering{Model: name, Replies: n})
		}
		slices.SortFunc(names, func(a, b store.Answering) int {
			return cmp.Or(cmp.Compare(b.Replies, a.Replies), cmp.Compare(a.Model, b.Model))
		})
		parts = append(parts, fmt.Sprintf("asked for %s, answered by %s", model, strings.Join(data.Each(names, store.Answering.String), ", ")))
		if len(names) > 1 {
			moved = append(moved, model)
		}
	}
	if parts == nil {
		return ""
	}
	text := strings.Join(parts[:min(len(parts), mostAnswered)], "; ")
	if rest := len(parts) - mostAnswered; rest > 0 {
		text += fmt.Sprintf("; and %d more in costs.csv", rest)
	}
	text = "Models by their own names: " + text + "."
	if moved != nil {
		text += " WARNING: several models answered for " + data.List(moved) + " within this run, so its figures are of a mixture."
	}
	return text
}

// ImportedText names the judges whose verdicts are imported. It returns "" if there are none.
func (t *Tables) ImportedText() string {
	names := data.Each(data.Where(t.Judges, func(j store.Participant) bool { return j.Kind == dataset.KindImported }),
		func(j store.Participant) string { return j.Name })
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("The verdicts of %s are imported: nothing shows who made them.", data.List(names))
}

// costs returns a row for each party (a system or judge) in the order of their tables. Parties that are in no table come last.
func (t *Tables) costs() []CostRow {
	var sums []store.CostAccount
	for _, accounts := range table.Grouped(t.Costs, func(b store.CostAccount) store.Party { return b.Party }) {
		sum := store.CostAccount{Party: accounts[0].Party}
		for _, b := range accounts {
			sum.Add(b)
		}
		sums = append(sums, sum)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Used)) {
		who := store.Party{Kind: store.KindVerdict, Name: name}
		if !slices.ContainsFunc(sums, func(b store.CostAccount) bool { return b.Party == who }) { // other judges made all of its calls
			sums = append(sums, store.CostAccount{Party: who})
		}
	}
	party := func(kind string) func(store.Participant) store.Party {
		return func(p store.Participant) store.Party { return store.Party{Kind: kind, Name: p.Name} }
	}
	parties := append(data.Each(t.Systems, party(store.KindAnswer)), data.Each(t.Judges, party(store.KindVerdict))...)
	place := func(p store.Party) uint { return uint(slices.Index(parties, p)) } // without a table -1, the largest uint
	slices.SortStableFunc(sums, func(a, b store.CostAccount) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(place(a.Party), place(b.Party)), cmp.Compare(a.Name, b.Name))
	})
	valid := map[store.Party]int{} // valid answers, verdicts and labels
	count := func(kind, name string, status data.Status) {
		if status == data.Valid {
			valid[store.Party{Kind: kind, Name: name}]++
		}
	}
	for _, a := range t.Answers {
		count(store.KindAnswer, a.System, a.Status)
		a.EachLabel(func(_, judge string, status data.Status, _ string) { count(store.KindLabel, judge, status) })
	}
	for _, s := range t.Sheets {
		count(store.KindVerdict, t.Judges[s.Rater].Name, s.Status)
	}
	return data.Each(sums, func(b store.CostAccount) CostRow {
		r := t.costRow(b, valid[b.Party]+b.Valid)
		if b.Kind == store.KindVerdict {
			r.perThousand(max(b.Cost, t.Used[b.Name]))
		}
		return r
	})
}

// perThousand sets the cost of a thousand valid items, and alpha per dollar. Calls that several parties share count in full for each of
// them.
func (r *CostRow) perThousand(cost float64) {
	if (r.Cost.Known || cost > 0) && r.Unpriced == 0 && r.Valid > 0 {
		r.PerThousand = stats.Number(cost / float64(r.Valid) * 1000)
	}
	if r.AlphaFinal.Known && r.PerThousand.Known && r.PerThousand.Value > 0 {
		r.AlphaPerDollar = stats.Number(r.AlphaFinal.Value / r.PerThousand.Value)
	}
}

// costRow returns the row of an account. A judge's row has the agreement with its first reference.
func (t *Tables) costRow(b store.CostAccount, valid int) CostRow {
	agrees := table.First(t.Agreements, func(a AgreementRow) bool {
		return b.Kind == store.KindVerdict && a.Judge == b.Name && a.Level == dataset.LevelFinal && a.AlphaInterval.Known
	})
	r := CostRow{Kind: b.Kind, Name: b.Name, Provider: b.Provider, Model: b.Model, Calls: b.Calls, Attempts: b.Attempts, Unpriced: b.Unpriced,
		PromptTokens: b.Prompt, CachedTokens: b.Cached, WrittenTokens: b.Written, ServiceTier: b.Tier,
		AnsweredBy: strings.Join(data.Each(b.AnsweredBy, store.Answering.String), "; "), CompletionTokens: b.Completion,
		ReasoningTokens: b.Reasoning, Valid: valid,
		FromCache: stats.Missing, Reference: agrees.Reference, AlphaFinal: agrees.AlphaInterval.Point(), MaybePaid: b.MaybePaid}
	if b.Prompt > 0 {
		r.FromCache = stats.Number(100*float64(b.Cached)/float64(b.Prompt)).Text(0) + "%"
	}
	if b.Latencies != nil {
		r.Latency = stats.Number(stats.Quantile(slices.Sorted(slices.Values(b.Latencies)), 0.5) / 1000)
	}
	if b.Unpriced == b.Attempts {
		return r
	}
	r.Cost = stats.Number(b.Cost)
	if b.Estimated > 0 {
		r.Estimated = stats.Number(b.Estimated)
	}
	r.perThousand(b.Cost)
	return r
}

// Bills returns the rows of costs.csv. Each party has a row for each model and service tier, so that a cost is tokens times one price.
// Figures of the party as a whole are in its first row.
func (t *Tables) Bills() (rows []CostRow) {
	for _, paid := range t.Paid {
		accounts := data.Where(t.Costs, func(b store.CostAccount) bool { return b.Kind == paid.Kind && b.Name == paid.Name })
		byPrice := table.Grouped(accounts, func(b store.CostAccount) [3]string { return [3]string{b.Provider, b.Model, b.Tier} })
		if len(byPrice) == 0 {
			rows = append(rows, paid)
		}
		for i, accounts := range byPrice { // there may be several records
			sum := store.CostAccount{Party: accounts[0].Party}
			for _, b := range accounts {
				sum.Add(b)
			}
			r := t.costRow(sum, 0)
			r.Reference = ""
			r.AlphaFinal = stats.Figure{}
			if i == 0 {
				r.Valid = paid.Valid
				r.PerThousand = paid.PerThousand
				r.Reference = paid.Reference
				r.AlphaFinal = paid.AlphaFinal
				r.AlphaPerDollar = paid.AlphaPerDollar
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// TotalCost returns the sum over all parties. A sum leaves out unknown costs, and is missing if all are unknown.
func (t *Tables) TotalCost() CostRow {
	total := CostRow{Kind: "total"}
	add := func(sum *stats.Figure, part stats.Figure) {
		if sum.Known && part.Known {
			part = stats.Number(sum.Value + part.Value)
		}
		if part.Known {
			*sum = part
		}
	}
	for _, r := range t.Paid {
		total.Calls += r.Calls
		total.Attempts += r.Attempts
		total.Unpriced += r.Unpriced
		total.Valid += r.Valid
		total.MaybePaid += r.MaybePaid
		add(&total.Cost, r.Cost)
		add(&total.Estimated, r.Estimated)
	}
	return total
}

// UnansweredText says how many requests may have been paid although no reply is recorded. It returns "" if there are none.
func (t *Tables) UnansweredText() string {
	n := t.TotalCost().MaybePaid
	if n == 0 {
		return ""
	}
	return data.Plural(n, "request", "requests") + " may have been paid without an answer, because a command was killed while it waited; " +
		"the cost does not include them (maybe_paid in costs.csv)."
}

// CostsDocument returns what was paid, and the agreement of judges per dollar.
func (t *Tables) CostsDocument() table.Document {
	d := table.Document{ID: "costs", Title: "Cost"}
	if len(t.Paid) == 0 {
		return d
	}
	d.Lead = "US dollars for all attempts of all runs of this record: retries, repairs and failed calls included. A call that several " +
		"parties need is counted for the first one. A dash is an unknown price; free calls cost $0. “estimated” is the part of the cost " +
		"for which the server reported no tokens, “unpriced” the number of attempts of unknown price, which the cost does not include. " +
		"Seconds are those of calls for answers outside batches. Token counts are in costs.csv."
	if text := t.UnansweredText(); text != "" {
		d.Lead += " " + text
	}
	d.Sections = []table.Section{{Title: "What was paid", Table: table.From(3, append(slices.Clone(t.Paid), t.TotalCost()),
		"kind", "name", "model", "calls", "attempts", "FromCache=prompt from cache", "Latency=median seconds", "unpriced", "cost:4",
		"estimated:4", "valid", "cost_per_1000=cost per 1,000 valid")}, t.agreementPerDollar()}
	return d
}

// agreementPerDollar returns the table of judges' agreement, cost and agreement per dollar.
func (t *Tables) agreementPerDollar() table.Section {
	return table.Section{Title: "Agreement per dollar",
		About: "Krippendorff's alpha (interval) of totals with human scores, the cost of 1,000 valid verdicts, and alpha divided by this " +
			"cost. Judges without costs have no such figure.",
		Table: t.Marked(table.From(2, data.Where(t.Paid, func(r CostRow) bool { return r.AlphaFinal.Known }),
			"name=judge", "reference=against", "alpha_final=alpha (interval), totals", "cost_per_1000=cost per 1,000 verdicts",
			"alpha_per_dollar:3=alpha (interval) per dollar"), 0, 1)}
}
