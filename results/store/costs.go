package store

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"compqa/llm"
)

// A Party is a system or a judge that makes calls. A call that several parties need is made and paid for by the first one.
type Party struct {
	Kind string // KindAnswer, KindVerdict or KindLabel
	Name string `db:"party"`
}

// Shown is the party's name in lists where judges of answers and of summaries stand together.
func (p Party) Shown() string {
	if p.Kind == KindLabel {
		return p.Name + " (summaries)"
	}
	return p.Name
}

// A CostAccount sums up the attempts of one party with one model, including retries, repairs and failures. It covers the
// whole record, also calls of answers and verdicts that were dropped later.
type CostAccount struct {
	Party
	Provider, Model string
	Tier            string   // batch, or the service tier if it has a price of its own: flex, priority
	AnsweredBy      []string // the models' names in the replies, each with the number of replies
	Calls, Attempts int
	Tokens                  // as far as reported
	Cost            float64 // US dollars, of the attempts with a known price
	Estimated       float64 // part of Cost with estimated tokens
	Unpriced        int     // attempts of unknown price

	Told      int     // attempts with a reply and reported tokens
	InBatch   int     // attempts in batches
	LatencyMS float64 // sum over Told attempts outside batches

	Open      Tokens    // of attempts of unknown price
	Valid     int       // preferences, sampled judgments and grades of the party, in the first account of a judge of pairs
	Latencies []float64 // ms, of answers' Told attempts outside batches
}

// Tokens are sums over several attempts.
type Tokens struct{ Prompt, Cached, Written, Completion, Reasoning int }

// Usage is the tokens as a price takes them.
func (t Tokens) Usage() llm.Usage {
	return llm.Usage{Prompt: &t.Prompt, Cached: &t.Cached, Written: &t.Written, Completion: &t.Completion, Reasoning: &t.Reasoning}
}

func (t *Tokens) add(more Tokens) {
	*t = Tokens{t.Prompt + more.Prompt, t.Cached + more.Cached, t.Written + more.Written, t.Completion + more.Completion,
		t.Reasoning + more.Reasoning}
}

// tierOf is the part of attempts that has a price of its own.
const tierOf = `CASE WHEN batch <> '' THEN 'batch' WHEN service_tier IN ('flex', 'priority') THEN service_tier ELSE '' END`

