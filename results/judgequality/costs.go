package judgequality

import (
	"cmp"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/store"
	"compqa/results/table"
)

// A CostRow is what a system's answers or a judge's verdicts have cost: all
// attempts of all calls, of this record's whole life, whether anything came of
// them or not. Calls that others had made before cost nothing again.
type CostRow struct {
	Kind             string       `csv:"kind"` // answer, verdict, preference
	Name             string       `csv:"name"`
	Provider         string       `csv:"provider"`
	Model            string       `csv:"model"`
	Calls            int          `csv:"calls"`
	Attempts         int          `csv:"attempts"`
	PromptTokens     int          `csv:"prompt_tokens"`
	CachedTokens     int          `csv:"cached_tokens"`
	CompletionTokens int          `csv:"completion_tokens"`
	ReasoningTokens  int          `csv:"reasoning_tokens"`
	Cost             table.Figure `csv:"cost"`      // US dollars, of the attempts with a price; none where no attempt has one
	Estimated        table.Figure `csv:"estimated"` // of this, where the server told no tokens
	Unpriced         int          `csv:"unpriced"`  // attempts without a price: the cost lacks theirs
	Valid            int          `csv:"valid"`     // answers or verdicts
	PerThousand      table.Figure `csv:"cost_per_1000"`

	Reference      string       `csv:"reference"` // who AlphaFinal is against
	AlphaFinal     table.Figure `csv:"alpha_final"`
	AlphaPerDollar table.Figure `csv:"alpha_per_dollar"` // AlphaFinal by the dollars of a thousand valid verdicts
}

// costs are the rows in the order of tables; parties that are in none come last.
func (t *Tables) costs() []CostRow {
	sums := map[store.Party]*store.CostAccount{}
	var rows []CostRow
	for _, b := range t.Costs {
		sum := sums[b.Party]
		if sum == nil {
			sum = &store.CostAccount{Party: b.Party}
			sums[b.Party] = sum
			rows = append(rows, CostRow{Kind: b.Kind, Name: b.Name})
		}
		sum.Add(b)
	}
	valid := t.validOf()
	for i := range rows {
		rows[i].fill(*sums[store.Party{Kind: rows[i].Kind, Name: rows[i].Name}], valid)
	}
	place := t.placeOfPayer()
	slices.SortFunc(rows, func(a, b CostRow) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(place(a), place(b)), cmp.Compare(a.Name, b.Name))
	})
	t.agreeForMoney(rows)
	return rows
}

func (r *CostRow) fill(b store.CostAccount, valid map[store.Party]int) {
	r.Provider, r.Model, r.Calls, r.Attempts, r.Unpriced = b.Provider, b.Model, b.Calls, b.Attempts, b.Unpriced
	r.PromptTokens, r.CachedTokens, r.CompletionTokens, r.ReasoningTokens = b.Prompt, b.Cached, b.Completion, b.Reasoning
	r.Valid = valid[b.Party]
	if b.Unpriced == b.Attempts {
		return
	}
	r.Cost = table.Number(b.Cost)
	if b.Estimated > 0 {
		r.Estimated = table.Number(b.Estimated)
	}
	if b.Unpriced == 0 && r.Valid > 0 {
		r.PerThousand = table.Number(b.Cost / float64(r.Valid) * 1000)
	}
}

// validOf is how many valid answers or verdicts there are of each payer.
func (t *Tables) validOf() map[store.Party]int {
	valid := map[store.Party]int{}
	for _, a := range t.Answers {
		if a.Status == data.Valid {
			valid[store.Party{Kind: store.KindAnswer, Name: a.System}]++
		}
	}
	for _, s := range t.Sheets {
		if s.Status == data.Valid {
			valid[store.Party{Kind: store.KindVerdict, Name: t.Judges[s.Judge].Name}]++
		}
	}
	return valid
}

func (t *Tables) placeOfPayer() func(CostRow) int {
	places := map[store.Party]int{}
	for i, s := range t.Systems {
		places[store.Party{Kind: store.KindAnswer, Name: s.Name}] = i
	}
	for i, j := range t.Judges {
		places[store.Party{Kind: store.KindVerdict, Name: j.Name}] = i
	}
	return func(r CostRow) int {
		if i, ok := places[store.Party{Kind: r.Kind, Name: r.Name}]; ok {
			return i
		}
		return len(t.Systems) + len(t.Judges)
	}
}

