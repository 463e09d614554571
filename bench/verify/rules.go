package verify

import (
	"strings"

	"compqa/results/archive"
	"compqa/results/store"
)

// rules are queries for rows that cannot be in a record and that no task makes: calls and their attempts,
// parties, runs, sets, and verdicts of people. Each returns what is wrong, in words.
var rules = []string{
	`SELECT 'the verdict of ' || judge || ' on ' || answer || ' has a total, but it is ' || status FROM verdicts WHERE status <> 'valid'
		AND total IS NOT NULL`,
	`SELECT 'the verdicts of ' || judge || ' on answer ' || answer || ' are not numbered from 1' FROM verdicts GROUP BY judge,
		answer HAVING min(repeat) <> 1 OR max(repeat) <> count(*)`,
	`SELECT kind || 's of ' || system || judge || ' are planned for a party or a set that is not recorded' FROM plan
		WHERE active NOT IN (0, 1) OR (kind = 'answer') <> (judge = '') OR CASE kind WHEN 'preference'
			THEN dataset NOT IN (SELECT name FROM sets) OR (judge, method) NOT IN (SELECT name, method FROM parties WHERE role = 'pairwise')
			ELSE method || dataset || "order" <> '' OR system NOT IN (SELECT name FROM parties WHERE role = 'system')
				OR kind = 'verdict' AND judge NOT IN (SELECT name FROM parties WHERE role = 'judge') END`,
	`SELECT 'nothing is planned for ' || name || ' ' || method FROM parties WHERE role NOT IN ('system', 'judge', 'pairwise')
		OR (name, method) NOT IN (SELECT iif(role = 'system', system, judge), method FROM plan WHERE (kind = 'preference') = (role = 'pairwise'))
		OR sources <> '' AND (role <> 'system' OR NOT json_valid(sources))`,
	`SELECT 'the set of pairs ' || name || ' is empty' FROM sets WHERE name NOT IN (SELECT dataset FROM pairs)`,
	`SELECT 'pair ' || id || ' is in no recorded set' FROM pairs WHERE active NOT IN (0, 1) OR dataset NOT IN (SELECT name FROM sets)`,
	`SELECT 'the attacks are of several sets of judges' FROM (SELECT count(DISTINCT work) AS n FROM attacks) WHERE n > 1`,
	`SELECT 'run ' || id || ' has another part, dataset, rubric or templates than its configuration' FROM run
		WHERE part NOT IN ('answers', 'pairs')
		OR part = 'answers' AND dataset <> json_extract(config, '$.dataset')
		OR part = 'pairs' AND dataset || data_hash || rubric || rubric_hash || templates <> ''`,
	`SELECT 'no result rests on the call ' || key FROM calls
		WHERE (SELECT count(*) FROM run WHERE part = 'answers') = 1 AND (SELECT count(*) FROM run WHERE part = 'pairs') < 2 AND (SELECT finished
			FROM run WHERE part = 'answers') <> ''
			AND status = 'valid' AND key NOT IN (SELECT key FROM calls WHERE id IN (
			SELECT value FROM (SELECT calls FROM answers UNION ALL SELECT calls FROM verdicts UNION ALL SELECT calls FROM labels
				UNION ALL SELECT calls FROM preferences UNION ALL SELECT calls FROM samples UNION ALL SELECT calls FROM grades) t, json_each(t.calls)))
			AND NOT EXISTS (SELECT 1 FROM calls WHERE round > 0)`, // results that could not be read were asked for again
	`SELECT 'the call ' || key || ' is recorded as ' || status || ', but no attempt of it' FROM calls c
		WHERE origin = '' AND (id, status) NOT IN (SELECT call, status FROM attempts)`,
	`SELECT 'attempt ' || n || ' belongs to no recorded call of its model: ' || call FROM attempts a
		WHERE NOT EXISTS (SELECT 1 FROM calls WHERE id = a.call AND provider = a.provider AND model = a.model)`,
	`SELECT 'the attempts of the call ' || call || ' are not numbered from 1' FROM attempts GROUP BY call HAVING min(n) <> 1
		OR max(n) <> count(*)`,
	`SELECT 'attempt ' || n || ' of the call ' || call || ' was made for ' || party || ', which is not recorded' FROM attempts
		WHERE party NOT IN (SELECT name FROM parties UNION ALL SELECT judge FROM labels UNION ALL SELECT grader FROM grades
			UNION ALL SELECT judge FROM samples)
			OR kind NOT IN (SELECT kind FROM plan WHERE kind IN ('answer', 'verdict') UNION ALL SELECT 'preference' UNION ALL SELECT 'label'
				FROM labels WHERE judge <> 'faithful')`,
}

// rules finds the first broken rule.
func (c *Recheck) rules() error {
	for _, query := range rules {
		wrong, broken, err := store.First[string](c.db, query)
		switch {
		case err != nil:
			return err
		case broken:
			return archive.Differ("%s", strings.TrimSpace(wrong))
		}
	}
	return nil
}
