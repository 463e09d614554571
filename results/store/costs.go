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
	Kind string // KindAnswer, KindVerdict, KindLabel or KindPreference
	Name string `db:"party"`
}

// Shown returns the party's name for lists that have judges of answers and of summaries.
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
	Tier            string      // "batch", "flex" or "priority" if the attempts had such a price; otherwise ""
	AnsweredBy      []Answering // the models' names as the replies state them
	Calls, Attempts int
	Tokens                  // as far as servers reported them
	Cost            float64 // US dollars, for the attempts with a known price
	Estimated       float64 // the part of Cost that is based on estimated tokens
	Unpriced        int     // number of attempts of unknown price
	MaybePaid       int     // requests that may have been paid but have no recorded attempt: see Unanswered
	MaybeCost       float64 // maximum cost of the requests in MaybePaid, US dollars; not part of Cost

	Told      int     // number of attempts with reported completion tokens
	InBatch   int     // number of attempts in batches
	LatencyMS float64 // sum of latencies over Told attempts outside batches

	Open      Tokens    // tokens of attempts of unknown price
	Valid     int       // valid results about pairs by the party, only in its first account
	Latencies []float64 // ms, of Told attempts for answers outside batches
}

// Tokens are sums over several attempts.
type Tokens struct{ Prompt, Cached, Written, Completion, Reasoning int }

// Usage returns the tokens in the type that prices are computed from.
func (t Tokens) Usage() llm.Usage {
	return llm.Usage{Prompt: &t.Prompt, Cached: &t.Cached, Written: &t.Written, Completion: &t.Completion, Reasoning: &t.Reasoning}
}

func (t *Tokens) add(more Tokens) {
	*t = Tokens{t.Prompt + more.Prompt, t.Cached + more.Cached, t.Written + more.Written, t.Completion + more.Completion,
		t.Reasoning + more.Reasoning}
}

// tierOf is the SQL expression for the price tier of an attempt: batch, flex, priority or "".
const tierOf = `CASE WHEN batch <> '' THEN 'batch' WHEN service_tier IN ('flex', 'priority') THEN service_tier ELSE '' END`

// A payer is the key by which attempts are summed into accounts.
type payer struct{ Kind, Party, Provider, Model, Tier string }

// A paidAttempt has the fields of an attempt that accounts need.
type paidAttempt struct {
	Call                                      int64
	Kind, Party, Provider, Model, Tier        string
	First, Estimated, Told, InBatch, Unpriced bool
	Tokens
	Cost, LatencyMS float64
}

// account returns an account of this attempt alone.
func (a paidAttempt) account() CostAccount {
	account := CostAccount{Provider: a.Provider, Model: a.Model, Tier: a.Tier, Calls: indicator(a.First), Attempts: 1, Tokens: a.Tokens,
		Cost: a.Cost, Told: indicator(a.Told), InBatch: indicator(a.InBatch), Unpriced: indicator(a.Unpriced)}
	if a.Told && !a.InBatch {
		account.LatencyMS = a.LatencyMS
		if a.Kind == KindAnswer {
			account.Latencies = []float64{a.LatencyMS}
		}
	}
	if a.Unpriced {
		account.Open = a.Tokens
	}
	if a.Estimated {
		account.Estimated = a.Cost
	}
	return account
}

func indicator(is bool) int {
	if is {
		return 1
	}
	return 0
}

