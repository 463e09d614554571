package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"compqa/data"
)

// KindPreference is the kind of the results of pairwise judges.
const KindPreference = "preference"

// HasPairs reports whether the record has pairs.
func (s *Store) HasPairs() (bool, error) {
	var has bool
	err := s.Db.QueryRow(`SELECT EXISTS (SELECT 1 FROM run WHERE part = 'pairs')`).Scan(&has)
	return has, WrapDBError("reading", s.Path, err)
}

// A PairSet is a set of pairs that the tables show together.
type PairSet struct {
	Name        string
	Source      string   // where the pairs are from, in words
	Base        string   // the set that this one is made of by a bias, or ""
	Bias        string   // its name, or ""
	Adversarial bool     // the bias speaks against people's choice
	Margin      *float64 // points up to which people's preference is a tie; nil: labels are the file's own
	Pairs       []SetPair
}

// A SetPair is a pair in a set.
type SetPair struct {
	data.Pair
	WordsA, WordsB int
	Base           string // the pair that this one is made of by a bias, or ""
}

// A PairwiseJudge is a judge and its method. Tables sort them by Position.
type PairwiseJudge struct {
	Participant
	Method string
	// TrainedOn is data that the judge was trained on, by its configuration: data.ReleaseRows, a
	// set of pairs, or other data.
	TrainedOn string
}

// A PairwiseCell is the planned number of preferences of a judge on a set in one
// order.
type PairwiseCell struct {
	Judge, Method, Dataset, Order string
	Planned                       int
	Note                          string // why what is missing was skipped; "" for what is still to come
}

// PairSets records sets of pairs. A pair that is no longer in its set stays in the
// record but not in the tables. Recorded answers are not recorded twice.
func (b Batch) PairSets(sets []PairSet) error {
	for i, set := range sets {
		if err := b.tx.put("sets", "name, position, source, base, bias, adversarial, margin",
			set.Name, i, set.Source, set.Base, set.Bias, set.Adversarial, set.Margin); err != nil {
			return fmt.Errorf("recording the set %s: %w", set.Name, err)
		}
		if err := b.tx.do(`UPDATE pairs SET active = 0 WHERE dataset = ?`, set.Name); err != nil {
			return err
		}
		for k, p := range set.Pairs {
			if err := b.pair(set.Name, k, p); err != nil {
				return fmt.Errorf("recording pair %s: %w", p.ID, err)
			}
		}
	}
	return nil
}

func (b Batch) pair(set string, position int, p SetPair) error {
	var other string
	err := b.tx.QueryRow(`SELECT dataset FROM pairs WHERE id = ?`, p.ID).Scan(&other)
	if err == nil && other != set {
		return fmt.Errorf("its id is already used in the set %s; ids must be unique in a record", other)
	}
	if err != nil && err != sql.ErrNoRows {
		return err
	}
	question, a, bText := p.Question, p.A, p.B
	if p.AnswerA != "" && p.Base == "" {
		a, bText = "", ""
	}
	return b.tx.put("pairs",
		"id, dataset, position, question, a, b, label, cluster, domain, object1, object2, aspect, scenario, system_a, system_b, answer_a, "+
			"answer_b, words_a, words_b, base, active",
		p.ID, set, position, question, a, bText, p.Label, p.Cluster, p.Domain, p.Object1, p.Object2, p.Aspect, p.Scenario,
		p.SystemA, p.SystemB, p.AnswerA, p.AnswerB, p.WordsA, p.WordsB, p.Base, 1)
}

// SetPairwisePlan replaces the plan of the sets of its cells. Other judges keep their
// preferences on these sets, but tables do not show them until they are planned
// again.
func (b Batch) SetPairwisePlan(judges []PairwiseJudge, sets []string, cells []PairwiseCell) error {
	for _, set := range sets {
		if err := b.tx.do(`UPDATE plan SET active = 0 WHERE origin = ? AND dataset = ?`, fromPairs, set); err != nil {
			return err
		}
	}
	for i, j := range judges {
		if err := putParty(b.tx, RolePairwise, j, i); err != nil {
			return err
		}
	}
	for _, c := range cells {
		if err := b.tx.put("plan", `kind, judge, system, scenario, method, dataset, "order", planned, fingerprint, origin, note, work, active`,
			KindPreference, c.Judge, "", "", c.Method, c.Dataset, c.Order, c.Planned, "", fromPairs, c.Note, "", 1); err != nil {
			return fmt.Errorf("recording the pairwise plan: %w", err)
		}
	}
	return nil
}

// A PreferenceKey identifies a preference.
type PreferenceKey struct{ ID, Judge, Method, Order string }

// A PreferenceAbout is further data about a preference.
type PreferenceAbout struct {
	Fingerprint string // hash of everything that it depends on
	Reason      string // why there is none
	Detail      any    // how it came about; written as JSON
}

