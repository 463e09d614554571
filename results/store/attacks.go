package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"

	"compqa/data"
)

// An AttackedAnswer is one judge's total for an answer before and after an attack on it.
type AttackedAnswer struct {
	Judge, Attack, About string
	Position             int    // of the attack in tables
	Expects              string // what the score should do: fall, not rise or stay
	Answer, Pair         string
	Before, After        float64 // points
}

// OfDatasheet is the work of attacks that `compqa datasheet` has recorded; its own record has the replies.
const OfDatasheet = "datasheet"

// SetAttacks replaces the recorded attacks on a run's own judges; work is a hash of the judges and of the answers that they are
// drawn from.
func (b Batch) SetAttacks(work string, answers []AttackedAnswer) error {
	b.tx.do(`DELETE FROM attacks WHERE work <> ?`, OfDatasheet)
	for _, a := range answers {
		put(b, "attacks", a, "work", work)
	}
	return b.tx.failed
}

// SetDatasheet replaces what a datasheet has recorded of a judge.
func (b Batch) SetDatasheet(judge string, answers []AttackedAnswer) error {
	b.tx.do(`DELETE FROM attacks WHERE judge = ? AND work = ?`, judge, OfDatasheet)
	for _, a := range answers {
		put(b, "attacks", a, "work", OfDatasheet)
	}
	return b.tx.failed
}

// DatasheetWork counts, by judge, the attacks that datasheets have recorded.
func (s *Store) DatasheetWork() (map[string]int, error) {
	counts := map[string]int{}
	return counts, Each(s, `SELECT judge, count(*) AS n FROM attacks WHERE work = ?1 GROUP BY judge`, []any{OfDatasheet},
		func(row struct {
			Judge string
			N     int
		}) error {
			counts[row.Judge] = row.N
			return nil
		})
}

// AnswerWork returns the planned cells of answers, each with the number of its valid ones.
func (s *Store) AnswerWork() (list []string, err error) {
	return Select[string](s, `SELECT system || char(0) || scenario || char(0) || fingerprint || char(0) || work || char(0) ||
		(SELECT count(*) FROM answers a WHERE a.system = p.system AND a.scenario = p.scenario AND a.status = 'valid')
		FROM plan p WHERE kind = 'answer' AND active ORDER BY system, scenario`)
}

// AttackWork returns the hash of what the recorded attacks depend on, "" if there are none.
func (s *Store) AttackWork() (string, error) {
	return Value[string](s, `SELECT coalesce(min(work), '') FROM attacks WHERE work <> 'datasheet'`)
}

// SomeAnswers returns at most n planned valid answers: those with the smallest hashes of
// seed and id, so the same record gives the same answers.
func (s *Store) SomeAnswers(n int, seed int64) ([]data.Answer, error) {
	return s.drawn(n, seed, `SELECT r.id FROM `+Planned(KindAnswer)+` WHERE r.status = 'valid' AND trim(text) <> ''`)
}

// AttackedAnswers returns the answers with recorded attacks, in the order in which SomeAnswers had them.
func (s *Store) AttackedAnswers(seed int64) ([]data.Answer, error) {
	return s.drawn(math.MaxInt, seed, `SELECT DISTINCT answer FROM attacks WHERE work <> 'datasheet'`)
}

// drawn returns at most n of the answers that a query names.
func (s *Store) drawn(n int, seed int64, query string) ([]data.Answer, error) {
	ids, err := Select[string](s, query)
	for i, id := range ids {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, id))
		ids[i] = string(sum[:]) + id
	}
	slices.Sort(ids)
	var some []data.Answer
	for _, id := range ids[:min(n, len(ids))] {
		a, _, failed := s.Answer(id[sha256.Size:])
		err = errors.Join(err, failed)
		some = append(some, a)
	}
	return some, err
}
