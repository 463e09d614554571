package store

import (
	"fmt"
	"strconv"
	"strings"

	"compqa/data"
)

// RunSet is the name of the set of pairs made from a run's own answers.
const RunSet = "run"

// HasPairs reports whether the record has pairs.
func (s *Store) HasPairs() (bool, error) {
	_, has, err := First[int](s, `SELECT 1 FROM run WHERE part = 'pairs'`)
	return has, err
}

// A PairSet is a set of pairs that the tables show together.
type PairSet struct {
	Name        string
	Source      string    // where the pairs are from, in words
	Base        string    // the set whose answers were changed to make this one, to test judges for a bias; or ""
	Bias        string    // the name of the bias, or ""
	Adversarial bool      // a biased judge would choose against people's choice
	Margin      *float64  // people's preference is a tie up to this difference in points; nil: the file has the labels
	First       int       // maximum number of the run's own pairs, including pairs with an invalid answer; 0: no maximum
	Pairs       []SetPair `db:"-"`
}

// A SetPair is a pair in a set.
type SetPair struct {
	data.Pair
	WordsA, WordsB int
	Base           string // the pair that was changed to make this one, or ""
}

// Round returns the name of a judge's repeated round of choices: "NAME#2" for the second.
func Round(judge string, round int) string { return fmt.Sprintf("%s#%d", judge, round) }

// BaseOf splits the name of a round: "NAME#2" gives NAME and 2. Any other name gives itself and 1.
func BaseOf(name string) (judge string, round int) {
	index := strings.LastIndexByte(name, '#')
	if n, err := strconv.Atoi(name[index+1:]); index > 0 && err == nil && n > 1 {
		return name[:index], n
	}
	return name, 1
}

// Entries returns a function that maps the name of a round ("NAME#2") to the recorded judge of pairs (NAME), and any other name to itself.
func (s *Store) Entries() (func(judge string) string, error) {
	names, err := Select[string](s, `SELECT name FROM parties WHERE role = ?`, RolePairwise)
	known := data.Among(names)
	return func(judge string) string {
		if base, _ := BaseOf(judge); known[base] {
			return base
		}
		return judge
	}, err
}

// PairSets records sets of pairs. A pair that has left its set stays on record but is not in the tables. The texts of answers that
// the record has are not stored again.
func (b Batch) PairSets(sets []PairSet) error {
	for i, set := range sets {
		put(b, "sets", set, "position", i)
		b.tx.do(`UPDATE pairs SET active = 0 WHERE dataset = ?`, set.Name)
		for k, p := range set.Pairs {
			if err := b.pair(set.Name, k, p); err != nil {
				return fmt.Errorf("recording pair %s: %w", p.ID, err)
			}
		}
	}
	return b.tx.failed
}

// pair records a pair at a position of a set. It returns an error if another set has the pair's id.
func (b Batch) pair(set string, position int, p SetPair) error {
	var recorded string // the set that has the id
	if err := b.tx.QueryRow(`SELECT coalesce(min(dataset), ?) FROM pairs WHERE id = ?`, set, p.ID).Scan(&recorded); err != nil {
		return err
	}
	if recorded != set {
		return fmt.Errorf("its id is already used in the set %s; ids must be unique in a record", recorded)
	}
	if p.AnswerA != "" && p.Base == "" {
		p.A = ""
		p.B = ""
	}
	return put(b, "pairs", p, "dataset", set, "position", position, "active", true)
}

// RetirePairSets removes sets that are no longer configured, and judges' preferences about them, from the tables; the rows stay. A set
// with preferences from people or a file stays in the tables.
func (b Batch) RetirePairSets(sets []string) error {
	b.RetireCells(sets)
	for _, set := range sets {
		b.tx.do(`UPDATE pairs SET active = 0 WHERE dataset = ?1 AND NOT EXISTS (SELECT 1 FROM plan WHERE kind = 'preference'
			AND dataset = ?1 AND active)`, set)
	}
	return b.tx.failed
}

// RetireCells deactivates the plan of some sets, except for preferences from people or a file.
func (b Batch) RetireCells(sets []string) error {
	for _, set := range sets {
		b.tx.do(`UPDATE plan SET active = 0 WHERE origin = ? AND dataset = ? AND (judge, method) NOT IN
			(SELECT name, method FROM parties WHERE role = ? AND kind IN ('imported', 'human'))`, FromPairs, set, RolePairwise)
	}
	return b.tx.failed
}

// PairSets returns the sets that have active pairs. It does not read the pairs.
func (s *Store) PairSets() ([]PairSet, error) {
	return Select[PairSet](s, `SELECT `+Columns[PairSet]()+` FROM sets WHERE name IN (SELECT dataset FROM pairs WHERE active)
		ORDER BY base <> '', position, name`)
}

// pairsWithTexts is a query for the fields of pairInSet, with the texts of both answers. A condition must follow.
const pairsWithTexts = `SELECT p.id, p.question, iif(p.a <> '', p.a, coalesce(x.text, '')), iif(p.b <> '', p.b, coalesce(y.text, '')),
	p.label, p.cluster, p.domain, p.item, p.object1, p.object2, p.aspect, p.system_a, p.system_b, p.scenario, p.answer_a, p.answer_b,
	p.words_a, p.words_b, p.base, p.dataset
	FROM pairs p LEFT JOIN answers x ON x.id = p.answer_a LEFT JOIN answers y ON y.id = p.answer_b WHERE `

// A pairInSet is a row of pairsWithTexts.
type pairInSet struct {
	SetPair
	Dataset string
}

// SetsWithPairs returns the sets that have active pairs, each with its pairs and their texts.
func (s *Store) SetsWithPairs() ([]PairSet, error) {
	sets, err := s.PairSets()
	if err != nil {
		return nil, err
	}
	for i := range sets {
		pairs, err := Select[pairInSet](s, pairsWithTexts+`p.active AND p.dataset = ? ORDER BY p.position, p.id`, sets[i].Name)
		if err != nil {
			return nil, err
		}
		sets[i].Pairs = data.Each(pairs, func(p pairInSet) SetPair { return p.SetPair })
	}
	return sets, nil
}

// LabelledPairs returns the active pairs with label a or b, with their texts, except pairs changed to test for a bias.
func (s *Store) LabelledPairs() ([]data.Pair, error) {
	pairs, err := Select[pairInSet](s, pairsWithTexts+`p.active AND p.base = '' AND p.label IN ('a', 'b')
		ORDER BY p.dataset, p.position, p.id`)
	return data.Each(pairs, func(p pairInSet) data.Pair { return p.Pair }), err
}
