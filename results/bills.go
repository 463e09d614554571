package results

import (
	"cmp"
	"database/sql"
	"math"
	"slices"
)

// A Payer is a system or a judge whose calls cost something. A call that several
// would make is paid for by whoever asked first.
type Payer struct {
	Kind string // KindAnswer or KindVerdict
	Name string
}

// A Bill is what the attempts of one payer at one model came to, retries, repairs
// and failures included. It is the record's, whatever became of the answers and
// verdicts since.
type Bill struct {
	Payer
	Provider, Model                       string
	Calls, Attempts                       int
	Prompt, Cached, Completion, Reasoning int     // tokens, as far as told
	Cost                                  float64 // US dollars, of the attempts with a known price
	Estimated                             float64 // of this, by an estimate of the tokens
	Unpriced                              int     // attempts that have no known price

	Told      int     // attempts with a reply whose tokens are told
	InBatch   int     // attempts in batches
	LatencyMS float64 // sum over those that are told and not in a batch
	Open      Tokens  // of attempts without a known price
}

// Tokens are sums over several attempts.
type Tokens struct{ Prompt, Cached, Completion, Reasoning int }

// Bills are those of a record, sorted by kind, name, provider and model. Attempts
// that a program made which did not note whose they were are left out.
func (s *Store) Bills() ([]Bill, error) {
	paid := newPayments()
	if err := s.readAttempts(paid); err != nil {
		return nil, err
	}
	return paid.sortedBills(), nil
}

// payments are what attempts have cost, by payer and by call.
type payments struct {
	bills map[[4]string]*Bill
	costs callCosts
}

func newPayments() *payments { return &payments{bills: map[[4]string]*Bill{}, costs: callCosts{}} }

// An attemptRow is what is read of an attempt to add up what was paid.
type attemptRow struct {
	Tokens
	first, estimated, inBatch bool
	told                      bool     // the server reported the completion's tokens
	cost                      *float64 // nil: no price is known
	latencyMS                 float64
}

// readAttempts adds up what attempts have cost.
func (s *Store) readAttempts(paid *payments) error {
	query := `SELECT call, n, kind, party, provider, model, estimated, batch <> '', prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost, latency_ms FROM attempts`
	return s.each(query, nil, func(rows *sql.Rows) error {
		var call string
		var n int
		var b Bill
		var a attemptRow
		var prompt, cached, completion, reasoning *int
		if err := rows.Scan(&call, &n, &b.Kind, &b.Name, &b.Provider, &b.Model, &a.estimated, &a.inBatch, &prompt, &cached, &completion, &reasoning, &a.cost, &a.latencyMS); err != nil {
			return err
		}
		a.first, a.told = n == 1, completion != nil
		a.Tokens = Tokens{orZero(prompt), orZero(cached), orZero(completion), orZero(reasoning)}
		of := [4]string{b.Kind, b.Name, b.Provider, b.Model}
		if paid.bills[of] == nil {
			paid.bills[of] = &b
		}
		paid.bills[of].enter(a)
		paid.costs.add(call, a.cost)
		return nil
	})
}

func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func (b *Bill) enter(a attemptRow) {
	b.Attempts++
	if a.first {
		b.Calls++
	}
	tokens := a.Tokens
	b.Prompt, b.Cached, b.Completion, b.Reasoning = b.Prompt+tokens.Prompt, b.Cached+tokens.Cached, b.Completion+tokens.Completion, b.Reasoning+tokens.Reasoning
	if a.cost != nil {
		b.Cost += *a.cost
		if a.estimated {
			b.Estimated += *a.cost
		}
	} else {
		b.Unpriced++
		b.Open = Tokens{b.Open.Prompt + tokens.Prompt, b.Open.Cached + tokens.Cached, b.Open.Completion + tokens.Completion, b.Open.Reasoning + tokens.Reasoning}
	}
	if a.told {
		b.Told++
	}
	if a.inBatch {
		b.InBatch++
	} else if a.told {
		b.LatencyMS += a.latencyMS
	}
}

func (p *payments) sortedBills() []Bill {
	var bills []Bill
	for _, b := range p.bills {
		if b.Name != "" {
			b.Cost, b.Estimated = math.Round(b.Cost*1e9)/1e9, math.Round(b.Estimated*1e9)/1e9 // what adding many up has left
			bills = append(bills, *b)
		}
	}
	slices.SortFunc(bills, func(a, b Bill) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Model, b.Model))
	})
	return bills
}