// CostAccounts returns the cost accounts of a record, sorted by kind, name, provider and model, and the costs of its calls. It adds up the
// attempts by payer, adds unanswered calls, the models' names in replies, and for judges of pairs the number of valid results. Attempts
// without a party are in no account.
func (s *Store) CostAccounts() (accounts []CostAccount, paid CallCosts, err error) {
	entry, err := s.Entries()
	if err != nil {
		return nil, nil, err
	}
	payerOf := func(kind, party, provider, model, tier string) payer {
		if kind == KindPreference {
			party = entry(party)
		}
		return payer{kind, party, provider, model, tier}
	}
	sums := map[payer]*CostAccount{}
	const query = `SELECT call, kind, party, provider, model, ` + tierOf + `, n = 1, estimated <> 0, completion_tokens IS NOT NULL,
		batch <> '',
		cost IS NULL, coalesce(prompt_tokens, 0), coalesce(cached_tokens, 0), coalesce(written_tokens, 0), coalesce(completion_tokens, 0),
		coalesce(reasoning_tokens, 0), coalesce(cost, 0), latency_ms FROM attempts`
	if err := Each(s, query, nil, func(a paidAttempt) error {
		by := payerOf(a.Kind, a.Party, a.Provider, a.Model, a.Tier)
		if sums[by] == nil {
			sums[by] = &CostAccount{Party: Party{by.Kind, by.Party}, Provider: by.Provider, Model: by.Model, Tier: by.Tier}
		}
		sums[by].Add(a.account())
		cost := a.Cost
		if a.Unpriced {
			cost = math.Inf(1)
		}
		paid = append(paid, callCost{a.Call, cost})
		return nil
	}); err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(paid, func(a, b callCost) int { return cmp.Compare(a.call, b.call) })
	unanswered, err := s.Unanswered(false)
	if err != nil {
		return nil, nil, err
	}
	for _, u := range unanswered {
		by := payerOf(u.Kind, u.Name, u.Provider, u.Model, "")
		if sums[by] == nil {
			sums[by] = &CostAccount{Party: Party{by.Kind, by.Party}, Provider: by.Provider, Model: by.Model}
		}
		sums[by].Add(CostAccount{Provider: u.Provider, Model: u.Model, MaybePaid: u.Requests, MaybeCost: u.Cost})
	}
	if err := s.addAnswering(sums, payerOf); err != nil {
		return nil, nil, err
	}
	valid, err := s.validOfPairs(entry)
	if err != nil {
		return nil, nil, err
	}
	for _, by := range slices.SortedFunc(maps.Keys(sums), payer.compare) {
		sum := sums[by]
		if sum.Name == "" {
			continue
		}
		sum.Cost = math.Round(sum.Cost*1e9) / 1e9
		sum.Estimated = math.Round(sum.Estimated*1e9) / 1e9 // removes rounding errors of the sum
		if sum.Kind == KindPreference {
			sum.Valid = valid[sum.Name]
			delete(valid, sum.Name)
		}
		accounts = append(accounts, *sum)
	}
	return accounts, paid, nil
}

func (p payer) compare(other payer) int {
	return cmp.Or(cmp.Compare(p.Kind, other.Kind), cmp.Compare(p.Party, other.Party), cmp.Compare(p.Provider, other.Provider),
		cmp.Compare(p.Model, other.Model), cmp.Compare(p.Tier, other.Tier))
}

// An Answering is a model's name as replies state it, and the number of these replies.
type Answering struct {
	Model   string
	Replies int
}

func (a Answering) String() string { return fmt.Sprintf("%s (%d)", a.Model, a.Replies) }

// addAnswering adds to each account the models' names that its replies state.
func (s *Store) addAnswering(sums map[payer]*CostAccount, payerOf func(kind, party, provider, model, tier string) payer) error {
	return Each(s, `SELECT kind, party, provider, model, `+tierOf+` AS tier, answered_by, count(*) AS count
		FROM attempts WHERE answered_by <> '' GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY count(*) DESC, answered_by`, nil, func(row struct {
		Kind, Party, Provider, Model, Tier, AnsweredBy string
		Count                                          int
	}) error {
		if sum := sums[payerOf(row.Kind, row.Party, row.Provider, row.Model, row.Tier)]; sum != nil {
			sum.AnsweredBy = append(sum.AnsweredBy, Answering{row.AnsweredBy, row.Count})
		}
		return nil
	})
}

// validOfPairs counts the valid results about pairs by judge. A judge's rounds ("NAME#2") count for the judge (see Entries).
func (s *Store) validOfPairs(entry func(judge string) string) (map[string]int, error) {
	valid := map[string]int{}
	const query = `SELECT party, count(*) FROM results WHERE kind IN ('preference', 'sample', 'grade') AND status = 'valid' GROUP BY 1`
	err := Each(s, query, nil, func(row struct {
		Judge string
		Count int
	}) error {
		valid[entry(row.Judge)] += row.Count
		return nil
	})
	return valid, err
}

