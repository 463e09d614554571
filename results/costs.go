package results

import (
	"cmp"
	"slices"
	"strings"

	"compqa/data"
)

// A CostRow is what a system's answers or a judge's verdicts have cost: all
// attempts of all calls, of this record's whole life, whether anything came of
// them or not. Calls that others had made before cost nothing again.
type CostRow struct {
	Kind             string `csv:"kind"` // answer, verdict, preference
	Name             string `csv:"name"`
	Provider         string `csv:"provider"`
	Model            string `csv:"model"`
	Calls            int    `csv:"calls"`
	Attempts         int    `csv:"attempts"`
	PromptTokens     int    `csv:"prompt_tokens"`
	CachedTokens     int    `csv:"cached_tokens"`
	CompletionTokens int    `csv:"completion_tokens"`
	ReasoningTokens  int    `csv:"reasoning_tokens"`
	Cost             Figure `csv:"cost"`      // US dollars, of the attempts with a price; none where no attempt has one
	Estimated        Figure `csv:"estimated"` // of this, where the server told no tokens
	Unpriced         int    `csv:"unpriced"`  // attempts without a price: the cost lacks theirs
	Valid            int    `csv:"valid"`     // answers or verdicts
	PerThousand      Figure `csv:"cost_per_1000"`

	Reference      string `csv:"reference"` // who AlphaFinal is against
	AlphaFinal     Figure `csv:"alpha_final"`
	AlphaPerDollar Figure `csv:"alpha_per_dollar"` // AlphaFinal by the dollars of a thousand valid verdicts
}

// mergeBills joins the bills of several records, under the names in the whole.
func (m *merger) mergeBills() {
	for r, run := range m.runs {
		for _, b := range run.Bills {
			names := m.systems[r]
			if b.Kind == KindVerdict {
				names = m.judges[r]
			}
			b.Name = cmp.Or(names[b.Name], b.Name)
			m.whole.Bills = append(m.whole.Bills, b)
		}
	}
}

// costs are the rows in the order of tables; parties that are in none come last.
func (t *judgeTables) costs() []CostRow {
	sums := map[Payer]*Bill{}
	var rows []CostRow
	for _, b := range t.Bills {
		sum := sums[b.Payer]
		if sum == nil {
			sum = &Bill{Payer: b.Payer}
			sums[b.Payer] = sum
			rows = append(rows, CostRow{Kind: b.Kind, Name: b.Name})
		}
		sum.add(b)
	}
	valid := t.validOf()
	for i := range rows {
		rows[i].fill(*sums[Payer{rows[i].Kind, rows[i].Name}], valid)
	}
	place := t.placeOfPayer()
	slices.SortFunc(rows, func(a, b CostRow) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(place(a), place(b)), cmp.Compare(a.Name, b.Name))
	})
	t.agreeForMoney(rows)
	return rows
}

// add sums up the bills of one payer.
func (b *Bill) add(c Bill) {
	b.Provider, b.Model = joined(b.Provider, c.Provider), joined(b.Model, c.Model)
	b.Calls, b.Attempts, b.Unpriced = b.Calls+c.Calls, b.Attempts+c.Attempts, b.Unpriced+c.Unpriced
	b.Prompt, b.Cached, b.Completion, b.Reasoning = b.Prompt+c.Prompt, b.Cached+c.Cached, b.Completion+c.Completion, b.Reasoning+c.Reasoning
	b.Cost, b.Estimated = b.Cost+c.Cost, b.Estimated+c.Estimated
}

// joined is a list with another name in it.
func joined(list, name string) string {
	if list == "" || slices.Contains(strings.Split(list, "; "), name) {
		return cmp.Or(list, name)
	}
	return list + "; " + name
}

func (r *CostRow) fill(b Bill, valid map[Payer]int) {
	r.Provider, r.Model, r.Calls, r.Attempts, r.Unpriced = b.Provider, b.Model, b.Calls, b.Attempts, b.Unpriced
	r.PromptTokens, r.CachedTokens, r.CompletionTokens, r.ReasoningTokens = b.Prompt, b.Cached, b.Completion, b.Reasoning
	r.Valid = valid[b.Payer]
	if b.Unpriced == b.Attempts {
		return
	}
	r.Cost = figure(b.Cost)
	if b.Estimated > 0 {
		r.Estimated = figure(b.Estimated)
	}
	if b.Unpriced == 0 && r.Valid > 0 {
		r.PerThousand = figure(b.Cost / float64(r.Valid) * 1000)
	}
}

