package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"

	"compqa/data"
	"compqa/rubric"
)

// Answer is a recorded answer; found is false if there is none with this id.
func (s *Store) Answer(id string) (a data.Answer, found bool, err error) {
	list, err := answers.Load(s, `id = ?`, `id`, id)
	if len(list) == 0 {
		return a, false, err
	}
	return list[0], true, err
}

// AnswersTo are the ids of a system's answers ("": of all systems) to questions whose id or
// objects contain a text, whatever its case.
func (s *Store) AnswersTo(system, question string) ([]string, error) {
	return Query(s, `SELECT id FROM answers WHERE (?1 = '' OR system = ?1) AND instr(lower(question || ' ' || object1 || ' ' || object2),
		lower(?2)) > 0 ORDER BY id`,
		[]any{system, question}, func(id *string) []any { return []any{id} })
}

// VerdictsOn are the recorded verdicts on an answer that the plan has, in the order of judges
// in the tables, people last.
func (s *Store) VerdictsOn(answer string) ([]data.Verdict, error) {
	// The order of the tables is that of CROSS JOIN: a judge's verdict on an answer has an index.
	return Query(s, `SELECT v.judge, v.answer, v.repeat, v.status, v.scores, v.total, v.reason, v.raw FROM answers a
			CROSS JOIN parties j ON j.role = 'judge' CROSS JOIN verdicts v ON v.judge = j.name AND v.answer = a.id
			CROSS JOIN plan p ON p.kind = 'verdict' AND p.judge = v.judge AND p.system = a.system AND p.scenario = a.scenario AND p.active
			WHERE a.id = ? ORDER BY j.kind = 'human', j.position, v.judge, v.repeat`, []any{answer}, verdicts.fields)
}

// A Contrast is a judge's mean total for an answer beside people's.
type Contrast struct {
	Answer     string  `json:"answer"`
	Judge      string  `json:"judge"`
	Points     float64 `json:"points"`
	People     float64 `json:"people"`
	Difference float64 `json:"difference"` // judge − people
}

// Contrasts are the totals of all judges but floors and people for the answers that people
// scored, by the size of the difference, largest first.
func (s *Store) Contrasts() ([]Contrast, error) {
	people, err := s.PeopleTotals()
	if err != nil {
		return nil, err
	}
	list, err := Query(s, `SELECT v.answer, v.judge, avg(v.total) FROM verdicts v JOIN answers a ON a.id = v.answer
			JOIN plan p ON p.kind = 'verdict' AND p.judge = v.judge AND p.system = a.system AND p.scenario = a.scenario AND p.active
			WHERE v.status = 'valid' AND v.judge IN (SELECT name FROM parties WHERE role = 'judge' AND kind NOT IN ('floor', 'human')) GROUP BY 1,
				2 ORDER BY 1, 2`, nil,
		func(c *Contrast) []any { return []any{&c.Answer, &c.Judge, &c.Points} })
	var scored []Contrast
	for _, c := range list {
		if total, is := people[c.Answer]; is {
			c.People, c.Difference = total, c.Points-total
			scored = append(scored, c)
		}
	}
	slices.SortStableFunc(scored, func(a, b Contrast) int { return cmp.Compare(math.Abs(b.Difference), math.Abs(a.Difference)) })
	return scored, err
}

// Rubric is the rubric of the latest run.
func (s *Store) Rubric() (r rubric.Rubric, err error) {
	var text string
	if err := s.Db.QueryRow(`SELECT rubric FROM run WHERE part = 'answers' ORDER BY id DESC LIMIT 1`).Scan(&text); err != nil {
		return r, WrapDBError("reading", s.Path, err)
	}
	return r, json.Unmarshal([]byte(text), &r)
}

// Identity identifies the record, on whatever machine a copy of it is: a hash of when and how
// it was first run.
func (s *Store) Identity() (string, error) {
	var started, config string
	err := s.Db.QueryRow(`SELECT started, config FROM run ORDER BY started, config LIMIT 1`).Scan(&started, &config)
	sum := sha256.Sum256([]byte(started + "\n" + config))
	return hex.EncodeToString(sum[:16]), WrapDBError("reading", s.Path, err)
}
