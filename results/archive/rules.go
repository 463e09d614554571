package archive

import (
	"database/sql"
	"strings"

	"compqa/results/store"
)

// rules are queries for rows that cannot be in a record. Each returns what is wrong, in words.
var rules = []string{
	`SELECT 'answer ' || id || ' belongs to no planned cell' FROM answers a
		WHERE NOT EXISTS (SELECT 1 FROM plan WHERE kind = 'answer' AND judge = '' AND system = a.system AND scenario = a.scenario)`,
	`SELECT 'the verdict of ' || judge || ' on ' || answer || ' is on an answer that is not recorded' FROM verdicts
		WHERE answer NOT IN (SELECT id FROM answers)`,
	`SELECT 'the verdict of ' || judge || ' on ' || answer || ' belongs to no planned cell' FROM verdicts v JOIN answers a ON a.id = v.answer
		WHERE NOT EXISTS (SELECT 1 FROM plan WHERE kind = 'verdict' AND judge = v.judge AND system = a.system AND scenario = a.scenario)`,
	`SELECT 'the verdict of ' || judge || ' on ' || answer || ' has a total, but it is ' || status FROM verdicts WHERE status <> 'valid'
		AND total IS NOT NULL`,
	`SELECT 'the verdicts of ' || judge || ' on answer ' || answer || ' are not numbered from 1' FROM verdicts GROUP BY judge,
		answer HAVING min(repeat) <> 1 OR max(repeat) <> count(*)`,
	`SELECT kind || 's of ' || system || ' under scenario ' || scenario || ' name ' || CASE judge
		WHEN '' THEN 'a system' ELSE 'a judge (' || judge || ')' END || ' that is not recorded' FROM plan
		WHERE kind NOT IN ('answer', 'verdict', 'preference', 'rows', 'partition', 'consistent', 'support', 'claims') OR kind <> 'preference'
			AND (method <> '' OR dataset <> '' OR "order" <> '')
			OR active NOT IN (0, 1)
			OR (kind = 'answer') <> (judge = '')
			OR kind <> 'preference' AND system NOT IN (SELECT name FROM parties WHERE role = 'system') OR kind = 'verdict'
				AND judge NOT IN (SELECT name FROM parties WHERE role = 'judge')`,
	`SELECT 'no ' || 'verdict or answer is planned for ' || name FROM parties WHERE role <> 'pairwise'
		AND name NOT IN (SELECT system FROM plan UNION ALL SELECT judge FROM plan)`,
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
	`SELECT 'a contrastive table of an answer that is not valid: ' || id FROM answers WHERE summary <> '' AND status NOT IN ('valid',
		'empty')`,
	`SELECT 'labels of an answer that is not recorded: ' || answer FROM labels WHERE NOT EXISTS (SELECT 1 FROM answers WHERE id = answer
		AND (status = 'valid' OR judge <> 'faithful'))`,
	`SELECT 'labels (' || kind || ') of ' || judge || ' for ' || answer || ' belong to no planned cell' FROM labels l
		JOIN answers a ON a.id = l.answer
		WHERE l.judge <> 'faithful' AND NOT EXISTS (SELECT 1 FROM plan WHERE kind = l.kind AND judge = l.judge AND system = a.system
			AND scenario = a.scenario)`,
	`SELECT 'answer ' || id || ' has no measurements' FROM answers WHERE citations IS NULL`,
	`SELECT 'the preference of ' || judge || ' on ' || id || ' belongs to no planned cell' FROM preferences p
		WHERE NOT EXISTS (SELECT 1 FROM pairs q JOIN plan l ON l.kind = 'preference' AND l.dataset = q.dataset WHERE q.id = p.id
			AND l.judge = p.judge AND l.method = p.method AND l."order" = p."order")`,
	`SELECT 'the pairwise plan names what is not recorded: ' || judge || ' (' || method || ') on ' || dataset FROM plan
		WHERE kind = 'preference' AND (dataset NOT IN (SELECT name FROM sets) OR (judge, method) NOT IN (SELECT name, method FROM parties
			WHERE role = 'pairwise'))`,
	`SELECT 'no preference is planned for ' || name || ' (' || method || ')' FROM parties WHERE role = 'pairwise' AND (name,
		method) NOT IN (SELECT judge, method FROM plan WHERE kind = 'preference')`,
	`SELECT 'the set of pairs ' || name || ' is empty or its base is not recorded' FROM sets WHERE name NOT IN (SELECT dataset FROM pairs)
		OR base <> '' AND base NOT IN (SELECT name FROM sets)`,
	`SELECT 'pair ' || id || ' is in no recorded set, or its base is not recorded' FROM pairs WHERE active NOT IN (0, 1)
		OR dataset NOT IN (SELECT name FROM sets) OR base <> '' AND base NOT IN (SELECT id FROM pairs)`,
	`SELECT 'the set of pairs ' || name || ' has a bias, but no base' FROM sets WHERE (base = '') <> (bias = '') OR base = ''
		AND adversarial <> 0`,
	`SELECT 'the attacks are of several sets of judges' FROM (SELECT count(DISTINCT work) AS n FROM attacks) WHERE n > 1`,
	`SELECT 'run ' || id || ' has another dataset than its configuration' FROM run WHERE part = 'answers' AND dataset <> json_extract(config,
		'$.dataset')`,
	`SELECT 'run ' || id || ' is of an unknown part: ' || part FROM run WHERE part NOT IN ('answers', 'pairs')`,
	`SELECT 'run of pairs ' || id || ' has a dataset, a rubric or templates' FROM run WHERE part = 'pairs'
		AND dataset || data_hash || rubric || rubric_hash || templates <> ''`,
	`SELECT 'the sources of ' || name || ' are no list' FROM parties WHERE sources <> '' AND (role <> 'system' OR NOT json_valid(sources))`,
	`SELECT 'run of pairs ' || id || ' has another seed than its configuration' FROM run WHERE part = 'pairs' AND seed <> json_extract(config,
		'$.run.seed')`,
}

// checkRules finds the first broken rule.
func checkRules(s *store.Store) error {
	for _, query := range rules {
		var wrong string
		switch err := s.Db.QueryRow(query + ` LIMIT 1`).Scan(&wrong); {
		case err == nil:
			return Differ("%s", strings.TrimSpace(wrong))
		case err != sql.ErrNoRows:
			return store.WrapDBError("reading", store.RecordName, err)
		}
	}
	return nil
}