// validOf is how many valid answers or verdicts there are of each payer.
func (t *judgeTables) validOf() map[Payer]int {
	valid := map[Payer]int{}
	for _, a := range t.Answers {
		if a.Status == data.Valid {
			valid[Payer{KindAnswer, a.System}]++
		}
	}
	for _, s := range t.Sheets {
		if s.Status == data.Valid {
			valid[Payer{KindVerdict, t.Judges[s.Judge].Name}]++
		}
	}
	return valid
}

func (t *judgeTables) placeOfPayer() func(CostRow) int {
	places := map[Payer]int{}
	for i, s := range t.Systems {
		places[Payer{KindAnswer, s.Name}] = i
	}
	for i, j := range t.Judges {
		places[Payer{KindVerdict, j.Name}] = i
	}
	return func(r CostRow) int {
		if i, ok := places[Payer{r.Kind, r.Name}]; ok {
			return i
		}
		return len(t.Systems) + len(t.Judges)
	}
}

// agreeForMoney sets a judge's agreement with the first of the references beside
// what its verdicts cost.
func (t *judgeTables) agreeForMoney(rows []CostRow) {
	for _, reference := range t.references() {
		name := t.Judges[reference].Name
		for i := range rows {
			r := &rows[i]
			for _, a := range t.agreements {
				if r.Kind != KindVerdict || r.AlphaFinal.known() || a.Judge != r.Name || a.Reference != name || a.Level != LevelFinal || !a.AlphaInterval.known() {
					continue
				}
				r.Reference, r.AlphaFinal = name, a.AlphaInterval
				if r.PerThousand.known() && *r.PerThousand.number > 0 {
					r.AlphaPerDollar = figure(*a.AlphaInterval.number / *r.PerThousand.number)
				}
			}
		}
	}
}

// priceJudges puts what a judge costs beside what else is known of it.
func (t *judgeTables) priceJudges() {
	for i := range t.judgeFigures {
		j := &t.judgeFigures[i]
		for _, r := range t.paid {
			if r.Kind == KindVerdict && r.Name == j.Judge {
				j.PerThousand, j.AlphaPerDollar = r.PerThousand, r.AlphaPerDollar
			}
		}
	}
}

// costsText is costs.md.
func (t *judgeTables) costsText() string {
	var b strings.Builder
	b.WriteString("# What it cost\n\n")
	if len(t.paid) == 0 {
		b.WriteString("Nothing of this record was asked of a model behind a provider.\n")
		return b.String()
	}
	b.WriteString("US dollars, all attempts included: retries, repairs and what came of nothing, of every run of this record. " +
		"A call that two would make is paid for by whoever asked first. A dash is a price that is not known; free is $0. " +
		"Each by tokens is in [costs.csv](costs.csv).\n\n")
	table := &textTable{words: 3, header: []string{"of", "name", "model", "calls", "attempts", "cost", "valid", "cost of 1,000 valid"}}
	sum, missing, estimated := 0.0, 0, 0.0
	for _, r := range t.paid {
		table.add(r.Kind, r.Name, r.Model, count(r.Calls).text(0), count(r.Attempts).text(0), r.Cost.text(4), count(r.Valid).text(0), r.PerThousand.text(2))
		sum += or(r.Cost, 0)
		estimated += or(r.Estimated, 0)
		missing += r.Unpriced
	}
	b.WriteString(table.markdown())
	b.WriteString("In all $" + figure(sum).text(4))
	if missing > 0 {
		b.WriteString(", without " + plural(missing, "attempt that has", "attempts that have") + " no known price")
	}
	if estimated > 0 {
		b.WriteString("; $" + figure(estimated).text(4) + " of it by estimated tokens, since the server told none")
	}
	b.WriteString(".\n\n" + t.agreementForMoneyText())
	return b.String()
}

// agreementForMoneyText is what judges' agreement costs.
func (t *judgeTables) agreementForMoneyText() string {
	table := &textTable{words: 2, header: []string{"judge", "against", "alpha, totals", "cost of 1,000 verdicts", "alpha per dollar"}}
	for _, r := range t.paid {
		if r.AlphaFinal.known() {
			table.add(r.Name, r.Reference, r.AlphaFinal.text(2), r.PerThousand.text(2), r.AlphaPerDollar.text(3))
		}
	}
	if len(table.rows) == 0 {
		return ""
	}
	return "## Agreement for money\n\nKrippendorff's alpha of totals with people, the cost of a thousand valid verdicts, and the one by the other. " +
		"A judge that costs nothing has no such figure, and one that is worth little is not worth more for being cheap.\n\n" + table.markdown()
}

func or(f Figure, other float64) float64 {
	if f.known() {
		return *f.number
	}
	return other
}
