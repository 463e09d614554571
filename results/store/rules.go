package store

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A rule finds rows that this program cannot have written and that verification would not otherwise notice.
type rule struct {
	wrong string // an SQL expression for what is wrong with a row: format('…', …)
	rows  string // the rows that break the rule: a table and conditions, to follow FROM
}

// BrokenRule describes the first row that breaks a rule, or returns "" if no row does.
func (s *Store) BrokenRule() (string, error) {
	for _, list := range [][]rule{rulesOfResults, rulesOfPlan, rulesOfRuns, rulesOfCalls} {
		for _, r := range list {
			wrong, broken, err := First[string](s, `SELECT `+r.wrong+` FROM `+r.rows)
			if err != nil || broken {
				return wrong, err
			}
		}
	}
	return "", nil
}

// otherColumns returns the SQL condition that a result has a value in a column that its kind does not use, such as a grade with a choice:
//
//	choice IS NOT '' AND kind NOT IN ('preference', 'sample') OR total IS NOT NULL AND kind NOT IN ('verdict') OR …
func otherColumns() string {
	having := map[string][]string{} // by column, the kinds that use it
	for _, k := range Kinds {
		for _, column := range k.columns {
			having[column] = append(having[column], "'"+k.Name+"'")
		}
	}
	var terms []string
	for _, column := range slices.Sorted(maps.Keys(having)) {
		empty := "''"
		switch column {
		case "total":
			empty = "NULL"
		case "repeat":
			empty = "0"
		}
		terms = append(terms, fmt.Sprintf(`"%s" IS NOT %s AND kind NOT IN (%s)`, column, empty, strings.Join(having[column], ", ")))
	}
	return strings.Join(terms, " OR ")
}

// rulesOfResults: a result has only the columns of its kind, and a list of calls, which may be empty; only a valid verdict has a total;
// repeats are numbered from 1. The last rule does not hold for verdicts of models, because a stopped run can leave some out.
var rulesOfResults = []rule{
	{`format('the %s of %s on %s has columns of other results', kind, party, subject)`, `results WHERE ` + otherColumns()},
	{`format('the %s of %s on %s has no list of calls', kind, party, subject)`, `results WHERE json_valid(calls) = 0 OR json_type(calls) <> 'array'`},
	{`format('the verdict of %s on %s has a total, but it is %s', judge, answer, status)`,
		`verdicts WHERE status <> 'valid' AND total IS NOT NULL`},
	{`format('the verdicts of %s on answer %s are not numbered from 1', judge, answer)`,
		`verdicts WHERE judge NOT IN (SELECT name FROM parties WHERE role = 'judge' AND kind = 'model')
		GROUP BY judge, answer HAVING min(repeat) <> 1 OR max(repeat) <> count(*)`},
}

// plannedWrongly describes what is wrong with a cell of the plan.
const plannedWrongly = `format('%ss of %s%s are planned for a party or a set that is not recorded', kind, system, judge)`

// rulesOfPlan: every cell of the plan names recorded parties and sets, and uses only the columns of its kind; every party has a cell;
// every pair has a recorded set.
var rulesOfPlan = []rule{
	{plannedWrongly, `plan WHERE active NOT IN (0, 1)`},
	{plannedWrongly, `plan WHERE (kind = 'answer') <> (judge = '')`},
	{plannedWrongly, `plan WHERE kind = 'preference' AND (system <> '' OR scenario <> '')`},
	{plannedWrongly, `plan WHERE kind = 'preference' AND dataset NOT IN (SELECT name FROM sets)`},
	{plannedWrongly, `plan WHERE kind = 'preference' AND (judge, method) NOT IN (SELECT name, method FROM parties WHERE role = 'pairwise')`},
	{plannedWrongly, `plan WHERE kind <> 'preference' AND (method <> '' OR dataset <> '' OR "order" <> '')`},
	{plannedWrongly, `plan WHERE kind <> 'preference' AND system NOT IN (SELECT name FROM parties WHERE role = 'system')`},
	{plannedWrongly, `plan WHERE kind = 'verdict' AND judge NOT IN (SELECT name FROM parties WHERE role = 'judge')`},
	{`format('preferences of %s are planned with an origin, a fingerprint or a work that no plan of pairs has', judge)`,
		`plan WHERE kind = 'preference' AND (origin <> 'pairs' OR fingerprint <> '' OR work <> '')`},
	{`rtrim(format('nothing is planned for %s %s', name, method))`, `parties WHERE role NOT IN ('system', 'judge', 'pairwise')
		OR (name, method) NOT IN
			(SELECT iif(role = 'system', system, judge), method FROM plan WHERE (kind = 'preference') = (role = 'pairwise'))
		OR sources <> '' AND (role <> 'system' OR NOT json_valid(sources))`},
	{`format('pair %s is in no recorded set', id)`, `pairs WHERE active NOT IN (0, 1) OR dataset NOT IN (SELECT name FROM sets)`},
}

