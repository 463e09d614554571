package store

import "compqa/data"

// recordedPreferences is SQL for the recorded preferences that the plan has, except those of baselines.
var recordedPreferences = Planned(KindPreference) + `WHERE NOT ` + isFloor("r")

// withFloors returns SQL to follow FROM: the preferences r that a query selects, and those of baselines.
func withFloors(preferences string) string {
	return `(SELECT r.id, r.judge, r.method, r."order", r.fingerprint, r.status, r.reason, r.choice, r.calls, r.rationale, r.detail FROM ` +
		preferences + ` UNION ALL ` + floorPreferences + `)`
}

var (
	plannedPreferences = withFloors(recordedPreferences)
	allPreferences     = withFloors(`preferences r WHERE NOT ` + isFloor("r")) // including preferences that are no longer planned
)

// EachRecordedPreference calls do, in any order, with each recorded preference that the plan has, except those of baselines. T's fields
// name the columns to read.
func EachRecordedPreference[T any](s *Store, do func(T) error) error {
	return Each(s, `SELECT `+Columns[T]()+` FROM (SELECT r.* FROM `+recordedPreferences+`)`, nil, do)
}

// A PairPreference is a preference with its pair and the texts of both answers.
type PairPreference struct {
	data.Preference
	Detail string    // how the method reached the choice, JSON
	Pair   data.Pair `db:"-"`
}

// EachPreference calls each for every preference in the tables, sorted by judge, method, pair and order.
func (s *Store) EachPreference(each func(PairPreference) error) error {
	sets, err := s.SetsWithPairs()
	if err != nil {
		return err
	}
	pairs := map[string]data.Pair{}
	for _, set := range sets {
		for _, p := range set.Pairs {
			pairs[p.ID] = p.Pair
		}
	}
	return Each(s, `SELECT `+Columns[PairPreference]()+` FROM `+plannedPreferences+`
		ORDER BY judge, method, id, "order"`, nil, func(p PairPreference) error {
		p.Pair = pairs[p.ID]
		return each(p)
	})
}

// EachTablePair calls do with each active pair, by set and position. T's fields name the columns to read. The columns text_a and text_b
// are the texts of the answers; unchanged says that these texts equal those of the pair that this one was made from (Base).
func EachTablePair[T any](s *Store, do func(T) error) error {
	return Each(s, `SELECT `+Columns[T]()+` FROM (SELECT p.*, coalesce(nullif(p.a, ''), (SELECT text FROM answers WHERE id = p.answer_a), '')
		AS text_a, coalesce(nullif(p.b, ''), (SELECT text FROM answers WHERE id = p.answer_b), '') AS text_b, s.position AS place,
			s.base <> '' AS made,
		b.id IS NOT NULL AND p.a = coalesce(nullif(b.a, ''), (SELECT text FROM answers WHERE id = b.answer_a), '') AND
		p.b = coalesce(nullif(b.b, ''), (SELECT text FROM answers WHERE id = b.answer_b), '') AS unchanged
		FROM pairs p JOIN sets s ON s.name = p.dataset LEFT JOIN pairs b ON b.id = p.base WHERE p.active)
		ORDER BY made, place, dataset, position, id`, nil, do)
}

// A ComparedAnswer is a planned answer with the fields that decide which answers form a pair.
type ComparedAnswer struct {
	System, Scenario         string
	Object1, Object2, Aspect string
	Repeat, Position         int
	Status                   data.Status
}

// ComparedAnswers returns the planned answers to the first questions, or to all questions if first is 0, by system and id.
func (s *Store) ComparedAnswers(first int) ([]ComparedAnswer, error) {
	return Select[ComparedAnswer](s, `SELECT r.system, r.scenario, r.object1, r.object2, r.aspect, r.repeat,
			coalesce(q.position, 0) AS position, r.status FROM `+Planned(KindAnswer)+` LEFT JOIN questions q ON q.id = r.question
		JOIN parties s ON s.role = 'system' AND s.name = r.system
		WHERE ?1 = 0 OR q.position < ?1 ORDER BY s.position, r.system, r.id`, first)
}

// A Sum is a total. It is known if at least one of its terms is known.
type Sum struct {
	Total float64
	Known bool
}

// Add adds a term. The sum is then known if it or the term was known.
func (s *Sum) Add(term Sum) {
	s.Total += term.Total
	s.Known = s.Known || term.Known
}

// A Spending is what some attempts used. Tokens are known if a server reported them; the cost, in US dollars, is known if a price is.
type Spending struct{ Input, Output, Cost, Seconds Sum }

// Tokens returns the sum of input and output tokens.
func (s Spending) Tokens() Sum {
	sum := s.Input
	sum.Add(s.Output)
	return sum
}

// Add adds what other attempts used.
func (s *Spending) Add(more Spending) {
	s.Input.Add(more.Input)
	s.Output.Add(more.Output)
	s.Cost.Add(more.Cost)
	s.Seconds.Add(more.Seconds)
}

// SpentOnPreferences returns, by call, what all attempts of the calls of preferences used.
func (s *Store) SpentOnPreferences() (map[int64]Spending, error) {
	return Lookup[int64, Spending](s, `SELECT call, total(prompt_tokens), count(prompt_tokens) > 0,
		total(completion_tokens), count(completion_tokens) > 0, total(cost), count(cost) > 0, total(latency_ms) / 1000, true FROM attempts
		WHERE call IN (SELECT value FROM preferences p, json_each(p.calls)) GROUP BY call`)
}
