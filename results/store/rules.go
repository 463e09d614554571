package store

import (
	"slices"
	"strings"
)

// rules are queries for rows that cannot be in a record and that no task makes. Each returns what is wrong, in words.
var rules = slices.Concat(rulesOfResults, rulesOfPlan, rulesOfRuns, rulesOfCalls)

// A result has the columns of its kind alone. A total is that of a valid sheet. Repeats are numbered from 1; of the verdicts of models,
// which a stop can leave out, those that are missing are counted instead.
var rulesOfResults = []string{
	`SELECT 'the ' || kind || ' of ' || party || ' on ' || subject || ' has columns of other results' FROM results
		WHERE (kind <> 'verdict' AND total IS NOT NULL OR kind <> 'verdict' AND origin <> '' OR kind IN ('verdict', 'label') AND
			"order" || fingerprint <> '' OR kind <> 'grade' AND judge <> '' OR kind NOT IN ('preference', 'sample') AND choice <> ''
			OR kind = 'verdict' AND variant <> '' OR kind NOT IN ('verdict', 'sample') AND repeat <> 0 OR kind = 'grade' AND raw <> ''
			OR kind = 'sample' AND content <> '')`,
	`SELECT 'the verdict of ' || judge || ' on ' || answer || ' has a total, but it is ' || status FROM verdicts
		WHERE status <> 'valid' AND total IS NOT NULL`,
	`SELECT 'the verdicts of ' || judge || ' on answer ' || answer || ' are not numbered from 1' FROM verdicts
		WHERE judge NOT IN (` + partiesOf(RoleJudge) + ` AND kind = 'model') GROUP BY judge, answer
		HAVING min(repeat) <> 1 OR max(repeat) <> count(*)`,
}

// plannedWrongly begins the rules of cells of the plan.
const plannedWrongly = `SELECT kind || 's of ' || system || judge || ' are planned for a party or a set that is not recorded' FROM plan
	WHERE `

// partiesOf returns the query for the names of the parties with a role.
func partiesOf(role string) string { return `SELECT name FROM parties WHERE role = '` + role + `'` }

// Every cell of the plan has recorded parties and sets, in the columns of its kind alone; every party has a cell; every pair has a set.
var rulesOfPlan = []string{
	plannedWrongly + `active NOT IN (0, 1)`,
	plannedWrongly + `(kind = 'answer') <> (judge = '')`,
	plannedWrongly + `kind = 'preference' AND dataset NOT IN (SELECT name FROM sets)`,
	plannedWrongly + `kind = 'preference' AND (judge, method) NOT IN (SELECT name, method FROM parties WHERE role = 'pairwise')`,
	plannedWrongly + `kind <> 'preference' AND method || dataset || "order" <> ''`,
	plannedWrongly + `kind <> 'preference' AND system NOT IN (` + partiesOf(RoleSystem) + `)`,
	plannedWrongly + `kind = 'verdict' AND judge NOT IN (` + partiesOf(RoleJudge) + `)`,
	`SELECT 'nothing is planned for ' || name || ' ' || method FROM parties WHERE role NOT IN ('system', 'judge', 'pairwise')
		OR (name, method) NOT IN (SELECT iif(role = 'system', system, judge), method FROM plan WHERE (kind = 'preference') = (role = 'pairwise'))
		OR sources <> '' AND (role <> 'system' OR NOT json_valid(sources))`,
	`SELECT 'pair ' || id || ' is in no recorded set' FROM pairs WHERE active NOT IN (0, 1) OR dataset NOT IN (SELECT name FROM sets)`,
	`SELECT 'preferences of ' || judge || ' are planned with an origin, a fingerprint or a work that no plan of pairs has' FROM plan
		WHERE kind = 'preference' AND (origin <> 'pairs' OR fingerprint || work <> '')`,
}

// A run has the dataset of its configuration, or is about pairs and has none. The same run is recorded once. Attacks are of one run.
var rulesOfRuns = []string{
	`SELECT 'the attacks are of several sets of judges' FROM
		(SELECT count(DISTINCT work) AS n FROM attacks WHERE work <> 'datasheet') WHERE n > 1`,
	`SELECT 'run ' || id || ' has another part, dataset, rubric or templates than its configuration' FROM run
		WHERE part NOT IN ('answers', 'pairs')
		OR part = 'answers' AND dataset <> json_extract(config, '$.dataset')
		OR part = 'pairs' AND dataset || data_hash || rubric || rubric_hash || templates || release_hash <> ''`,
	`SELECT 'run ' || max(id) || ' is recorded twice' FROM run GROUP BY part, program, revision, config, dataset, data_hash, rubric_hash,
		templates, release_hash, sources HAVING count(*) > 1`,
}

