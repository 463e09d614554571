package results

import (
	"database/sql"
	"math"
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
	if known, err := hasColumn(s.db, "attempts", "party"); err != nil || !known {
		return nil, err
	}
	var bills []Bill
	err := s.each(`SELECT kind, party, provider, model, sum(n = 1), count(*),
			total(prompt_tokens), total(cached_tokens), total(completion_tokens), total(reasoning_tokens),
			total(cost), total(CASE WHEN estimated THEN cost END), count(*) - count(cost),
			count(completion_tokens), sum(batch <> ''), total(CASE WHEN completion_tokens IS NOT NULL AND batch = '' THEN latency_ms END),
			total(CASE WHEN cost IS NULL THEN prompt_tokens END), total(CASE WHEN cost IS NULL THEN cached_tokens END),
			total(CASE WHEN cost IS NULL THEN completion_tokens END), total(CASE WHEN cost IS NULL THEN reasoning_tokens END)
		FROM attempts WHERE party <> '' GROUP BY kind, party, provider, model ORDER BY kind, party, provider, model`, nil, func(rows *sql.Rows) error {
		var b Bill
		var sums [8]float64
		err := rows.Scan(&b.Kind, &b.Name, &b.Provider, &b.Model, &b.Calls, &b.Attempts,
			&sums[0], &sums[1], &sums[2], &sums[3], &b.Cost, &b.Estimated, &b.Unpriced, &b.Told, &b.InBatch, &b.LatencyMS,
			&sums[4], &sums[5], &sums[6], &sums[7])
		b.Prompt, b.Cached, b.Completion, b.Reasoning = int(sums[0]), int(sums[1]), int(sums[2]), int(sums[3])
		b.Cost, b.Estimated = math.Round(b.Cost*1e9)/1e9, math.Round(b.Estimated*1e9)/1e9 // what adding many up has left
		b.Open = Tokens{int(sums[4]), int(sums[5]), int(sums[6]), int(sums[7])}
		bills = append(bills, b)
		return err
	})
	return bills, err
}
