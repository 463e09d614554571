package store

import (
	"database/sql/driver"
	"fmt"
	"strings"

	"modernc.org/sqlite"

	"compqa/data"
	"compqa/stats"
)

// Preferences of baselines (data.FloorChoice) are not recorded: they are computed from the planned pairs. Records of earlier versions
// have such rows, which tables ignore.

// init registers two SQL functions. floor_choice(method, seed, pair, order, words of A, words of B) is the choice of a baseline in an
// order. order_at_random(pair, seed) is the order in which a baseline judges a pair if it judges it only once.
func init() {
	sqlite.MustRegisterDeterministicScalarFunction("floor_choice", 6, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value,
		error) {
		var id string
		var c FloorCell
		var wordsA, wordsB int64
		if err := arguments(args, &c.Method, &c.Seed, &id, &c.Order, &wordsA, &wordsB); err != nil {
			return nil, err
		}
		return string(c.Choice(id, int(wordsA), int(wordsB))), nil
	})
	sqlite.MustRegisterDeterministicScalarFunction("order_at_random", 2, func(_ *sqlite.FunctionContext,
		args []driver.Value) (driver.Value, error) {
		var id string
		var seed int64
		err := arguments(args, &id, &seed)
		return data.OrderAtRandom(id, seed), err
	})
}

// arguments stores the arguments of an SQL function, texts and integers, in places. It returns an error for other types, which a record
// from a stranger may have.
func arguments(args []driver.Value, places ...any) error {
	for i, place := range places {
		is := false
		switch place := place.(type) {
		case *string:
			*place, is = args[i].(string)
		case *int64:
			*place, is = args[i].(int64)
		}
		if !is {
			return fmt.Errorf("%v is no argument of a baseline of pairs", args[i])
		}
	}
	return nil
}

// isFloor returns the SQL condition that the judge of a row (given by its alias) is a baseline of pairs.
func isFloor(row string) string {
	return `EXISTS (SELECT 1 FROM parties WHERE role = 'pairwise' AND kind = 'floor'
		AND name = ` + row + `.judge AND method = ` + row + `.method)`
}

// A FloorCell is a planned cell of a baseline of pairs.
type FloorCell struct {
	Judge, Method, Dataset, Order string
	Seed                          int64
	Every                         bool // whether it judges every pair
}

// Judges reports whether the baseline judges a pair in the order of the cell. pair is the original of a pair with a bias.
func (c FloorCell) Judges(pair string) bool {
	return c.Every || data.OrderAtRandom(pair, c.Seed) == c.Order
}

// Choice returns the choice of the baseline on a pair.
func (c FloorCell) Choice(pair string, wordsA, wordsB int) data.Choice {
	if c.Order == data.OrderBA {
		wordsA, wordsB = wordsB, wordsA
	}
	return data.FloorChoice(c.Method, wordsA, wordsB, func() int {
		return stats.NewRNG(uint64(c.Seed), strings.Join([]string{"pairwise", data.FloorRandom, pair, c.Order}, "\x00")).Intn(2)
	}).In(c.Order)
}

// floorCells is a query for FloorCells. A baseline judges all pairs of a set in the planned orders. If fewer preferences are planned than
// both orders of all pairs need, each pair is judged in one order, drawn by hash.
const floorCells = `SELECT p.judge, p.method, p.dataset, p."order", s.seed, t.orders = 1 OR t.planned > n.pairs AS every
	FROM parties j JOIN plan p ON p.kind = 'preference' AND p.judge = j.name AND p.method = j.method AND p.active
	JOIN (SELECT judge, method, dataset, count(*) AS orders, sum(planned) AS planned FROM plan
		WHERE kind = 'preference' AND active GROUP BY 1, 2, 3) t
		ON t.judge = p.judge AND t.method = p.method AND t.dataset = p.dataset
	JOIN (SELECT dataset, count(*) AS pairs FROM pairs WHERE active GROUP BY 1) n ON n.dataset = p.dataset
	JOIN (SELECT seed FROM run WHERE part = 'pairs' ORDER BY id DESC LIMIT 1) s
	WHERE j.role = 'pairwise' AND j.kind = 'floor'`

// FloorCells returns the planned cells of the baselines of pairs.
func (s *Store) FloorCells() ([]FloorCell, error) { return Select[FloorCell](s, floorCells) }

// floorPreferences is a query that computes the preferences of baselines, as rows of the view preferences.
const floorPreferences = `SELECT q.id, c.judge, c.method, c."order", '' AS fingerprint, 'valid' AS status, '' AS reason,
	floor_choice(c.method, c.seed, q.id, c."order", q.words_a, q.words_b) AS choice, '[]' AS calls, '' AS rationale, '{}' AS detail
	FROM (` + floorCells + `) c JOIN pairs q ON q.dataset = c.dataset AND q.active
	WHERE c.every OR order_at_random(coalesce(nullif(q.base, ''), q.id), c.seed) = c."order"`