// A call has an attempt, but where it is waited for in a batch or was taken from another record. Attempts are numbered from 1, cost
// something possible, and were made for a party that the record has: one of the plan, of results, or a rewriter of the configuration.
var rulesOfCalls = []string{
	`SELECT 'the call ' || key || ' is recorded as ' || status || ', but no attempt of it' FROM calls c
		WHERE origin = '' AND (id, status) NOT IN (SELECT call, status FROM attempts)
			AND (status <> 'pending' OR key NOT IN (SELECT value FROM batches, json_each(keys)))`,
	`SELECT 'attempt ' || n || ' belongs to no recorded call of its model: ' || call FROM attempts a
		WHERE NOT EXISTS (SELECT 1 FROM calls WHERE id = a.call AND provider = a.provider AND model = a.model)`,
	`SELECT 'attempt ' || n || ' of the call ' || call || ' has a time, a number of tokens or a cost below 0 or beyond measure' FROM attempts
		WHERE latency_ms < 0 OR waited_ms < 0 OR prompt_tokens < 0 OR cached_tokens < 0 OR written_tokens < 0 OR completion_tokens < 0
			OR reasoning_tokens < 0 OR NOT coalesce(cost, 0) BETWEEN 0 AND 1e9 OR latency_ms > 1e12 OR waited_ms > 1e12`,
	`SELECT 'an unanswered call of ' || party || ' has no model or request, or a cost below 0 or beyond measure' FROM batches WHERE ` +
		isSingle + ` AND (provider = '' OR model = '' OR id <> '' OR NOT json_array_length(keys) BETWEEN 1 AND 1000
			OR NOT aside BETWEEN 0 AND 1e9)`,
	`SELECT 'the attempts of the call ' || call || ' are not numbered from 1' FROM attempts GROUP BY call HAVING min(n) <> 1
		OR max(n) <> count(*)`,
	madeForNobody + `party NOT IN (SELECT name FROM parties UNION ALL SELECT system FROM answers UNION ALL SELECT party FROM results
		UNION ALL SELECT p.value ->> 'rewriter' FROM run, json_each(config, '$.pairs') p WHERE p.value ->> 'rewriter' <> '')`,
	madeForNobody + `kind NOT IN (SELECT kind FROM plan WHERE kind IN ('answer', 'verdict') UNION ALL SELECT 'preference'
		UNION ALL SELECT 'label' FROM labels WHERE judge <> 'faithful')`,
}

// madeForNobody begins the rules of the party that an attempt was made for.
const madeForNobody = `SELECT 'attempt ' || n || ' of the call ' || call || ' was made for ' || party || ', which is not recorded'
	FROM attempts WHERE `

// BrokenRule returns what is wrong with the first row that no record of this program can have, in words; "": nothing.
func (s *Store) BrokenRule() (string, error) {
	for _, query := range rules {
		wrong, broken, err := First[string](s, query)
		if err != nil || broken {
			return strings.TrimSpace(wrong), err
		}
	}
	return "", nil
}

// An Unmade is a number of rows that are no results, and that nothing in a record determines.
type Unmade struct {
	Table, Of string
	Count     int
}

// Unmade returns those of all tables, by table and party.
func (s *Store) Unmade() ([]Unmade, error) {
	return Select[Unmade](s, `SELECT 'attempt', party, count(*) FROM attempts GROUP BY 2
		UNION ALL SELECT 'adaptation', model, count(*) FROM adaptations GROUP BY 2
		UNION ALL SELECT 'batch', party, count(*) FROM batches WHERE NOT `+isSingle+` GROUP BY 2
		UNION ALL SELECT 'unanswered call', party, count(*) FROM batches WHERE `+isSingle+` GROUP BY 2
		UNION ALL SELECT 'unplaced row', judge, count(*) FROM unplaced GROUP BY 2 ORDER BY 1, 2`)
}

// CountPreferences returns the number of recorded preferences of a cell.
func (s *Store) CountPreferences(c PlanCell) (int, error) {
	return Value[int](s, `SELECT count(*) FROM preferences r JOIN pairs q ON q.id = r.id WHERE r.judge = ? AND r.method = ? AND q.dataset = ?
		AND r."order" = ? AND q.active`, c.Judge, c.Method, c.Dataset, c.Order)
}

// Releases returns the hashes of the authors' release that runs on record name.
func (s *Store) Releases() ([]string, error) {
	return Select[string](s, `SELECT DISTINCT release_hash FROM run WHERE release_hash <> '' ORDER BY 1`)
}

// PairRuns returns the ways in which a record was asked about pairs, the latest first.
func (s *Store) PairRuns() ([]Provenance, error) {
	return Select[Provenance](s, `SELECT `+Columns[Provenance]()+` FROM run WHERE part = 'pairs' ORDER BY id DESC`)
}

// EmptySets returns the recorded sets without pairs.
func (s *Store) EmptySets() ([]PairSet, error) {
	return Select[PairSet](s, `SELECT `+Columns[PairSet]()+` FROM sets WHERE name NOT IN (SELECT dataset FROM pairs) ORDER BY name`)
}

// Unfinished reports whether the latest run of a part did not come to its end.
func (s *Store) Unfinished(part string) (bool, error) {
	return Value[bool](s, `SELECT finished IS NULL FROM run WHERE part = ? ORDER BY id DESC`, part)
}