// Preference records a preference and the ids of its calls.
func (b Batch) Preference(p data.Preference, about PreferenceAbout, calls []int64) error {
	detail, err := json.Marshal(about.Detail)
	if err != nil {
		return err
	}
	return preferences.Put(b, preferenceRow{p, about, string(detail)}, calls)
}

// DropPreferences deletes outdated preferences with the grades of their rationales.
// The calls are kept.
func (b Batch) DropPreferences(of []PreferenceKey) error {
	const one = `id = ? AND judge = ? AND method = ? AND "order" = ?`
	for _, k := range of {
		err := errors.Join(preferences.Delete(b, one, k.ID, k.Judge, k.Method, k.Order), grades.Delete(b, one, k.ID, k.Judge, k.Method, k.Order))
		if err != nil {
			return fmt.Errorf("dropping a preference: %w", err)
		}
	}
	return nil
}

// A State is the status of a recorded item and the fingerprint of its inputs.
type State struct {
	Status      data.Status
	Fingerprint string
}

// PreferenceStates are the states of a judge's preferences.
func (s *Store) PreferenceStates(judge, method string) (map[PreferenceKey]State, error) {
	return lookup(s, `SELECT id, judge, method, "order", status, fingerprint FROM preferences WHERE judge = ? AND method = ?`,
		[]any{judge, method}, func(k *PreferenceKey, state *State) []any {
			return []any{&k.ID, &k.Judge, &k.Method, &k.Order, &state.Status, &state.Fingerprint}
		})
}

// PreferencesOf are a judge's recorded preferences.
func (s *Store) PreferencesOf(judge, method string) (map[PreferenceKey]data.Preference, error) {
	list, err := preferences.Load(s, `judge = ? AND method = ?`, "id", judge, method)
	of := map[PreferenceKey]data.Preference{}
	for _, p := range list {
		of[PreferenceKey{p.ID, judge, method, p.Order}] = p.Preference
	}
	return of, err
}

// PeopleTotals are the mean human totals by answer, over the rows of the judge human
// if there are any, otherwise over single annotators.
func (s *Store) PeopleTotals() (map[string]float64, error) {
	totals := map[string]float64{}
	for _, which := range []string{`v.judge LIKE 'human:%'`, `v.judge = 'human'`} { // the second wins
		means, err := lookup(s, `SELECT v.answer, avg(v.total) FROM verdicts v JOIN answers a ON a.id = v.answer
				JOIN plan p ON p.kind = 'verdict' AND p.judge = v.judge AND p.system = a.system AND p.scenario = a.scenario AND p.active
				WHERE v.status = 'valid' AND `+which+`
					GROUP BY v.answer`, nil, func(answer *string, mean *float64) []any { return []any{answer, mean} })
		if err != nil {
			return nil, err
		}
		maps.Copy(totals, means)
	}
	return totals, nil
}

// AnswerCells are the active cells of answers, in the order of the tables.
func (s *Store) AnswerCells() ([]PlanCell, error) {
	return Query(s, `SELECT p.kind, p.judge, p.system, p.scenario, p.planned, p.fingerprint, p.origin, p.note FROM plan p
		JOIN parties s ON s.role = 'system' AND s.name = p.system
			WHERE p.active AND p.kind = 'answer' ORDER BY s.position, p.system, p.scenario`, nil, planCell)
}

// A RecordedJudgment is a recorded sampled judgment.
type RecordedJudgment struct {
	ID, Judge, Order, Source string
	Sample                   int
	Fingerprint              string
	Status                   data.Status
	Choice                   data.Choice
	Text, Reason             string
}

// Judgment records a sampled judgment.
func (b Batch) Judgment(j RecordedJudgment, calls []int64) error { return samples.Put(b, j, calls) }

// Judgments are a judge's recorded sampled judgments, sorted by pair, order, source
// and sample.
func (s *Store) Judgments(judge string) ([]RecordedJudgment, error) {
	return samples.Load(s, `judge = ?`, `id, "order", source, sample`, judge)
}

// A RecordedGrade is the grade of a rationale by a model or a person. Right is nil if
// the grader did not decide whether the choice is correct.
type RecordedGrade struct {
	PreferenceKey
	Grader      string
	Fingerprint string
	Status      data.Status
	Right       *bool
	Correctness int // 1 to 5; 0 unless Status is valid
	Consistency int // 1 to 3
	Reason      string
}

// Grade records a grade.
func (b Batch) Grade(g RecordedGrade, calls []int64) error {
	if g.Status != data.Valid {
		g.Correctness, g.Consistency = 0, 0
	}
	return grades.Put(b, g, calls)
}

// Grades are all recorded grades, sorted by judge, method, pair, order and grader.
func (s *Store) Grades() ([]RecordedGrade, error) {
	return grades.Load(s, `true`, `judge, method, id, "order", grader`)
}
