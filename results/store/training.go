package store

import "compqa/data"

// Queries that select training data from a record.

// A SourcedAnswer is an answer with its source.
type SourcedAnswer struct {
	data.Answer
	Origin string   // the import that it came with; "" if the run made it
	Calls  []string `db:"keys"`
}

// ValidAnswers returns the planned valid answers, by id, with the keys of their calls.
func (s *Store) ValidAnswers() ([]SourcedAnswer, error) {
	return Select[SourcedAnswer](s, `SELECT `+Columns[SourcedAnswer]()+` FROM (SELECT r.*,
		(SELECT json_group_array(c.key) FROM json_each(r.calls) e JOIN calls c ON c.id = e.value) AS keys
		FROM `+Planned(KindAnswer)+` WHERE r.status = 'valid') ORDER BY id`)
}

// VerdictStatuses returns the number of a judge's planned verdicts by status.
func (s *Store) VerdictStatuses(judge string) (map[data.Status]int, error) {
	return Lookup[data.Status, int](s, `SELECT r.status, count(*) FROM `+Planned(KindVerdict)+` WHERE r.judge = ? GROUP BY 1`, judge)
}

// JudgesWithPoints returns the judges that have valid verdicts, except baselines and people, in the order of the tables.
func (s *Store) JudgesWithPoints() ([]string, error) {
	return Select[string](s, `SELECT name FROM parties j WHERE role = 'judge' AND kind NOT IN ('floor', 'human') AND
		EXISTS (SELECT 1 FROM verdicts v WHERE v.judge = j.name AND v.status = 'valid') ORDER BY position, name`)
}

// JudgesWithResults returns the judges, including people, that have valid verdicts, by name. If pairs is true, it adds those that have
// valid preferences.
func (s *Store) JudgesWithResults(pairs bool) ([]string, error) {
	return Select[string](s, `SELECT judge FROM verdicts WHERE status = 'valid'
		UNION SELECT judge FROM `+allPreferences+` WHERE ? AND status = 'valid' ORDER BY 1`, pairs)
}

// SampledJudges returns the judges with sampled judgments, by name.
func (s *Store) SampledJudges() ([]string, error) {
	return Select[string](s, `SELECT DISTINCT judge FROM samples ORDER BY 1`)
}

// SettledChoices returns, by pair, the choices that a judge of pairs made in both orders alike. For a person, who sees a pair in one
// order, that one choice counts.
func (s *Store) SettledChoices(judge string) (map[string]data.Choice, error) {
	return Lookup[string, data.Choice](s, `SELECT id, min(choice) FROM `+allPreferences+` WHERE judge = ? AND status = 'valid'
		GROUP BY id, method HAVING (count(*) = 2 OR judge LIKE 'human%') AND min(choice) = max(choice)`, judge)
}

// An AnswerPair is a pair of two of the run's own answers.
type AnswerPair struct{ ID, AnswerA, AnswerB string }

// OwnPairs returns the active pairs of the run's own answers, except pairs changed to test for a bias.
func (s *Store) OwnPairs() ([]AnswerPair, error) {
	return Select[AnswerPair](s, `SELECT id, answer_a, answer_b FROM pairs WHERE active AND answer_a <> '' AND base = ''`)
}

// A PairQuestion is the question of a pair: its two objects, its cluster and its wording.
type PairQuestion struct{ Object1, Object2, Cluster, Question string }

// PairQuestions returns the distinct questions of the active pairs.
func (s *Store) PairQuestions() ([]PairQuestion, error) {
	return Select[PairQuestion](s, `SELECT DISTINCT object1, object2, cluster, question FROM pairs WHERE active ORDER BY 1, 2, 3, 4`)
}

// A TableCall is a call whose reply is a contrastive table, the answer of a system that compares two objects row by row.
type TableCall struct {
	Key              string
	Answer           string // id of an answer read from the call
	Object1, Object2 string
	Model, Provider  string
	Reply            string
}

// TableCalls returns the calls with complete replies from which valid contrastive tables were read, by key.
func (s *Store) TableCalls() ([]TableCall, error) {
	return Select[TableCall](s, `SELECT DISTINCT c.key, min(a.id), a.object1, a.object2, c.model, c.provider, c.reply
		FROM answers a, json_each(a.calls) k JOIN calls c ON c.id = k.value
		WHERE a.summary <> '' AND a.status = 'valid' AND c.status = 'valid' GROUP BY c.key ORDER BY c.key`)
}
