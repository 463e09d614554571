package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"compqa/data"
	"compqa/rubric"
)

// Answer returns a recorded answer; found is false if there is none with this id.
func (s *Store) Answer(id string) (a data.Answer, found bool, err error) {
	return First[data.Answer](s, `SELECT `+Columns[data.Answer]()+` FROM answers WHERE id = ?`, id)
}

// Answers returns the recorded answers with these ids.
func (s *Store) Answers(ids []string) (map[string]data.Answer, error) {
	list, err := Select[data.Answer](s, `SELECT `+Columns[data.Answer]()+` FROM answers
		WHERE id IN (SELECT value FROM json_each(?))`, asJSON{value: ids})
	return data.By(list, func(a data.Answer) string { return a.ID }), err
}

// AnswersTo returns the ids of a system's answers to questions whose id or objects contain a text, in any case. If system is "", it
// searches the answers of all systems.
func (s *Store) AnswersTo(system, question string) ([]string, error) {
	return Select[string](s, `SELECT id FROM answers WHERE (?1 = '' OR system = ?1)
		AND instr(lower(question || ' ' || object1 || ' ' || object2), lower(?2)) > 0 ORDER BY id`, system, question)
}

// VerdictsOn returns the recorded, planned verdicts on an answer. Judges are in the order of the tables, people last.
func (s *Store) VerdictsOn(answer string) ([]data.Verdict, error) {
	// CROSS JOIN fixes the order of the joins, which uses the index by judge and answer.
	return Select[data.Verdict](s, `SELECT v.answer, v.judge, v.status, v.scores, v.total, v.reason, v.raw, v.repeat FROM answers a
			CROSS JOIN parties j ON j.role = 'judge' CROSS JOIN verdicts v ON v.judge = j.name AND v.answer = a.id
			CROSS JOIN plan p ON p.kind = 'verdict' AND p.judge = v.judge AND p.system = a.system AND p.scenario = a.scenario AND p.active
			WHERE a.id = ? ORDER BY j.kind = 'human', j.position, v.judge, v.repeat`, answer)
}

// EachVerdictOn calls do with the planned verdicts on a system's answers, sorted by scenario and answer, and then as in VerdictsOn. It
// does not read raw replies nor, if pointsAlone is true, totals and reasons.
func (s *Store) EachVerdictOn(system string, pointsAlone bool, do func(data.Verdict) error) error {
	others := "v.total, v.reason"
	if pointsAlone {
		others = "NULL, ''"
	}
	// The plan is read once, before the verdicts.
	return Each(s, `WITH planned AS MATERIALIZED (SELECT j.name, j.kind, j.position, p.scenario FROM parties j
			CROSS JOIN plan p ON p.kind = 'verdict' AND p.judge = j.name AND p.system = ?1 AND p.active WHERE j.role = 'judge')
		SELECT v.answer, v.judge, v.status, v.scores, `+others+`, '', v.repeat FROM answers a
			CROSS JOIN planned due ON due.scenario = a.scenario CROSS JOIN verdicts v ON v.judge = due.name AND v.answer = a.id
			WHERE a.system = ?1 ORDER BY a.scenario, a.id, due.kind = 'human', due.position, v.judge, v.repeat`, []any{system}, do)
}

// A Contrast compares a judge's mean total for an answer with people's mean total.
type Contrast struct {
	Answer     string  `json:"answer"`
	Judge      string  `json:"judge"`
	Points     float64 `json:"points"`
	People     float64 `json:"people" db:"-"`
	Difference float64 `json:"difference" db:"-"` // judge − people
}

// Contrasts returns, for each answer that people scored, the mean total of each judge except baselines and people. The largest differences
// from people come first.
func (s *Store) Contrasts() ([]Contrast, error) {
	people, err := s.PeopleTotals()
	if err != nil {
		return nil, err
	}
	// People score few answers, so the query looks up each judge's verdicts on these answers by key.
	list, err := Select[Contrast](s, `SELECT r.answer, r.judge, avg(r.total)
			FROM json_each(?) s CROSS JOIN parties j CROSS JOIN `+Planned(KindVerdict)+`
			WHERE j.role = 'judge' AND j.kind NOT IN ('floor', 'human') AND r.judge = j.name AND r.answer = s.value AND r.status = 'valid'
			GROUP BY 1, 2 ORDER BY 1, 2`, asJSON{value: slices.Sorted(maps.Keys(people))})
	for i := range list {
		c := &list[i]
		c.People = people[c.Answer]
		c.Difference = c.Points - c.People
	}
	slices.SortStableFunc(list, func(a, b Contrast) int { return cmp.Compare(math.Abs(b.Difference), math.Abs(a.Difference)) })
	return list, err
}

// Rubric returns the rubric of the latest run about answers.
func (s *Store) Rubric() (r rubric.Rubric, err error) {
	text, err := Value[string](s, `SELECT rubric FROM run WHERE part = 'answers' ORDER BY id DESC`)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal([]byte(text), &r)
}

// Identity returns a hash of when and how the record was first run. Copies of a record have the same identity on every machine.
func (s *Store) Identity() (string, error) {
	begun, err := Value[string](s, `SELECT started || char(10) || config FROM run ORDER BY started, config`)
	sum := sha256.Sum256([]byte(begun))
	return hex.EncodeToString(sum[:16]), err
}

// Questions returns the recorded questions, in their order.
func (s *Store) Questions() ([]data.Question, error) {
	return Select[data.Question](s, `SELECT `+Columns[data.Question]()+` FROM questions ORDER BY position, id`)
}

// Parties returns the recorded parties of a role (RoleSystem, RoleJudge or RolePairwise), in the order of the tables.
func (s *Store) Parties(role string) ([]Participant, error) {
	return Select[Participant](s, `SELECT `+Columns[Participant]()+` FROM parties WHERE role = ? ORDER BY position, name`, role)
}

// QuestionTexts returns the texts of the recorded questions, by id.
func (s *Store) QuestionTexts() (map[string]string, error) {
	return Lookup[string, string](s, `SELECT id, question FROM questions`)
}

// AnswerIDs returns the ids of a system's answers under a scenario, sorted.
func (s *Store) AnswerIDs(system, scenario string) ([]string, error) {
	return Select[string](s, `SELECT id FROM answers WHERE system = ? AND scenario = ? ORDER BY id`, system, scenario)
}

// QuestionText returns the wording of a question, or "" if the question has only two objects and no wording.
func (s *Store) QuestionText(id string) (string, error) {
	return Value[string](s, `SELECT question FROM questions WHERE id = ?`, id)
}

// PeopleTotals returns people's mean total by answer: the recorded mean of people (the judge human) if there is one, otherwise the mean
// over single annotators.
func (s *Store) PeopleTotals() (map[string]float64, error) {
	totals, err := s.MeanTotals(Annotators("r.judge"))
	if err != nil {
		return nil, err
	}
	means, err := s.MeanTotals(`r.judge = 'human'`)
	maps.Copy(totals, means)
	return totals, err
}

// MeanTotals returns, by answer, the mean total of the valid planned verdicts r that meet an SQL condition.
func (s *Store) MeanTotals(where string, args ...any) (map[string]float64, error) {
	return Lookup[string, float64](s, `SELECT r.answer, avg(r.total) FROM `+Planned(KindVerdict)+`
		WHERE r.status = 'valid' AND `+where+` GROUP BY r.answer`, args...)
}