// rulesOfRuns: all attacks are from one set of judges; a run has the dataset of its configuration, or is about pairs and has none; no run
// is recorded twice.
var rulesOfRuns = []rule{
	{`'the attacks are of several sets of judges'`,
		`(SELECT count(DISTINCT work) AS n FROM attacks WHERE work <> 'datasheet') WHERE n > 1`},
	{`format('run %s has another part, dataset, rubric or templates than its configuration', id)`, `run
		WHERE part NOT IN ('answers', 'pairs')
		OR part = 'answers' AND dataset <> json_extract(config, '$.dataset')
		OR part = 'pairs' AND (dataset <> '' OR data_hash <> '' OR rubric <> '' OR rubric_hash <> '' OR templates <> '' OR release_hash <> '')`},
	{`format('run %s is recorded twice', max(id))`, `run GROUP BY part, program, revision, config, dataset, data_hash, rubric_hash,
		templates, release_hash, sources HAVING count(*) > 1`},
}

// madeForNobody describes an attempt made for a party that the record does not have.
const madeForNobody = `format('attempt %s of the call %s was made for %s, which is not recorded', n, call, party)`

// rulesOfCalls: every call has an attempt, unless it waits in a batch or was copied from another record. Attempts are numbered from 1,
// have a possible cost, and were made for a party on record: one of the plan, of a result, or a rewriter of the configuration.
var rulesOfCalls = []rule{
	{`format('the call %s is recorded as %s, but no attempt of it', key, status)`, `calls
		WHERE origin = '' AND (id, status) NOT IN (SELECT call, status FROM attempts)
			AND (status <> 'pending' OR key NOT IN (SELECT value FROM batches, json_each(keys)))`},
	{`format('attempt %s belongs to no recorded call of its model: %s', n, call)`, `attempts a
		WHERE NOT EXISTS (SELECT 1 FROM calls WHERE id = a.call AND provider = a.provider AND model = a.model)`},
	{`format('attempt %s of the call %s has a time, a number of tokens or a cost below 0 or beyond measure', n, call)`, `attempts
		WHERE latency_ms < 0 OR waited_ms < 0 OR prompt_tokens < 0 OR cached_tokens < 0 OR written_tokens < 0 OR completion_tokens < 0
			OR reasoning_tokens < 0 OR NOT coalesce(cost, 0) BETWEEN 0 AND 1e9 OR latency_ms > 1e12 OR waited_ms > 1e12`},
	{`format('an unanswered call of %s has no model or request, or a cost below 0 or beyond measure', party)`, `batches WHERE ` + isSingle +
		` AND (provider = '' OR model = '' OR id <> '' OR NOT json_array_length(keys) BETWEEN 1 AND 1000 OR NOT aside BETWEEN 0 AND 1e9)`},
	{`format('the attempts of the call %s are not numbered from 1', call)`,
		`attempts GROUP BY call HAVING min(n) <> 1 OR max(n) <> count(*)`},
	{madeForNobody, `attempts
		WHERE party NOT IN (SELECT name FROM parties UNION ALL SELECT system FROM answers UNION ALL SELECT party FROM results
			UNION ALL SELECT p.value ->> 'rewriter' FROM run, json_each(config, '$.pairs') p WHERE p.value ->> 'rewriter' <> '')`},
	{madeForNobody, `attempts
		WHERE kind NOT IN (SELECT kind FROM plan WHERE kind IN ('answer', 'verdict') UNION ALL SELECT 'preference'
			UNION ALL SELECT 'label' FROM labels WHERE judge <> 'faithful')`},
}

// An Unmade counts rows that are not results and cannot be recomputed from the rest of the record.
type Unmade struct {
	Table, Of string
	Count     int
}

// Unmade returns the counts of such rows, by table and party: attempts, adaptations, batches, unanswered calls and unplaced rows.
func (s *Store) Unmade() ([]Unmade, error) {
	return Select[Unmade](s, `SELECT 'attempt', party, count(*) FROM attempts GROUP BY 2
		UNION ALL SELECT 'adaptation', model, count(*) FROM adaptations GROUP BY 2
		UNION ALL SELECT 'batch', party, count(*) FROM batches WHERE NOT `+isSingle+` GROUP BY 2
		UNION ALL SELECT 'unanswered call', party, count(*) FROM batches WHERE `+isSingle+` GROUP BY 2
		UNION ALL SELECT 'unplaced row', judge, count(*) FROM unplaced GROUP BY 2 ORDER BY 1, 2`)
}

// Releases returns the hashes of the authors' data release that the recorded runs used.
func (s *Store) Releases() ([]string, error) {
	return Select[string](s, `SELECT DISTINCT release_hash FROM run WHERE release_hash <> '' ORDER BY 1`)
}

// PairRuns returns the provenance of all runs about pairs, the latest first.
func (s *Store) PairRuns() ([]Provenance, error) {
	return Select[Provenance](s, `SELECT `+Columns[Provenance]()+` FROM run WHERE part = 'pairs' ORDER BY id DESC`)
}

// EmptySets returns the recorded sets without pairs.
func (s *Store) EmptySets() ([]PairSet, error) {
	return Select[PairSet](s, `SELECT `+Columns[PairSet]()+` FROM sets WHERE name NOT IN (SELECT dataset FROM pairs) ORDER BY name`)
}

// Unfinished reports whether the latest run of a part (PartAnswers or PartPairs) has not ended.
func (s *Store) Unfinished(part string) (bool, error) {
	return Value[bool](s, `SELECT finished IS NULL FROM run WHERE part = ? ORDER BY id DESC`, part)
}