// CostAccounts are the accounts of a record, sorted by kind, name, provider and
// model, and the costs of its calls. Attempts without a party are in no account.
func (s *Store) CostAccounts() (accounts []CostAccount, paid CallCosts, err error) {
	attempts, err := Value[int](s, `SELECT count(*) FROM attempts`)
	if err != nil {
		return nil, nil, err
	}
	paid = make(CallCosts, 0, attempts)
	entry, err := s.Entries()
	if err != nil {
		return nil, nil, err
	}
	// There may be millions of attempts, and reading a column takes longer than adding it up. So the names are one column, and
	// so are the marks, as bits: 1 first of its call, 2 estimated, 4 tokens reported, 8 in a batch, 16 of unknown price.
	const query = `SELECT call, kind || char(0) || party || char(0) || provider || char(0) || model || char(0) || ` + tierOf + `,
		(n = 1) + 2 * (estimated <> 0) + 4 * (completion_tokens IS NOT NULL) + 8 * (batch <> '') + 16 * (cost IS NULL),
		coalesce(prompt_tokens, 0), coalesce(cached_tokens, 0), coalesce(written_tokens, 0), coalesce(completion_tokens, 0),
		coalesce(reasoning_tokens, 0), coalesce(cost, 0), latency_ms FROM attempts`
	type attempt struct {
		Call  int64
		Payer string // party and model
		Marks int    // bits, see the query
		Tokens
		Cost, LatencyMS float64
	}
	sums, sumOf := map[[5]string]*CostAccount{}, map[string]*CostAccount{}
	err = Each(s, query, nil, func(a attempt) error {
		sum := sumOf[a.Payer]
		if sum == nil {
			names := strings.Split(a.Payer, "\x00")
			if len(names) != 5 {
				return fmt.Errorf("an attempt of call %d has a name with a NUL character: %q", a.Call, a.Payer)
			}
			of := [5]string(names)
			if of[0] == KindPreference {
				of[1] = entry(of[1])
			}
			if sum = sums[of]; sum == nil {
				sum = &CostAccount{Party: Party{of[0], of[1]}, Provider: of[2], Model: of[3], Tier: of[4]}
				sums[of] = sum
			}
			sumOf[a.Payer] = sum
		}
		c := CostAccount{Provider: sum.Provider, Model: sum.Model, Tier: sum.Tier, Calls: a.Marks & 1, Attempts: 1, Tokens: a.Tokens, Cost: a.Cost,
			Told: a.Marks >> 2 & 1, InBatch: a.Marks >> 3 & 1}
		if c.Told > c.InBatch {
			c.LatencyMS = a.LatencyMS
		}
		if c.Unpriced = a.Marks >> 4 & 1; c.Unpriced > 0 {
			c.Open, a.Cost = a.Tokens, math.Inf(1)
		}
		if a.Marks&2 != 0 {
			c.Estimated = c.Cost
		}
		if sum.Kind == KindAnswer && c.Told > c.InBatch {
			c.Latencies = []float64{a.LatencyMS}
		}
		paid = append(paid, callCost{a.Call, a.Cost})
		sum.Add(c)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	err = Each(s, `SELECT kind, party, provider, model, `+tierOf+` AS tier, answered_by, count(*) AS count
		FROM attempts WHERE answered_by <> '' GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY count(*) DESC, answered_by`, nil, func(of struct {
		Kind, Party, Provider, Model, Tier, AnsweredBy string
		Count                                          int
	}) error {
		if of.Kind == KindPreference {
			of.Party = entry(of.Party)
		}
		if sum := sums[[5]string{of.Kind, of.Party, of.Provider, of.Model, of.Tier}]; sum != nil {
			sum.AnsweredBy = append(sum.AnsweredBy, fmt.Sprintf("%s (%d)", of.AnsweredBy, of.Count))
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	valid := map[string]int{} // by judge of pairs
	ofPairs := union(func(k Kind) string {
		if !k.ofPairs() {
			return ""
		}
		return "SELECT " + k.Party + " AS judge, status FROM " + k.Table
	})
	err = Each(s, `SELECT judge, count(*) FROM (`+ofPairs+`) WHERE status = 'valid' GROUP BY 1`, nil, func(of struct {
		Judge string
		Count int
	}) error {
		valid[entry(of.Judge)] += of.Count
		return nil
	})
	slices.SortStableFunc(paid, func(a, b callCost) int { return cmp.Compare(a.call, b.call) })
	for _, of := range slices.SortedFunc(maps.Keys(sums), func(a, b [5]string) int { return slices.Compare(a[:], b[:]) }) {
		if sum := sums[of]; sum.Name != "" {
			sum.Cost, sum.Estimated = math.Round(sum.Cost*1e9)/1e9, math.Round(sum.Estimated*1e9)/1e9 // removes rounding errors of the sum
			if sum.Kind == KindPreference {
				sum.Valid = valid[sum.Name]
				delete(valid, sum.Name)
			}
			accounts = append(accounts, *sum)
		}
	}
	return accounts, paid, err
}

// Add adds another account of the same party.
func (b *CostAccount) Add(c CostAccount) {
	b.Provider, b.Model, b.Tier = joined(b.Provider, c.Provider), joined(b.Model, c.Model), joined(b.Tier, c.Tier)
	b.AnsweredBy = append(slices.Clip(b.AnsweredBy), c.AnsweredBy...)
	b.Calls, b.Attempts, b.Unpriced, b.Valid = b.Calls+c.Calls, b.Attempts+c.Attempts, b.Unpriced+c.Unpriced, b.Valid+c.Valid
	b.Told, b.InBatch, b.LatencyMS = b.Told+c.Told, b.InBatch+c.InBatch, b.LatencyMS+c.LatencyMS
	b.Tokens.add(c.Tokens)
	b.Open.add(c.Open)
	b.Cost, b.Estimated = b.Cost+c.Cost, b.Estimated+c.Estimated
	b.Latencies = append(b.Latencies, c.Latencies...)
}

// joined adds a name to a list.
func joined(list, name string) string {
	if list == "" || list == name || slices.Contains(strings.Split(list, "; "), name) {
		return cmp.Or(list, name)
	}
	return list + "; " + name
}

// PriceOf is the price of the account's requests, by the standard price of the model.
func (b *CostAccount) PriceOf(standard llm.Price) llm.Price {
	if b.Tier == "batch" {
		return standard.InBatch()
	}
	price, _ := standard.InTier(b.Tier)
	return price
}

// ItemCalls counts results and the calls that they were read from.
type ItemCalls struct{ Items, Calls int }

// CallsOfVerdicts are the verdicts on record that were read from calls, with their calls, by judge.
func (s *Store) CallsOfVerdicts() (map[string]ItemCalls, error) {
	byJudge := map[string]ItemCalls{}
	err := Each(s, `SELECT judge, count(*) AS items, sum(json_array_length(calls)) AS calls FROM verdicts WHERE calls <> '[]' GROUP BY judge`, nil,
		func(of struct {
			Judge string
			ItemCalls
		}) error {
			byJudge[of.Judge] = of.ItemCalls
			return nil
		})
	return byJudge, err
}

// CallCosts are what the attempts at calls have cost, sorted by call.
type CallCosts []callCost

type callCost struct {
	call int64
	cost float64 // infinite where the price is not known
}

// RowCalls are the calls that rows refer to, row by row.
type RowCalls []rowCall

type rowCall struct {
	row  int
	call int64
}

// Add adds a row, given its number and its column calls: a JSON list of ids. Rows are added in turn, each with all its calls
// at once: Each adds up the calls that stand together, in the order in which they were added.
func (r *RowCalls) Add(row int, calls string) {
	for text := range strings.SplitSeq(strings.Trim(calls, `[]`), `,`) {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			*r = append(*r, rowCall{row, id})
		}
	}
}

// Each calls known with what the calls of each row have cost, but for rows for which no attempt was made and those with an
// attempt of unknown price.
func (c CallCosts) Each(rows RowCalls, known func(row int, cost float64)) {
	for len(rows) > 0 {
		row, sum, made := rows[0].row, 0.0, false
		for ; len(rows) > 0 && rows[0].row == row; rows = rows[1:] {
			var cost float64
			at, found := slices.BinarySearchFunc(c, rows[0].call, func(of callCost, id int64) int { return cmp.Compare(of.call, id) })
			for ; at < len(c) && c[at].call == rows[0].call; at++ {
				cost += c[at].cost
			}
			sum, made = sum+cost, made || found
		}
		if made && !math.IsInf(sum, 1) {
			known(row, sum)
		}
	}
}