// agreeForMoney sets a judge's agreement with the first of the references beside
// what its verdicts cost.
func (t *Tables) agreeForMoney(rows []CostRow) {
	for _, reference := range t.References() {
		name := t.Judges[reference].Name
		for i := range rows {
			r := &rows[i]
			for _, a := range t.Agreements {
				if r.Kind != store.KindVerdict || r.AlphaFinal.Known() || a.Judge != r.Name || a.Reference != name || a.Level != dataset.LevelFinal || !a.AlphaInterval.Known() {
					continue
				}
				r.Reference, r.AlphaFinal = name, a.AlphaInterval
				if r.PerThousand.Known() && *r.PerThousand.Number > 0 {
					r.AlphaPerDollar = table.Number(*a.AlphaInterval.Number / *r.PerThousand.Number)
				}
			}
		}
	}
}

// priceJudges puts what a judge costs beside what else is known of it.
func (t *Tables) priceJudges() {
	for i := range t.JudgeFigures {
		j := &t.JudgeFigures[i]
		for _, r := range t.Paid {
			if r.Kind == store.KindVerdict && r.Name == j.Judge {
				j.PerThousand, j.AlphaPerDollar = r.PerThousand, r.AlphaPerDollar
			}
		}
	}
}

// costsText is costs.md.
func (t *Tables) CostsText() string {
	var b strings.Builder
	b.WriteString("# What it cost\n\n")
	if len(t.Paid) == 0 {
		b.WriteString("Nothing of this record was asked of a model behind a provider.\n")
		return b.String()
	}
	b.WriteString("US dollars, all attempts included: retries, repairs and what came of nothing, of every run of this record. " +
		"A call that two would make is paid for by whoever asked first. A dash is a price that is not known; free is $0. " +
		"Each by tokens is in [costs.csv](costs.csv).\n\n")
	view := &table.Table{Words: 3, Header: []string{"of", "name", "model", "calls", "attempts", "cost", "valid", "cost of 1,000 valid"}}
	sum, missing, estimated := 0.0, 0, 0.0
	for _, r := range t.Paid {
		view.Add(r.Kind, r.Name, r.Model, table.Count(r.Calls).Text(0), table.Count(r.Attempts).Text(0), r.Cost.Text(4), table.Count(r.Valid).Text(0), r.PerThousand.Text(2))
		sum += or(r.Cost, 0)
		estimated += or(r.Estimated, 0)
		missing += r.Unpriced
	}
	b.WriteString(view.Markdown())
	b.WriteString("In all $" + table.Number(sum).Text(4))
	if missing > 0 {
		b.WriteString(", without " + table.Plural(missing, "attempt that has", "attempts that have") + " no known price")
	}
	if estimated > 0 {
		b.WriteString("; $" + table.Number(estimated).Text(4) + " of it by estimated tokens, since the server told none")
	}
	b.WriteString(".\n\n" + t.agreementForMoneyText())
	return b.String()
}

// agreementForMoneyText is what judges' agreement costs.
func (t *Tables) agreementForMoneyText() string {
	view := &table.Table{Words: 2, Header: []string{"judge", "against", "alpha, totals", "cost of 1,000 verdicts", "alpha per dollar"}}
	for _, r := range t.Paid {
		if r.AlphaFinal.Known() {
			view.Add(r.Name, r.Reference, r.AlphaFinal.Text(2), r.PerThousand.Text(2), r.AlphaPerDollar.Text(3))
		}
	}
	if len(view.Rows) == 0 {
		return ""
	}
	return "## Agreement for money\n\nKrippendorff's alpha of totals with people, the cost of a thousand valid verdicts, and the one by the other. " +
		"A judge that costs nothing has no such figure, and one that is worth little is not worth more for being cheap.\n\n" + view.Markdown()
}

func or(f table.Figure, other float64) float64 {
	if f.Known() {
		return *f.Number
	}
	return other
}
