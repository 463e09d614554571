package store

import (
	"encoding/json"

	"compqa/data"
)

// Queries of the web pages, besides the dataset.

// A TextOf is an answer's text.
type TextOf struct{ ID, Text string }

// EachText calls do with the id and text of each answer whose text is not empty.
func (s *Store) EachText(do func(TextOf) error) error {
	return Each(s, `SELECT id, text FROM answers WHERE text != ''`, nil, do)
}

// JudgesOfPairs returns the names of the judges of pairs and of the graders of their rationales.
func (s *Store) JudgesOfPairs() ([]string, error) {
	return Select[string](s, `SELECT name FROM parties WHERE role = 'pairwise' UNION SELECT grader FROM grades`)
}

// HasPlan reports whether the record has an active plan or any pairs.
func (s *Store) HasPlan() (bool, error) {
	return Value[bool](s, `SELECT EXISTS(SELECT 1 FROM plan WHERE active) OR EXISTS(SELECT 1 FROM pairs)`)
}

// A JudgeCall is a call that a judge's verdict was read from.
type JudgeCall struct {
	Judge                        string
	Repeat                       int
	Key, Model, Provider, Finish string
}

// JudgeCalls returns the calls of all verdicts on an answer. The calls of one verdict are in the order in which they were made.
func (s *Store) JudgeCalls(answer string) ([]JudgeCall, error) {
	return Select[JudgeCall](s, `SELECT v.judge, v.repeat, c.key, c.model, c.provider, c.finish FROM parties j
		CROSS JOIN verdicts v ON j.role = 'judge' AND v.judge = j.name AND v.answer = ?
		CROSS JOIN json_each(v.calls) e CROSS JOIN calls c ON c.id = e.value ORDER BY e.key`, answer)
}

// A Chosen is a judge's choice for a pair in one order. Its status is "" if the judge was not asked.
type Chosen struct {
	Status data.Status
	Choice data.Choice
}

// A ChosenPair is a pair with a judge's choices in both orders.
type ChosenPair struct {
	ID, Set, Question, SystemA, SystemB string
	Label                               data.Choice
	AB, BA                              Chosen
}

// ChosenPairs returns the active pairs that a judge compared by a method, sorted by set and position. Each of set, system and against
// limits the pairs unless it is ""; with both systems, the pairs are those between the two.
func (s *Store) ChosenPairs(judge, method, set, system, against string) ([]ChosenPair, error) {
	return Select[ChosenPair](s, `WITH chosen AS (SELECT * FROM `+allPreferences+` WHERE judge = ?1 AND method = ?2)
		SELECT p.id, p.dataset, p.question, p.system_a, p.system_b, p.label,
		coalesce(x.status, ''), coalesce(x.choice, ''), coalesce(y.status, ''), coalesce(y.choice, '') FROM pairs p
			LEFT JOIN chosen x ON x.id = p.id AND x."order" = 'ab' LEFT JOIN chosen y ON y.id = p.id AND y."order" = 'ba'
			WHERE p.active AND (x.id IS NOT NULL OR y.id IS NOT NULL) AND (?3 = '' OR p.dataset = ?3)
				AND (?4 = '' OR ?4 IN (p.system_a, p.system_b)) AND (?5 = '' OR ?5 IN (p.system_a, p.system_b))
			ORDER BY p.dataset, p.position, p.id`, judge, method, set, system, against)
}

// An ExplainedChoice is a choice with its explanation. Rationale is the judge's text, Table the method's table (JSON), and Reason says why
// the choice is not valid.
type ExplainedChoice struct {
	Chosen
	Rationale, Reason, Table string
}

// A JudgedPair is a judge's explained choices for a pair in both orders.
type JudgedPair struct {
	Pair, Judge, Method string
	AB, BA              ExplainedChoice
}

// ChoicesOn returns the choices of all judges on some pairs. Judges are in the order of the tables.
func (s *Store) ChoicesOn(pairs ...string) ([]JudgedPair, error) {
	list, err := json.Marshal(pairs)
	if err != nil {
		return nil, err
	}
	return Select[JudgedPair](s, `WITH chosen AS (SELECT * FROM `+allPreferences+` WHERE id IN (SELECT value FROM json_each(?1)))
		SELECT f.id, f.judge, f.method,
			coalesce(x.status, ''), coalesce(x.choice, ''), coalesce(x.rationale, ''), coalesce(x.reason, ''), coalesce(x.detail ->> 'table', ''),
			coalesce(y.status, ''), coalesce(y.choice, ''), coalesce(y.rationale, ''), coalesce(y.reason, ''), coalesce(y.detail ->> 'table', '')
		FROM (SELECT DISTINCT id, judge, method FROM chosen) f
			LEFT JOIN chosen x ON x.id = f.id AND x.judge = f.judge AND x.method = f.method AND x."order" = 'ab'
			LEFT JOIN chosen y ON y.id = f.id AND y.judge = f.judge AND y.method = f.method AND y."order" = 'ba'
			LEFT JOIN parties j ON j.role = 'pairwise' AND j.name = f.judge AND j.method = f.method
		ORDER BY j.position, f.judge, f.method, f.id`, string(list))
}

// A LabelledPair is an active pair of recorded answers with people's choice.
type LabelledPair struct {
	ID, AnswerA, AnswerB string
	Label                data.Choice
}

// PairsOf returns the active pairs whose first answer (A) is one of the given ids.
func (s *Store) PairsOf(answers []string) ([]LabelledPair, error) {
	list, err := json.Marshal(answers)
	if err != nil {
		return nil, err
	}
	return Select[LabelledPair](s, `SELECT id, answer_a, answer_b, label FROM pairs
		WHERE active AND answer_a IN (SELECT value FROM json_each(?)) ORDER BY dataset, position, id`, string(list))
}

// Pair returns a recorded pair, active or not, with the texts of its answers, and the name of its set.
func (s *Store) Pair(id string) (pair data.Pair, set string, found bool, err error) {
	p, found, err := First[pairInSet](s, pairsWithTexts+`p.id = ?`, id)
	return p.Pair, p.Dataset, found, err
}

// A Content is one line of Contents: the name of an item, and its number or names as text.
type Content struct{ Item, Text string }

// Contents summarizes a record: the names of systems and judges (except people), the numbers of results, and the cost of the calls.
func (s *Store) Contents() ([]Content, error) {
	names := func(role string) string {
		return `(SELECT coalesce(group_concat(name, ', '), '') FROM (SELECT name FROM parties WHERE kind <> 'human' AND role = '` + role +
			`' ORDER BY name))`
	}
	const counted = `(SELECT count(*) || ', of which ' || coalesce(sum(status <> 'valid'), 0) || ' not valid' FROM `
	return Select[Content](s, `VALUES ('systems', `+names(RoleSystem)+`), ('judges', `+names(RoleJudge)+`),
		('questions', (SELECT count(*) || '' FROM questions)), ('answers', `+counted+`answers)), ('verdicts', `+counted+`verdicts)),
		('preferences', `+counted+`preferences)), ('cost of the calls, $', (SELECT coalesce(round(sum(cost), 4), 0) || '' FROM attempts))`)
}
