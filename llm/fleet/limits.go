package fleet

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"compqa/llm"
	"compqa/llm/limits"
)

// A share is a worker's part of a provider's limits of requests and tokens per minute. It uses the generic cell rate algorithm: a row in
// fleet_limits has the time at which the next request is due, and each request moves this time on.
type share struct {
	pool     *pgxpool.Pool
	key      string
	rpm, tpm int
}

// newShare returns a worker's share of a provider's limits. Workers with the same address and key share the limits.
func newShare(pool *pgxpool.Pool, sealer sealer, p llm.Provider, getenv func(string) string) *share {
	secret := p.BaseURL + strings.Join(p.BaseURLs, "\n") + "\n" + getenv(p.APIKeyEnv)
	return &share{pool: pool, key: p.Label() + "-" + sealer.identity(secret), rpm: p.RPM, tpm: p.TPM}
}

// wait waits until a request with this number of tokens may be sent.
func (s *share) wait(ctx context.Context, tokens int) error {
	for _, limit := range []struct {
		column  string
		most, n int
	}{{"requests", s.rpm, 1}, {"tokens", s.tpm, min(tokens, s.tpm)}} {
		if limit.most == 0 {
			continue
		}
		due, err := s.reserve(ctx, limit.column, limit.most, limit.n)
		if err != nil {
			return err
		}
		if err := limits.Sleep(ctx, due); err != nil {
			return err
		}
	}
	return nil
}

// reserve reserves n of at most most per minute, and returns the time until they are due. One second's share may be used at once.
func (s *share) reserve(ctx context.Context, column string, most, n int) (time.Duration, error) {
	burst := max(1, most/60)
	each := time.Minute / time.Duration(max(1, most-burst))
	query := strings.ReplaceAll(`INSERT INTO fleet_limits (key, LIMIT) VALUES ($1, now() - $2::interval + $3::interval)
		ON CONFLICT (key) DO UPDATE SET LIMIT = greatest(fleet_limits.LIMIT, now() - $2::interval) + $3::interval
		RETURNING extract(epoch FROM LIMIT - $3::interval - now())`, "LIMIT", column)
	for {
		var wait float64
		err := s.pool.QueryRow(ctx, query, s.key, time.Duration(burst-1)*each, time.Duration(n)*each).Scan(&wait)
		if err == nil {
			return time.Duration(wait * float64(time.Second)), nil
		}
		if err := limits.Sleep(ctx, time.Second); err != nil { // the database does not answer
			return 0, err
		}
	}
}
