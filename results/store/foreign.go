package store

import "compqa/data"

// What `validate` reads from a record, as from a log of another harness.

// A GroupedAnswer is a valid answer with its question.
type GroupedAnswer struct{ ID, System, Group, Question, Text string }

// GroupedAnswers are the valid answers, by system, scenario and id; questions are groups.
func (s *Store) GroupedAnswers() ([]GroupedAnswer, error) {
	return Select[GroupedAnswer](s, `SELECT a.id, a.system, q.id, q.question, a.text
		FROM answers a JOIN questions q ON q.id = a.question WHERE a.status = ? ORDER BY a.system, a.scenario, a.id`, data.Valid)
}

// DeclaredFamilies are the families of judges and systems, by name, but of those that have their own name as family, as imported
// parties do.
func (s *Store) DeclaredFamilies() (map[string]string, error) {
	return Lookup[string, string](s, `SELECT name, family FROM parties WHERE role IN ('judge', 'system') AND name <> family`)
}

// A Sheet is a verdict on a valid answer.
type Sheet struct {
	Answer, Judge string
	Status        data.Status
	Scores        data.Scores
	Reason        string
}

// Sheets are the planned verdicts of people, or those of the judges but floors, on valid answers, by judge and answer: the first
// repeats, and all of people's mean.
func (s *Store) Sheets(people bool) ([]Sheet, error) {
	return Select[Sheet](s, `SELECT r.answer, r.judge, r.status, r.scores, r.reason FROM `+Planned(KindVerdict)+`
		CROSS JOIN parties j ON j.role = 'judge' AND j.name = r.judge AND j.kind <> 'floor'
		WHERE a.status = ? AND (r.repeat = 1 OR r.judge = ?) AND (j.kind = 'human') = ? ORDER BY r.judge, r.answer, r.repeat`,
		data.Valid, data.Human, people)
}

// HasReleasedPeople reports whether scores of people come from the authors' release.
func (s *Store) HasReleasedPeople() (bool, error) {
	return Value[bool](s, `SELECT EXISTS (SELECT 1 FROM plan WHERE judge LIKE 'human%' AND origin = 'release')`)
}