// Add adds another account of the same party. Different providers, models or tiers are joined to a list.
func (b *CostAccount) Add(c CostAccount) {
	b.Provider, b.Model, b.Tier = joined(b.Provider, c.Provider), joined(b.Model, c.Model), joined(b.Tier, c.Tier)
	b.AnsweredBy = append(slices.Clip(b.AnsweredBy), c.AnsweredBy...)
	b.Calls += c.Calls
	b.Attempts += c.Attempts
	b.Unpriced += c.Unpriced
	b.Valid += c.Valid
	b.Told += c.Told
	b.InBatch += c.InBatch
	b.LatencyMS += c.LatencyMS
	b.Tokens.add(c.Tokens)
	b.Open.add(c.Open)
	b.Cost += c.Cost
	b.Estimated += c.Estimated
	b.MaybePaid += c.MaybePaid
	b.MaybeCost += c.MaybeCost
	b.Latencies = append(b.Latencies, c.Latencies...)
}

// joined adds a name to a list separated by "; ", unless the list has it.
func joined(list, name string) string {
	if list == "" || list == name || slices.Contains(strings.Split(list, "; "), name) {
		return cmp.Or(list, name)
	}
	return list + "; " + name
}

// PriceOf returns the price for the account's tier, given the standard price of the model.
func (b *CostAccount) PriceOf(standard llm.Price) llm.Price {
	if b.Tier == "batch" {
		return standard.InBatch()
	}
	price, _ := standard.InTier(b.Tier)
	return price
}

// ItemCalls counts results and the distinct calls that they were read from. Results with equal prompts share a call.
type ItemCalls struct{ Items, Calls int }

// CallsOfVerdicts returns, by judge, the number of verdicts that were read from calls, and the number of these calls.
func (s *Store) CallsOfVerdicts() (map[string]ItemCalls, error) {
	byJudge := map[string]ItemCalls{}
	err := Each(s, `SELECT judge, count(DISTINCT answer || repeat), count(DISTINCT value)
		FROM verdicts, json_each(verdicts.calls) GROUP BY judge`,
		nil, func(row struct {
			Judge string
			ItemCalls
		}) error {
			byJudge[row.Judge] = row.ItemCalls
			return nil
		})
	return byJudge, err
}

// CallCosts are the costs of all attempts, sorted by call.
type CallCosts []callCost

type callCost struct {
	call int64
	cost float64 // infinite if the price is unknown
}

// RowCalls lists which calls each row (such as a verdict) was read from, row by row.
type RowCalls []rowCall

type rowCall struct {
	row  int
	call int64
}

// Add adds a row by its number, with the ids of its calls as a JSON list. Add each row once, because CallCosts.Each sums neighbouring
// calls of equal row numbers.
func (r *RowCalls) Add(row int, calls string) {
	for text := range strings.SplitSeq(strings.Trim(calls, `[]`), `,`) {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			*r = append(*r, rowCall{row, id})
		}
	}
}

// By groups the calls by the owner of each row, such as its judge. In the result, row numbers are owners, and each owner has a call only
// once.
func (r RowCalls) By(owner func(row int) int) RowCalls {
	owned := make(RowCalls, len(r))
	for i, c := range r {
		owned[i] = rowCall{owner(c.row), c.call}
	}
	slices.SortFunc(owned, func(a, b rowCall) int { return cmp.Or(a.row-b.row, cmp.Compare(a.call, b.call)) })
	return slices.Compact(owned)
}

// Each calls known with the cost of each row, the sum over its calls. It skips rows without any attempt and rows with an attempt of
// unknown price.
func (c CallCosts) Each(rows RowCalls, known func(row int, cost float64)) {
	for len(rows) > 0 {
		row := rows[0].row
		sum := 0.0
		made := false
		for ; len(rows) > 0 && rows[0].row == row; rows = rows[1:] {
			var cost float64
			index, found := slices.BinarySearchFunc(c, rows[0].call, func(cost callCost, id int64) int { return cmp.Compare(cost.call, id) })
			for ; index < len(c) && c[index].call == rows[0].call; index++ {
				cost += c[index].cost
			}
			sum += cost
			made = made || found
		}
		if made && !math.IsInf(sum, 1) {
			known(row, sum)
		}
	}
}
