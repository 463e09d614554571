package results

import (
	"cmp"
	"database/sql"
	"math"
	"slices"
	"strings"
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
	bills, _, err := s.readAttempts()
	return bills, err
}

// An attemptRow is what is read of an attempt to add up what was paid.
type attemptRow struct {
	first, estimated, inBatch             bool
	prompt, cached, completion, reasoning sql.NullInt64
	cost                                  sql.NullFloat64
	latencyMS                             float64
}

// readAttempts adds up what all attempts have cost, by payer and by call; the
// latter is nil where no cost is known. They are read in one go, in the order of
// the table: SQLite would sort them first, and a look for each row that names a
// call would take longer than all the rest of a report.
func (s *Store) readAttempts() ([]Bill, *callCosts, error) {
	noted, err := hasColumn(s.db, "attempts", "party")
	if err != nil {
		return nil, nil, err
	}
	payer := `'', 0, 0`
	if noted {
		payer = `kind || char(31) || party || char(31) || provider || char(31) || model, estimated, batch <> ''`
	}
	bills, costs := map[string]*Bill{}, &callCosts{}
	var call, of sql.RawBytes
	var a attemptRow
	into := []any{&call, &of, &a.estimated, &a.inBatch, &a.first, &a.prompt, &a.cached, &a.completion, &a.reasoning, &a.cost, &a.latencyMS}
	err = s.each(`SELECT call, `+payer+`, n = 1, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost, latency_ms FROM attempts ORDER BY call, n`, nil, func(rows *sql.Rows) error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		costs.add(call, a.cost)
		b := bills[string(of)]
		if b == nil {
			b = newBill(string(of))
			bills[string(of)] = b
		}
		b.enter(a)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return sortedBills(bills), costs.sealed(), nil
}

// newBill is an empty bill; payer is kind, name, provider and model.
func newBill(payer string) *Bill {
	of := strings.SplitN(payer+strings.Repeat("\x1f", 3), "\x1f", 5)
	return &Bill{Payer: Payer{of[0], of[1]}, Provider: of[2], Model: of[3]}
}

func (b *Bill) enter(a attemptRow) {
	b.Attempts++
	if a.first {
		b.Calls++
	}
	tokens := Tokens{int(a.prompt.Int64), int(a.cached.Int64), int(a.completion.Int64), int(a.reasoning.Int64)}
	b.Prompt, b.Cached, b.Completion, b.Reasoning = b.Prompt+tokens.Prompt, b.Cached+tokens.Cached, b.Completion+tokens.Completion, b.Reasoning+tokens.Reasoning
	if a.cost.Valid {
		b.Cost += a.cost.Float64
		if a.estimated {
			b.Estimated += a.cost.Float64
		}
	} else {
		b.Unpriced++
		b.Open = Tokens{b.Open.Prompt + tokens.Prompt, b.Open.Cached + tokens.Cached, b.Open.Completion + tokens.Completion, b.Open.Reasoning + tokens.Reasoning}
	}
	if a.completion.Valid {
		b.Told++
	}
	if a.inBatch {
		b.InBatch++
	} else if a.completion.Valid {
		b.LatencyMS += a.latencyMS
	}
}

func sortedBills(of map[string]*Bill) []Bill {
	var bills []Bill
	for _, b := range of {
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
