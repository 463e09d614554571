package store

import (
	"fmt"
	"strconv"
	"strings"

	"compqa/data"
)

// RunSet is the name of the set of a run's own pairs.
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
	Base        string    // the set that this one is made of by a bias, or ""
	Bias        string    // its name, or ""
	Adversarial bool      // the bias speaks against people's choice
	Margin      *float64  // points up to which people's preference is a tie; nil: labels are the file's own
	First       int       // of the run's own pairs, also those of which an answer is not valid, only so many were made; 0: all
	Pairs       []SetPair `db:"-"`
}

// A SetPair is a pair in a set.
type SetPair struct {
	data.Pair
	WordsA, WordsB int
	Base           string // the pair that this one is made of by a bias, or ""
}

// Round returns the name of a judge's further round, from 2.
func Round(judge string, round int) string { return fmt.Sprintf("%s#%d", judge, round) }

// BaseOf returns the judge that a name is a round of; round is 1 if it is none.
func BaseOf(name string) (judge string, round int) {
	index := strings.LastIndexByte(name, '#')
	if n, err := strconv.Atoi(name[index+1:]); index > 0 && err == nil && n > 1 {
		return name[:index], n
	}
	return name, 1
}

// Entries returns a function that names the judge of pairs on record that a judge is a round of, or the judge itself.
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

// PairSets records sets of pairs. A pair that has left its set stays in the
// record but not in the tables. Recorded answers are not recorded twice.
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

func (b Batch) pair(set string, position int, p SetPair) error {
	var recorded string // the set that it is in
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

// RetirePairSets takes sets that are no longer configured out of the tables, with the preferences of judges that were asked
// about them. Sets with given preferences stay.
func (b Batch) RetirePairSets(sets []string) error {
	b.RetireCells(sets)
	for _, set := range sets {
		b.tx.do(`UPDATE pairs SET active = 0 WHERE dataset = ?1 AND NOT EXISTS (SELECT 1 FROM plan WHERE kind = 'preference'
			AND dataset = ?1 AND active)`, set)
	}
	return b.tx.failed
}

// RetireCells ends the plan of sets, except for given preferences.
func (b Batch) RetireCells(sets []string) error {
	for _, set := range sets {
		b.tx.do(`UPDATE plan SET active = 0 WHERE origin = ? AND dataset = ? AND (judge, method) NOT IN
			(SELECT name, method FROM parties WHERE role = ? AND kind IN ('imported', 'human'))`, FromPairs, set, RolePairwise)
	}
	return b.tx.failed
}

// PairSets returns the sets with pairs, without these.
func (s *Store) PairSets() ([]PairSet, error) {
	return Select[PairSet](s, `SELECT `+Columns[PairSet]()+` FROM sets WHERE name IN (SELECT dataset FROM pairs WHERE active)
		ORDER BY base <> '', position, name`)
}

// pairsWithTexts is a query for the columns of SetPair and the name of its set, with the texts of the answers.
const pairsWithTexts = `SELECT p.id, p.question, iif(p.a <> '', p.a, coalesce(x.text, '')), iif(p.b <> '', p.b, coalesce(y.text, '')),
	p.label, p.cluster, p.domain, p.item, p.object1, p.object2, p.aspect, p.system_a, p.system_b, p.scenario, p.answer_a, p.answer_b,
	p.words_a, p.words_b, p.base, p.dataset
	FROM pairs p LEFT JOIN answers x ON x.id = p.answer_a LEFT JOIN answers y ON y.id = p.answer_b WHERE `

// A pairInSet is a row of pairsWithTexts.
type pairInSet struct {
	SetPair
	Dataset string
}

// SetsWithPairs returns the sets with their pairs, with the texts of the answers.
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

// LabelledPairs returns the pairs of a record whose label is a or b, with their texts, except those with a bias.
func (s *Store) LabelledPairs() ([]data.Pair, error) {
	pairs, err := Select[pairInSet](s, pairsWithTexts+`p.active AND p.base = '' AND p.label IN ('a', 'b')
		ORDER BY p.dataset, p.position, p.id`)
	return data.Each(pairs, func(p pairInSet) data.Pair { return p.Pair }), err
}
