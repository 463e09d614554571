package store

import (
	"slices"

	"compqa/llm"
)

// A SheetKey identifies a verdict.
type SheetKey struct {
	Judge, Answer string
	Repeat        int
}

// PeoplesOrigins returns, by verdict, the import that each verdict of a person came with.
func (s *Store) PeoplesOrigins() (map[SheetKey]string, error) {
	origins := map[SheetKey]string{}
	err := Each(s, `SELECT judge, answer, repeat, origin FROM verdicts WHERE judge = 'human' OR judge LIKE 'human:%'`, nil, func(row struct {
		SheetKey
		Origin string
	}) error {
		origins[row.SheetKey] = row.Origin
		return nil
	})
	return origins, err
}

// A PaidAttempt is an attempt with its usage and costs, as they are recorded.
type PaidAttempt struct {
	ID              int64
	Party           string
	Provider, Model string
	InBatch         bool
	ServiceTier     string
	Estimated       bool
	Cost            float64 // US dollars
	llm.Usage
}

// EachPaid calls do for every attempt with known costs.
func (s *Store) EachPaid(do func(PaidAttempt) error) error {
	return Each(s, `SELECT id, party, provider, model, batch <> '' AS in_batch, service_tier, estimated, cost,
		prompt_tokens, cached_tokens, written_tokens, completion_tokens, reasoning_tokens
		FROM attempts WHERE cost IS NOT NULL ORDER BY id`, nil, do)
}

// Runs returns the provenance of all runs of the record, the latest first.
func (s *Store) Runs() ([]Provenance, error) {
	return Select[Provenance](s, `SELECT `+Columns[Provenance]()+` FROM run ORDER BY id DESC`)
}

// OnRecord returns the number of recorded results of a kind (KindAnswer, KindVerdict, …), planned or not.
func (s *Store) OnRecord(kind string) (int, error) {
	k := Kinds[slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == kind })]
	return Value[int](s, `SELECT count(*) FROM `+k.View)
}
