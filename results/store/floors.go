package store

import (
	"database/sql/driver"
	"fmt"
	"strings"

	"modernc.org/sqlite"

	"compqa/data"
	"compqa/stats"
)

// Preferences of baselines (data.FloorChoice) are not recorded: queries compute them from the planned pairs. Records of earlier versions
// have such rows, which tables ignore.

// init registers two SQL functions. floor_choice(method, seed, pair, order, words of A, words of B) is the choice of a baseline in an
// order. order_at_random(pair, seed) is the order in which a baseline judges a pair if it judges it only once.
func init() {
	sqlite.MustRegisterDeterministicScalarFunction("floor_choice", 6, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value,
		error) {
		var method, id, order string
		var seed, wordsA, wordsB int64
		if err := arguments(args, &method, &seed, &id, &order, &wordsA, &wordsB); err != nil {
			return nil, err
		}
		if order == data.OrderBA {
			wordsA, wordsB = wordsB, wordsA
		}
		choice := data.FloorChoice(method, int(wordsA), int(wordsB), func() int {
			return stats.NewRNG(uint64(seed), strings.Join([]string{"pairwise", data.FloorRandom, id, order}, "\x00")).Intn(2)
		})
		return string(choice.In(order)), nil
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

// floorPreferences is a query that computes the preferences of baselines, as rows of the view preferences. A baseline judges all pairs of
// a set in the planned orders. If fewer preferences are planned than both orders of all pairs need, each pair is judged in one order,
// drawn by hash.
const floorPreferences = `SELECT q.id, p.judge, p.method, p."order", '' AS fingerprint, 'valid' AS status, '' AS reason,
	floor_choice(p.method, s.seed, q.id, p."order", q.words_a, q.words_b) AS choice, '[]' AS calls, '' AS rationale, '{}' AS detail
	FROM parties j JOIN plan p ON p.kind = 'preference' AND p.judge = j.name AND p.method = j.method AND p.active
	JOIN (SELECT judge, method, dataset, count(*) AS orders, sum(planned) AS planned FROM plan
		WHERE kind = 'preference' AND active GROUP BY 1, 2, 3) t
		ON t.judge = p.judge AND t.method = p.method AND t.dataset = p.dataset
	JOIN (SELECT dataset, count(*) AS pairs FROM pairs WHERE active GROUP BY 1) n ON n.dataset = p.dataset
	JOIN (SELECT seed FROM run WHERE part = 'pairs' ORDER BY id DESC LIMIT 1) s
	JOIN pairs q ON q.dataset = p.dataset AND q.active
	WHERE j.role = 'pairwise' AND j.kind = 'floor' AND (t.orders = 1 OR t.planned > n.pairs
		OR order_at_random(coalesce(nullif(q.base, ''), q.id), s.seed) = p."order")`
