package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"

	"compqa/data"
)

// An AttackedAnswer is one judge's total for an answer before and after an attack, a change that should move the score in a known
// direction.
type AttackedAnswer struct {
	Judge, Attack, About string
	Position             int    // place of the attack in tables
	Expects              string // what the score should do: "fall", "not rise" or "stay"
	Answer, Pair         string
	Before, After        float64 // the judge's total, in points
}

// OfDatasheet is the value of the column work for attacks recorded by `compqa datasheet`. The datasheet's own record has the replies.
const OfDatasheet = "datasheet"

// SetAttacks replaces the recorded attacks on a run's own judges. work is a hash of the judges and of the answers from which the attacked
// answers were drawn.
func (b Batch) SetAttacks(work string, answers []AttackedAnswer) error {
	b.tx.do(`DELETE FROM attacks WHERE work <> ?`, OfDatasheet)
	for _, a := range answers {
		put(b, "attacks", a, "work", work)
	}
	return b.tx.failed
}

// SetDatasheet replaces the attacks that `compqa datasheet` recorded for a judge.
func (b Batch) SetDatasheet(judge string, answers []AttackedAnswer) error {
	b.tx.do(`DELETE FROM attacks WHERE judge = ? AND work = ?`, judge, OfDatasheet)
	for _, a := range answers {
		put(b, "attacks", a, "work", OfDatasheet)
	}
	return b.tx.failed
}

// DatasheetWork returns, by judge, the number of attacks that `compqa datasheet` recorded.
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

// AnswerWork returns one text for each planned cell of answers: system, scenario, fingerprint, work and the number of valid answers,
// separated by zero bytes.
func (s *Store) AnswerWork() (list []string, err error) {
	return Select[string](s, `SELECT system || char(0) || scenario || char(0) || fingerprint || char(0) || work || char(0) ||
		(SELECT count(*) FROM answers a WHERE a.system = p.system AND a.scenario = p.scenario AND a.status = 'valid')
		FROM plan p WHERE kind = 'answer' AND active ORDER BY system, scenario`)
}

// AttackWork returns the hash with which SetAttacks recorded the attacks, or "" if there are none.
func (s *Store) AttackWork() (string, error) {
	return Value[string](s, `SELECT coalesce(min(work), '') FROM attacks WHERE work <> 'datasheet'`)
}

// SomeAnswers returns at most n planned, valid, non-empty answers, drawn at random. The same record and seed always give the same answers.
func (s *Store) SomeAnswers(n int, seed int64) ([]data.Answer, error) {
	return s.drawn(n, seed, `SELECT r.id FROM `+Planned(KindAnswer)+` WHERE r.status = 'valid' AND trim(text) <> ''`)
}

// AttackedAnswers returns the answers with recorded attacks, in the order of SomeAnswers with the same seed.
func (s *Store) AttackedAnswers(seed int64) ([]data.Answer, error) {
	return s.drawn(math.MaxInt, seed, `SELECT DISTINCT answer FROM attacks WHERE work <> 'datasheet'`)
}

// drawn returns n of the answers whose ids a query selects, or all if there are fewer: those with the smallest hashes of seed and id.
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
