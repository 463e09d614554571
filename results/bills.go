package results

import (
	"cmp"
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
	paid := newPayments()
	if err := s.readAttempts("attempts", paid); err != nil {
		return nil, err
	}
	return paid.sortedBills(), nil
}

// payments are what attempts have cost, by payer and by call.
type payments struct {
	bills map[string]*Bill
	costs callCosts
}

func newPayments() *payments { return &payments{bills: map[string]*Bill{}} }

// An attemptRow is what is read of an attempt to add up what was paid.
type attemptRow struct {
	first, estimated, inBatch             bool
	prompt, cached, completion, reasoning int
	told                                  bool // how many tokens the completion has
	cost                                  float64
	priced                                bool
	latencyMS                             float64
}

// readAttempts adds up what attempts have cost: all, or those of a part of the table.
// They are read in one go, in the order of the table: a look for each row that names
// a call would take longer than all the rest of a report.
func (s *Store) readAttempts(part string, paid *payments) error {
	noted, err := hasColumn(s.db, "attempts", "party")
	if err != nil {
		return err
	}
	// Flags in a number: 1 estimated, 2 in a batch, 4 the first attempt of its call.
	texts, flags := asOne("call", "''", "''", "''", "''"), `4 * (n = 1)`
	if noted {
		texts, flags = asOne(readAsOne["attempts"]...), flags+` + (estimated <> 0) + 2 * (batch <> '')`
	}
	parts := make([]string, len(readAsOne["attempts"]))
	return s.walk(`SELECT `+texts+`, `+flags+`, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost, latency_ms FROM `+part, func(found *foundRow) error {
		call, of, _ := strings.Cut(found.text(0), joint)
		b := paid.bills[of]
		if b == nil {
			found.texts(0, parts)
			of = strings.Clone(of)
			b = &Bill{Payer: Payer{strings.Clone(parts[1]), strings.Clone(parts[2])}, Provider: strings.Clone(parts[3]), Model: strings.Clone(parts[4])}
			paid.bills[of] = b
		}
		flags := found.whole(1)
		a := attemptRow{estimated: flags&1 != 0, inBatch: flags&2 != 0, first: flags&4 != 0, latencyMS: found.real(7)}
		a.prompt, _ = found.wholeOr0(2)
		a.cached, _ = found.wholeOr0(3)
		a.completion, a.told = found.wholeOr0(4)
		a.reasoning, _ = found.wholeOr0(5)
		a.cost, a.priced = found.realOr0(6)
		b.enter(a)
		paid.costs.add(call, a.cost, a.priced)
		return nil
	})
}

func (b *Bill) enter(a attemptRow) {
	b.Attempts++
	if a.first {
		b.Calls++
	}
	tokens := Tokens{a.prompt, a.cached, a.completion, a.reasoning}
	b.Prompt, b.Cached, b.Completion, b.Reasoning = b.Prompt+tokens.Prompt, b.Cached+tokens.Cached, b.Completion+tokens.Completion, b.Reasoning+tokens.Reasoning
	if a.priced {
		b.Cost += a.cost
		if a.estimated {
			b.Estimated += a.cost
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
