package store

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"compqa/data"
)

// An AttackedAnswer is one judge's total for an answer before and after an attack
// on it.
type AttackedAnswer struct {
	Judge, Attack, About string
	Position             int  // of the attack in tables
	Spoils               bool // the attack makes the answer worse, so its score should fall
	Answer, Pair         string
	Before, After        float64 // points
}

// SetAttacks replaces the recorded attacks; work is a hash of the judges.
func (b Batch) SetAttacks(work string, answers []AttackedAnswer) error {
	if err := b.tx.do(`DELETE FROM attacks`); err != nil {
		return err
	}
	for _, a := range answers {
		if err := b.tx.put("attacks", "judge, attack, position, about, spoils, answer, pair, before, after, work",
			a.Judge, a.Attack, a.Position, a.About, a.Spoils, a.Answer, a.Pair, a.Before, a.After, work); err != nil {
			return fmt.Errorf("recording attacks: %w", err)
		}
	}
	return nil
}

// AttackWork is the hash of the judges with recorded attacks, "" if there are none.
func (s *Store) AttackWork() (string, error) {
	var work sql.NullString
	err := s.Db.QueryRow(`SELECT min(work) FROM attacks`).Scan(&work)
	return work.String, WrapDBError("reading", s.Path, err)
}

// SomeAnswers are at most n planned valid answers: those with the smallest hashes of
// seed and id, so the same record gives the same answers.
func (s *Store) SomeAnswers(n int, seed int64) ([]data.Answer, error) {
	ids, err := Query(s, `SELECT a.id FROM answers a JOIN plan p ON p.kind = 'answer' AND p.judge = '' AND p.system = a.system
		AND p.scenario = a.scenario AND p.active
		WHERE a.status = 'valid' AND trim(text) <> ''`, nil, func(id *string) []any { return []any{id} })
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
